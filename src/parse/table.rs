//! Helpers for tables of words: headers by name, numbers of any locale. Never by position.

/// A number as tools print it: decimal point or comma, a percent sign, `-`, sign, thousands left alone.
/// `None` for anything else, so that a word is never zero.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('%');
    let first = text.chars().next()?;
    if !(first.is_ascii_digit() || matches!(first, '-' | '+' | '.' | ',')) {
        return None;
    }
    let value: f64 = if text.contains(',') && !text.contains('.') {
        text.replacen(',', ".", 1).parse().ok()?
    } else {
        text.parse().ok()?
    };
    value.is_finite().then_some(value)
}

/// A counter: decimal digits only. Sizes beyond 2^53 lose their last bits, as every f64 does.
pub fn count(text: &str) -> Option<f64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// A number with a size suffix (`15.3g`, `512k`, `1.5GiB`, `4096`), in bytes; a bare number is times `bare`.
pub fn size(text: &str, bare: f64) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+'))).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let factor = match unit.trim().to_ascii_lowercase().trim_end_matches('b').trim_end_matches('i') {
        "" if unit.is_empty() => bare,
        "" => 1.0,
        "k" => 1024.0,
        "m" => 1_048_576.0,
        "g" => 1_073_741_824.0,
        "t" => 1_099_511_627_776.0,
        "p" => 1_125_899_906_842_624.0,
        _ => return None,
    };
    Some(number(digits)? * factor)
}

/// `key: value` with any blanks; the value may be empty.
pub fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    Some((key.trim(), value.trim()))
}

/// Position of each wanted column in a header row; missing ones are `None`.
pub fn columns<const N: usize>(header: &[&str], wanted: [&[&str]; N]) -> [Option<usize>; N] {
    wanted.map(|names| header.iter().position(|have| names.iter().any(|name| have.eq_ignore_ascii_case(name))))
}

/// The cell of a column, if the row reaches so far.
pub fn cell<'a>(row: &[&'a str], column: Option<usize>) -> Option<&'a str> {
    row.get(column?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sizes() {
        assert_eq!(number("12,34"), Some(12.34));
        assert_eq!(number("99.9%"), Some(99.9));
        assert_eq!(number("-1"), Some(-1.0));
        for word in ["n/a", "", "-", "inf", "NaN", "all", "12x"] {
            assert_eq!(number(word), None, "{word}");
        }
        assert_eq!(size("1.5g", 1024.0), Some(1_610_612_736.0));
        assert_eq!(size("10", 1024.0), Some(10_240.0));
        assert_eq!(size("2GiB", 1.0), Some(2_147_483_648.0));
        assert_eq!(size("12x", 1.0), None);
    }
}
