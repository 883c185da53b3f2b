//! Literals of rules and tunables: `80%`, `2GiB`, `10ms`, `5000/s`, `50MB/s`, `3`.

use super::{Dim, Unit};

/// A number with its dimension, in base units (`80%` is 0.8, `2GiB` is 2147483648 bytes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    pub value: f64,
    pub dim: Dim,
    /// The unit the author wrote it in, for printing.
    pub unit: Unit,
}

/// Suffixes a literal may carry, longest first within one family.
pub const SUFFIXES: &[(&str, f64, Unit)] = &[
    ("%", 0.01, Unit::Share),
    ("B", 1.0, Unit::Bytes),
    ("kB", 1e3, Unit::Bytes),
    ("KB", 1e3, Unit::Bytes),
    ("MB", 1e6, Unit::Bytes),
    ("GB", 1e9, Unit::Bytes),
    ("TB", 1e12, Unit::Bytes),
    ("KiB", 1024.0, Unit::Bytes),
    ("MiB", 1_048_576.0, Unit::Bytes),
    ("GiB", 1_073_741_824.0, Unit::Bytes),
    ("TiB", 1_099_511_627_776.0, Unit::Bytes),
    ("ns", 1e-9, Unit::Seconds),
    ("us", 1e-6, Unit::Seconds),
    ("µs", 1e-6, Unit::Seconds),
    ("ms", 1e-3, Unit::Seconds),
    ("s", 1.0, Unit::Seconds),
    ("min", 60.0, Unit::Seconds),
    ("h", 3600.0, Unit::Seconds),
    ("d", 86_400.0, Unit::Seconds),
    ("k", 1e3, Unit::Count),
    ("M", 1e6, Unit::Count),
    ("Hz", 1.0, Unit::Hertz),
    ("MHz", 1e6, Unit::Hertz),
    ("GHz", 1e9, Unit::Hertz),
    ("C", 1.0, Unit::Celsius),
];

/// Makes a quantity of a number and its suffix, which may end in `/s` (`MB/s`, `k/s`, `/s`) or be empty.
/// `None` when no such suffix exists.
pub fn quantity(number: f64, suffix: &str) -> Option<Quantity> {
    let (base, per_second) = match suffix.strip_suffix("/s") {
        Some(base) => (base, true),
        None => (suffix, false),
    };
    let (factor, unit) = if base.is_empty() {
        (1.0, Unit::Count)
    } else {
        SUFFIXES.iter().find(|(name, _, _)| *name == base).map(|(_, factor, unit)| (*factor, *unit))?
    };
    let unit = match (unit, per_second) {
        (unit, false) => unit,
        (Unit::Count, true) => Unit::PerSec,
        (Unit::Bytes, true) => Unit::BytesPerSec,
        _ => return None,
    };
    Some(Quantity { value: number * factor, dim: unit.dim(), unit })
}

/// Parses a whole literal such as `1.5 GiB` or `5000/s`.
pub fn parse(text: &str) -> Option<Quantity> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|(at, c)| !(c.is_ascii_digit() || *c == '.' || *c == '_' || (*at == 0 && *c == '-')))
        .map_or(text.len(), |(at, _)| at);
    let (number, suffix) = text.split_at(end);
    quantity(number.replace('_', "").parse().ok()?, suffix.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_land_in_base_units() {
        let cases = [
            ("80%", 0.8, Unit::Share),
            ("2GiB", 2_147_483_648.0, Unit::Bytes),
            ("10ms", 0.01, Unit::Seconds),
            ("5000/s", 5000.0, Unit::PerSec),
            ("10k/s", 10_000.0, Unit::PerSec),
            ("50MB/s", 5e7, Unit::BytesPerSec),
            ("-1", -1.0, Unit::Count),
        ];
        for (text, value, unit) in cases {
            let got = parse(text).unwrap();
            assert!((got.value - value).abs() < 1e-9 * value.abs().max(1.0), "{text}");
            assert_eq!(got.unit, unit, "{text}");
        }
        for wrong in ["", "%", "10 parsecs", "3s/s", "1e"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
