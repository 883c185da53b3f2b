//! Values of facts, their sources and how good they are.

use std::fmt;
use std::sync::Arc;

/// Where a value was read: an artifact of the bundle and a line (1-based) or, in binary files, a byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Source {
    pub artifact: u32,
    pub line: u32,
}

/// Quality of an input (rulebook 0.1), worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grade {
    /// A lifetime total of one snapshot divided by uptime, or a since-boot report: caps a verdict at *possible*.
    SinceBoot,
    /// One snapshot of a counter, or an instant reading of something that moves (`top -n 1`): same cap.
    Once,
    /// Two snapshots, or the mean of a window.
    Two,
    /// A series over the window.
    Series,
    /// State that is valid when read once: a setting, a limit, a topology.
    State,
}

impl Grade {
    /// True when a verdict may rest on it (Q2 and better, or state).
    pub fn solid(self) -> bool {
        self >= Grade::Two
    }

    pub const fn name(self) -> &'static str {
        match self {
            Grade::SinceBoot => "since boot",
            Grade::Once => "one reading",
            Grade::Two => "two snapshots",
            Grade::Series => "series",
            Grade::State => "state",
        }
    }
}

/// A set of CPU (or node) numbers, sorted, as in `0-3,8`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct CpuSet(Arc<[u32]>);

impl CpuSet {
    /// More numbers than this in one list are refused: no kernel has so many CPUs.
    pub const MAX: usize = 65_536;

    pub fn from_ids(ids: impl IntoIterator<Item = u32>) -> CpuSet {
        let mut ids: Vec<u32> = ids.into_iter().take(CpuSet::MAX).collect();
        ids.sort_unstable();
        ids.dedup();
        CpuSet(ids.into())
    }

    /// Parses the kernel's list form. An empty text is the empty set; anything odd is `None`.
    pub fn parse_list(text: &str) -> Option<CpuSet> {
        let mut ids = Vec::new();
        for part in text.trim().split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (part, pattern) = part.split_once(':').map_or((part, None), |(part, pattern)| (part, Some(pattern)));
            // `0-62:2` (util-linux): every second; `0-62:2/4` (kernel): the first two of every four.
            let (used, group) = match pattern {
                None => (1, 1),
                Some(pattern) => match pattern.split_once('/') {
                    Some((used, group)) => (used.parse::<u32>().ok()?, group.parse::<u32>().ok()?),
                    None => (1, pattern.parse::<u32>().ok()?),
                },
            };
            let (from, to) = match part.split_once('-') {
                Some((from, to)) => (from.trim().parse::<u32>().ok()?, to.trim().parse::<u32>().ok()?),
                None => {
                    let one = part.parse::<u32>().ok()?;
                    (one, one)
                }
            };
            if to < from || group == 0 || usize::try_from(to - from).ok()? + ids.len() > CpuSet::MAX {
                return None;
            }
            ids.extend((from..=to).filter(|id| (id - from) % group < used));
        }
        Some(CpuSet::from_ids(ids))
    }

    /// Parses the comma-grouped hexadecimal mask form (`smp_affinity`, `rps_cpus`).
    pub fn parse_mask(text: &str) -> Option<CpuSet> {
        let digits: Vec<u32> = text
            .trim()
            .trim_start_matches("0x")
            .chars()
            .filter(|c| *c != ',')
            .map(|c| c.to_digit(16))
            .collect::<Option<_>>()?;
        if digits.is_empty() || digits.len() > CpuSet::MAX / 4 {
            return None;
        }
        let mut ids = Vec::new();
        for (at, digit) in digits.iter().rev().enumerate() {
            let base = u32::try_from(at).ok()? * 4;
            ids.extend((0..4).filter(|bit| digit & (1 << bit) != 0).map(|bit| base + bit));
        }
        Some(CpuSet::from_ids(ids))
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    pub fn contains(&self, id: u32) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        let mut ids = self.0.iter().copied().peekable();
        while let Some(from) = ids.next() {
            let mut to = from;
            while ids.peek() == Some(&(to + 1)) {
                to += 1;
                ids.next();
            }
            if !first {
                f.write_str(",")?;
            }
            first = false;
            if from == to { write!(f, "{from}")? } else { write!(f, "{from}-{to}")? }
        }
        Ok(())
    }
}

/// A series: values over time. `at` are seconds since the first sample of the capture (strictly rising);
/// NaN is a gap. `lines` gives the source line of each point in `artifact`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Series {
    pub at: Vec<f64>,
    pub values: Vec<f64>,
    pub artifact: u32,
    pub lines: Vec<u32>,
    /// Unix time of `at == 0`, where it is known.
    pub start: Option<f64>,
}

impl Series {
    /// Values that are no gaps.
    pub fn present(&self) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().copied().filter(|value| value.is_finite())
    }

    pub fn mean(&self) -> Option<f64> {
        let (mut sum, mut n) = (0.0, 0u32);
        for value in self.present() {
            sum += value;
            n += 1;
        }
        (n > 0).then(|| sum / f64::from(n))
    }

    /// Source of point `index`.
    pub fn source(&self, index: usize) -> Option<Source> {
        self.lines.get(index).map(|line| Source { artifact: self.artifact, line: *line })
    }
}

/// A value in its base unit.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Flag(bool),
    Num(f64),
    Text(Arc<str>),
    Cpus(CpuSet),
    List(Arc<[Arc<str>]>),
    Series(Arc<Series>),
}

impl Value {
    /// The number it stands for: a series is its mean over the window.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Num(value) => Some(*value),
            Value::Series(series) => series.mean(),
            _ => None,
        }
    }
}

/// A value with its grade and the lines that it was read or computed from.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub value: Value,
    pub grade: Grade,
    pub sources: Arc<[Source]>,
}

impl Reading {
    /// Sources beyond this number add nothing for a reader and are dropped.
    pub const MAX_SOURCES: usize = 16;

    pub fn new(value: Value, grade: Grade, sources: impl IntoIterator<Item = Source>) -> Reading {
        let mut list: Vec<Source> = Vec::new();
        for source in sources {
            if list.len() >= Reading::MAX_SOURCES {
                break;
            }
            if !list.contains(&source) {
                list.push(source);
            }
        }
        Reading { value, grade, sources: list.into() }
    }

    pub fn number(&self) -> Option<f64> {
        self.value.number()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_sets_read_both_kernel_forms() {
        let list = CpuSet::parse_list("0-3,8,10-11").unwrap();
        assert_eq!(list.iter().collect::<Vec<_>>(), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(list.to_string(), "0-3,8,10-11");
        assert_eq!(CpuSet::parse_mask("00000001,00000000").unwrap().to_string(), "32");
        assert_eq!(CpuSet::parse_mask("d0f").unwrap(), list);
        assert_eq!(CpuSet::parse_list("").unwrap().len(), 0);
        assert_eq!(CpuSet::parse_list("0-6:2,9").unwrap().to_string(), "0,2,4,6,9");
        assert_eq!(CpuSet::parse_list("0-7:2/4").unwrap().to_string(), "0-1,4-5");
        for wrong in ["3-1", "a", "0-4000000000", "1,,x", "0-8:0"] {
            assert_eq!(CpuSet::parse_list(wrong), None, "{wrong}");
        }
    }
}
