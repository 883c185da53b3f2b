//! JSON with the line of every value, read as far as it goes: evidence needs lines, and bundles hold documents
//! whose head or tail is gone. Nothing is guessed: what a cut took is absent, and [`Json::cut`] says so.

/// A value and the line it starts on.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub value: Data,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    Null,
    Flag(bool),
    Num(f64),
    Text(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// A document, whole or cut.
#[derive(Debug)]
pub struct Json {
    pub root: Node,
    /// The text ended, or turned into something else, before the document did.
    pub cut: bool,
}

/// Deeper nesting than this is no tool's output.
const MAX_DEPTH: u32 = 96;

impl Node {
    /// Member of an object.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.members().iter().find(|(have, _)| have == key).map(|(_, node)| node)
    }

    /// Member of members: `a.b.c`.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    pub fn members(&self) -> &[(String, Node)] {
        match &self.value {
            Data::Object(members) => members,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Node] {
        match &self.value {
            Data::Array(items) => items,
            _ => &[],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn flag(&self) -> Option<bool> {
        match self.value {
            Data::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    /// A number, also one that the tool put in quotes.
    pub fn num(&self) -> Option<f64> {
        match &self.value {
            Data::Num(value) => Some(*value),
            Data::Text(text) => super::table::number(text),
            _ => None,
        }
    }
}

/// Reads the first document of a text that begins within a few lines of noise (prompts, warnings). A text whose head
/// was cut off and that begins with `"key":` is read as the members of an object.
pub fn parse(text: &str, first_line: u32) -> Option<Json> {
    let start = begin(text)?;
    let before = text.get(..start).unwrap_or_default();
    let skipped = u32::try_from(before.matches('\n').count()).ok()?;
    let mut reader = Reader { rest: text.get(start..)?, line: first_line.saturating_add(skipped), cut: false };
    let root = if reader.rest.starts_with('"') {
        let line = reader.line;
        let members = reader.members(0);
        reader.cut = true;
        Node { value: Data::Object(members), line }
    } else {
        reader.value(0)?
    };
    let empty = root.members().is_empty() && root.items().is_empty();
    (!empty).then_some(Json { root, cut: reader.cut })
}

/// Offset of the document: the first line, of the first few, that a document can begin with.
fn begin(text: &str) -> Option<usize> {
    const NOISE_LINES: usize = 40;
    let mut offset = 0;
    for line in text.split_inclusive('\n').take(NOISE_LINES) {
        let start = line.trim_start();
        let after = start.get(1..).unwrap_or_default().trim_start();
        let fits = match start.chars().next() {
            Some('{') => after.is_empty() || after.starts_with(['"', '}']),
            Some('[') => after.is_empty() || after.starts_with(['"', '{', '[', ']']),
            Some('"') => after.contains("\":") || after.contains("\" :"),
            _ => false,
        };
        if fits {
            return Some(offset + line.len() - start.len());
        }
        offset += line.len();
    }
    None
}

struct Reader<'a> {
    rest: &'a str,
    line: u32,
    cut: bool,
}

impl<'a> Reader<'a> {
    fn peek(&mut self) -> Option<char> {
        loop {
            let c = self.rest.chars().next();
            match c {
                Some('\n') => self.line = self.line.saturating_add(1),
                Some(c) if c.is_whitespace() => {}
                Some(c) => return Some(c),
                None => {
                    self.cut = true;
                    return None;
                }
            }
            self.skip(1);
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn value(&mut self, depth: u32) -> Option<Node> {
        let c = self.peek()?;
        let line = self.line;
        let value = match c {
            _ if depth > MAX_DEPTH => {
                self.cut = true;
                return None;
            }
            '{' => {
                self.skip(1);
                Data::Object(self.members(depth + 1))
            }
            '[' => {
                self.skip(1);
                Data::Array(self.items(depth + 1))
            }
            '"' => Data::Text(self.string()?),
            _ => self.word()?,
        };
        Some(Node { value, line })
    }

    fn members(&mut self, depth: u32) -> Vec<(String, Node)> {
        let mut members = Vec::new();
        loop {
            match self.peek() {
                Some('}') => {
                    self.skip(1);
                    return members;
                }
                Some(',') => self.skip(1),
                Some('"') => {
                    let Some(key) = self.string() else { return members };
                    if self.peek() != Some(':') {
                        self.cut = true;
                        return members;
                    }
                    self.skip(1);
                    let Some(node) = self.value(depth) else { return members };
                    members.push((key, node));
                    if self.cut {
                        return members;
                    }
                }
                _ => {
                    self.cut = true;
                    return members;
                }
            }
        }
    }

    fn items(&mut self, depth: u32) -> Vec<Node> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                Some(']') => {
                    self.skip(1);
                    return items;
                }
                Some(',') => self.skip(1),
                Some(_) => {
                    let Some(node) = self.value(depth) else { return items };
                    items.push(node);
                    if self.cut {
                        return items;
                    }
                }
                None => return items,
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        self.skip(1);
        let mut out = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.skip(at + 1);
                    return Some(out);
                }
                '\n' => break,
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('u') => {
                        let code = (0..4).try_fold(0u32, |code, _| {
                            Some(code * 16 + chars.next().and_then(|(_, c)| c.to_digit(16))?)
                        });
                        out.push(code.and_then(char::from_u32).unwrap_or('\u{fffd}'));
                    }
                    Some(c @ ('"' | '\\' | '/')) => out.push(c),
                    _ => {}
                },
                c => out.push(c),
            }
        }
        self.cut = true;
        None
    }

    fn word(&mut self) -> Option<Data> {
        let end = self.rest.find([',', '}', ']', '\n', '\r', ' ', '\t']).unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default();
        let data = match word {
            "null" => Data::Null,
            "true" => Data::Flag(true),
            "false" => Data::Flag(false),
            "nan" | "-nan" | "NaN" => Data::Null,
            _ => match word.parse::<f64>() {
                Ok(value) => Data::Num(value),
                Err(_) => {
                    self.cut = true;
                    return None;
                }
            },
        };
        if end == self.rest.len() {
            self.cut = true;
        }
        self.skip(end);
        Some(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_cut_and_headless() {
        let whole = parse("$ x\n{\"a\": [1, {\"b\": \"x\\u00e9\"}],\n \"c\": \"7\"}\n", 10).unwrap();
        assert!(!whole.cut);
        assert_eq!(whole.root.get("a").unwrap().items()[1].get("b").unwrap().text(), Some("xé"));
        let c = whole.root.get("c").unwrap();
        assert_eq!((c.num(), c.line), (Some(7.0), 12));
        let cut = parse("{\"a\": [{\"b\": 1}, {\"b\": 2}, {\"b\"", 1).unwrap();
        assert!(cut.cut);
        assert_eq!(cut.root.get("a").unwrap().items().len(), 3);
        let headless = parse("\"s\": [\n{\"t\": 1}\n]\n}]}", 1).unwrap();
        assert_eq!(headless.root.get("s").unwrap().items()[0].line, 2);
        for none in ["", "plain text", "{", "{]", "[root@h ~]# cat x"] {
            assert!(parse(none, 1).is_none(), "{none}");
        }
        assert!(parse(&"[".repeat(100_000), 1).is_none_or(|json| json.cut));
    }
}
