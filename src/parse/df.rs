//! `df`: sizes in any block size or human form, inodes with `-i`, in any language. The row's shape tells the columns:
//! three numbers, a share, and the mount point; long device names stand on a line of their own.

use super::table::{number, size};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::mount;
use crate::facts::{Grade, Value};

pub static PARSER: Parser =
    Parser { kind: "df", names: &["df*", "*commands * df*", "* df -*"], sniff, parse, binary: false };

/// What the numbers of a table are.
#[derive(Clone, Copy, PartialEq)]
enum Numbers {
    /// Bytes in blocks of this size.
    Blocks(f64),
    /// Sizes with suffixes.
    Human,
    Inodes,
}

/// Reads the header row: one cell holds `%` (or is `Capacity`), and it ends with the words for "mounted on".
fn header(line: &str) -> Option<Numbers> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let share = words.iter().position(|word| word.ends_with('%') || *word == "Capacity")?;
    if share < 4
        || words.first() == Some(&"NAME")
        || words.len() < share + 2
        || words.iter().any(|word| word.starts_with('/'))
    {
        return None;
    }
    let before = words.get(..share)?;
    let inodes = |word: &&str| {
        let low = word.to_lowercase();
        ["inode", "inœud", "nodos", "i-nod", "ino", "i-узл", "inod", "индекс"]
            .iter()
            .any(|start| low.starts_with(start))
            || low == "i节点"
    };
    if before.iter().any(inodes) || words.get(share).is_some_and(|word| word.starts_with("IUse")) {
        return Some(Numbers::Inodes);
    }
    let block = before.iter().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    Some(match block {
        Some(word) => {
            let end = word.find(['-', '‐']).unwrap_or(word.len());
            Numbers::Blocks(block_size(word.get(..end)?)?)
        }
        None => Numbers::Human,
    })
}

/// `1K` is 1024, `1024` is itself, `2MB` is two million (a `B` makes powers of ten).
fn block_size(text: &str) -> Option<f64> {
    match text.strip_suffix('B').filter(|rest| !rest.ends_with('i')) {
        Some(decimal) => {
            let end = decimal.find(|c: char| !c.is_ascii_digit()).unwrap_or(decimal.len());
            let (digits, unit) = decimal.split_at(end);
            let factor = match unit {
                "" => 1.0,
                "k" | "K" => 1e3,
                "M" => 1e6,
                "G" => 1e9,
                "T" => 1e12,
                _ => return None,
            };
            Some(number(digits)? * factor)
        }
        None => size(text, 1.0),
    }
}

struct Row<'a> {
    source: &'a str,
    fstype: Option<&'a str>,
    /// Total, used, available.
    cells: [&'a str; 3],
    target: String,
}

/// A row whole on its line (or joined with the line that held its long name).
fn row<'a>(words: &[&'a str]) -> Option<Row<'a>> {
    let share = |word: &str| word == "-" || word.strip_suffix('%').is_some_and(|n| number(n).is_some());
    let at = (4..words.len().saturating_sub(1)).find(|at| {
        words.get(*at).is_some_and(|word| share(word)) && words.get(at + 1).is_some_and(|word| word.starts_with('/'))
    })?;
    let cells: [&str; 3] = words.get(at - 3..at)?.try_into().ok()?;
    let value = |word: &&str| *word == "-" || size(word, 1.0).is_some();
    if !cells.iter().all(value) {
        return None;
    }
    let before = words.get(..at - 3)?;
    let typed = before.len() > 1 && before.last().is_some_and(|word| !word.contains('/'));
    Some(Row {
        source: before.first()?,
        fstype: if typed { before.last().copied() } else { None },
        cells,
        target: words.get(at + 1..)?.join(" "),
    })
}

/// A wrapper's rows: time, source, target, type, three counts of inodes, three sizes in KiB, a dash.
fn stamped_row(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let time = words.first()?;
    let stamped = time.len() == 13 && time.bytes().all(|b| b.is_ascii_digit());
    (stamped && words.len() == 11 && words.get(2)?.starts_with('/')).then_some(words)
}

fn sniff(doc: &Doc) -> Looks {
    let mut headed = false;
    for line in doc.head() {
        if stamped_row(line).is_some() {
            return Looks::Yes;
        }
        if header(line).is_some() {
            headed = true;
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if headed && (row(&words).is_some() || words.len() == 1) {
            return Looks::Yes;
        }
    }
    Looks::No
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut numbers: Option<Numbers> = None;
    let mut pending: Option<&str> = None;
    for (line, text) in doc.lines() {
        if let Some(words) = stamped_row(text) {
            stamped(&words, line, out);
            continue;
        }
        if let Some(found) = header(text) {
            numbers = Some(found);
            continue;
        }
        let Some(numbers) = numbers else { continue };
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        if words.len() == 1 {
            pending = words.first().copied();
            continue;
        }
        if let Some(name) = pending.take() {
            words.insert(0, name);
        }
        if let Some(row) = row(&words) {
            put(&row, numbers, line, out);
        }
    }
}

fn put(row: &Row, numbers: Numbers, line: u32, out: &mut Out) {
    let factor = if let Numbers::Blocks(block) = numbers { block } else { 1.0 };
    let values = row.cells.map(|cell| size(cell, factor));
    let [Some(total), Some(used), Some(free)] = values else { return };
    // Pseudo file systems have no size; that is not "full".
    if total <= 0.0 {
        return;
    }
    let target = row.target.as_str();
    out.text(&mount::SOURCE, target, row.source, line);
    if let Some(fstype) = row.fstype {
        out.text(&mount::FSTYPE, target, fstype, line);
    }
    // -h prints inodes with suffixes too, which are powers of 1024 all the same.
    let defs = if numbers == Numbers::Inodes {
        [&mount::INODES, &mount::INODES_USED, &mount::INODES_FREE]
    } else {
        [&mount::SIZE, &mount::USED, &mount::AVAIL]
    };
    for (def, value) in defs.into_iter().zip([total, used, free]) {
        out.num(def, target, value, line);
    }
}

fn stamped(words: &[&str], line: u32, out: &mut Out) {
    let [_, source, target, fstype, numbers @ ..] = words else { return };
    let values: Vec<f64> = numbers.iter().filter_map(|word| number(word)).collect();
    let [inodes, inodes_used, inodes_free, total, used, free] = values.as_slice() else { return };
    out.text(&mount::SOURCE, target, source, line);
    out.text(&mount::FSTYPE, target, fstype, line);
    let pairs = [
        (&mount::INODES, *inodes),
        (&mount::INODES_USED, *inodes_used),
        (&mount::INODES_FREE, *inodes_free),
        (&mount::SIZE, total * 1024.0),
        (&mount::USED, used * 1024.0),
        (&mount::AVAIL, free * 1024.0),
    ];
    for (def, value) in pairs {
        out.graded(def, target, Value::Num(value), Grade::State, line);
    }
}
