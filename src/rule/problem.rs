//! A mistake in a rule page: file, line, column, caret, and the help that leads to the fix.

use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::expr::Mistake;

/// A page (or a tunables file) as it was read.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// As shown to the author: `rules/network/rss-collapse.md`.
    pub path: String,
    pub text: String,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub page: Arc<Page>,
    /// Byte range in the page.
    pub span: Range<usize>,
    pub title: String,
    pub label: String,
    pub help: Option<String>,
}

impl Problem {
    pub fn new(page: &Arc<Page>, span: Range<usize>, title: impl Into<String>) -> Problem {
        Problem { page: page.clone(), span, title: title.into(), label: String::new(), help: None }
    }

    pub fn label(mut self, label: impl Into<String>) -> Problem {
        self.label = label.into();
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    pub fn help_if(mut self, help: Option<String>) -> Problem {
        self.help = help;
        self
    }

    /// A mistake in an expression, led back to the page.
    pub fn from_mistake(page: &Arc<Page>, mistake: Mistake, placed: &Placed) -> Problem {
        let span = placed.span(mistake.span);
        Problem { page: page.clone(), span, title: mistake.title, label: mistake.label, help: mistake.help }
    }

    /// Line and column, 1-based, the column in characters.
    pub fn place(&self) -> (usize, usize) {
        let before = self.page.text.get(..self.span.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (line, column)
    }

    /// As `rustc` prints it. `colour` for terminals.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let text = &self.page.text;
        let mut end = self.span.end.min(text.len());
        let start = self.span.start.min(text.len());
        // A caret under one line: a report of a whole section shows its first line.
        if let Some(line) = text.get(start..end).and_then(|part| part.find('\n')) {
            end = start + line;
        }
        let annotation = AnnotationKind::Primary.span(start..end.max(start)).label(self.label.clone());
        let snippet = Snippet::source(text.as_str()).path(self.page.path.as_str()).annotation(annotation);
        let mut group = Level::ERROR.primary_title(self.title.clone()).element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.clone()));
        }
        renderer.decor_style(DecorStyle::Ascii).render(&[group])
    }
}

/// Text taken from a page, each byte with its place there.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    pub text: String,
    /// Page offset of each byte of `text`, and of its end.
    map: Arc<[u32]>,
}

impl Placed {
    /// Text that stands in the page as it is.
    pub fn verbatim(text: &str, at: usize) -> Placed {
        let map = (at..=at + text.len()).map(|at| at as u32).collect();
        Placed { text: text.to_owned(), map }
    }

    /// A value that the page writes with quotes, escapes or folded over lines: characters are aligned one by one.
    pub fn aligned(value: &str, page: &str, range: Range<usize>) -> Placed {
        if page.get(range.clone()) == Some(value) {
            return Placed::verbatim(value, range.start);
        }
        let source = page.get(range.clone()).unwrap_or_default();
        let mut map = Vec::with_capacity(value.len() + 1);
        let mut at = 0;
        for c in value.chars() {
            let rest = source.get(at..).unwrap_or_default();
            let found = rest.char_indices().find(|(_, have)| *have == c || (c.is_whitespace() && have.is_whitespace()));
            let here = found.map_or(at, |(skip, _)| at + skip);
            map.extend(std::iter::repeat_n((range.start + here) as u32, c.len_utf8()));
            at = here + source.get(here..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        }
        map.push((range.start + at) as u32);
        Placed { text: value.to_owned(), map: map.into() }
    }

    pub fn start(&self) -> usize {
        self.map.first().map_or(0, |at| *at as usize)
    }

    pub fn whole(&self) -> Range<usize> {
        self.span(0..self.text.len())
    }

    /// Range in the page of a range of the text.
    pub fn span(&self, span: Range<usize>) -> Range<usize> {
        let last = self.map.len().saturating_sub(1);
        let at = |index: usize| self.map.get(index.min(last)).map_or(0, |at| *at as usize);
        let start = at(span.start);
        let end = if span.end > span.start { at(span.end - 1) + 1 } else { start };
        start..end.max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_and_quoted_text_leads_back_to_the_page() {
        let page = "when:\n  a: >-\n    x >\n    3 and y\n";
        let placed = Placed::aligned("x > 3 and y", page, 8..page.len());
        let at = placed.span(4..5);
        assert_eq!(&page[at], "3");
        let quoted = Placed::aligned("a \"b\"", "k: 'a \"b\"'", 3..10);
        assert_eq!(quoted.span(3..4), 7..8);
    }
}

/// A small complete rule for tests of this module's neighbours.
#[cfg(test)]
pub mod tests_support {
    pub const PAGE: &str = "\
---
severity: P1
each: nic
applies: nic.kind = \"physical\"
when:
  one CPU drowns: max(cpu, cpu.soft) >= soft_floor
  work sits on few queues: nic.rx_neff <= 2
supports:
  others idle: host.idle_median_others >= 70%
  drops: nic.rx_drops > 0/s
against:
  RPS on purpose: size(nic.rps_cpus) > 1
variants:
  queue-count: nic.channels_now < nic.channels_max
explains: []
tunables: {soft_floor: 70%}
---
# {{ nic.name }} delivers through {{ nic.channels_now }} of {{ nic.channels_max }} channels

CPU {{ host.soft_hot_cpu }} is busy with {{ max(cpu, cpu.soft) }} softirq.

## Fix now

```
ethtool -L {{ nic.name }} combined {{ nic.channels_max }}
```

## Fix for good
Set it in a `.link` file.

## Verify
`ethtool -l {{ nic.name }}`

## References
- [Scaling in the Linux Networking Stack](https://docs.kernel.org/networking/scaling.html)

## Examples

| nic.kind | cpu[0].soft | nic.rx_neff | host.idle_median_others | nic.rx_drops | nic.rps_cpus | verdict |
|---|---|---|---|---|---|---|
| physical | 90% | 1 | 80% | 5/s | | confirmed |
| physical | 10% | 1 | 80% | 5/s | | not-indicated |
| physical | ? | ? | 80% | 5/s | | cannot-tell |
| physical | 90% | 1 | 80% | 5/s | 0-3 | refuted |
| virtual | 90% | 1 | 80% | 5/s | | not-applicable |
";
}
