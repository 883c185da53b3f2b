//! Reads the prose of a page: finds the expressions, checks them, and leaves a template of ready values.

use std::ops::Range;

use super::expr::{Mistake, Scope, Type, compile};
use super::prose::{Block, FILTERS, Form, Place, Prose, Slot, mistake};
use super::suggest;
use crate::facts::Kind;

pub(super) fn scan(text: &str, scope: &Scope, title: bool) -> Result<Prose, Vec<Mistake>> {
    let mut scanner = Scanner {
        text,
        scope: scope.clone(),
        title,
        out: String::with_capacity(text.len()),
        blocks: vec![Block::default()],
        open: Vec::new(),
        mistakes: Vec::new(),
    };
    scanner.run();
    if let Some((tag, span)) = scanner.open.pop() {
        let title = format!("`{{% {tag} %}}` without its `{{% end{tag} %}}`");
        scanner.mistakes.push(mistake(span, title, "every if and for ends with its own end tag"));
    }
    match scanner.blocks.pop() {
        Some(root) if scanner.mistakes.is_empty() => Ok(Prose { template: scanner.out, root }),
        _ => Err(scanner.mistakes),
    }
}

struct Scanner<'t> {
    text: &'t str,
    scope: Scope,
    title: bool,
    out: String,
    /// The section and the loops around, outermost first.
    blocks: Vec<Block>,
    /// Open `if` and `for` tags.
    open: Vec<(&'static str, Range<usize>)>,
    mistakes: Vec<Mistake>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        let (mut at, mut fence, mut span, mut line) = (0, false, false, 0);
        while at < self.text.len() {
            let rest = &self.text[at..];
            let indented = rest.trim_start_matches([' ', '\t']);
            if at == line && (indented.starts_with("```") || indented.starts_with("~~~")) {
                fence = !fence;
                let end = rest.find('\n').unwrap_or(rest.len());
                self.out.push_str(&rest[..end]);
                at += end;
                continue;
            }
            let place = match (self.title, fence || span) {
                (true, _) => Place::Plain,
                (_, true) => Place::Command,
                _ => Place::Markdown,
            };
            if rest.starts_with("{{") {
                at = self.output(at, place, line);
            } else if rest.starts_with("{%") {
                let close = rest.find("%}").map_or(rest.len(), |end| end + 2);
                let after = rest[close..].trim_start_matches([' ', '\t']);
                // A tag that has its line to itself leaves no empty line behind.
                let alone = self.text[line..at].trim().is_empty() && (after.is_empty() || after.starts_with('\n'));
                if alone {
                    self.out.truncate(self.out.trim_end_matches([' ', '\t']).len());
                }
                at = self.tag(at);
                if alone {
                    at = (self.text.len() - after.len() + 1).min(self.text.len());
                    (line, span) = (at, false);
                }
            } else if let Some(comment) = rest.strip_prefix("{#") {
                at += 2 + comment.find("#}").map_or(comment.len(), |end| end + 2);
            } else {
                let c = rest.chars().next().unwrap_or(' ');
                if c == '\n' {
                    (line, span) = (at + 1, false);
                } else if c == '`' && !fence {
                    span = !span;
                }
                self.out.push(c);
                at += c.len_utf8();
            }
        }
    }

    /// End of a tag that starts at `at`, its inner range, and the marks that trim white space.
    fn inner(&mut self, at: usize, close: &str) -> Option<(Range<usize>, usize, bool, bool)> {
        let Some(len) = self.text[at + 2..].find(close) else {
            let end = self.text[at..].find('\n').map_or(self.text.len(), |len| at + len);
            self.mistakes.push(mistake(
                at..end,
                format!("not closed: `{close}` is missing"),
                "close it on the same line",
            ));
            return None;
        };
        let (mut start, mut end) = (at + 2, at + 2 + len);
        let after = end + 2;
        let (left, right) = (self.text[start..].starts_with('-'), self.text[start..end].ends_with('-'));
        start += usize::from(left);
        end -= usize::from(right);
        let inner = self.text.get(start..end.max(start)).unwrap_or_default();
        let lead = inner.len() - inner.trim_start().len();
        Some((start + lead..start + lead + inner.trim().len(), after, left, right))
    }

    fn output(&mut self, at: usize, place: Place, line: usize) -> usize {
        let Some((range, after, left, right)) = self.inner(at, "}}") else { return self.text.len() };
        let inner = &self.text[range.clone()];
        let (expression, filter) = match inner.rsplit_once('|') {
            Some((expression, filter)) if !filter.contains(['"', '\'']) => (expression.trim_end(), Some(filter.trim())),
            _ => (inner, None),
        };
        let form = match filter {
            None => Form::Human,
            Some(name) => match FILTERS.iter().find(|(have, _)| *have == name) {
                Some((_, form)) => *form,
                None => {
                    let names = FILTERS.iter().map(|(name, _)| *name);
                    let help = match suggest::closest(name, names.clone()) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("filters are {}", names.collect::<Vec<_>>().join(", ")),
                    };
                    let span = range.end - name.len()..range.end;
                    self.mistakes.push(mistake(span, format!("unknown filter `{name}`"), &help));
                    return after;
                }
            },
        };
        if let Some(value) = self.slot(expression, range.start, form, place, None) {
            let quoted = |quote: char| self.text[line..at].matches(quote).count() % 2 == 1;
            let text = self.last_type().is_some_and(|ty| matches!(ty, Type::Text | Type::List));
            if place == Place::Command && text && (quoted('"') || quoted('\'')) {
                let help = "take the quotes away: a value in a command is quoted where it needs to be";
                self.mistakes.push(mistake(at..after, "a value inside quotes of a command", help));
            }
            self.emit("{{", left, &value, right, "}}");
        }
        after
    }

    fn emit(&mut self, open: &str, left: bool, inner: &str, right: bool, close: &str) {
        let mark = |on: bool| if on { "-" } else { "" };
        self.out.push_str(&format!("{open}{} {inner} {}{close}", mark(left), mark(right)));
    }

    fn last_type(&self) -> Option<Type> {
        self.blocks.last()?.slots.last().map(|slot| slot.code.root.ty)
    }

    /// Checks an expression and keeps it; returns what the template says instead.
    fn slot(&mut self, text: &str, at: usize, form: Form, place: Place, want: Option<Type>) -> Option<String> {
        if self.in_loop() && matches!(text, "loop.first" | "loop.last" | "not loop.first" | "not loop.last") {
            return Some(text.to_owned());
        }
        match compile(text, &self.scope, want) {
            Ok(code) => {
                let depth = self.blocks.len() - 1;
                let block = self.blocks.last_mut()?;
                block.slots.push(Slot { code, form, place });
                Some(format!("b{depth}.x[{}]", block.slots.len() - 1))
            }
            Err(mistakes) => {
                self.mistakes.extend(
                    mistakes
                        .into_iter()
                        .map(|wrong| Mistake { span: at + wrong.span.start..at + wrong.span.end, ..wrong }),
                );
                None
            }
        }
    }

    fn in_loop(&self) -> bool {
        self.blocks.len() > 1
    }

    fn tag(&mut self, at: usize) -> usize {
        let Some((range, after, left, right)) = self.inner(at, "%}") else { return self.text.len() };
        let inner = &self.text[range.clone()];
        let (word, rest) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        let rest_at = range.end - rest.trim_start().len();
        let tag = at..after;
        let emitted = match word {
            "if" | "elif" => {
                if word == "if" {
                    self.open.push(("if", tag));
                }
                let condition = self.slot(rest.trim(), rest_at, Form::Truth, Place::Plain, Some(Type::Flag));
                condition.map(|condition| format!("{word} {condition}"))
            }
            "else" => Some("else".to_owned()),
            "for" => self.loop_over(rest.trim(), rest_at, tag),
            "endif" | "endfor" => {
                let wanted = word.trim_start_matches("end");
                match self.open.pop() {
                    Some((open, _)) if open == wanted => {}
                    _ => {
                        let help = "every if and for ends with its own end tag";
                        self.mistakes.push(mistake(tag, format!("`{word}` without its `{wanted}`"), help));
                        return after;
                    }
                }
                if word == "endfor"
                    && let (Some(block), true) = (self.blocks.pop(), !self.blocks.is_empty())
                {
                    self.scope.kinds.pop();
                    self.scope.aliases.pop();
                    if let Some(parent) = self.blocks.last_mut() {
                        parent.loops.push(block);
                    }
                }
                Some(word.to_owned())
            }
            other => {
                let help = "pages know `if`, `elif`, `else`, `endif`, `for X in entities(\"kind\")` and `endfor`";
                self.mistakes.push(mistake(tag, format!("`{other}` is not allowed in a page"), help));
                None
            }
        };
        if let Some(inner) = emitted {
            self.emit("{%", left, &inner, right, "%}");
        }
        after
    }

    /// `for q in entities("queue")`.
    fn loop_over(&mut self, rest: &str, at: usize, tag: Range<usize>) -> Option<String> {
        self.open.push(("for", tag.clone()));
        let parts = rest.split_once(" in ").and_then(|(name, over)| {
            let kind = over.trim().strip_prefix("entities(\"")?.strip_suffix("\")")?;
            Some((name.trim(), kind))
        });
        let found = parts.and_then(|(name, kind)| Some((name, Kind::from_name(kind)?)));
        let Some((name, kind)) = found else {
            let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            let near = parts.and_then(|(_, kind)| suggest::closest(kind, kinds.iter().copied()));
            let help = match near {
                Some(near) => format!("did you mean `entities(\"{near}\")`?"),
                None => "write `{% for q in entities(\"queue\") %}`".to_owned(),
            };
            self.mistakes.push(mistake(at..at + rest.len(), "not a loop over entities", &help));
            return None;
        };
        let depth = self.blocks.len();
        let parent = self.blocks.last()?.loops.len();
        self.scope.aliases.push((name.to_owned(), self.scope.kinds.len()));
        self.scope.kinds.push(kind);
        self.blocks.push(Block { over: Some(kind), ..Block::default() });
        Some(format!("for b{depth} in b{}.l[{parent}]", depth - 1))
    }
}
