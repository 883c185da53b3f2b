//! Rows of the broker's tables as names and texts, whatever they were printed as.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::json::{Data, Node};

/// One row; nested JSON has dotted names (`queue.name`).
#[derive(Debug, Default)]
pub(super) struct Row {
    pairs: Vec<(String, String)>,
    pub line: u32,
}

impl Row {
    pub fn new(pairs: Vec<(String, String)>, line: u32) -> Row {
        Row { pairs, line }
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(have, _)| have == key).map(|(_, value)| value.as_str())
    }

    /// First of several names that is there.
    pub fn any(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|key| self.get(key))
    }

    pub fn num(&self, key: &str) -> Option<f64> {
        self.get(key)?.parse().ok().filter(|value: &f64| value.is_finite())
    }

    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub fn numbers(&self) -> impl Iterator<Item = (&str, f64)> {
        self.pairs.iter().filter_map(|(key, value)| Some((key.as_str(), value.parse().ok()?)))
    }
}

/// Cells of a line: box drawing, tabs, two blanks, or as a last resort single blanks.
pub(super) fn cells(line: &str) -> Vec<&str> {
    let line = line.trim_end();
    let trimmed = line.trim_start();
    if trimmed.is_empty() || trimmed.starts_with(['┌', '├', '└', '+']) {
        return Vec::new();
    }
    if let Some(boxed) = trimmed.strip_prefix('│').or_else(|| trimmed.strip_prefix("| ")) {
        return boxed.trim_end_matches(['│', '|']).split(['│', '|']).map(str::trim).collect();
    }
    if line.contains('\t') {
        return line.split('\t').map(str::trim).collect();
    }
    if trimmed.contains("  ") {
        return trimmed.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    }
    trimmed.split_whitespace().collect()
}

/// Items of an array, of `{items: [...]}`, or the one object.
pub(super) fn json_rows(root: &Node) -> Vec<Row> {
    let items = root.get("items").unwrap_or(root).items();
    let list: Vec<&Node> = if items.is_empty() { vec![root] } else { items.iter().collect() };
    list.into_iter()
        .map(|item| {
            let mut pairs = Vec::new();
            flatten("", item, 0, &mut pairs);
            Row { pairs, line: item.line }
        })
        .collect()
}

fn flatten(prefix: &str, node: &Node, depth: u8, pairs: &mut Vec<(String, String)>) {
    for (key, value) in node.members() {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match &value.value {
            Data::Object(_) if depth < 3 => flatten(&name, value, depth + 1, pairs),
            Data::Text(text) => pairs.push((name, text.clone())),
            Data::Num(number) => pairs.push((name, number.to_string())),
            Data::Flag(flag) => pairs.push((name, flag.to_string())),
            Data::Array(items) => array(name, items, pairs),
            _ => {}
        }
    }
}

/// Addresses come as arrays of numbers, tables of properties as arrays of `[name, type, value]`.
fn array(name: String, items: &[Node], pairs: &mut Vec<(String, String)>) {
    let numbers: Vec<u32> = items
        .iter()
        .take(9)
        .filter_map(Node::num)
        .filter(|value| (0.0..=65_535.0).contains(value))
        .filter_map(|value| value.to_string().parse().ok())
        .collect();
    let byte = |at: usize| numbers.get(at).and_then(|n| u8::try_from(*n).ok());
    let group = |at: usize| numbers.get(at).and_then(|n| u16::try_from(*n).ok());
    if items.len() == 4
        && let (Some(a), Some(b), Some(c), Some(d)) = (byte(0), byte(1), byte(2), byte(3))
    {
        pairs.push((name, Ipv4Addr::new(a, b, c, d).to_string()));
    } else if items.len() == 8 && numbers.len() == 8 {
        let groups: Vec<u16> = (0..8).filter_map(group).collect();
        if let Ok(groups) = <[u16; 8]>::try_from(groups) {
            pairs.push((name, Ipv6Addr::from(groups).to_canonical().to_string()));
        }
    } else {
        for item in items {
            if let [key, _, value] = item.items()
                && let (Some(key), Some(value)) = (key.text(), value.text())
            {
                pairs.push((format!("{name}.{key}"), value.to_owned()));
            }
        }
    }
}

/// The part of an Erlang process id that is the same in text (`<rabbit@host.1796077845.28506.1>`) and in JSON
/// (`#PID<12342.28506.1>`): its number and serial.
pub(super) fn pid(text: &str) -> Option<String> {
    let inner = text.trim().trim_start_matches("#PID").strip_prefix('<')?.strip_suffix('>')?;
    let mut parts = inner.rsplit('.');
    let (serial, number) = (parts.next()?, parts.next()?);
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (digits(serial) && digits(number)).then(|| format!("{number}.{serial}"))
}

/// Node name inside a process id, where the text form has it.
pub(super) fn pid_node(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix('<')?;
    let (node, _) = inner.rsplit_once('.')?;
    let (node, _) = node.rsplit_once('.')?;
    let (node, _) = node.rsplit_once('.')?;
    node.contains('@').then_some(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_ids_of_both_forms_meet() {
        for (text, want) in [
            ("<rabbit@localhost.1796077845.28506.1>", "28506.1"),
            ("#PID<12342.28506.1>", "28506.1"),
            ("<rabbit@host220.2.25872.3734>", "25872.3734"),
            ("<0.123.0>", "123.0"),
        ] {
            assert_eq!(pid(text).as_deref(), Some(want));
        }
        assert_eq!(pid("fake"), None);
        assert_eq!(pid_node("<rabbit@a.b-1.3.19905.0>"), Some("rabbit@a.b-1"));
        assert_eq!(cells("a b:1 -> c (1)\t2\t"), ["a b:1 -> c (1)", "2"]);
        assert_eq!(cells("│ q  │ 1 │"), ["q", "1"]);
    }
}
