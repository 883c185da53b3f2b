//! pprof profiles from before protobuf: counted stacks, heap and contention as text (what `?debug=1`
//! still gives), and the binary CPU profile of gperftools and of Go up to 1.8. Their stacks are addresses;
//! where the writer added symbol lines, they are read.

use super::wire::to_u64;

/// Lines longer than this are cut.
const MAX_LINE: usize = 1 << 16;
const MAX_STACKS: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegacyKind {
    Cpu,
    Heap,
    Goroutine,
    ThreadCreate,
    Block,
    Mutex,
    /// `NAME profile: total N` with any other name.
    Count,
}

/// One stack with its values: two for heap (objects and bytes in use), mutex and block (contentions and
/// cycles of delay), one otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LegacyStack {
    pub values: Vec<i64>,
    /// Heap only: objects and bytes ever allocated.
    pub allocated: Vec<i64>,
    /// From the leaf, where symbol lines are there.
    pub functions: Vec<String>,
}

/// A legacy profile. Heap and contention values are as sampled, not scaled up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegacyProfile {
    pub kind: LegacyKind,
    /// As the header gives it: goroutines, threads, objects in use. `None` where it gives none.
    pub total: Option<i64>,
    /// Microseconds (CPU), bytes (heap), contentions (block, mutex).
    pub period: Option<i64>,
    /// For contention: to turn cycles into time.
    pub cycles_per_second: Option<i64>,
    pub stacks: Vec<LegacyStack>,
    /// Lines (1-based), or bytes of the binary form, where reading went wrong.
    pub damaged: Vec<u64>,
}

impl LegacyProfile {
    /// The sum of the first value over all stacks.
    pub fn sum(&self) -> i64 {
        self.stacks.iter().filter_map(|stack| stack.values.first()).fold(0, |sum, value| sum.saturating_add(*value))
    }

    fn new(kind: LegacyKind) -> Self {
        LegacyProfile {
            kind,
            total: None,
            period: None,
            cycles_per_second: None,
            stacks: Vec::new(),
            damaged: Vec::new(),
        }
    }
}

/// Reads a legacy profile; `None` when it is none.
pub fn read_legacy(data: &[u8]) -> Option<LegacyProfile> {
    binary_cpu(data).or_else(|| text(data))
}

/// What the first line of a text profile tells.
pub(super) fn text_header(line: &str) -> Option<LegacyProfile> {
    if let Some(rest) = line.strip_prefix("heap profile: ") {
        let (values, source) = rest.split_once('@')?;
        let mut profile = LegacyProfile::new(LegacyKind::Heap);
        profile.total = Some(*heap_values(values)?.0.first()?);
        profile.period = source.trim().rsplit_once('/').and_then(|(_, period)| period.trim().parse().ok());
        return Some(profile);
    }
    if line.starts_with("--- mutex:") {
        return Some(LegacyProfile::new(LegacyKind::Mutex));
    }
    if line.starts_with("--- contention") {
        return Some(LegacyProfile::new(LegacyKind::Block));
    }
    let (name, total) = line.split_once(" profile: total ")?;
    let kind = match name {
        "goroutine" => LegacyKind::Goroutine,
        "threadcreate" => LegacyKind::ThreadCreate,
        _ if !name.is_empty() && !name.contains(char::is_whitespace) => LegacyKind::Count,
        _ => return None,
    };
    let mut profile = LegacyProfile::new(kind);
    profile.total = Some(total.trim().parse().ok()?);
    Some(profile)
}

fn text(data: &[u8]) -> Option<LegacyProfile> {
    let mut lines = data.split(|&byte| byte == b'\n').zip(1u64..).map(|(line, number)| {
        let line = line.get(..MAX_LINE).unwrap_or(line);
        (String::from_utf8_lossy(line), number)
    });
    let (header, _) = lines.by_ref().find(|(line, _)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    })?;
    let mut profile = text_header(header.trim())?;
    for (line, number) in lines {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix('#') {
            let function = symbol(comment);
            if let Some((function, stack)) = function.zip(profile.stacks.last_mut()) {
                stack.functions.push(function.to_owned());
            }
        } else if line.starts_with("---") {
            break;
        } else if let Some((values, _addresses)) = line.split_once('@') {
            match stack_values(profile.kind, values) {
                Some(stack) if profile.stacks.len() < MAX_STACKS => profile.stacks.push(stack),
                _ => profile.damaged.push(number),
            }
        } else if let Some((key, value)) = line.split_once('=') {
            let value = value.trim().parse().ok();
            match key.trim() {
                "cycles/second" => profile.cycles_per_second = value,
                "sampling period" => profile.period = value,
                _ => {}
            }
        } else if !line.is_empty() {
            profile.damaged.push(number);
        }
    }
    Some(profile)
}

fn stack_values(kind: LegacyKind, values: &str) -> Option<LegacyStack> {
    if kind == LegacyKind::Heap {
        let (values, allocated) = heap_values(values)?;
        return Some(LegacyStack { values, allocated, functions: Vec::new() });
    }
    let mut values: Vec<i64> = values.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    match kind {
        LegacyKind::Mutex | LegacyKind::Block if values.len() == 2 => values.reverse(),
        LegacyKind::Mutex | LegacyKind::Block => return None,
        _ if values.len() == 1 => {}
        _ => return None,
    }
    Some(LegacyStack { values, ..LegacyStack::default() })
}

/// `objects: bytes [objects: bytes]`, in use and ever allocated.
fn heap_values(text: &str) -> Option<(Vec<i64>, Vec<i64>)> {
    let (used, allocated) = text.split_once('[')?;
    let pair = |text: &str| {
        let (objects, bytes) = text.split_once(':')?;
        Some(vec![objects.trim().parse().ok()?, bytes.trim().parse().ok()?])
    };
    Some((pair(used)?, pair(allocated.trim().strip_suffix(']')?)?))
}

/// The function of a symbol line: address, function with offset and file, between tabs after a `#`.
pub(super) fn symbol(comment: &str) -> Option<&str> {
    let mut fields = comment.trim_start().split('\t').filter(|field| !field.is_empty());
    fields.next().filter(|address| address.starts_with("0x"))?;
    let function = fields.next()?.trim();
    Some(function.rsplit_once("+0x").map_or(function, |(function, _)| function))
}

/// Words 0, 3, 0, period in microseconds, 0; then `count, depth, addresses` records until `0, 1, 0`.
fn binary_cpu(data: &[u8]) -> Option<LegacyProfile> {
    for size in [8, 4] {
        for big_endian in [false, true] {
            if let Some(profile) = cpu_words(data, size, big_endian) {
                return Some(profile);
            }
        }
    }
    None
}

fn cpu_words(data: &[u8], size: usize, big_endian: bool) -> Option<LegacyProfile> {
    let word = |at: usize| -> Option<u64> {
        let bytes = data.get(at.checked_mul(size)?..at.checked_add(1)?.checked_mul(size)?)?;
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if big_endian { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) })
    };
    let header = [word(0)?, word(1)?, word(2)?, word(4)?];
    let period = word(3).filter(|&period| period > 0)?;
    if header != [0, 3, 0, 0] {
        return None;
    }
    let mut profile = LegacyProfile::new(LegacyKind::Cpu);
    profile.period = i64::try_from(period).ok();
    let mut at = 5;
    loop {
        let record = word(at).zip(word(at + 1));
        let depth = record.and_then(|(_, depth)| usize::try_from(depth).ok()).filter(|&depth| depth <= data.len());
        let Some(((count, _), depth)) = record.zip(depth) else {
            profile.damaged.push(to_u64(at.saturating_mul(size)));
            break;
        };
        if count == 0 && depth == 1 && word(at + 2) == Some(0) {
            break;
        }
        if profile.stacks.len() < MAX_STACKS {
            let values = vec![i64::try_from(count).unwrap_or(i64::MAX)];
            profile.stacks.push(LegacyStack { values, ..LegacyStack::default() });
        }
        at += 2 + depth;
    }
    Some(profile)
}
