//! What a parser is given: the lines of one section of one artifact, and what its path said.

use crate::bundle::layout::{Place, flat};
use crate::bundle::text::lines_from;

/// One section of an artifact. A file with several prompts holds several sections.
#[derive(Debug)]
pub struct Doc<'a> {
    /// Path in the bundle.
    pub path: &'a str,
    pub place: &'a Place,
    /// Command that printed it, from the prompt or the path (`ethtool -S eth0`); may be empty.
    pub command: &'a str,
    pub text: &'a str,
    /// File line of the first line of `text`.
    pub first_line: u32,
    /// Raw bytes of the artifact, for binary formats.
    pub bytes: &'a [u8],
}

impl<'a> Doc<'a> {
    /// Lines with their numbers in the file.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &'a str)> + use<'a> {
        lines_from(self.text, self.first_line)
    }

    /// The first lines that hold anything, for recognition: up to [`HEAD_LINES`], and no more once they have
    /// [`HEAD_BYTES`] in all.
    pub fn head(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut bytes = 0;
        let lines = self.text.lines().map(str::trim_end).filter(|line| !line.is_empty()).take(HEAD_LINES);
        lines.take_while(move |line| {
            let room = bytes < HEAD_BYTES;
            bytes += line.len();
            room
        })
    }

    /// Words of the command (or of the file's name), split at blanks, `_` and `/`.
    pub fn words(&self) -> Vec<&str> {
        let from = if self.command.is_empty() { &self.place.key } else { self.command };
        from.split([' ', '_', '/']).filter(|word| !word.is_empty()).collect()
    }

    /// Last argument that is no option: the device of `ethtool -S eth0`.
    pub fn device(&self) -> Option<&str> {
        let from = if self.command.is_empty() { &self.place.key } else { self.command };
        let tail = from.rsplit([' ', '/']).find(|word| !word.is_empty())?;
        let tail = if from.contains(' ') { tail } else { device_of_name(from)? };
        (!tail.starts_with('-') && tail.len() <= 64).then_some(tail)
    }

    /// The command, else the path's name; separators `/`, `_` and blank are alike.
    pub fn name(&self) -> String {
        flat(if self.command.is_empty() { &self.place.key } else { self.command })
    }

    /// True when a pattern (`*` = any text) matches the name.
    pub fn named(&self, pattern: &str) -> bool {
        wild(&flat(pattern), &self.name())
    }
}

/// Lines that recognition may look at.
pub const HEAD_LINES: usize = 60;
/// Bytes of lines after which recognition looks at no further line. Every parser looks, so this bounds their sum.
pub const HEAD_BYTES: usize = 8192;

/// `ethtool_-S_eth0` is about `eth0`; `ethtool_-S_br_lan` about `br_lan`.
fn device_of_name(name: &str) -> Option<&str> {
    let mut rest = name;
    let mut seen_option = false;
    loop {
        let (word, after) = rest.split_once('_')?;
        rest = after;
        if word.starts_with('-') {
            seen_option = true;
        }
        let next_is_option = rest.starts_with('-');
        if (seen_option || word == "ethtool") && !next_is_option {
            return (!rest.is_empty()).then_some(rest);
        }
    }
}

/// Matches `pattern` with `*` wildcards against the whole `name`.
pub fn wild(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else { return false };
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            match rest.find(part) {
                Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
                None => return false,
            }
        }
    }
    match last {
        None => rest.is_empty(),
        Some(last) => rest.ends_with(last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::layout::place;

    #[test]
    fn names_devices_and_patterns() {
        for (path, device) in [
            ("cmd/ethtool_-S_eth0.txt", Some("eth0")),
            ("t0/ethtool_-S_eth0.txt", Some("eth0")),
            ("ethtool_-i_br_lan.txt", Some("br_lan")),
            ("ethtool_eth0.txt", Some("eth0")),
            ("cmd/ip_-s_link.txt", Some("link")),
            ("paste.txt", None),
        ] {
            let place = place(path);
            let doc = Doc { path, place: &place, command: "", text: "", first_line: 1, bytes: b"" };
            assert_eq!(doc.device(), device, "{path}");
        }
        assert!(wild("proc net softnet_stat", "proc net softnet_stat"));
        assert!(wild("*cpu.stat", "sys fs cgroup a cpu.stat"));
        assert!(wild("ethtool -S *", "ethtool -S eth0"));
        assert!(!wild("mpstat*", "vmstat"));
    }
}
