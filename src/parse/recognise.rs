//! Which parser reads an artifact: content decides, names break ties and vouch for bare values.

use std::sync::LazyLock;

use super::doc::wild;
use super::{Doc, PARSERS, Parser};
use crate::bundle::layout::flat;

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

/// The names of each parser, with separators made alike once: this is asked for every file of a bundle.
static PATTERNS: LazyLock<Vec<Vec<String>>> =
    LazyLock::new(|| PARSERS.iter().map(|parser| parser.names.iter().map(|name| flat(name)).collect()).collect());

/// The first parser that the file's name alone speaks for.
pub fn parser_by_name(doc: &Doc, binary: Option<bool>) -> Option<&'static Parser> {
    let name = doc.name();
    let mut all = PARSERS.iter().copied().zip(PATTERNS.iter());
    all.find(|(parser, patterns)| {
        binary.is_none_or(|binary| parser.binary == binary)
            && patterns.iter().any(|pattern| pattern.len() > 1 && wild(pattern, &name))
    })
    .map(|(parser, _)| parser)
}

/// The parser for a section, if any.
pub fn parser_for(doc: &Doc, binary: bool) -> Option<&'static Parser> {
    let name = doc.name();
    let mut best: Option<(u8, &'static Parser)> = None;
    for (parser, patterns) in PARSERS.iter().copied().zip(PATTERNS.iter()).filter(|(p, _)| p.binary == binary) {
        let looks = (parser.sniff)(doc);
        if looks == Looks::No {
            continue;
        }
        let score = match (looks, patterns.iter().any(|pattern| wild(pattern, &name))) {
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
