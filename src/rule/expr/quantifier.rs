//! Evaluation over the entities of a kind, with those of which something is unknown kept in the account.

use std::sync::Arc;

use super::check::Node;
use super::eval::{Ctx, junction};
use super::funcs::Quant;
use super::series::{self, Join};
use super::trace::{Bound, Gap, Known, Out, Step, Trace, add_gaps};
use crate::facts::{Entity, Kind, Missing, Series, SubjectId, Value};

/// Entities whose steps a trace keeps: the decisive ones, not all 500 CPUs.
const TRACED: usize = 3;

struct Member {
    entity: Entity,
    trace: Trace,
}

impl Ctx<'_> {
    pub(super) fn quantifier(
        &mut self,
        node: &Node,
        quant: Quant,
        kind: Kind,
        body: &Node,
        filter: Option<&Node>,
    ) -> Trace {
        let mut members: Vec<Member> = Vec::new();
        let domain = self.domain(kind);
        let mut skipped: Vec<Gap> = Vec::new();
        for entity in &domain {
            self.stack.push(entity.clone());
            let chosen = filter.map(|filter| self.node(filter));
            let trace = match chosen.as_ref().map(|chosen| chosen.out.truth()) {
                Some(Some(false)) => None,
                Some(None) => chosen,
                _ => Some(self.node(body)),
            };
            self.stack.pop();
            let Some(trace) = trace else { continue };
            let absent = |gap: &Gap| matches!(gap.why, Missing::NotApplicable(_));
            match &trace.out {
                // An offline CPU is no CPU of which something is unknown.
                Out::Unknown(gaps) if !gaps.is_empty() && gaps.iter().all(absent) => add_gaps(&mut skipped, gaps),
                _ => members.push(Member { entity: entity.clone(), trace }),
            }
        }
        let unknown = members.iter().filter(|member| member.trace.out.known().is_none()).count();
        let out = if members.is_empty() {
            self.nobody(quant, kind, body, !domain.is_empty() && filter.is_some(), skipped)
        } else {
            combine(quant, &members)
        };
        let step = Step::Quantifier(kind, members.len(), unknown);
        let kids = decisive(members, &out);
        self.trace(node, step, out, kids)
    }

    /// No entity to look at: none matched the filter, or none is in the bundle at all.
    fn nobody(&self, quant: Quant, kind: Kind, body: &Node, filtered: bool, skipped: Vec<Gap>) -> Out {
        match quant {
            Quant::Any if filtered => return Out::Known(Known::constant(Value::Flag(false))),
            Quant::Count | Quant::Sum if filtered => return Out::Known(Known::constant(Value::Num(0.0))),
            _ => {}
        }
        if !skipped.is_empty() {
            return Out::Unknown(skipped);
        }
        let subject = self.stack.first().map_or(SubjectId::WHOLE, |entity| entity.subject);
        let why = match filtered {
            true => Missing::NotApplicable(format!("no {kind} matches").into()),
            false => Missing::NotCollected,
        };
        let of_kind = |def: &&'static crate::facts::FactDef| def.kind == kind;
        let gaps = body.facts().into_iter().filter(of_kind);
        Out::Unknown(gaps.map(|def| Gap { def, entity: Entity::new(subject, kind, ""), why: why.clone() }).collect())
    }
}

/// The members whose steps explain the outcome.
fn decisive(members: Vec<Member>, out: &Out) -> Vec<Trace> {
    let who = out.known().and_then(|known| known.who.clone());
    let truth = out.truth();
    let mut kids: Vec<Trace> = Vec::new();
    for member in members {
        let first = who.as_ref() == Some(&member.entity);
        let alike = match truth {
            Some(_) => member.trace.out.truth() == truth,
            None => out.known().is_none() == member.trace.out.known().is_none(),
        };
        if first {
            kids.insert(0, member.trace);
        } else if alike && kids.len() < TRACED {
            kids.push(member.trace);
        }
    }
    kids.truncate(TRACED);
    kids
}

fn combine(quant: Quant, members: &[Member]) -> Out {
    let known: Vec<(&Entity, &Known)> =
        members.iter().filter_map(|member| Some((&member.entity, member.trace.out.known()?))).collect();
    let mut gaps = Vec::new();
    members.iter().for_each(|member| {
        if let Out::Unknown(more) = &member.trace.out {
            add_gaps(&mut gaps, more);
        }
    });
    let complete = known.len() == members.len();
    match quant {
        Quant::Any | Quant::All => {
            let decides = quant == Quant::Any;
            let mut out = junction(members.iter().map(|member| &member.trace.out), decides);
            if let Out::Known(result) = &mut out
                && result.flag() == decides
            {
                let winner = known.iter().filter(|(_, known)| known.flag() == decides);
                let best = winner.rev().max_by_key(|(_, known)| known.grade);
                result.who = best.map(|(entity, _)| (*entity).clone());
            }
            out
        }
        Quant::Count | Quant::Share => {
            let Some(mut result) = all_of(&known) else { return Out::Unknown(gaps) };
            let hits: Vec<&Entity> =
                known.iter().filter(|(_, known)| known.flag()).map(|(entity, _)| *entity).collect();
            let number = hits.len() as f64;
            result.who = hits.first().map(|entity| (*entity).clone());
            if quant == Quant::Share {
                if !complete {
                    return Out::Unknown(gaps);
                }
                return Out::Known(result.with(Value::Num(number / known.len() as f64)));
            }
            let bound = if complete { Bound::Exact } else { Bound::Lower };
            Out::Known(Known { value: Value::Num(number), bound, gaps, ..result })
        }
        Quant::Max | Quant::Min => extreme(quant, &known, gaps),
        Quant::Sum | Quant::Mean | Quant::Median => {
            if !complete {
                return Out::Unknown(gaps);
            }
            let Some(result) = all_of(&known) else { return Out::Unknown(gaps) };
            if quant == Quant::Sum
                && let Some(list) = all_series(&known)
            {
                return Out::Known(result.with(Value::Series(Arc::new(series::join(&list, Join::Sum)))));
            }
            let numbers: Vec<f64> = known.iter().filter_map(|(_, known)| known.number()).collect();
            if numbers.len() < known.len() {
                return Out::Unknown(super::eval::unsettled(&result));
            }
            let sum = numbers.iter().sum::<f64>();
            let value = match quant {
                Quant::Sum => Some(sum),
                Quant::Mean => Some(sum / numbers.len() as f64),
                _ => series::median(numbers),
            };
            value.map_or(Out::Unknown(gaps), |value| Out::Known(result.with(Value::Num(value))))
        }
    }
}

/// A value that rests on every member.
fn all_of(known: &[(&Entity, &Known)]) -> Option<Known> {
    let mut list = known.iter();
    let mut result = list.next()?.1.clone();
    list.for_each(|(_, other)| result.rest_on(other));
    result.who = None;
    Some(result)
}

fn all_series<'k>(known: &[(&Entity, &'k Known)]) -> Option<Vec<&'k Series>> {
    known
        .iter()
        .map(|(_, known)| match &known.value {
            Value::Series(series) => Some(&**series),
            _ => None,
        })
        .collect()
}

/// Largest or smallest. With members unknown the result is a bound; it names the member that decided.
fn extreme(quant: Quant, known: &[(&Entity, &Known)], gaps: Vec<Gap>) -> Out {
    let sign = if quant == Quant::Max { 1.0 } else { -1.0 };
    let numbers = known.iter().filter_map(|(entity, known)| Some((*entity, *known, sign * known.number()?)));
    // Of equals the first one wins, so that the answer does not hang on the order of evaluation.
    let best = numbers.fold(None, |best: Option<(&Entity, &Known, f64)>, next| match best {
        Some(best) if best.2 >= next.2 => Some(best),
        _ => Some(next),
    });
    let Some((who, winner, value)) = best else { return Out::Unknown(gaps) };
    let mut result = winner.clone();
    result.grade = known.iter().map(|(_, known)| known.grade).min().unwrap_or(winner.grade);
    result.who = Some(who.clone());
    result.value = match all_series(known) {
        Some(list) => Value::Series(Arc::new(series::join(&list, if sign > 0.0 { Join::Max } else { Join::Min }))),
        None => Value::Num(sign * value),
    };
    if !gaps.is_empty() {
        result.bound = if sign > 0.0 { Bound::Lower } else { Bound::Upper };
        add_gaps(&mut result.gaps, &gaps);
    }
    Out::Known(result)
}
