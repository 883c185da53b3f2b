//! Which parser reads an artifact: content decides, names break ties and vouch for bare values.

use super::{Doc, PARSERS, Parser};

/// What content says about a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Looks {
    /// It is not this format.
    No,
    /// It could be: only under a fitting name (a bare number in `cpu.cfs_quota_us`).
    Maybe,
    /// It is this format under any name.
    Yes,
}

/// The parser for a section, if any.
pub fn parser_for(doc: &Doc, binary: bool) -> Option<&'static Parser> {
    let mut best: Option<(u8, &'static Parser)> = None;
    for parser in PARSERS.iter().copied().filter(|parser| parser.binary == binary) {
        let named = parser.names.iter().any(|pattern| doc.named(pattern));
        let score = match ((parser.sniff)(doc), named) {
            (Looks::No, _) | (Looks::Maybe, false) => continue,
            (Looks::Maybe, true) => 1,
            (Looks::Yes, false) => 2,
            (Looks::Yes, true) => 3,
        };
        if best.is_none_or(|(have, _)| score > have) {
            best = Some((score, parser));
        }
    }
    best.map(|(_, parser)| parser)
}

/// Error texts that stand in place of data. Returns the reason.
pub fn error_text(doc: &Doc) -> Option<String> {
    const SIGNS: &[&str] = &[
        "operation not supported",
        "no such device",
        "no such file or directory",
        "permission denied",
        "command not found",
        "not permitted",
        "no stats available",
        "cannot get ",
        "cannot read ",
        "cannot open",
        "usage:",
        "invalid option",
        "unrecognized option",
        "bad command line argument",
        "no data available",
        "input/output error",
        "not installed",
        "unknown option",
        "netlink error",
        "connection refused",
        "timed out",
        "not found in path",
        "no indirection table",
        "could not",
        "failed to",
    ];
    let mut lines = doc.head().take(4);
    let first = lines.next()?;
    let few = doc.text.lines().filter(|line| !line.trim().is_empty()).take(13).count() <= 12;
    let mut whole = first.to_owned();
    for line in lines {
        whole.push(' ');
        whole.push_str(line.trim());
    }
    let low = whole.to_lowercase();
    // A refused option is followed by the tool's whole help.
    let refused = ["invalid option", "unrecognized option", "unknown option"].iter().any(|sign| low.contains(sign));
    ((few || refused) && SIGNS.iter().any(|sign| low.contains(sign))).then(|| whole.chars().take(200).collect())
}
