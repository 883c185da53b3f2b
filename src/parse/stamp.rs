//! Time lines between repeated captures in one file: `timestamp: 1523386881.03`, `TS 1297205887.15 ...`, the output of `date`.
//!
//! A zone that the text names is not looked up: only differences inside one file are used.

use super::time::of_day;

/// Seconds that a line says, when it says nothing else. The origin is 1970 in whatever zone the text meant.
pub fn stamp(line: &str) -> Option<f64> {
    let line = line.trim().trim_matches(['=', '*', '#', '-']).trim();
    if line.is_empty() || line.len() > 80 {
        return None;
    }
    for label in ["timestamp:", "Timestamp:", "TS ", "ts:", "time:", "zzz ***", "zzz "] {
        if let Some(rest) = line.strip_prefix(label) {
            let rest = rest.trim();
            return epoch(rest.split_whitespace().next().unwrap_or_default()).or_else(|| dated(rest));
        }
    }
    dated(line)
}

/// Unix seconds with or without a fraction.
pub fn epoch(text: &str) -> Option<f64> {
    let whole = text.split('.').next()?;
    let plain = (9..=11).contains(&whole.len()) && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if plain { text.parse().ok() } else { None }
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `Wed Oct 20 18:47:46 PDT 2021`, `2022-11-23:12:07:22`, `2022-11-23 12:07:22`, `2022-11-23T12:07:22+00:00`.
fn dated(line: &str) -> Option<f64> {
    let words: Vec<&str> = line.split_whitespace().take(8).collect();
    let first = *words.first()?;
    if let Some((date, rest)) = first.get(..10).zip(first.get(10..)) {
        let (clock, most) = match rest.strip_prefix([':', 'T', '_', '-']) {
            Some(clock) => (clock, 2),
            None if rest.is_empty() => (words.get(1).copied()?, 4),
            None => return None,
        };
        if words.len() > most {
            return None;
        }
        let clock = clock.split(['+', 'Z']).next()?;
        let mut parts = date.split('-');
        let year = parts.next()?.parse().ok()?;
        let month = parts.next()?.parse().ok()?;
        let day = parts.next()?.parse().ok()?;
        return Some(midnight(year, month, day)? + of_day(clock, None)?.0);
    }
    if words.len() < 5 || words.len() > 7 {
        return None;
    }
    let month = MONTHS.iter().position(|month| words.contains(month)).and_then(|at| u32::try_from(at).ok())? + 1;
    let at = words.iter().position(|word| word.contains(':'))?;
    let clock = of_day(words.get(at)?, words.get(at + 1).copied())?.0;
    let number = |word: &&&str| word.bytes().all(|b| b.is_ascii_digit());
    let day = words.iter().find(|word| word.len() <= 2 && number(word))?.parse().ok()?;
    let year = words.iter().find(|word| word.len() == 4 && number(word))?.parse().ok()?;
    Some(midnight(year, month, day)? + clock)
}

/// Seconds from 1970 to the start of a day, without a zone.
fn midnight(year: i32, month: u32, day: u32) -> Option<f64> {
    if !(1970..=2200).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days of the civil calendar, years beginning in March (Howard Hinnant, "chrono-compatible low-level date algorithms").
    let shifted = if month <= 2 { year - 1 } else { year };
    let from_march = (i32::try_from(month).ok()? + 9) % 12;
    let day_of_year = (153 * from_march + 2) / 5 + i32::try_from(day).ok()? - 1;
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + day_of_year - 719_468;
    Some(f64::from(days) * 86_400.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_lines_of_collectors() {
        // Seconds by `date -u -d ... +%s`.
        for (line, seconds) in [
            ("timestamp: 1523386881.036390711", 1_523_386_881.036_390_7),
            ("TS 1297205887.156653000 2011-02-08 14:58:07", 1_297_205_887.156_653),
            ("Wed Oct 20 18:47:46 PDT 2021", 1_634_755_666.0),
            ("2022-11-23:12:07:22", 1_669_205_242.0),
            ("2024-02-29 00:00:01", 1_709_164_801.0),
            ("zzz ***Thu Jan 1 00:00:05 UTC 1970", 5.0),
        ] {
            assert!((stamp(line).unwrap() - seconds).abs() < 1e-3, "{line}: {:?}", stamp(line));
        }
        for line in ["rx_missed_errors: 0", "cpu 1 2 3 4 5", "", "1523386881", "2022-11-23 error in line 3 of file x"] {
            assert_eq!(stamp(line), None, "{line}");
        }
    }
}
