//! A Markdown page cut into front matter and sections. Text is cut, not understood.

use std::ops::Range;
use std::sync::Arc;

use super::problem::{Page, Problem};
use super::suggest;

/// A part of the page: its text and where it starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    pub text: String,
    pub at: usize,
}

impl Part {
    fn cut(text: &str, range: Range<usize>) -> Part {
        let raw = &text[range.clone()];
        let lead = raw.len() - raw.trim_start_matches(['\n', '\r']).len();
        Part { text: raw[lead..].trim_end().to_owned(), at: range.start + lead }
    }

    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub fn span(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }
}

/// The parts of a rule page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    pub front: Part,
    pub title: Part,
    pub story: Part,
    pub rule_out: Part,
    pub fix_now: Part,
    pub fix_for_good: Part,
    pub verify: Part,
    pub references: Part,
    pub examples: Part,
}

/// Headings a rule page has; those with `true` must be there.
pub const HEADINGS: &[(&str, bool)] = &[
    ("Rule out", false),
    ("Fix now", true),
    ("Fix for good", true),
    ("Verify", true),
    ("References", true),
    ("Examples", true),
];

/// Cuts a page. Problems are noted; what could be cut is returned all the same.
pub fn cut(page: &Arc<Page>, problems: &mut Vec<Problem>) -> Option<Parts> {
    let text = page.text.as_str();
    let Some((front, body)) = front_matter(text) else {
        let problem = Problem::new(page, 0..text.find('\n').unwrap_or(text.len()), "no front matter");
        problems.push(problem.label("expected `---`").help("a rule starts with YAML between two lines of `---`"));
        return None;
    };
    let mut parts = Parts { front: Part { text: text[front.clone()].to_owned(), at: front.start }, ..Parts::default() };
    let mut sections: Vec<(String, Range<usize>, Range<usize>)> = Vec::new();
    let mut fence = false;
    let mut title: Option<Range<usize>> = None;
    let mut at = body;
    for line in text[body..].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_end();
        if bare.trim_start().starts_with("```") || bare.trim_start().starts_with("~~~") {
            fence = !fence;
        }
        if fence {
            continue;
        }
        if let Some(name) = bare.strip_prefix("## ") {
            sections.push((name.trim().to_owned(), start..start + bare.len(), at..text.len()));
            if let [.., before, _] = sections.as_mut_slice() {
                before.2.end = start;
            }
        } else if let Some(name) = bare.strip_prefix("# ")
            && title.is_none()
        {
            title = Some(start + 2..start + 2 + name.len());
        }
    }
    match title {
        Some(range) => {
            let end = sections.first().map_or(text.len(), |(_, heading, _)| heading.start);
            parts.story = Part::cut(text, range.end.min(end)..end);
            parts.title = Part { text: text[range.clone()].trim().to_owned(), at: range.start };
        }
        None => {
            let problem = Problem::new(page, body..body, "no title").label("expected `# ...`");
            problems.push(problem.help("the first line after the front matter is `# what happened, in one line`"));
        }
    }
    for (name, heading, range) in &sections {
        let part = Part::cut(text, range.clone());
        let slot = match name.as_str() {
            "Rule out" => &mut parts.rule_out,
            "Fix now" => &mut parts.fix_now,
            "Fix for good" => &mut parts.fix_for_good,
            "Verify" => &mut parts.verify,
            "References" => &mut parts.references,
            "Examples" => &mut parts.examples,
            other => {
                let names = HEADINGS.iter().map(|(name, _)| *name);
                let help = match suggest::closest(other, names.clone()) {
                    Some(near) => format!("did you mean `## {near}`?"),
                    None => format!("headings are {}", names.collect::<Vec<_>>().join(", ")),
                };
                let problem = Problem::new(page, heading.clone(), format!("unknown heading `{other}`"));
                problems.push(problem.label("no section of a rule").help(help));
                continue;
            }
        };
        if !slot.is_empty() {
            problems.push(Problem::new(page, heading.clone(), format!("`## {name}` twice")).label("again here"));
        }
        if part.is_empty() {
            problems
                .push(Problem::new(page, heading.clone(), format!("`## {name}` is empty")).label("nothing follows"));
        }
        *slot = part;
    }
    for (name, required) in HEADINGS {
        if *required && !sections.iter().any(|(have, ..)| have == name) {
            let end = text.trim_end().len();
            let problem = Problem::new(page, end..end, format!("section `## {name}` is missing"));
            problems.push(problem.label("the page ends here").help(wanted(name)));
        }
    }
    Some(parts)
}

/// What a missing section should hold.
fn wanted(name: &str) -> &'static str {
    match name {
        "Fix now" => "add `## Fix now`: the command that stops the damage, with its risk and how to undo it",
        "Fix for good" => "add `## Fix for good`: the setting that survives a reboot or a deploy",
        "Verify" => "add `## Verify`: a command and the reading to expect",
        "References" => "add `## References`: a list of `- [title](https://...)`",
        _ => "add `## Examples`: a table of facts and verdicts with rows that fire, stay quiet and cannot tell",
    }
}

/// Ranges of the front matter and of what follows.
fn front_matter(text: &str) -> Option<(Range<usize>, usize)> {
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let start = text.len() - rest.len();
    let mut at = start;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((start..at, at + line.len()));
        }
        at += line.len();
    }
    None
}

/// Links of a references section.
pub fn references(page: &Arc<Page>, part: &Part, problems: &mut Vec<Problem>) -> Vec<(String, String)> {
    let mut list = Vec::new();
    let mut at = part.at;
    for line in part.text.split_inclusive('\n') {
        let span = at..at + line.trim_end().len();
        at += line.len();
        let item = line.trim();
        if item.is_empty() {
            continue;
        }
        let link = item.strip_prefix("- ").and_then(|item| item.trim().strip_prefix('[')).and_then(|item| {
            let (title, rest) = item.rsplit_once("](")?;
            Some((title, rest.strip_suffix(')')?))
        });
        match link {
            Some((title, url)) if url.starts_with("https://") => list.push((title.to_owned(), url.to_owned())),
            _ => {
                let problem = Problem::new(page, span, "not a reference").label("expected a link");
                problems.push(problem.help("write `- [title](https://...)`"));
            }
        }
    }
    list
}
