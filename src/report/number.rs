//! Numbers, times and windows in a report, from the unit names that the model carries.

use jiff::Timestamp;

use super::model::Window;
use crate::units::{Unit, human};

const UNITS: [Unit; 8] =
    [Unit::Share, Unit::Count, Unit::PerSec, Unit::Bytes, Unit::BytesPerSec, Unit::Seconds, Unit::Celsius, Unit::Hertz];

/// Seconds above this are wall-clock time (1973 and later), below it an offset in the capture.
const EPOCH_FROM: f64 = 1e8;

/// `value` in the unit called `unit` ([`Unit::name`]); an unknown unit is printed after the number.
pub fn shown(value: f64, unit: &str) -> String {
    match UNITS.iter().find(|known| known.name() == unit) {
        Some(known) => human::show(value, *known),
        None if unit.is_empty() => human::plain(value),
        None => format!("{} {unit}", human::plain(value)),
    }
}

/// A point of a time axis: the clock in UTC where `seconds` is one, else `12 s`.
pub fn moment(seconds: f64) -> String {
    match clock(seconds) {
        Some(time) => time.strftime("%H:%M:%S").to_string(),
        None => format!("{} s", human::plain(seconds)),
    }
}

fn clock(seconds: f64) -> Option<Timestamp> {
    if !seconds.is_finite() || seconds < EPOCH_FROM {
        return None;
    }
    Timestamp::from_millisecond((seconds * 1e3).round() as i64).ok()
}

/// `30 s from 2025-03-01 10:00:00 UTC`.
pub fn window(window: &Window) -> String {
    let length = human::show(window.seconds, Unit::Seconds);
    match window.from.and_then(clock) {
        Some(from) => format!("{length} from {} UTC", from.strftime("%Y-%m-%d %H:%M:%S")),
        None => length,
    }
}

/// `2 rules`, `1 rule`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_or_offset() {
        assert_eq!(moment(12.0), "12 s");
        assert_eq!(moment(1_735_689_661.0), "00:01:01");
        assert_eq!(shown(0.674, "share"), "67.4 %");
        assert_eq!(shown(3.0, "pages"), "3 pages");
        let at = Window { from: Some(1_735_689_600.0), to: None, seconds: 30.0 };
        assert_eq!(window(&at), "30 s from 2025-01-01 00:00:00 UTC");
    }
}
