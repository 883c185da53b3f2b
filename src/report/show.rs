//! A fact's value as text for people, the same wherever it appears.

use crate::facts::Value;
use crate::units::{Unit, human};

/// `value` in `unit`; a series is its mean with the highest point beside it.
pub fn value(value: &Value, unit: Option<Unit>) -> String {
    let unit = unit.unwrap_or(Unit::Count);
    match value {
        Value::Flag(true) => "yes".to_owned(),
        Value::Flag(false) => "no".to_owned(),
        Value::Num(number) => human::show(*number, unit),
        Value::Text(text) => text.to_string(),
        Value::Cpus(set) if set.is_empty() => "none".to_owned(),
        Value::Cpus(set) => set.to_string(),
        Value::List(list) => list.join(", "),
        Value::Series(series) => {
            let mean = series.mean().map_or_else(|| "unknown".to_owned(), |mean| human::show(mean, unit));
            let top = series.present().fold(f64::NEG_INFINITY, f64::max);
            if series.values.len() > 1 && top.is_finite() {
                format!("{mean} (max {})", human::show(top, unit))
            } else {
                mean
            }
        }
    }
}
