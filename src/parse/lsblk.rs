//! `lsblk`: tree, pairs (`-P`) and JSON. Names come with tree marks; a device below several parents is printed again;
//! cells may be empty, so only columns that never are empty are read from a tree with gaps.

use super::json::{self, Data, Node};
use super::table::size;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::disk;

pub static PARSER: Parser = Parser { kind: "lsblk", names: &["*lsblk*"], sniff, parse, binary: false };

/// Columns that hold something in every row.
const ALWAYS: &[&str] = &[
    "NAME",
    "KNAME",
    "PATH",
    "MAJ:MIN",
    "RM",
    "SIZE",
    "RO",
    "TYPE",
    "ROTA",
    "ALIGNMENT",
    "MIN-IO",
    "OPT-IO",
    "PHY-SEC",
    "LOG-SEC",
    "RQ-SIZE",
    "RA",
    "DISC-ALN",
    "DISC-GRAN",
    "DISC-MAX",
    "DISC-ZERO",
];

fn header(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let upper =
        words.iter().all(|word| word.bytes().all(|b| b.is_ascii_uppercase() || matches!(b, b':' | b'-' | b'%')));
    let known = words.iter().filter(|word| ALWAYS.contains(word)).count();
    let file_systems = words.contains(&"FSTYPE") && words.contains(&"UUID");
    let fits = upper && words.first() == Some(&"NAME") && !words.contains(&"PRIO");
    (fits && (known >= 3 || file_systems)).then_some(words)
}

fn sniff(doc: &Doc) -> Looks {
    let pairs = |line: &str| {
        line.starts_with("NAME=\"")
            && (line.contains(" FSTYPE=\"") || line.contains("MAJ:MIN=\"") || line.contains(" SIZE=\""))
    };
    if doc.text.contains("\"blockdevices\"") || doc.head().any(|line| header(line).is_some() || pairs(line)) {
        Looks::Yes
    } else {
        Looks::No
    }
}

/// Name of a device as the kernel prints it in diskstats, without `/dev/`.
fn device(name: &str) -> &str {
    name.trim_start_matches("/dev/").trim_start_matches("mapper/")
}

/// Writes one cell.
fn put(name: &str, column: &str, value: &str, line: u32, out: &mut Out) {
    if value.is_empty() {
        return;
    }
    let count = |text: &str| text.parse::<u32>().ok().map(f64::from);
    match column.to_ascii_uppercase().as_str() {
        "SIZE" => {
            if let Some(bytes) = size(value, 1.0) {
                out.num(&disk::SIZE, name, bytes, line);
            }
        }
        "TYPE" => out.text(&disk::TYPE, name, value, line),
        "MODEL" => out.text(&disk::MODEL, name, value, line),
        "SERIAL" => out.text(&disk::SERIAL, name, value, line),
        "SCHED" => out.text(&disk::SCHEDULER, name, value, line),
        "FSTYPE" => out.text(&disk::FSTYPE, name, value, line),
        "ROTA" => match value {
            "1" | "true" => out.flag(&disk::ROTATIONAL, name, true, line),
            "0" | "false" => out.flag(&disk::ROTATIONAL, name, false, line),
            _ => {}
        },
        "RQ-SIZE" => {
            if let Some(value) = count(value) {
                out.num(&disk::NR_REQUESTS, name, value, line);
            }
        }
        "RA" => {
            if let Some(value) = size(value, 1024.0) {
                out.num(&disk::READ_AHEAD, name, value, line);
            }
        }
        "MOUNTPOINT" | "MOUNTPOINTS" => out.list(&disk::MOUNTPOINTS, name, [value.to_owned()], line),
        _ => {}
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    if doc.text.contains("\"blockdevices\"") {
        if let Some(json) = json::parse(doc.text, doc.first_line) {
            for item in json.root.get("blockdevices").map(Node::items).unwrap_or_default() {
                json_device(item, None, out, 0);
            }
        }
        return;
    }
    let mut columns: Option<Vec<&str>> = None;
    // Name and depth of the devices above the current row.
    let mut above: Vec<(usize, String)> = Vec::new();
    for (line, text) in doc.lines() {
        if text.starts_with("NAME=\"") {
            pairs(text, line, out);
        } else if let Some(found) = header(text) {
            columns = Some(found);
            above.clear();
        } else if let Some(columns) = &columns {
            row(columns, text, line, &mut above, out);
        }
    }
}

fn row(columns: &[&str], text: &str, line: u32, above: &mut Vec<(usize, String)>, out: &mut Out) {
    const MARKS: [char; 9] = ['|', '`', '-', ' ', '├', '└', '─', '│', '\u{a0}'];
    let start = text.trim_start_matches(MARKS);
    let depth = text.chars().count() - start.chars().count();
    let mut words: Vec<&str> = start.split_whitespace().collect();
    if words.is_empty() {
        return;
    }
    // `vg-lv (dm-0)`: the kernel's name in parentheses.
    let kernel = words.get(1).and_then(|word| word.strip_prefix('(')?.strip_suffix(')'));
    if kernel.is_some() {
        words.remove(1);
    }
    let cell = |want: &str| columns.iter().position(|have| *have == want).and_then(|at| words.get(at)).copied();
    let whole = words.len() == columns.len();
    let known = columns.iter().position(|column| !ALWAYS.contains(column)).unwrap_or(columns.len());
    if words.len() < known {
        out.note(line, "a row with too few cells");
        return;
    }
    let kname = columns
        .iter()
        .position(|have| *have == "KNAME")
        .filter(|at| whole || *at < known)
        .and_then(|at| words.get(at))
        .copied();
    let name = device(kernel.or(kname).or_else(|| cell("NAME")).unwrap_or_default()).to_owned();
    for (at, (column, value)) in columns.iter().zip(&words).enumerate() {
        if whole || at < known {
            put(&name, column, value, line, out);
        }
    }
    while above.last().is_some_and(|(have, _)| *have >= depth) {
        above.pop();
    }
    if let Some((_, parent)) = above.last() {
        out.list(&disk::PARENTS, &name, [parent.clone()], line);
    }
    above.push((depth, name));
}

fn pairs(text: &str, line: u32, out: &mut Out) {
    let mut cells: Vec<(&str, &str)> = Vec::new();
    let mut rest = text;
    while let Some((key, after)) = rest.split_once("=\"") {
        let Some((value, after)) = after.split_once('"') else { break };
        cells.push((key.trim(), value));
        rest = after;
    }
    let get = |want: &str| {
        cells.iter().find(|(key, _)| *key == want).map(|(_, value)| *value).filter(|value| !value.is_empty())
    };
    let Some(name) = get("KNAME").or_else(|| get("NAME")) else { return };
    let name = device(name).to_owned();
    out.entity(crate::facts::Kind::Disk, &name);
    for (key, value) in &cells {
        put(&name, key, value, line, out);
    }
    if let Some(parent) = get("PKNAME") {
        out.list(&disk::PARENTS, &name, [device(parent).to_owned()], line);
    }
}

fn json_device(item: &Node, parent: Option<&str>, out: &mut Out, depth: u8) {
    let text = |key: &str| item.get(key).and_then(Node::text);
    let Some(name) = text("kname").or_else(|| text("name")) else { return };
    let name = device(name).to_owned();
    out.entity(crate::facts::Kind::Disk, &name);
    for (key, node) in item.members() {
        let value = match &node.value {
            Data::Text(text) => text.clone(),
            Data::Num(number) => number.to_string(),
            Data::Flag(flag) => flag.to_string(),
            Data::Array(items) if key == "mountpoints" => {
                let points: Vec<String> = items.iter().filter_map(Node::text).map(str::to_owned).collect();
                if !points.is_empty() {
                    out.list(&disk::MOUNTPOINTS, &name, points, node.line);
                }
                continue;
            }
            _ => continue,
        };
        put(&name, key, &value, node.line, out);
    }
    if let Some(parent) = parent {
        out.list(&disk::PARENTS, &name, [parent.to_owned()], item.line);
    }
    for child in item.get("children").map(Node::items).unwrap_or_default() {
        if depth < 20 {
            json_device(child, Some(&name), out, depth + 1);
        }
    }
}
