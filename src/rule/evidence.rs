//! Evidence of a condition for the report: the decisive reading, its threshold, and the lines it came from.

use serde_json::{Value as Json, json};

use super::expr::parse::CmpOp;
use super::expr::trace::{Step, Trace};
use super::verdict::ConditionTrace;
use crate::facts::{Entity, Source, Value};
use crate::report::model::{Evidence, Quote};
use crate::units::Unit;

/// One comparison (or plain condition) that decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// What was read, as written in the rule: `max(cpu, cpu.soft)`.
    pub text: String,
    pub fact: Option<&'static str>,
    /// The entity that decided, where it is not the rule's own.
    pub who: Option<Entity>,
    pub value: Option<Value>,
    pub unit: Option<Unit>,
    pub shown: String,
    pub op: Option<&'static str>,
    pub threshold: Option<Value>,
    pub threshold_shown: String,
    pub holds: Option<bool>,
}

/// Decisive readings shown per condition.
const MAX_ATOMS: usize = 4;

/// The readings that decided a condition, most decisive first; at least one.
pub fn atoms(trace: &Trace) -> Vec<Atom> {
    let mut list = Vec::new();
    for decisive in trace.decisive() {
        if list.len() < MAX_ATOMS {
            collect(decisive, None, &mut list);
        }
    }
    list.truncate(MAX_ATOMS);
    list
}

fn collect(trace: &Trace, who: Option<&Entity>, list: &mut Vec<Atom>) {
    let known = trace.out.known();
    let who = known.and_then(|known| known.who.as_ref()).or(who);
    match (&trace.step, trace.kids.as_slice()) {
        (Step::Compare(op), [left, right]) => {
            let constant = |side: &Trace| side.step == Step::Constant;
            let (read, limit, op) =
                if constant(left) && !constant(right) { (right, left, op.flipped()) } else { (left, right, *op) };
            list.push(Atom { holds: trace.out.truth(), ..reading(read, Some((op, limit)), who) });
        }
        (Step::Compare(_), [read]) => list.push(Atom { holds: trace.out.truth(), ..reading(read, None, who) }),
        // A condition over entities: what decided is the condition of the one that did.
        (Step::Quantifier(..), [first, ..]) if first.out.truth().is_some() && trace.out.truth().is_some() => {
            for decisive in first.decisive().into_iter().take(2) {
                collect(decisive, who, list);
            }
        }
        _ => {
            // `sustained(series, ...)` is a flag; what a reader wants to see is the series.
            let read = match trace.kids.first() {
                Some(kid) if matches!(kid.out.known().map(|known| &known.value), Some(Value::Series(_))) => kid,
                _ => trace,
            };
            list.push(Atom { text: trace.text.to_string(), holds: trace.out.truth(), ..reading(read, None, who) });
        }
    }
}

fn reading(read: &Trace, limit: Option<(CmpOp, &Trace)>, who: Option<&Entity>) -> Atom {
    let known = read.out.known();
    let who = known.and_then(|known| known.who.as_ref()).or(who);
    let threshold = limit.and_then(|(_, limit)| limit.out.known().map(|known| known.value.clone()));
    Atom {
        text: read.text.to_string(),
        fact: known
            .and_then(|known| known.facts.first().map(|(def, _)| def.path))
            .or_else(|| read.out.gaps().first().map(|gap| gap.def.path)),
        who: who.cloned(),
        value: known.map(|known| known.value.clone()),
        unit: read.unit,
        shown: read.shown(),
        op: limit.map(|(op, _)| op.name()),
        threshold_shown: limit.map(|(_, limit)| limit.shown()).unwrap_or_default(),
        threshold,
        holds: None,
    }
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::Flag(flag) => json!(flag),
        Value::Num(value) => json!(value),
        Value::Series(series) => json!(series.mean()),
        Value::Text(text) => json!(super::escape::plain(text)),
        Value::Cpus(cpus) => json!(cpus.to_string()),
        Value::List(items) => json!(items.iter().map(|item| super::escape::plain(item)).collect::<Vec<_>>()),
    }
}

impl Atom {
    /// `93 % (cpu 3)`.
    pub fn shown_with_entity(&self) -> String {
        let shown = super::escape::plain(&self.shown);
        match &self.who {
            Some(who) => format!("{shown} ({})", super::escape::plain(&who.to_string())),
            None => shown,
        }
    }
}

/// The condition as the report shows it; `quote` reads a source line of the bundle again.
pub fn evidence(condition: &ConditionTrace, quote: &dyn Fn(Source) -> Option<Quote>) -> Evidence {
    let atoms = atoms(&condition.trace);
    let first = atoms.first();
    let shown = match atoms.as_slice() {
        [one] => one.shown_with_entity(),
        many => many
            .iter()
            .map(|atom| format!("{}: {}", atom.text, atom.shown_with_entity()))
            .collect::<Vec<_>>()
            .join("; "),
    };
    let mut sources: Vec<Quote> = Vec::new();
    for source in condition.sources() {
        if let Some(quote) = quote(*source)
            && !sources.contains(&quote)
        {
            sources.push(quote);
        }
    }
    Evidence {
        says: condition.says.clone(),
        role: condition.role.name(),
        expression: condition.expression.clone(),
        holds: condition.truth(),
        fact: first.and_then(|atom| atom.fact).map(str::to_owned),
        value: first.and_then(|atom| atom.value.as_ref()).map_or(Json::Null, to_json),
        shown,
        unit: first.and_then(|atom| atom.unit).map(Unit::name),
        op: first.and_then(|atom| atom.op),
        threshold: first.and_then(|atom| atom.threshold.as_ref()).map_or(Json::Null, to_json),
        threshold_shown: first.map(|atom| atom.threshold_shown.clone()).unwrap_or_default(),
        grade: condition.grade().map(crate::facts::Grade::name),
        sources,
    }
}

/// How far a reading is past its threshold, as a factor of 1 to 10, for ranking.
pub fn exceedance(condition: &ConditionTrace) -> f64 {
    let ratio = |atom: &Atom| {
        let (value, limit) = (atom.value.as_ref()?.number()?, atom.threshold.as_ref()?.number()?);
        let ratio = match atom.op? {
            ">" | ">=" => value / limit,
            "<" | "<=" => limit / value,
            _ => return None,
        };
        (!ratio.is_nan()).then(|| ratio.clamp(1.0, 10.0))
    };
    atoms(&condition.trace).iter().filter_map(ratio).fold(1.0, f64::max)
}
