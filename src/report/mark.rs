//! The decisive part of a quoted line: the number that the reading came from, when the line holds it once.

use std::ops::Range;

use serde_json::Value;

/// How a value in base units may stand in a file: as it is, percent, KiB, MiB, milli, micro, nano.
const SCALES: [f64; 7] = [1.0, 100.0, 1.0 / 1024.0, 1.0 / 1_048_576.0, 1e3, 1e6, 1e9];

/// Byte range in `line` of the one word that equals `value`; none when no word or several do.
pub fn decisive(line: &str, value: &Value) -> Option<Range<usize>> {
    let mut found = None;
    for range in words(line) {
        if matches(&line[range.clone()], value) {
            if found.is_some() {
                return None;
            }
            found = Some(range);
        }
    }
    found
}

fn words(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | '-' | '_');
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].find(part)?;
        let end = line[start..].find(|c| !part(c)).map_or(line.len(), |length| start + length);
        at = end;
        let trimmed = line[start..end].trim_end_matches(['.', ',', '-']);
        Some(start..start + trimmed.len())
    })
}

fn matches(word: &str, value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|number| equals(word, number)),
        Value::String(text) => !text.is_empty() && word == text,
        _ => false,
    }
}

/// A word shows a number when they agree to the decimals that the word has, and to one percent.
fn equals(word: &str, value: f64) -> bool {
    let word = word.replace(',', ".");
    let Ok(shown) = word.parse::<f64>() else { return false };
    let decimals = word.split_once('.').map_or(0, |(_, digits)| digits.len().min(12));
    let half = 0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap_or(0));
    // One significant digit is no proof of a scaled value, and zero is none of any.
    let digits = word.trim_start_matches(['0', '.', '-']).bytes().filter(u8::is_ascii_digit).count();
    SCALES.iter().enumerate().any(|(index, scale)| {
        (if index == 0 { digits > 0 || value == 0.0 } else { digits > 1 })
            && shown.is_finite()
            && (value * scale - shown).abs() <= (half * 1.000_001).min((value * scale).abs() / 100.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_reading_once() {
        let line = "10:00:01      3    0.00    0.00    1.40    0.00    0.00   98.60    0.00";
        let range = decisive(line, &0.986.into()).expect("98.60 is there");
        assert_eq!(&line[range], "98.60");
        let line = "MemAvailable:    131072 kB";
        let range = decisive(line, &134_217_728.0.into()).expect("131072 KiB");
        assert_eq!(&line[range], "131072");
        let locale = "  3   98,60   0,00";
        assert_eq!(&locale[decisive(locale, &0.986.into()).expect("comma")], "98,60");
        let line = "10:00:05       3    0.61    0.00    4.02    0.00    0.00   91.24    0.00    0.00    0.00    4.13";
        assert_eq!(&line[decisive(line, &0.9124.into()).expect("zeros are not it")], "91.24");
        assert_eq!(decisive("Combined: 1\nOther: 1", &1.into()), None, "twice is undecided");
        assert_eq!(decisive("nothing here", &5.into()), None);
    }
}
