//! Evaluation of functions of values: statistics of a series, sets, numbers.

use std::sync::Arc;

use super::check::Level;
use super::eval::unsettled;
use super::funcs::Func;
use super::series::{self, Run};
use super::trace::{Bound, Known, Out, Trace, add_gaps};
use crate::facts::{Grade, Series, Source, Value};

/// Calls `func`. The checker has settled the types; what is left is data that does not suffice.
pub(super) fn call(func: Func, args: &[Trace], level: Option<&(Level, Trace)>, time: Option<&Trace>) -> Out {
    if func == Func::Known {
        return is_known(&args[0].out);
    }
    let mut known: Vec<&Known> = Vec::new();
    let mut gaps = Vec::new();
    for trace in args.iter().chain(level.map(|(_, trace)| trace)).chain(time) {
        match &trace.out {
            Out::Known(value) => known.push(value),
            Out::Unknown(more) => add_gaps(&mut gaps, more),
        }
    }
    if known.len() < args.len() + usize::from(level.is_some()) + usize::from(time.is_some()) {
        return Out::Unknown(gaps);
    }
    let mut rest = known[0].clone();
    known[1..].iter().for_each(|other| rest.rest_on(other));
    let done = match func {
        Func::Mean
        | Func::P50
        | Func::P95
        | Func::P99
        | Func::Max
        | Func::Min
        | Func::First
        | Func::Last
        | Func::Delta
        | Func::Rate
        | Func::Cv => statistic(func, known[0], &mut rest),
        Func::Duty | Func::Sustained | Func::Run => {
            let limit = level.and_then(|(side, trace)| Some((*side, trace.out.known()?.number()?)));
            let time = time.and_then(|trace| trace.out.known()?.number());
            limit.and_then(|(side, limit)| against(func, known[0], side, limit, time, &mut rest))
        }
        Func::Abs | Func::Floor | Func::Ceil | Func::Round | Func::Sqrt => scalar(func, known[0]),
        Func::Lesser | Func::Greater => pair(func, known[0], known[1], &mut rest),
        _ => sets(func, &known),
    };
    match done {
        Some(value) => Out::Known(Known { value, ..rest }),
        None => Out::Unknown(unsettled(&rest)),
    }
}

fn is_known(out: &Out) -> Out {
    match out {
        Out::Known(known) => {
            let flag = Known { bound: Bound::Exact, gaps: Vec::new(), ..known.with(Value::Flag(true)) };
            Out::Known(Known { grade: Grade::State, ..flag })
        }
        Out::Unknown(_) => Out::Known(Known::constant(Value::Flag(false))),
    }
}

/// Puts the line of point `index` before the other sources.
fn point(rest: &mut Known, series: &Series, index: usize) {
    if let Some(source) = series.source(index) {
        rest.sources.retain(|have| *have != source);
        rest.sources.insert(0, source);
    }
}

/// The few lines that show it, instead of all the series was read from.
fn only(rest: &mut Known, sources: impl IntoIterator<Item = Option<Source>>) {
    let list: Vec<Source> = sources.into_iter().flatten().collect();
    if !list.is_empty() {
        rest.sources = list;
        rest.sources.dedup();
    }
}

/// A statistic of one series. A fact that is one number (the mean between two snapshots) has a mean and nothing else.
fn statistic(func: Func, known: &Known, rest: &mut Known) -> Option<Value> {
    let Value::Series(series) = &known.value else {
        return if func == Func::Mean { known.number().map(Value::Num) } else { None };
    };
    if matches!(func, Func::Delta | Func::Rate | Func::Cv) && known.bound != Bound::Exact {
        return None;
    }
    let ends = || Some((series.values.iter().position(|v| v.is_finite())?, last(series)?));
    let value = match func {
        Func::Mean => series.mean()?,
        Func::P50 => series::percentile(series, 0.5)?,
        Func::P95 => series::percentile(series, 0.95)?,
        Func::P99 => series::percentile(series, 0.99)?,
        Func::Max | Func::Min => {
            let at = series::extreme(series, if func == Func::Max { 1.0 } else { -1.0 })?;
            point(rest, series, at);
            series.values[at]
        }
        Func::First | Func::Last => {
            let (first, last) = ends()?;
            let at = if func == Func::First { first } else { last };
            only(rest, [series.source(at)]);
            series.values[at]
        }
        Func::Cv => {
            if series.present().count() < 2 {
                return None;
            }
            series::variation(series)?
        }
        _ => {
            let (first, last) = ends().filter(|(first, last)| last > first)?;
            only(rest, [series.source(first), series.source(last)]);
            let delta = series.values[last] - series.values[first];
            if func == Func::Delta { delta } else { delta / (series.at[last] - series.at[first]) }
        }
    };
    Some(Value::Num(value))
}

fn last(series: &Series) -> Option<usize> {
    series.values.iter().rposition(|value| value.is_finite())
}

/// Duty, run and sustained against a level.
fn against(func: Func, known: &Known, side: Level, limit: f64, time: Option<f64>, rest: &mut Known) -> Option<Value> {
    let Value::Series(series) = &known.value else { return None };
    let favoured = match side {
        Level::Above => Bound::Lower,
        Level::Below => Bound::Upper,
    };
    if known.bound != Bound::Exact && known.bound != favoured {
        return None;
    }
    let test = |value: f64| match side {
        Level::Above => value > limit,
        Level::Below => value < limit,
    };
    if known.bound != Bound::Exact {
        rest.bound = Bound::Lower;
    }
    if func == Func::Duty {
        return series::duty(series, test).map(Value::Num);
    }
    let run = series::longest(series, test)?;
    if run.seconds > 0.0 {
        let Run { first, last, .. } = run;
        only(rest, [series.source(first), series.source(last)]);
    }
    if func == Func::Run {
        return Some(Value::Num(run.seconds));
    }
    let wanted = time?;
    rest.bound = Bound::Exact;
    if run.seconds >= wanted {
        return Some(Value::Flag(true));
    }
    // A capture shorter than the time asked for cannot say no, and neither can one with entities unknown.
    let long_enough = series::span(series)? >= wanted;
    (long_enough && known.bound == Bound::Exact).then_some(Value::Flag(false))
}

fn scalar(func: Func, known: &Known) -> Option<Value> {
    let value = known.number()?;
    let value = match func {
        Func::Abs if known.bound != Bound::Exact => return None,
        Func::Abs => value.abs(),
        Func::Floor => value.floor(),
        Func::Ceil => value.ceil(),
        Func::Round => value.round(),
        _ => value.sqrt(),
    };
    value.is_finite().then_some(Value::Num(value))
}

fn pair(func: Func, a: &Known, b: &Known, rest: &mut Known) -> Option<Value> {
    rest.bound = match (a.bound, b.bound) {
        (a, b) if a == b => a,
        (bound, Bound::Exact) | (Bound::Exact, bound) => bound,
        _ => return None,
    };
    let (x, y) = (a.number()?, b.number()?);
    Some(Value::Num(if func == Func::Lesser { x.min(y) } else { x.max(y) }))
}

fn sets(func: Func, known: &[&Known]) -> Option<Value> {
    let value = match (func, &known[0].value, known.get(1).map(|second| &second.value)) {
        (Func::Size, Value::Cpus(cpus), _) => Value::Num(cpus.len() as f64),
        (Func::Size, Value::List(list), _) => Value::Num(list.len() as f64),
        (Func::Contains, Value::Text(text), Some(Value::Text(part))) => Value::Flag(text.contains(&**part)),
        (Func::Contains, Value::List(list), Some(Value::Text(item))) => Value::Flag(list.contains(item)),
        (Func::Contains, Value::Cpus(cpus), Some(Value::Num(cpu))) => {
            Value::Flag(cpus.iter().any(|have| f64::from(have) == *cpu))
        }
        (Func::Overlaps, Value::Cpus(a), Some(Value::Cpus(b))) => Value::Flag(a.iter().any(|cpu| b.contains(cpu))),
        (Func::Subset, Value::Cpus(a), Some(Value::Cpus(b))) => Value::Flag(a.iter().all(|cpu| b.contains(cpu))),
        (Func::StartsWith, Value::Text(text), Some(Value::Text(start))) => Value::Flag(text.starts_with(&**start)),
        (Func::Older, Value::Text(have), Some(Value::Text(than))) => Value::Flag(version(have)? < version(than)?),
        _ => return None,
    };
    Some(value)
}

/// The leading numbers of a version: `5.10.0-35-amd64` is 5, 10, 0, 35.
fn version(text: &Arc<str>) -> Option<Vec<u64>> {
    let head: &str = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = head.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(head.len());
    let parts: Vec<u64> = head[..end].split(['.', '-']).map_while(|part| part.parse().ok()).collect();
    (!parts.is_empty()).then_some(parts)
}
