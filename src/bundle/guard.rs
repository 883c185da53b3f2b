//! Every bound on what a bundle may make us do, in one place, and the one function that turns a name out of an archive into a path.
//!
//! A bundle is hostile until read. Together the bounds keep a whole walk under 256 MiB of memory and 4 GiB of unpacking, whatever the
//! bundle claims about itself. Sizes are bytes.

pub const KIB: u64 = 1024;
pub const MIB: u64 = 1024 * KIB;
pub const GIB: u64 = 1024 * MIB;

/// Entries met in one walk, nested archives and folders included. A sosreport of a big host holds about 80 000.
pub const ENTRIES: u64 = 200_000;
/// Bytes of one entry handed on, however much the caller asks for; the rest of the entry is said to be cut off.
pub const ENTRY_BYTES: u64 = 32 * MIB;
/// Bytes unpacked in one walk, skipped entries and every layer of nesting counted.
pub const TOTAL_BYTES: u64 = 4 * GIB;
/// Unpacked bytes per byte of input. Repetitive logs reach about 100 with xz; deflate cannot pass 1032.
pub const RATIO: u64 = 250;
/// The ratio is not looked at below this much unpacked, so that one long run of the same byte is no bomb.
pub const RATIO_FLOOR: u64 = 256 * MIB;
/// Bytes in one entry's path.
pub const NAME_BYTES: usize = 1024;
/// Bytes of all paths together: names are kept in memory for the inventory.
pub const NAMES_BYTES: u64 = 32 * MIB;
/// Components in one entry's path.
pub const PATH_DEPTH: usize = 64;
/// Archives inside archives: 2 means an archive in an archive in the bundle is still opened.
pub const NESTING: u8 = 2;
/// A zip inside another archive is held in memory, since its directory stands at its end.
pub const NESTED_ZIP_BYTES: u64 = 48 * MIB;
/// xz dictionary and zstd window of the outermost archive. `xz -9` needs 64 MiB.
pub const WINDOW: u64 = 64 * MIB;
/// The same for archives inside it. `xz -8` needs 32 MiB.
pub const NESTED_WINDOW: u64 = 32 * MIB;
/// Long names and extended headers before one tar entry: the reader keeps them in memory.
pub const TAR_HEADER_BYTES: u64 = MIB;
/// Central directory of a zip: the reader keeps it in memory, about six times as large.
pub const ZIP_DIRECTORY_BYTES: u64 = 24 * MIB;
/// Standard input is held in memory; larger bundles are read from a file.
pub const STDIN_MAX: u64 = 128 * MIB;
/// Bytes of content shown before the caller decides whether it wants an entry.
pub const HEAD_BYTES: usize = 4096;
/// Notes of one kind written out; the rest is counted.
pub const NOTES_PER_KIND: usize = 10;
/// Links remembered to tell whether they lead to a file of the bundle.
pub const LINKS: usize = 10_000;

/// The bounds one walk keeps. `Default` is the constants above; tests lower them.
#[derive(Debug, Clone)]
pub struct Limits {
    pub entries: u64,
    pub entry_bytes: u64,
    pub total_bytes: u64,
    pub ratio: u64,
    pub ratio_floor: u64,
    pub name_bytes: usize,
    pub names_bytes: u64,
    pub path_depth: usize,
    pub nesting: u8,
    pub nested_zip_bytes: u64,
    pub window: u64,
    pub nested_window: u64,
    pub tar_header_bytes: u64,
    pub zip_directory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            entries: ENTRIES,
            entry_bytes: ENTRY_BYTES,
            total_bytes: TOTAL_BYTES,
            ratio: RATIO,
            ratio_floor: RATIO_FLOOR,
            name_bytes: NAME_BYTES,
            names_bytes: NAMES_BYTES,
            path_depth: PATH_DEPTH,
            nesting: NESTING,
            nested_zip_bytes: NESTED_ZIP_BYTES,
            window: WINDOW,
            nested_window: NESTED_WINDOW,
            tar_header_bytes: TAR_HEADER_BYTES,
            zip_directory_bytes: ZIP_DIRECTORY_BYTES,
        }
    }
}

impl Limits {
    /// The window allowed to a decoder with `depth` archives around it.
    pub fn window_at(&self, depth: u8) -> u64 {
        if depth == 0 { self.window } else { self.nested_window }
    }
}

/// Why a name out of an archive is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadName {
    Empty,
    Nul,
    Parent,
    Long,
    Deep,
}

impl BadName {
    pub fn says(self) -> &'static str {
        match self {
            BadName::Empty => "has no name",
            BadName::Nul => "has a NUL byte in its name",
            BadName::Parent => "has `..` in its name",
            BadName::Long => "has an over-long name",
            BadName::Deep => "lies too many folders deep",
        }
    }
}

/// A path made of a name as an archive spells it, and whether the name was absolute.
///
/// The path is UTF-8 (other bytes become U+FFFD, as do control characters), uses `/`, and has no `.`, empty or `..` component.
/// `backslash` treats `\` as a separator, which only archives written on Windows mean by it: systemd unit names hold `\x2d`.
pub fn path(raw: &[u8], backslash: bool, limits: &Limits) -> Result<(String, bool), BadName> {
    if raw.len() > limits.name_bytes {
        return Err(BadName::Long);
    }
    if raw.contains(&0) {
        return Err(BadName::Nul);
    }
    let text = String::from_utf8_lossy(raw);
    let separator = |c: char| c == '/' || (backslash && c == '\\');
    let mut path = String::with_capacity(text.len());
    let mut depth = 0;
    for part in text.split(separator) {
        match part {
            "" | "." => continue,
            ".." => return Err(BadName::Parent),
            _ => {}
        }
        depth += 1;
        if !path.is_empty() {
            path.push('/');
        }
        path.extend(part.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }));
    }
    match depth {
        0 => Err(BadName::Empty),
        d if d > limits.path_depth => Err(BadName::Deep),
        _ => Ok((path, text.starts_with(separator))),
    }
}

/// A length as the bounds count it.
pub(super) fn len64(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// A bound as a buffer length.
pub(super) fn len_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// `1.5 MiB`, for messages.
pub(super) fn human(bytes: u64) -> String {
    let (unit, name) = match bytes {
        b if b >= GIB => (GIB, "GiB"),
        b if b >= MIB => (MIB, "MiB"),
        b if b >= KIB => (KIB, "KiB"),
        _ => return format!("{bytes} bytes"),
    };
    let tenths = bytes.saturating_mul(10) / unit;
    match tenths % 10 {
        0 => format!("{} {name}", tenths / 10),
        t => format!("{}.{t} {name}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(raw: &[u8]) -> Result<(String, bool), BadName> {
        path(raw, false, &Limits::default())
    }

    #[test]
    fn names_become_plain_paths() {
        assert_eq!(named(b"./a//b/./c"), Ok(("a/b/c".into(), false)));
        assert_eq!(named(b"/etc/x"), Ok(("etc/x".into(), true)));
        assert_eq!(named(b"a\\x2db"), Ok(("a\\x2db".into(), false)));
        assert_eq!(path(b"a\\b", true, &Limits::default()), Ok(("a/b".into(), false)));
        assert_eq!(named(b"a\xffb\x1b[31m\n"), Ok(("a\u{fffd}b\u{fffd}[31m\u{fffd}".into(), false)));
    }

    #[test]
    fn hostile_names_are_refused() {
        assert_eq!(named(b"../../etc/x"), Err(BadName::Parent));
        assert_eq!(named(b"a/../b"), Err(BadName::Parent));
        assert_eq!(path(b"..\\..\\x", true, &Limits::default()), Err(BadName::Parent));
        assert_eq!(named(b"a\0b"), Err(BadName::Nul));
        assert_eq!(named(b"./"), Err(BadName::Empty));
        assert_eq!(named("a/".repeat(65).as_bytes()), Err(BadName::Deep));
        assert!(named("a/".repeat(64).as_bytes()).is_ok());
        assert_eq!(named(&[b'a'; 1025]), Err(BadName::Long));
    }

    #[test]
    fn sizes_read_well() {
        assert_eq!(human(17), "17 bytes");
        assert_eq!(human(1536), "1.5 KiB");
        assert_eq!(human(4 * GIB), "4 GiB");
    }
}
