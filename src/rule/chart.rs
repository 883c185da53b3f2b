//! Chart requests of a rule: `heat cpu.soft`, `bars queue.rx_share`, `lines disk.await disk.iops`, `matrix ...`.

use crate::facts::{FactDef, Ty, schema};
use crate::rule::suggest;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// A row per entity over time; one series fact.
    Heat,
    /// A bar per entity; one number or series (its mean).
    Bars,
    /// Lines over time; one or more series.
    Lines,
    /// A table of values; one fact of pairs.
    Matrix,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChartSpec {
    pub kind: ChartKind,
    pub facts: Vec<&'static FactDef>,
}

/// Parses one request. The error is a help text.
pub fn parse(text: &str) -> Result<ChartSpec, String> {
    let mut words = text.split_whitespace();
    let kind = match words.next() {
        Some("heat") => ChartKind::Heat,
        Some("bars") => ChartKind::Bars,
        Some("lines" | "line") => ChartKind::Lines,
        Some("matrix") => ChartKind::Matrix,
        other => {
            let near = other.and_then(|word| suggest::closest(word, ["heat", "bars", "lines", "matrix"]));
            return Err(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "write `heat`, `bars`, `lines` or `matrix`, then facts".to_owned(),
            });
        }
    };
    let mut facts = Vec::new();
    for path in words {
        let Some(def) = schema::find(path) else {
            return Err(match suggest::closest(path, schema::all().map(|def| def.path)) {
                Some(near) => format!("unknown fact `{path}`: did you mean `{near}`?"),
                None => format!("unknown fact `{path}`"),
            });
        };
        let series = matches!(def.ty, Ty::Series(_));
        let fits = match kind {
            ChartKind::Heat | ChartKind::Lines => series,
            ChartKind::Bars | ChartKind::Matrix => series || matches!(def.ty, Ty::Num(_)),
        };
        if !fits {
            return Err(format!("`{path}` is no series of numbers: it cannot be drawn so"));
        }
        facts.push(def);
    }
    let single = matches!(kind, ChartKind::Heat | ChartKind::Bars | ChartKind::Matrix);
    match facts.len() {
        0 => Err("name the fact to draw: `heat cpu.soft`".to_owned()),
        n if single && n > 1 => Err("one fact each; write one entry per chart".to_owned()),
        _ => Ok(ChartSpec { kind, facts }),
    }
}
