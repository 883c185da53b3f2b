//! A page read as a rule: front matter with types, conditions compiled, sections in place.
//!
//! Every mistake is noted and reading goes on, so that an author sees all of them at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::chart::{self, ChartSpec};
use super::expr::{Code, Scope, Type, compile};
use super::page::{self, Parts};
use super::problem::{Page, Placed, Problem};
use super::sections::Sections;
use super::suggest;
use super::verdict::Severity;
use super::yaml::{self, Data, Node};
use crate::facts::{Kind, Value};
use crate::units::literal::{self, Quantity};

/// A sentence and the expression that decides it.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The author's sentence, printed beside the evidence.
    pub says: String,
    pub code: Code,
    pub placed: Placed,
}

/// A number that a site may set. `default` is the page's; `value` is in force.
#[derive(Clone, Debug)]
pub struct Tunable {
    pub name: String,
    pub default: Quantity,
    pub value: Quantity,
    pub span: std::ops::Range<usize>,
}

/// A rule, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Name of the file, without `.md`.
    pub id: String,
    /// Name of its folder.
    pub area: String,
    pub page: Arc<Page>,
    pub severity: Severity,
    /// First that holds replaces `severity`.
    pub severity_if: Vec<(Severity, Condition)>,
    pub each: Kind,
    pub applies: Option<Condition>,
    /// Prerequisites on the data; one that is false makes the verdict *cannot tell*.
    pub needs: Vec<Condition>,
    /// Necessary: every one must hold.
    pub when: Vec<Condition>,
    /// Direct evidence: one alone confirms.
    pub proof: Vec<Condition>,
    /// Corroborating.
    pub supports: Vec<Condition>,
    /// Refuting: one alone acquits.
    pub against: Vec<Condition>,
    /// Each that holds lowers the severity by one.
    pub lower: Vec<Condition>,
    /// One that holds caps the verdict at *likely* / *possible*.
    pub cap_likely: Vec<Condition>,
    pub cap_possible: Vec<Condition>,
    /// First that holds names the variant; `says` is its name.
    pub variants: Vec<Condition>,
    /// *Likely* without any support: rules whose one signature has one meaning (rulebook 2).
    pub alone_likely: bool,
    /// Evaluated on an idle host too: configuration, or the share of a group that is small itself (guard G1).
    pub state: bool,
    pub explains: Vec<(String, std::ops::Range<usize>)>,
    pub charts: Vec<ChartSpec>,
    pub tunables: Vec<Tunable>,
    pub parts: Parts,
    pub prose: Sections,
    /// Title and URL.
    pub references: Vec<(String, String)>,
    /// Its page has mistakes: checked further, never evaluated.
    pub draft: bool,
}

/// Names that prose may use besides tunables.
pub const PROSE_NAMES: &[&str] = &["variant", "verdict", "severity"];

impl Rule {
    /// Scope of its conditions.
    pub fn scope(&self) -> Scope {
        scope(self.each, &self.tunables)
    }

    /// Values of the scope's names.
    pub fn names(&self) -> Vec<Value> {
        self.tunables.iter().map(|tunable| Value::Num(tunable.value.value)).collect()
    }

    /// Every condition, for checks that look at all of them.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let lists = [&self.needs, &self.when, &self.proof, &self.supports, &self.against, &self.lower];
        let more = [&self.cap_likely, &self.cap_possible, &self.variants];
        let severities = self.severity_if.iter().map(|(_, condition)| condition);
        lists.into_iter().chain(more).flatten().chain(self.applies.iter()).chain(severities)
    }
}

fn scope(each: Kind, tunables: &[Tunable]) -> Scope {
    let mut scope = Scope::new(each);
    scope.names =
        tunables.iter().map(|tunable| (tunable.name.clone(), super::expr::funcs::num(tunable.default.unit))).collect();
    scope
}

/// Keys of the front matter, in the order of a page.
pub const KEYS: &[&str] = &[
    "severity",
    "severity_if",
    "each",
    "applies",
    "needs",
    "when",
    "proof",
    "supports",
    "against",
    "lower",
    "cap_likely",
    "cap_possible",
    "variants",
    "alone",
    "state",
    "explains",
    "charts",
    "tunables",
];

/// Reads a page. `None` when it has no readable front matter; a rule with other mistakes is a draft.
pub fn read(page: &Arc<Page>, id: &str, area: &str, problems: &mut Vec<Problem>) -> Option<Rule> {
    let before = problems.len();
    let parts = page::cut(page, problems)?;
    let tree = match yaml::parse(&parts.front.text) {
        Ok(tree) => tree,
        Err(broken) => {
            let at = parts.front.at + broken.at;
            problems.push(
                Problem::new(page, at..at, "front matter is not YAML")
                    .label(broken.message)
                    .help("quote a value that holds `: ` or ` #`, or starts with one of `[ { \" ' * & ! | > @ %`"),
            );
            return None;
        }
    };
    let mut reader = Reader { page, base: parts.front.at, problems, scope: Scope::new(Kind::Host), blind: false };
    let Data::Map(items) = tree.data else {
        reader.problem(&tree, "front matter is not a mapping", "expected `key: value` lines");
        return None;
    };
    reader.keys(&items);
    let get = |name: &str| items.iter().find(|(key, _)| key.data == Data::Scalar(name.into())).map(|(_, value)| value);

    let each =
        get("each").and_then(|node| reader.kind(node)).or(if get("each").is_none() { Some(Kind::Host) } else { None });
    reader.blind = each.is_none();
    let tunables = get("tunables").map(|node| reader.tunables(node)).unwrap_or_default();
    let each_or_host = each.unwrap_or(Kind::Host);
    reader.scope = scope(each_or_host, &tunables);
    let severity = match get("severity") {
        Some(node) => reader.severity(node),
        None => {
            let at = reader.base;
            reader.problems.push(
                Problem::new(page, at..at, "`severity` is missing")
                    .label("in this front matter")
                    .help("write `severity: P1` (outage) to P4 (for information)"),
            );
            None
        }
    };
    let list =
        |reader: &mut Reader<'_, '_>, name: &str| get(name).map(|node| reader.conditions(node)).unwrap_or_default();
    let severity_if = get("severity_if").map(|node| reader.severities(node)).unwrap_or_default();
    let rule = Rule {
        id: id.to_owned(),
        area: area.to_owned(),
        page: page.clone(),
        severity: severity.unwrap_or(Severity::P3),
        severity_if,
        each: each_or_host,
        applies: get("applies").and_then(|node| reader.condition("the rule applies here", node)),
        needs: list(&mut reader, "needs"),
        when: list(&mut reader, "when"),
        proof: list(&mut reader, "proof"),
        supports: list(&mut reader, "supports"),
        against: list(&mut reader, "against"),
        lower: list(&mut reader, "lower"),
        cap_likely: list(&mut reader, "cap_likely"),
        cap_possible: list(&mut reader, "cap_possible"),
        variants: list(&mut reader, "variants"),
        alone_likely: get("alone").is_some_and(|node| reader.choice(node, &["possible", "likely"]) == Some(1)),
        state: get("state").is_some_and(|node| reader.choice(node, &["false", "true"]) == Some(1)),
        explains: get("explains").map(|node| reader.texts(node)).unwrap_or_default(),
        charts: get("charts").map(|node| reader.charts(node)).unwrap_or_default(),
        tunables,
        references: Vec::new(),
        draft: false,
        prose: Sections::default(),
        parts,
    };
    if rule.when.is_empty() && rule.proof.is_empty() && get("when").is_none() && get("proof").is_none() {
        let at = reader.base;
        let problem = Problem::new(page, at..at, "the rule has no condition").label("in this front matter");
        reader.problems.push(problem.help("name what must hold under `when:`, or what alone proves it under `proof:`"));
    }
    let references = page::references(page, &rule.parts.references, problems);
    let prose = match each {
        Some(_) => Sections::read(page, &rule.parts, &rule.scope(), problems),
        None => Sections::default(),
    };
    let draft = problems.len() > before;
    Some(Rule { references, prose, draft, ..rule })
}

struct Reader<'p, 'q> {
    page: &'p Arc<Page>,
    /// Where the front matter starts in the page.
    base: usize,
    problems: &'q mut Vec<Problem>,
    scope: Scope,
    /// The rule's kind is wrong: what its conditions mean cannot be said, and is not.
    blind: bool,
}

impl Reader<'_, '_> {
    fn span(&self, node: &Node) -> std::ops::Range<usize> {
        self.base + node.start..self.base + node.end
    }

    fn problem(&mut self, node: &Node, title: impl Into<String>, label: &str) {
        self.problems.push(Problem::new(self.page, self.span(node), title).label(label));
    }

    fn problem_help(&mut self, node: &Node, title: impl Into<String>, label: &str, help: impl Into<String>) {
        self.problems.push(Problem::new(self.page, self.span(node), title).label(label).help(help));
    }

    fn keys(&mut self, items: &[(Node, Node)]) {
        let mut seen = BTreeSet::new();
        for (key, _) in items {
            let Data::Scalar(name) = &key.data else { continue };
            if !seen.insert(name.clone()) {
                self.problem(key, format!("`{name}` twice"), "again here");
            }
            if !KEYS.contains(&name.as_str()) {
                let help = match suggest::closest(name, KEYS.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("keys are {}", KEYS.join(", ")),
                };
                self.problem_help(key, format!("unknown key `{name}`"), "no key of a rule", help);
            }
        }
    }

    fn text<'n>(&mut self, node: &'n Node) -> Option<&'n str> {
        match &node.data {
            Data::Scalar(text) if !text.trim().is_empty() => Some(text),
            _ => {
                self.problem(node, "a text is expected", "here");
                None
            }
        }
    }

    /// Position of the value among the allowed ones.
    fn choice(&mut self, node: &Node, allowed: &[&str]) -> Option<usize> {
        let text = self.text(node)?;
        let found = allowed.iter().position(|name| *name == text);
        if found.is_none() {
            let title = format!("`{text}` is none of the values of this key");
            self.problem_help(node, title, "here", format!("write one of {}", allowed.join(", ")));
        }
        found
    }

    fn kind(&mut self, node: &Node) -> Option<Kind> {
        let text = self.text(node)?;
        let found = Kind::from_name(text);
        if found.is_none() {
            let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            let help = match suggest::closest(text, kinds.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("kinds are {}", kinds.join(", ")),
            };
            self.problem_help(node, format!("unknown kind `{text}`"), "no kind of entity", help);
        }
        found
    }

    fn severity(&mut self, node: &Node) -> Option<Severity> {
        let names = Severity::ALL.map(Severity::name);
        self.choice(node, &names).map(|at| Severity::ALL[at])
    }

    fn severities(&mut self, node: &Node) -> Vec<(Severity, Condition)> {
        let mut list = Vec::new();
        for (key, value) in self.map(node) {
            if let (Some(severity), Some(condition)) = (self.severity(key), self.condition("severity_if", value)) {
                list.push((severity, condition));
            }
        }
        list
    }

    fn map<'n>(&mut self, node: &'n Node) -> &'n [(Node, Node)] {
        match &node.data {
            Data::Map(items) => items,
            _ => {
                self.problem_help(
                    node,
                    "a mapping is expected",
                    "here",
                    "write `sentence: expression` lines, indented",
                );
                &[]
            }
        }
    }

    fn conditions(&mut self, node: &Node) -> Vec<Condition> {
        let mut list: Vec<Condition> = Vec::new();
        for (key, value) in self.map(node) {
            let Data::Scalar(says) = &key.data else { continue };
            if list.iter().any(|have| have.says == *says) {
                self.problem(key, format!("`{says}` twice"), "again here");
            }
            list.extend(self.condition(says, value));
        }
        list
    }

    fn condition(&mut self, says: &str, node: &Node) -> Option<Condition> {
        let text = self.text(node)?;
        if self.blind {
            return None;
        }
        let placed = Placed::aligned(text, &self.page.text, self.span(node));
        match compile(text, &self.scope, Some(Type::Flag)) {
            Ok(code) if !code.root.reads_facts() => {
                self.problem(node, "this never depends on a bundle", "no fact in it");
                None
            }
            Ok(code) => Some(Condition { says: says.to_owned(), code, placed }),
            Err(mistakes) => {
                for mistake in mistakes {
                    self.problems.push(Problem::from_mistake(self.page, mistake, &placed));
                }
                None
            }
        }
    }

    fn texts(&mut self, node: &Node) -> Vec<(String, std::ops::Range<usize>)> {
        let Data::Seq(items) = &node.data else {
            self.problem(node, "a list is expected", "write `[a, b]`");
            return Vec::new();
        };
        items.iter().filter_map(|item| Some((self.text(item)?.to_owned(), self.span(item)))).collect()
    }

    fn charts(&mut self, node: &Node) -> Vec<ChartSpec> {
        let mut list = Vec::new();
        for (text, span) in self.texts(node) {
            match chart::parse(&text) {
                Ok(spec) => list.push(spec),
                Err(help) => {
                    let problem = Problem::new(self.page, span, format!("no chart can be made of `{text}`"));
                    self.problems.push(problem.label("here").help(help));
                }
            }
        }
        list
    }

    fn tunables(&mut self, node: &Node) -> Vec<Tunable> {
        let mut list = Vec::new();
        for (key, value) in self.map(node) {
            let (Some(name), Some(text)) = (self.text(key), self.text(value)) else { continue };
            let good = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
                && name.starts_with(|c: char| c.is_ascii_lowercase());
            if !good || super::expr::funcs::names().any(|taken| taken == name) || PROSE_NAMES.contains(&name) {
                let help = "use lower case letters, digits and _, and no name of a function";
                self.problem_help(key, format!("`{name}` cannot name a tunable"), "here", help);
                continue;
            }
            match literal::parse(text) {
                Some(default) => {
                    list.push(Tunable { name: name.to_owned(), default, value: default, span: self.span(key) })
                }
                None => self.problem_help(
                    value,
                    "not a quantity",
                    "here",
                    "write a number with its unit: 70%, 10s, 2GiB, 5000/s",
                ),
            }
        }
        list
    }
}
