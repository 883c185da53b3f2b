//! Mounts: `/proc/mounts`, `/proc/self/mountinfo`, `mount`, `findmnt` (tree, list, pairs, JSON).

use super::json::{self, Node};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::mount;

pub static PROC_MOUNTS: Parser = Parser {
    kind: "proc-mounts",
    names: &["*proc mounts*", "*mountinfo*", "*proc.mounts*"],
    sniff: proc_sniff,
    parse: proc_parse,
    binary: false,
};
pub static MOUNT: Parser =
    Parser { kind: "mount", names: &["*mount", "*mount -*"], sniff: mount_sniff, parse: mount_parse, binary: false };
pub static FINDMNT: Parser =
    Parser { kind: "findmnt", names: &["*findmnt*"], sniff: findmnt_sniff, parse: findmnt_parse, binary: false };

/// One mount.
struct Row<'a> {
    source: &'a str,
    target: &'a str,
    fstype: &'a str,
    options: String,
}

fn put(row: &Row, line: u32, out: &mut Out) {
    let target = unescape(row.target);
    out.text(&mount::SOURCE, &target, &unescape(row.source), line);
    out.text(&mount::FSTYPE, &target, row.fstype, line);
    out.text(&mount::OPTIONS, &target, &row.options, line);
    let read_only = row.options.split(',').any(|option| option == "ro");
    if read_only || row.options.split(',').any(|option| option == "rw") {
        out.flag(&mount::READ_ONLY, &target, read_only, line);
    }
}

/// The kernel writes blanks in names as `\040`.
fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    [("\\040", " "), ("\\011", "\t"), ("\\012", " "), ("\\134", "\\"), ("\\x20", " ")]
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// A row of `/proc/mounts` or of mountinfo.
fn proc_row(line: &str) -> Option<Row<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if let Some(dash) = words.iter().position(|word| *word == "-")
        && dash >= 6
        && words.get(2).is_some_and(|word| word.contains(':'))
    {
        let options = format!("{},{}", words.get(5)?, words.get(dash + 3).unwrap_or(&""));
        return Some(Row {
            source: words.get(dash + 2)?,
            target: words.get(4)?,
            fstype: words.get(dash + 1)?,
            options,
        });
    }
    let [source, target, fstype, options, dump, pass] = words.as_slice() else { return None };
    let digits = |word: &str| word.len() < 3 && word.bytes().all(|b| b.is_ascii_digit());
    let live = options.split(',').any(|option| option == "rw" || option == "ro");
    (target.starts_with('/') && digits(dump) && digits(pass) && live).then(|| Row {
        source,
        target,
        fstype,
        options: (*options).to_owned(),
    })
}

/// fstab has the columns of `/proc/mounts` and says what should be, not what is.
fn is_fstab(doc: &Doc) -> bool {
    let intended = |line: &str| {
        line.starts_with("UUID=")
            || line.starts_with("LABEL=")
            || line.split_whitespace().nth(3).is_some_and(|o| o.starts_with("defaults"))
    };
    doc.path.contains("fstab") || doc.head().any(intended)
}

fn proc_sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| proc_row(line).is_some()) && !is_fstab(doc) { Looks::Yes } else { Looks::No }
}

/// A process other than init and the reader may live in a mount namespace of its own (a container).
fn is_foreign(doc: &Doc) -> bool {
    let parts: Vec<&str> = doc.path.split('/').collect();
    let pid = parts.iter().position(|part| *part == "proc").and_then(|at| parts.get(at + 1)?.parse::<u32>().ok());
    pid.is_some_and(|pid| pid != 1)
}

fn proc_parse(doc: &Doc, out: &mut Out) {
    if is_foreign(doc) {
        return;
    }
    for (line, text) in doc.lines() {
        match proc_row(text) {
            Some(row) => put(&row, line, out),
            None if !text.trim().is_empty() => out.note(line, "no mount"),
            None => {}
        }
    }
}

/// `SOURCE on TARGET type TYPE (OPTIONS)`, read from the right: names may hold blanks and the word `on`.
fn mount_row(line: &str) -> Option<Row<'_>> {
    let (left, options) = line.rsplit_once(" (")?;
    let (options, _) = options.split_once(')')?;
    let (left, fstype) = left.rsplit_once(" type ")?;
    let (source, target) = left.split_once(" on ")?;
    (target.starts_with('/') && !fstype.contains(' ')).then(|| Row {
        source,
        target,
        fstype,
        options: options.to_owned(),
    })
}

fn mount_sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| mount_row(line).is_some()) { Looks::Yes } else { Looks::No }
}

fn mount_parse(doc: &Doc, out: &mut Out) {
    for (line, text) in doc.lines() {
        if let Some(row) = mount_row(text) {
            put(&row, line, out);
        }
    }
}

fn is_header(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.first() == Some(&"TARGET") && words.contains(&"SOURCE") && words.contains(&"FSTYPE")
}

fn findmnt_sniff(doc: &Doc) -> Looks {
    let found = doc.head().take(8).any(|line| {
        is_header(line)
            || (line.starts_with("TARGET=\"") && line.contains(" SOURCE=\""))
            || line.contains("\"filesystems\":")
    });
    if found { Looks::Yes } else { Looks::No }
}

fn findmnt_parse(doc: &Doc, out: &mut Out) {
    if doc.text.contains("\"filesystems\":") {
        if let Some(json) = json::parse(doc.text, doc.first_line) {
            for item in json.root.get("filesystems").map(Node::items).unwrap_or_default() {
                tree(item, out, 0);
            }
        }
        return;
    }
    let mut header: Vec<&str> = Vec::new();
    for (line, text) in doc.lines() {
        if is_header(text) {
            header = text.split_whitespace().collect();
        } else if text.starts_with("TARGET=\"") {
            let of = |key: &str| text.split_once(&format!("{key}=\""))?.1.split_once('"').map(|(value, _)| value);
            if let (Some(target), Some(source), Some(fstype)) = (of("TARGET"), of("SOURCE"), of("FSTYPE")) {
                put(&Row { source, target, fstype, options: of("OPTIONS").unwrap_or_default().to_owned() }, line, out);
            }
        } else if !header.is_empty() {
            let name = text.trim_start_matches(['|', '`', '-', ' ', '├', '└', '─', '│']);
            let words: Vec<&str> = name.split_whitespace().collect();
            if words.len() != header.len() {
                if !name.is_empty() {
                    out.note(line, "a row with blanks in a cell");
                }
                continue;
            }
            let cell = |want: &str| header.iter().position(|have| *have == want).and_then(|at| words.get(at)).copied();
            if let (Some(target), Some(source), Some(fstype)) = (cell("TARGET"), cell("SOURCE"), cell("FSTYPE")) {
                put(
                    &Row { source, target, fstype, options: cell("OPTIONS").unwrap_or_default().to_owned() },
                    line,
                    out,
                );
            }
        }
    }
}

fn tree(item: &Node, out: &mut Out, depth: u8) {
    let text = |key: &str| item.get(key).and_then(Node::text);
    if let (Some(target), Some(source), Some(fstype)) = (text("target"), text("source"), text("fstype")) {
        put(&Row { source, target, fstype, options: text("options").unwrap_or_default().to_owned() }, item.line, out);
    }
    for child in item.get("children").map(Node::items).unwrap_or_default() {
        if depth < 40 {
            tree(child, out, depth + 1);
        }
    }
}
