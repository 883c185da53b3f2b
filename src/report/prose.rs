//! Markdown of rule pages, for each renderer. The pages are ours but the values filled in are not, so raw
//! HTML is shown as text and only http(s) links are links, whatever the rule engine let through.

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};
use serde::Serializer;

use super::escape;

fn events(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

pub fn is_web(url: &str) -> bool {
    let url = url.trim_start().to_ascii_lowercase();
    url.starts_with("https://") || url.starts_with("http://")
}

/// HTML of `text`. Headings are pushed below `level` (1..=6) of the heading they stand under.
pub fn to_html(text: &str, level: u8) -> String {
    let mut links = Vec::new();
    let mut out = String::with_capacity(text.len() * 3 / 2);
    let shown = events(text).filter_map(|event| safe_event(event, level, &mut links));
    html::push_html(&mut out, shown);
    label_remarks(&out)
}

fn safe_event<'a>(event: Event<'a>, level: u8, links: &mut Vec<bool>) -> Option<Event<'a>> {
    Some(match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        Event::Start(Tag::HtmlBlock | Tag::Image { .. }) | Event::End(TagEnd::HtmlBlock | TagEnd::Image) => {
            return None;
        }
        Event::Start(Tag::Link { dest_url, .. }) => {
            links.push(is_web(&dest_url));
            if !is_web(&dest_url) {
                return None;
            }
            Event::Html(format!("<a rel=\"noreferrer\" href=\"{}\">", escape::html(&dest_url)).into())
        }
        Event::End(TagEnd::Link) => {
            if !links.pop().unwrap_or(false) {
                return None;
            }
            Event::Html(CowStr::Borrowed("</a>"))
        }
        Event::Start(Tag::Heading { level: own, .. }) => {
            Event::Start(Tag::Heading { level: deeper(own, level), id: None, classes: vec![], attrs: vec![] })
        }
        Event::End(TagEnd::Heading(own)) => Event::End(TagEnd::Heading(deeper(own, level))),
        Event::Start(Tag::Table(_)) => {
            Event::Html("<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"Table\"><table>".into())
        }
        Event::End(TagEnd::Table) => Event::Html("</tbody></table></div>".into()),
        Event::Start(Tag::CodeBlock(_)) => Event::Html("<pre class=\"command\"><code>".into()),
        Event::End(TagEnd::CodeBlock) => Event::Html("</code></pre>".into()),
        other => other,
    })
}

fn deeper(own: HeadingLevel, under: u8) -> HeadingLevel {
    let level = usize::from(under) + 1;
    HeadingLevel::try_from(level.min(6)).unwrap_or(own)
}

/// Paragraphs and list items that open with `Risk:` or `Undo:` get a class, so that they stand out.
fn label_remarks(html: &str) -> String {
    let mut out = html.to_owned();
    for (name, class) in [("Risk", "risk"), ("Undo", "undo")] {
        for (open, tag) in [("<p>", "p"), ("<li>", "li"), ("<li>\n<p>", "p")] {
            for label in [format!("{name}:"), format!("<strong>{name}:</strong>"), format!("<strong>{name}</strong>:")]
            {
                let lead = open.strip_suffix(&format!("<{tag}>")).unwrap_or("");
                let to = format!("{lead}<{tag} class=\"{class}\"><strong>{name}:</strong>");
                out = out.replace(&format!("{open}{label}"), &to);
            }
        }
    }
    out
}

/// Markdown of `text` for a Markdown report: raw HTML, images and links that are not http(s) become text.
pub fn to_markdown(text: &str) -> String {
    let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    for (event, range) in events(text).into_offset_iter() {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {
                let shown = text[range.clone()].replace('<', "&lt;").replace('>', "&gt;");
                edits.push((range, shown));
            }
            Event::Start(Tag::Image { .. }) => edits.push((range.start..range.start + 1, String::new())),
            Event::Start(Tag::Link { dest_url, link_type, .. })
                if !is_web(&dest_url) && link_type != LinkType::Email =>
            {
                let shown = if text[range.clone()].starts_with('<') { "&lt;" } else { "\\[" };
                edits.push((range.start..range.start + 1, shown.to_owned()));
            }
            Event::Start(Tag::Heading { .. }) => {
                let marks = text[range.clone()].bytes().take_while(|byte| *byte == b'#').count();
                if marks > 0 {
                    edits.push((range.start..range.start + marks, "#####".to_owned()));
                }
            }
            _ => {}
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, shown) in edits {
        if range.start >= at {
            out.push_str(&text[at..range.start]);
            out.push_str(&shown);
            at = range.end;
        }
    }
    out.push_str(&text[at..]);
    out.trim().to_owned()
}

/// The text alone: paragraphs as lines, code as it is, marks dropped.
pub fn to_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for event in events(text) {
        match event {
            Event::Text(part) | Event::Code(part) | Event::Html(part) | Event::InlineHtml(part) => {
                out.push_str(&part);
            }
            Event::SoftBreak => out.push(' '),
            Event::HardBreak
            | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::Heading(_) | TagEnd::CodeBlock)
                if !out.ends_with('\n') =>
            {
                out.push('\n');
            }
            _ => {}
        }
    }
    out.trim().to_owned()
}

/// The commands of a section: every line of its code blocks, comments left out.
pub fn commands(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut out = Vec::new();
    for event in events(text) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => inside = true,
            Event::End(TagEnd::CodeBlock) => inside = false,
            Event::Text(part) if inside => {
                let lines = part.lines().map(str::trim);
                out.extend(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned));
            }
            _ => {}
        }
    }
    out
}

/// The top-level blocks of `text`, each as its Markdown.
pub fn blocks(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut out = Vec::new();
    for (event, range) in events(text).into_offset_iter() {
        match event {
            Event::Start(_) => {
                if depth == 0 {
                    out.push(text[range].trim_end().to_owned());
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(text[range].trim_end().to_owned()),
            _ => {}
        }
    }
    out
}

/// Serialises a section as the list of its blocks.
pub fn as_blocks<S: Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(blocks(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_html_and_odd_links_become_text() {
        let text = "a <script>x</script> [bad](javascript:alert) ![i](https://e.org/i.png) [ok](https://e.org/?a=1&b)";
        let html = to_html(text, 4);
        assert!(html.contains("&lt;script&gt;") && !html.contains("<script"), "{html}");
        assert!(!html.contains("javascript") && !html.contains("<img"), "{html}");
        assert!(html.contains("<a rel=\"noreferrer\" href=\"https://e.org/?a=1&amp;b\">ok</a>"), "{html}");

        let markdown = to_markdown(text);
        assert!(markdown.contains("&lt;script&gt;x&lt;/script&gt;"), "{markdown}");
        assert!(markdown.contains("\\[bad]") && !markdown.contains("!["), "{markdown}");
        assert!(markdown.contains("[ok](https://e.org/?a=1&b)"), "{markdown}");
    }

    #[test]
    fn sections_keep_their_commands() {
        let text = "Raise it:\n\n```sh\n# all\nethtool -L eth0 combined 8\n```\n\nRisk: a blip.\n\n- one\n- two\n";
        assert_eq!(commands(text), ["ethtool -L eth0 combined 8"]);
        assert_eq!(
            blocks(text),
            ["Raise it:", "```sh\n# all\nethtool -L eth0 combined 8\n```", "Risk: a blip.", "- one\n- two"]
        );
        assert!(to_html(text, 4).contains("<p class=\"risk\"><strong>Risk:</strong> a blip.</p>"));
        assert_eq!(to_text("one *two*\nthree `x<y`"), "one two three x<y");
    }

    #[test]
    fn headings_sink_below_their_section() {
        assert_eq!(to_html("# top\n", 4), "<h5>top</h5>\n");
        assert_eq!(to_markdown("# top\n\ntext"), "##### top\n\ntext");
    }
}
