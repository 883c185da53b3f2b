//! Numbers as a person reads them: `67.4 %`, `1.5 GiB`, `12 ms`, `98 k/s`. One place, so that terminal,
//! Markdown, HTML and prose agree.

use super::Unit;

/// Formats `value` (in the base unit) for people: three significant digits at most, a unit always.
pub fn show(value: f64, unit: Unit) -> String {
    if !value.is_finite() {
        return "not a number".to_owned();
    }
    match unit {
        Unit::Share => format!("{} %", plain(value * 100.0)),
        Unit::Count => scaled(value, ""),
        Unit::PerSec => format!("{}/s", scaled(value, "")),
        Unit::Bytes => bytes(value, ""),
        Unit::BytesPerSec => bytes(value, "/s"),
        Unit::Seconds => seconds(value),
        Unit::Celsius => format!("{} °C", plain(value)),
        Unit::Hertz => hertz(value),
    }
}

/// A number without unit: three significant digits, no trailing zeros.
pub fn plain(value: f64) -> String {
    let size = value.abs();
    let text = if size == 0.0 {
        "0".to_owned()
    } else if size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else if size >= 0.1 {
        format!("{value:.2}")
    } else {
        format!("{value:.4}")
    };
    trim(text)
}

fn trim(text: String) -> String {
    if !text.contains('.') {
        return text;
    }
    let cut = text.trim_end_matches('0').trim_end_matches('.');
    match cut {
        "" | "-" | "-0" => "0".to_owned(),
        _ => cut.to_owned(),
    }
}

fn scaled(value: f64, suffix: &str) -> String {
    let size = value.abs();
    let (number, prefix) = if size >= 1e12 {
        (value / 1e12, " T")
    } else if size >= 1e9 {
        (value / 1e9, " G")
    } else if size >= 1e6 {
        (value / 1e6, " M")
    } else if size >= 1e5 {
        (value / 1e3, " k")
    } else {
        (value, "")
    };
    format!("{}{prefix}{suffix}", plain(number))
}

fn bytes(value: f64, suffix: &str) -> String {
    const STEPS: [(f64, &str); 5] = [
        (1_125_899_906_842_624.0, "PiB"),
        (1_099_511_627_776.0, "TiB"),
        (1_073_741_824.0, "GiB"),
        (1_048_576.0, "MiB"),
        (1024.0, "KiB"),
    ];
    for (size, name) in STEPS {
        if value.abs() >= size {
            return format!("{} {name}{suffix}", plain(value / size));
        }
    }
    format!("{} B{suffix}", plain(value))
}

fn seconds(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0 s".to_owned()
    } else if size < 1e-6 {
        format!("{} ns", plain(value * 1e9))
    } else if size < 1e-3 {
        format!("{} µs", plain(value * 1e6))
    } else if size < 1.0 {
        format!("{} ms", plain(value * 1e3))
    } else if size < 120.0 {
        format!("{} s", plain(value))
    } else if size < 7200.0 {
        format!("{} min", plain(value / 60.0))
    } else if size < 172_800.0 {
        format!("{} h", plain(value / 3600.0))
    } else {
        format!("{} days", plain(value / 86_400.0))
    }
}

fn hertz(value: f64) -> String {
    if value.abs() >= 1e9 {
        format!("{} GHz", plain(value / 1e9))
    } else if value.abs() >= 1e6 {
        format!("{} MHz", plain(value / 1e6))
    } else {
        format!("{} Hz", plain(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_people_write() {
        let cases = [
            (0.674, Unit::Share, "67.4 %"),
            (1.0, Unit::Share, "100 %"),
            (0.0, Unit::Share, "0 %"),
            (98_304.0, Unit::PerSec, "98304/s"),
            (390_000.0, Unit::PerSec, "390 k/s"),
            (1_610_612_736.0, Unit::Bytes, "1.5 GiB"),
            (512.0, Unit::Bytes, "512 B"),
            (0.0126, Unit::Seconds, "12.6 ms"),
            (3600.0, Unit::Seconds, "60 min"),
            (f64::NAN, Unit::Count, "not a number"),
        ];
        for (value, unit, text) in cases {
            assert_eq!(show(value, unit), text);
        }
    }
}
