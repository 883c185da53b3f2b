//! Collectors that put date and time in front of every line of a `/proc` file.

use super::stamp::stamp;

/// Splits `2013-12-05 12:04:58.68382<blank>rest` into seconds and the rest; a line without a time is all rest.
pub fn stamped(line: &str) -> (Option<f64>, &str) {
    let bytes = line.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_digit) || bytes.get(4) != Some(&b'-') {
        return (None, line);
    }
    let Some(mut end) = line.find([' ', 'T']) else { return (None, line) };
    end += 1 + line.get(end + 1..).and_then(|rest| rest.find([' ', '\t'])).unwrap_or_default();
    match line.get(..end).and_then(stamp) {
        Some(seconds) => (Some(seconds), line.get(end..).unwrap_or_default().trim_start()),
        None => (None, line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_lines() {
        // 1386245098: `date -u -d '2013-12-05 12:04:58' +%s`.
        assert_eq!(stamped("2013-12-05 12:04:58.5\tMemFree: 1 kB"), (Some(1_386_245_098.5), "MemFree: 1 kB"));
        for line in ["MemFree: 1 kB", "2013-", "2013-12-05", "2013-12-05 x y"] {
            assert_eq!(stamped(line), (None, line));
        }
    }
}
