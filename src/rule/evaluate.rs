//! A catalogue against a bundle: every rule once per entity of its kind.

use std::sync::Arc;

use rayon::prelude::*;

use super::catalogue::Catalogue;
use super::expr::trace::add_gaps;
use super::expr::{Ctx, Gap, Out};
use super::file::{Condition, Rule};
use super::verdict::{Case, ConditionTrace, Outcome, Role, Verdict, decide};
use crate::facts::schema::keys::host::IDLE_DURING;
use crate::facts::{Entity, Facts, Kind, Missing, SubjectId, Value};

/// Every rule on every entity it is about, in the order of rules, then of entities. Same bundle, same list.
pub fn evaluate(catalogue: &Catalogue, facts: &Facts) -> Vec<Outcome> {
    let work: Vec<(&Rule, Entity)> = catalogue
        .rules()
        .iter()
        .flat_map(|rule| subjects_of(rule.each, facts).into_iter().map(move |entity| (rule, entity)))
        .collect();
    work.into_par_iter().map(|(rule, entity)| outcome(rule, &entity, facts)).collect()
}

/// The entities a rule on `kind` is about. Where there is none the answer is one nameless entity, of which
/// nothing is known: the rule then says what to collect.
pub fn subjects_of(kind: Kind, facts: &Facts) -> Vec<Entity> {
    let subjects = facts.subjects();
    if kind == Kind::Host {
        return subjects.into_iter().map(Entity::host).collect();
    }
    let mut list: Vec<Entity> = facts.all_entities(kind).cloned().collect();
    let of_the_host = !matches!(
        kind,
        Kind::Go
            | Kind::Pod
            | Kind::BrokerQueue
            | Kind::Consumer
            | Kind::Channel
            | Kind::Connection
            | Kind::Workload
            | Kind::Process
            | Kind::Thread
    );
    if of_the_host {
        let lacking = subjects.iter().filter(|subject| !list.iter().any(|entity| entity.subject == **subject));
        let nameless: Vec<Entity> = lacking.map(|subject| Entity::new(*subject, kind, "")).collect();
        list.extend(nameless);
    } else if list.is_empty() {
        let subject = subjects.first().copied().unwrap_or(SubjectId::WHOLE);
        list.push(Entity::new(subject, kind, ""));
    }
    list.sort();
    list
}

/// One rule on one entity.
pub fn outcome(rule: &Rule, entity: &Entity, facts: &Facts) -> Outcome {
    let names = rule.names();
    let mut evidence: Vec<ConditionTrace> = Vec::new();
    let mut run = |role: Role, list: &[Condition]| {
        for condition in list {
            let trace = Ctx::new(facts, entity, &names).run(&condition.code);
            let expression = condition.code.text.clone();
            evidence.push(ConditionTrace { role, says: condition.says.clone(), expression, trace });
        }
    };
    run(Role::Applies, rule.applies.as_slice());
    run(Role::Needs, &rule.needs);
    run(Role::When, &rule.when);
    run(Role::Proof, &rule.proof);
    run(Role::Supports, &rule.supports);
    run(Role::Against, &rule.against);
    let of = |role: Role| evidence.iter().filter(move |condition| condition.role == role).collect::<Vec<_>>();
    let case = Case {
        when: of(Role::When),
        proof: of(Role::Proof),
        supports: of(Role::Supports),
        against: of(Role::Against),
        alone_likely: rule.alone_likely,
    };
    let (mut verdict, mut limits) = match early(rule, entity, facts, &evidence) {
        Some((verdict, why)) => (verdict, why.into_iter().collect()),
        None => decide(&case),
    };
    if verdict != Verdict::NotApplicable
        && evidence.iter().any(|condition| condition.role == Role::Applies && condition.truth().is_none())
        && verdict.fired()
    {
        limits.push("whether the rule applies here is unknown".to_owned());
    }
    let holds = |condition: &Condition| {
        let out = Ctx::new(facts, entity, &names).run(&condition.code).out;
        out.truth() == Some(true)
    };
    let mut severity = rule.severity;
    let mut variant = None;
    if verdict.fired() {
        for (cap, list) in [(Verdict::Likely, &rule.cap_likely), (Verdict::Possible, &rule.cap_possible)] {
            for condition in list.iter().filter(|condition| holds(condition)) {
                if verdict > cap {
                    verdict = cap;
                    limits.push(condition.says.clone());
                }
            }
        }
        severity =
            rule.severity_if.iter().find(|(_, condition)| holds(condition)).map_or(severity, |(found, _)| *found);
        for _ in rule.lower.iter().filter(|condition| holds(condition)) {
            severity = severity.lowered();
        }
        for condition in &rule.variants {
            let trace = Ctx::new(facts, entity, &names).run(&condition.code);
            let chosen = trace.out.truth() == Some(true);
            let expression = condition.code.text.clone();
            let says = condition.says.clone();
            evidence.push(ConditionTrace { role: Role::Variant, says, expression, trace });
            if chosen {
                variant = Some(condition.says.clone());
                break;
            }
        }
    }
    let missing = missing(verdict, &evidence);
    Outcome {
        rule: rule.id.clone(),
        entity: entity.clone(),
        verdict,
        variant,
        severity,
        confidence: verdict.confidence(),
        evidence,
        missing,
        limits,
    }
}

/// Verdicts that come before the table: does not apply, nothing happened in the capture, too little data.
fn early(
    rule: &Rule,
    entity: &Entity,
    facts: &Facts,
    evidence: &[ConditionTrace],
) -> Option<(Verdict, Option<String>)> {
    let of = |role: Role| evidence.iter().filter(move |condition| condition.role == role);
    if of(Role::Applies).any(|condition| condition.truth() == Some(false)) {
        return Some((Verdict::NotApplicable, None));
    }
    let idle = facts.get(&IDLE_DURING, &Entity::host(entity.subject));
    if !rule.state && idle.is_ok_and(|reading| reading.value == Value::Flag(true) && reading.grade.solid()) {
        // A refutation says more than that the host was idle.
        let refuted = of(Role::Against).any(|condition| condition.solid() == Some(true));
        let why = "the host was idle during the capture: it may have missed the incident".to_owned();
        return (!refuted).then_some((Verdict::NotIndicated, Some(why)));
    }
    let short = of(Role::Needs).find(|condition| condition.truth() == Some(false));
    short.map(|condition| (Verdict::CannotTell, Some(format!("not met: {}", condition.says))))
}

/// Facts that would make the verdict firmer, each once: those of necessary conditions first.
fn missing(verdict: Verdict, evidence: &[ConditionTrace]) -> Vec<Gap> {
    let mut list = Vec::new();
    let roles: &[Role] = match verdict {
        Verdict::CannotTell => &[Role::When, Role::Proof],
        Verdict::Possible | Verdict::Likely => &[Role::When, Role::Proof, Role::Supports, Role::Variant],
        Verdict::Confirmed => &[Role::Variant],
        _ => &[],
    };
    for role in roles {
        for condition in evidence.iter().filter(|condition| condition.role == *role) {
            match &condition.trace.out {
                Out::Unknown(gaps) => add_gaps(&mut list, gaps),
                // Known from too little: two snapshots would make it solid.
                Out::Known(known) if !known.grade.solid() => {
                    let gaps = known.facts.iter().map(|(def, entity)| Gap {
                        def,
                        entity: entity.clone(),
                        why: Missing::TooShort,
                    });
                    add_gaps(&mut list, &gaps.collect::<Vec<_>>());
                }
                Out::Known(_) => {}
            }
        }
    }
    list
}

/// Shared between threads by `rayon`.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Rule>();
    shared::<Arc<Facts>>();
};
