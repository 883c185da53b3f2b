//! Ranking: causes explain symptoms, the worst and surest comes first, nothing is hidden.
//!
//! Rulebook 4.2: score = severity x confidence x specificity x recency. A symptom is folded under its cause,
//! never dropped. Same outcomes, same order.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::facts::{Grade, SubjectId};
use crate::rule::evidence::exceedance;
use crate::rule::{Catalogue, Outcome, Severity, Verdict};

/// A finding in its place.
#[derive(Clone, Debug)]
pub struct Ranked {
    pub outcome: Outcome,
    pub score: f64,
    /// Index (in [`Ranking::findings`]) of the finding that explains this one.
    pub explained_by: Option<usize>,
    /// Index of the cause at the end of that chain.
    pub root: Option<usize>,
    /// Indices of the findings that this one explains directly.
    pub explains: Vec<usize>,
}

/// All outcomes, sorted.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// Causes first, by score; then symptoms, by score.
    pub findings: Vec<Ranked>,
    pub cannot_tell: Vec<Outcome>,
    pub refuted: Vec<Outcome>,
    pub not_indicated: Vec<Outcome>,
    pub not_applicable: Vec<Outcome>,
}

/// Sorts outcomes and connects causes with symptoms. `catalogue` knows what explains what.
pub fn rank(catalogue: &Catalogue, outcomes: Vec<Outcome>) -> Ranking {
    let mut ranking = Ranking::default();
    let mut fired = Vec::new();
    for outcome in outcomes {
        match outcome.verdict {
            Verdict::CannotTell => ranking.cannot_tell.push(outcome),
            Verdict::Refuted => ranking.refuted.push(outcome),
            Verdict::NotIndicated => ranking.not_indicated.push(outcome),
            Verdict::NotApplicable => ranking.not_applicable.push(outcome),
            _ => fired.push(outcome),
        }
    }
    for list in [&mut ranking.cannot_tell, &mut ranking.refuted, &mut ranking.not_indicated] {
        list.sort_by(|a, b| (a.severity, &a.rule, &a.entity).cmp(&(b.severity, &b.rule, &b.entity)));
    }
    fired.sort_by(|a, b| by_score(a, base(a), b, base(b)));
    let parents = connect(catalogue, &fired);
    // Causes first, then symptoms; both by score, in which a symptom counts a fifth.
    let score = |at: usize| base(&fired[at]) * if parents[at].is_some() { EXPLAINED } else { 1.0 };
    let mut order: Vec<usize> = (0..fired.len()).collect();
    order.sort_by(|a, b| {
        let class = parents[*a].is_some().cmp(&parents[*b].is_some());
        class.then_with(|| by_score(&fired[*a], score(*a), &fired[*b], score(*b)))
    });
    let place: BTreeMap<usize, usize> = order.iter().enumerate().map(|(new, old)| (*old, new)).collect();
    ranking.findings = order
        .iter()
        .map(|old| Ranked {
            outcome: fired[*old].clone(),
            score: score(*old),
            explained_by: parents[*old].map(|parent| place[&parent]),
            root: root(&parents, *old).map(|root| place[&root]),
            explains: {
                let mut list: Vec<usize> =
                    (0..fired.len()).filter(|child| parents[*child] == Some(*old)).map(|child| place[&child]).collect();
                list.sort_unstable();
                list
            },
        })
        .collect();
    ranking
}

/// Weight of a symptom that has its cause above it.
const EXPLAINED: f64 = 0.2;

fn severity(severity: Severity) -> f64 {
    match severity {
        Severity::P1 => 8.0,
        Severity::P2 => 4.0,
        Severity::P3 => 2.0,
        Severity::P4 => 1.0,
    }
}

/// Severity x confidence x recency: 1 for what was measured in the window, 0.5 for state, 0.3 for lifetime totals.
fn base(outcome: &Outcome) -> f64 {
    let grades = || outcome.evidence.iter().filter(|c| c.truth() == Some(true)).filter_map(|c| c.grade());
    let recency = if grades().any(|grade| matches!(grade, Grade::Two | Grade::Series)) {
        1.0
    } else if grades().all(|grade| grade == Grade::State) {
        0.5
    } else {
        0.3
    };
    severity(outcome.severity) * outcome.confidence * recency
}

/// Higher score, more files, further past the threshold, then name.
fn by_score(a: &Outcome, score_a: f64, b: &Outcome, score_b: f64) -> Ordering {
    let past = |outcome: &Outcome| outcome.evidence.iter().map(exceedance).fold(1.0, f64::max);
    score_b
        .total_cmp(&score_a)
        .then_with(|| b.files().len().cmp(&a.files().len()))
        .then_with(|| past(b).total_cmp(&past(a)))
        .then_with(|| (&a.rule, &a.entity).cmp(&(&b.rule, &b.entity)))
}

/// For each outcome the one that explains it: of several, the one ranked first. A link that would close a
/// circle is left out.
fn connect(catalogue: &Catalogue, fired: &[Outcome]) -> Vec<Option<usize>> {
    let mut parents: Vec<Option<usize>> = vec![None; fired.len()];
    for symptom in 0..fired.len() {
        parents[symptom] = (0..fired.len()).find(|cause| {
            *cause != symptom
                && explains(catalogue, &fired[*cause], &fired[symptom])
                && root(&parents, *cause).unwrap_or(*cause) != symptom
                && !ancestors(&parents, *cause).contains(&symptom)
        });
    }
    parents
}

fn explains(catalogue: &Catalogue, cause: &Outcome, symptom: &Outcome) -> bool {
    let named = catalogue.rule(&cause.rule).is_some_and(|rule| rule.explains.iter().any(|(id, _)| *id == symptom.rule));
    // A guess explains no certainty.
    named && (cause.verdict >= symptom.verdict || cause.verdict >= Verdict::Likely) && related(cause, symptom)
}

/// Same subject (or one is about the bundle as a whole), and not two different things of one kind.
fn related(a: &Outcome, b: &Outcome) -> bool {
    let (x, y) = (&a.entity, &b.entity);
    let whole = x.subject == SubjectId::WHOLE || y.subject == SubjectId::WHOLE;
    if x.subject != y.subject && !whole {
        return false;
    }
    let owned = x.kind.parent() == Some(y.kind) || y.kind.parent() == Some(x.kind);
    match x.kind == y.kind || owned {
        true => x.within(y) || y.within(x),
        false => true,
    }
}

fn ancestors(parents: &[Option<usize>], mut at: usize) -> Vec<usize> {
    let mut list = Vec::new();
    while let Some(parent) = parents[at] {
        if list.contains(&parent) {
            break;
        }
        list.push(parent);
        at = parent;
    }
    list
}

fn root(parents: &[Option<usize>], at: usize) -> Option<usize> {
    ancestors(parents, at).last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Entity, Kind};

    fn outcome(rule: &str, kind: Kind, name: &str, verdict: Verdict, severity: Severity) -> Outcome {
        Outcome {
            rule: rule.to_owned(),
            entity: Entity::new(SubjectId(0), kind, name),
            verdict,
            variant: None,
            severity,
            confidence: verdict.confidence(),
            evidence: Vec::new(),
            missing: Vec::new(),
            limits: Vec::new(),
        }
    }

    /// A catalogue of three rules: a explains b, b explains c.
    fn catalogue() -> Catalogue {
        let page = crate::rule::problem::tests_support::PAGE;
        let mut catalogue = Catalogue::default();
        for (id, explains) in [("a", "[b]"), ("b", "[c]"), ("c", "[]")] {
            catalogue.add(&format!("rules/x/{id}.md"), page.replace("explains: []", &format!("explains: {explains}")));
        }
        catalogue
    }

    #[test]
    fn symptoms_follow_their_causes_and_point_at_the_root() {
        let outcomes = vec![
            outcome("c", Kind::Host, "", Verdict::Confirmed, Severity::P1),
            outcome("b", Kind::Nic, "eth0", Verdict::Likely, Severity::P2),
            outcome("a", Kind::Nic, "eth0", Verdict::Likely, Severity::P3),
            outcome("b", Kind::Nic, "eth1", Verdict::Likely, Severity::P2),
            outcome("a", Kind::Cpu, "0", Verdict::Refuted, Severity::P1),
        ];
        let ranking = rank(&catalogue(), outcomes);
        let shown: Vec<(String, Option<usize>, Option<usize>)> = ranking
            .findings
            .iter()
            .map(|f| (format!("{} {}", f.outcome.rule, f.outcome.entity), f.explained_by, f.root))
            .collect();
        let name = |text: &str| text.to_owned();
        assert_eq!(
            shown,
            [
                // Unexplained, by score: b on eth1 (4 x 0.7), a on eth0 (2 x 0.7); then the symptoms.
                (name("b nic eth1"), None, None),
                (name("a nic eth0"), None, None),
                (name("c host"), Some(3), Some(1)),
                (name("b nic eth0"), Some(1), Some(1)),
            ]
        );
        assert_eq!(ranking.findings[1].explains, [3]);
        assert_eq!(ranking.refuted.len(), 1);
    }

    #[test]
    fn a_guess_explains_no_certainty_and_order_of_input_does_not_matter() {
        let outcomes = vec![
            outcome("a", Kind::Nic, "eth0", Verdict::Possible, Severity::P1),
            outcome("b", Kind::Nic, "eth0", Verdict::Confirmed, Severity::P2),
        ];
        let ranking = rank(&catalogue(), outcomes.clone());
        assert!(ranking.findings.iter().all(|finding| finding.explained_by.is_none()));
        let names = |ranking: &Ranking| ranking.findings.iter().map(|f| f.outcome.rule.clone()).collect::<Vec<_>>();
        let turned = rank(&catalogue(), outcomes.into_iter().rev().collect());
        assert_eq!(names(&ranking), names(&turned));
    }
}
