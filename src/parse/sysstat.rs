//! What mpstat, sar, pidstat and iostat share: the banner line, the time (or "Average:") before each row,
//! in any locale and clock, and numbers with `--human` suffixes.

use super::Out;
use super::table::number;
use super::time::{Clock, of_day};
use crate::facts::schema::keys::host;

/// `Linux 5.10.0 (name)  03/11/22  _x86_64_  (8 CPU)`.
#[derive(Debug, Default, PartialEq)]
pub struct Banner<'a> {
    pub kernel: &'a str,
    pub host: &'a str,
    pub arch: Option<&'a str>,
    /// Configured CPUs, offline ones included.
    pub cpus: Option<u32>,
}

pub fn banner(line: &str) -> Option<Banner<'_>> {
    let rest = line.trim_start_matches('\u{feff}').strip_prefix("Linux ")?;
    let (kernel, rest) = rest.split_once(" (")?;
    let (name, rest) = rest.split_once(')')?;
    if kernel.is_empty() || kernel.contains(char::is_whitespace) || name.contains(char::is_whitespace) {
        return None;
    }
    let arch = rest.split_whitespace().find_map(|word| word.strip_prefix('_')?.strip_suffix('_'));
    let cpus = rest.rsplit_once('(').and_then(|(_, tail)| tail.split_whitespace().next()?.parse().ok());
    Some(Banner { kernel, host: name, arch, cpus })
}

/// Writes what a banner says of the host.
pub fn put_banner(found: &Banner, line: u32, out: &mut Out) {
    out.text(&host::KERNEL, "", found.kernel, line);
    out.text(&host::HOSTNAME, "", found.host, line);
    if let Some(arch) = found.arch {
        out.text(&host::ARCH, "", arch, line);
    }
}

/// What stands before a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stamp {
    /// Seconds that rise over the file.
    At(f64),
    /// `Average:` in any language, `Summary:`, `Minimum:` ...
    Summary,
    None,
}

/// A line cut into its stamp and its cells.
#[derive(Debug)]
pub struct Row<'a> {
    pub number: u32,
    pub stamp: Stamp,
    pub cells: Vec<&'a str>,
}

/// Reads the lines of one file; holds its clock.
#[derive(Debug, Default)]
pub struct Rows {
    clock: Clock,
}

impl Rows {
    pub fn row<'a>(&mut self, number: u32, line: &'a str) -> Row<'a> {
        let mut cells: Vec<&str> = line.split_whitespace().collect();
        let (stamp, used) = stamp(&cells);
        let stamp = match stamp {
            Stamp::At(time) => Stamp::At(self.clock.seconds(time)),
            other => other,
        };
        cells.drain(..used.min(cells.len()));
        Row { number, stamp, cells }
    }
}

/// The stamp of a row and how many words it takes. A name before it (`pdsh` prints `host:`) is passed over.
fn stamp(cells: &[&str]) -> (Stamp, usize) {
    let (first, second) = (cells.first().copied().unwrap_or_default(), cells.get(1).copied());
    if !first.starts_with(|c: char| c.is_ascii_digit()) || first.ends_with([':', '：']) {
        return match label(cells) {
            Some(words) => match cells.get(words).and_then(|next| of_day(next, cells.get(words + 1).copied())) {
                Some((time, twelve)) => (Stamp::At(time), words + 1 + usize::from(twelve)),
                None => (Stamp::Summary, words),
            },
            None => (Stamp::None, 0),
        };
    }
    match of_day(first, second) {
        // An epoch time stands alone; a bare number of nine digits elsewhere is none.
        Some((time, twelve)) if first.contains(':') || first.contains(['時', '时']) || time > EPOCH_2001 => {
            (Stamp::At(time), 1 + usize::from(twelve))
        }
        _ => (Stamp::None, 0),
    }
}

/// Epoch times of captures are later than this.
const EPOCH_2001: f64 = 978_307_200.0;

/// Words of a label that ends in a colon, when one begins the row.
fn label(cells: &[&str]) -> Option<usize> {
    for (at, word) in cells.iter().take(3).enumerate() {
        if word.ends_with([':', '：']) {
            return (at > 0 || word.chars().count() > 1).then_some(at + 1);
        }
        if word.contains(|c: char| c.is_ascii_digit() || c == '%') {
            return None;
        }
    }
    None
}

/// A cell as a number: any locale, percent sign, or a `--human` suffix that multiplies (`1.5G`, unit `k`).
/// The result is in the unit of the column's name when that unit is `k`, since sysstat prints `222.1k` under `kB/s`.
pub fn human(text: &str, kilo: bool) -> Option<f64> {
    if let Some(value) = number(text) {
        return Some(value);
    }
    let (digits, suffix) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let value = number(digits)?;
    let power: i32 = match suffix {
        "s" | "B" => 0,
        "k" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        _ => return None,
    };
    Some(value * 1024f64.powi(power - i32::from(kilo)))
}

/// Values beyond this are the tools' own overflow (`%util 214748364.70`), not readings.
pub const ABSURD: f64 = 1e15;

/// A percentage as a share. More than `limit` percent is a tool bug and `None`.
pub fn share(percent: f64, limit: f64) -> Option<f64> {
    (percent >= 0.0 && percent <= limit).then_some(percent / 100.0)
}

/// The interval that a command asks for (`mpstat -P ALL 2 5` is 2), if any.
pub fn interval(words: &[&str]) -> Option<f64> {
    let mut numbers = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let option = at.checked_sub(1).and_then(|before| words.get(before)).copied().unwrap_or_default();
        // Letters of options that take a value of their own (-P 0, -p 123, -S m, -I SUM).
        if matches!(option, "-P" | "-p" | "-C" | "-G" | "-o" | "-f" | "-s" | "-e" | "-j" | "-N") {
            continue;
        }
        if let Ok(value) = word.parse::<f64>()
            && value > 0.0
            && value < 86_400.0
        {
            numbers.push(value);
        }
    }
    numbers.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banners_and_stamps() {
        let one = banner("Linux 5.10.0-8-amd64 (web.1) \t03/11/22 \t_x86_64_\t(8 CPU)").unwrap();
        assert_eq!(one, Banner { kernel: "5.10.0-8-amd64", host: "web.1", arch: Some("x86_64"), cpus: Some(8) });
        assert_eq!(banner("Linux 2.6.9 (old)  01/01/08").unwrap().cpus, None);
        assert_eq!(banner("Linux version 5.10 (gcc) #1 SMP"), None);
        let mut rows = Rows::default();
        for (line, stamp, cells) in [
            ("23:59:59  all 1", Stamp::At(86_399.0), 2),
            ("12:00:01 AM  all 1", Stamp::At(86_401.0), 2),
            ("Average:  all 1", Stamp::Summary, 2),
            ("Trung bình:  all 1", Stamp::Summary, 2),
            ("Moyenne\u{202f}:  all 1", Stamp::Summary, 2),
            ("平均時間：  all 1", Stamp::Summary, 2),
            ("all 1", Stamp::None, 2),
            ("sda 1.0 2.0", Stamp::None, 3),
        ] {
            let row = rows.row(1, line);
            assert_eq!((row.stamp, row.cells.len()), (stamp, cells), "{line}");
        }
        assert_eq!(rows.row(1, "web1: 00:00:02 all 1").stamp, Stamp::At(86_402.0));
        assert_eq!(human("1.5M", true), Some(1536.0));
        assert_eq!(human("39,9%", false), Some(39.9));
        assert_eq!(interval(&["mpstat", "-P", "0", "2", "5"]), Some(2.0));
    }
}
