//! Verdicts by rulebook 0.3: which conditions hold, on what evidence, decides what may be said.

use std::collections::BTreeSet;
use std::fmt;

use super::expr::{Gap, Out, Trace};
use crate::facts::{Entity, Grade, Kind, Source};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Outage.
    P1,
    /// Users notice.
    P2,
    /// Costs, or will bite later.
    P3,
    /// For information.
    P4,
}

impl Severity {
    pub const ALL: [Severity; 4] = [Severity::P1, Severity::P2, Severity::P3, Severity::P4];

    pub const fn name(self) -> &'static str {
        match self {
            Severity::P1 => "P1",
            Severity::P2 => "P2",
            Severity::P3 => "P3",
            Severity::P4 => "P4",
        }
    }

    /// One step less severe; P4 stays.
    pub const fn lowered(self) -> Severity {
        match self {
            Severity::P1 => Severity::P2,
            Severity::P2 => Severity::P3,
            Severity::P3 | Severity::P4 => Severity::P4,
        }
    }
}

/// What a rule says of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The rule does not concern this entity.
    NotApplicable,
    /// A necessary condition is false.
    NotIndicated,
    /// A refuting condition is true.
    Refuted,
    /// Nothing necessary could be evaluated.
    CannotTell,
    Possible,
    Likely,
    Confirmed,
}

impl Verdict {
    pub const ALL: [Verdict; 7] = [
        Verdict::NotApplicable,
        Verdict::NotIndicated,
        Verdict::Refuted,
        Verdict::CannotTell,
        Verdict::Possible,
        Verdict::Likely,
        Verdict::Confirmed,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Verdict::NotApplicable => "not-applicable",
            Verdict::NotIndicated => "not-indicated",
            Verdict::Refuted => "refuted",
            Verdict::CannotTell => "cannot-tell",
            Verdict::Possible => "possible",
            Verdict::Likely => "likely",
            Verdict::Confirmed => "confirmed",
        }
    }

    pub fn from_name(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    /// True for what goes into the list of findings.
    pub fn fired(self) -> bool {
        self >= Verdict::Possible
    }

    /// Confidence of a fired verdict (rulebook 0.3), 0 for the others.
    pub const fn confidence(self) -> f64 {
        match self {
            Verdict::Confirmed => 0.9,
            Verdict::Likely => 0.7,
            Verdict::Possible => 0.4,
            _ => 0.0,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The part a condition plays in its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Applies,
    Needs,
    When,
    Proof,
    Supports,
    Against,
    /// Lowers the severity or caps the verdict.
    Modifier,
    Variant,
}

impl Role {
    pub const fn name(self) -> &'static str {
        match self {
            Role::Applies => "applies",
            Role::Needs => "needs",
            Role::When => "when",
            Role::Proof => "proof",
            Role::Supports => "supports",
            Role::Against => "against",
            Role::Modifier => "modifier",
            Role::Variant => "variant",
        }
    }
}

/// A condition and how it came out.
#[derive(Clone, Debug)]
pub struct ConditionTrace {
    pub role: Role,
    pub says: String,
    pub expression: String,
    pub trace: Trace,
}

impl ConditionTrace {
    /// Truth on evidence that a verdict may rest on.
    ///
    /// A truth from since-boot totals or one reading of something that moves is weak: as true it counts,
    /// and caps the verdict; as false it counts as unknown, for a mean since boot does not acquit the minute
    /// in question (rulebook 0.1, guard G4).
    pub fn solid(&self) -> Option<bool> {
        self.trace.out.truth().filter(|_| self.grade().is_some_and(Grade::solid))
    }

    pub fn truth(&self) -> Option<bool> {
        self.trace.out.truth()
    }

    pub fn weak(&self) -> bool {
        self.truth().is_some() && self.solid().is_none()
    }

    pub fn grade(&self) -> Option<Grade> {
        self.trace.out.known().map(|known| known.grade)
    }

    pub fn sources(&self) -> &[Source] {
        self.trace.out.known().map_or(&[], |known| &known.sources)
    }

    /// Files it rests on.
    pub fn files(&self) -> BTreeSet<u32> {
        self.sources().iter().map(|source| source.artifact).collect()
    }

    pub fn gaps(&self) -> &[Gap] {
        match &self.trace.out {
            Out::Unknown(gaps) => gaps,
            Out::Known(_) => &[],
        }
    }
}

/// What a rule says of one entity, with all that it rests on.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub rule: String,
    /// With an empty name for a kind of which the subject has no entity.
    pub entity: Entity,
    pub verdict: Verdict,
    pub variant: Option<String>,
    pub severity: Severity,
    /// 0.9, 0.7, 0.4; halved outside the incident (guard G2).
    pub confidence: f64,
    /// In the order of the page, conditions that were evaluated.
    pub evidence: Vec<ConditionTrace>,
    /// Facts that would settle it, each once.
    pub missing: Vec<Gap>,
    /// Why the verdict is not stronger.
    pub limits: Vec<String>,
}

impl Outcome {
    pub fn kind(&self) -> Kind {
        self.entity.kind
    }

    /// Guard G2: the capture was not taken at the time of the incident.
    pub fn outside_incident(&mut self) {
        self.confidence *= 0.5;
        self.limits.push("captured outside the time of the incident: this is the state at capture".to_owned());
    }

    pub fn conditions(&self, role: Role) -> impl Iterator<Item = &ConditionTrace> {
        self.evidence.iter().filter(move |condition| condition.role == role)
    }

    /// Files that the conditions that hold rest on.
    pub fn files(&self) -> BTreeSet<u32> {
        let holds = self.evidence.iter().filter(|condition| condition.truth() == Some(true));
        holds.flat_map(|condition| condition.files()).collect()
    }
}

/// What [`decide`] goes by: the conditions of one rule, evaluated.
pub struct Case<'c> {
    pub when: Vec<&'c ConditionTrace>,
    pub proof: Vec<&'c ConditionTrace>,
    pub supports: Vec<&'c ConditionTrace>,
    pub against: Vec<&'c ConditionTrace>,
    /// *Likely* without support.
    pub alone_likely: bool,
}

/// The table of rulebook 0.3, in its order. The sentences say why it is not more.
///
/// Additions, all towards caution: a refuting or necessary condition that is false or true only on weak evidence
/// does not acquit; weak evidence that speaks both for and against is no suspicion; direct evidence with necessary
/// conditions missing is *possible*, as for "some N".
pub fn decide(case: &Case<'_>) -> (Verdict, Vec<String>) {
    let mut limits = Vec::new();
    let holds = |list: &[&ConditionTrace]| list.iter().filter(|c| c.solid() == Some(true)).count();
    if holds(&case.against) > 0 {
        return (Verdict::Refuted, limits);
    }
    if case.when.iter().any(|condition| condition.solid() == Some(false)) {
        return (Verdict::NotIndicated, limits);
    }
    // A rule of proofs alone: none true and all known is "not indicated".
    if case.when.is_empty() {
        if holds(&case.proof) > 0 {
            return (Verdict::Confirmed, limits);
        }
        if !case.proof.is_empty() && case.proof.iter().all(|condition| condition.solid() == Some(false)) {
            return (Verdict::NotIndicated, limits);
        }
        if case.proof.iter().any(|condition| condition.truth() == Some(true)) {
            limits.push(WEAK.to_owned());
            return (Verdict::Possible, limits);
        }
        return (Verdict::CannotTell, limits);
    }
    let solid = holds(&case.when);
    let weak = case.when.iter().filter(|c| c.weak() && c.truth() == Some(true)).count();
    let unknown = case.when.len() - solid - weak;
    let direct = holds(&case.proof) > 0;
    if unknown == 0 && weak == 0 {
        let supports: Vec<&&ConditionTrace> = case.supports.iter().filter(|c| c.solid() == Some(true)).collect();
        if direct || independent(&supports) {
            return (Verdict::Confirmed, limits);
        }
        let second = case.alone_likely && {
            let base: BTreeSet<u32> = case.when.iter().flat_map(|condition| condition.files()).collect();
            supports.iter().any(|support| support.files().difference(&base).next().is_some())
        };
        if second {
            return (Verdict::Confirmed, limits);
        }
        if case.supports.iter().any(|c| c.weak() && c.truth() == Some(true)) {
            limits.push("some support is a single reading or a mean since boot, which does not count".to_owned());
        }
        if !supports.is_empty() || case.alone_likely {
            limits.push(match supports.len() {
                0 => "nothing beside the signature itself supports it".to_owned(),
                1 => "one supporting observation; two from different files would confirm it".to_owned(),
                _ => "the supporting observations come from the same file".to_owned(),
            });
            return (Verdict::Likely, limits);
        }
        limits.push("no supporting observation".to_owned());
        return (Verdict::Possible, limits);
    }
    if weak > 0 {
        limits.push(WEAK.to_owned());
    }
    if unknown > 0 {
        limits.push(format!("{unknown} of {} necessary conditions could not be evaluated", case.when.len()));
    }
    // Lifetime totals that contradict each other say nothing of the incident (guard G4).
    let contradiction = solid == 0 && case.when.iter().any(|c| c.weak() && c.truth() == Some(false));
    if weak > 0 && contradiction {
        limits.push("means since boot speak for it and against it".to_owned());
    }
    let some = direct || solid > 0 || (weak > 0 && !contradiction);
    (if some { Verdict::Possible } else { Verdict::CannotTell }, limits)
}

const WEAK: &str = "rests on a mean since boot or on a single reading, not on a measured interval";

/// Two of the supports rest on files that have nothing in common.
fn independent(supports: &[&&ConditionTrace]) -> bool {
    supports.iter().enumerate().any(|(at, a)| {
        let files = a.files();
        !files.is_empty()
            && supports[at + 1..].iter().map(|b| b.files()).any(|other| !other.is_empty() && files.is_disjoint(&other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Value;
    use crate::rule::expr::trace::{Known, Step};

    /// A condition that came out `truth` on `grade`, read from `file`.
    fn condition(role: Role, truth: Option<bool>, grade: Grade, file: u32) -> ConditionTrace {
        let out = match truth {
            Some(flag) => {
                let sources = vec![Source { artifact: file, line: 1 }];
                Out::Known(Known { grade, sources, ..Known::constant(Value::Flag(flag)) })
            }
            None => Out::Unknown(Vec::new()),
        };
        let trace = Trace { text: "".into(), step: Step::Other, unit: None, out, kids: Vec::new() };
        ConditionTrace { role, says: String::new(), expression: String::new(), trace }
    }

    /// Verdict of conditions written as `N+` (necessary, true), `N-`, `N?`, `Nb` (true since boot), `Nf` (false
    /// since boot); likewise C (each from a file of its own, `c` from one shared file), D and X.
    fn verdict(text: &str, alone_likely: bool) -> Verdict {
        let conditions: Vec<ConditionTrace> = text
            .split_whitespace()
            .zip(10..)
            .map(|(word, file)| {
                let (role, file) = match &word[..1] {
                    "N" => (Role::When, 1),
                    "C" => (Role::Supports, file),
                    "c" => (Role::Supports, 9),
                    "s" => (Role::Supports, 1),
                    "D" => (Role::Proof, file),
                    _ => (Role::Against, file),
                };
                match &word[1..] {
                    "+" => condition(role, Some(true), Grade::Two, file),
                    "-" => condition(role, Some(false), Grade::Two, file),
                    "b" => condition(role, Some(true), Grade::SinceBoot, file),
                    "f" => condition(role, Some(false), Grade::SinceBoot, file),
                    _ => condition(role, None, Grade::Two, file),
                }
            })
            .collect();
        let of = |role: Role| conditions.iter().filter(|c| c.role == role).collect();
        let (when, proof) = (of(Role::When), of(Role::Proof));
        decide(&Case { when, proof, supports: of(Role::Supports), against: of(Role::Against), alone_likely }).0
    }

    #[test]
    fn the_table_of_the_rulebook_in_its_order() {
        let cases = [
            ("N+ N+ C+ C+ X+", Verdict::Refuted),
            ("N- X+", Verdict::Refuted),
            ("N- N? C+ C+", Verdict::NotIndicated),
            ("N- D+", Verdict::NotIndicated),
            ("N+ N+ C+ C+ X-", Verdict::Confirmed),
            ("N+ N+ c+ c+", Verdict::Likely),
            ("N+ D+", Verdict::Confirmed),
            ("N+ C+ C?", Verdict::Likely),
            ("N+ C- C?", Verdict::Possible),
            ("N+", Verdict::Possible),
            ("N+ Nb C+ C+", Verdict::Possible),
            ("N+ N? C+ C+", Verdict::Possible),
            ("N? N? C+", Verdict::CannotTell),
            ("N? D+", Verdict::Possible),
            ("D+", Verdict::Confirmed),
            ("D- D-", Verdict::NotIndicated),
            ("D- D?", Verdict::CannotTell),
        ];
        for (text, want) in cases {
            assert_eq!(verdict(text, false), want, "{text}");
        }
    }

    #[test]
    fn weak_evidence_neither_acquits_nor_confirms() {
        let cases = [
            ("Nf", Verdict::CannotTell),
            ("Nb Nf N?", Verdict::CannotTell),
            ("Nb N?", Verdict::Possible),
            ("N+ Nf C+ C+", Verdict::Possible),
            ("N+ C+ C+ Xb", Verdict::Confirmed),
            ("N+ Cb Cb", Verdict::Possible),
            ("N+ C+ Cb", Verdict::Likely),
            ("N+ Db", Verdict::Possible),
            ("Db", Verdict::Possible),
        ];
        for (text, want) in cases {
            assert_eq!(verdict(text, false), want, "{text}");
        }
    }

    #[test]
    fn a_signature_of_one_meaning_is_likely_alone() {
        assert_eq!(verdict("N+", true), Verdict::Likely);
        assert_eq!(verdict("N+ C+", true), Verdict::Confirmed);
        assert_eq!(verdict("N+ s+", true), Verdict::Likely);
        assert_eq!(verdict("Nb", true), Verdict::Possible);
    }
}
