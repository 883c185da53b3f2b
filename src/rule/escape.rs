//! Text of a bundle made harmless for the place it is printed in: a sentence, Markdown prose, a command.
//!
//! A bundle can name a network interface or a cgroup anything. Nothing it says may close a code block, start a
//! link or a tag, turn the direction of text, or run in the shell of the person who copies a command.

/// Longest piece of bundle text printed in one place, in characters.
pub const MAX_CHARS: usize = 200;

/// One line of plain text: control and direction characters replaced, cut at [`MAX_CHARS`].
pub fn plain(text: &str) -> String {
    let mut out: String = text.chars().take(MAX_CHARS).map(|c| if odd(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        out.push('…');
    }
    out
}

/// Control characters, line separators, zero-width and direction marks.
fn odd(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{061c}')
}

/// Plain text inside Markdown prose.
pub fn markdown(text: &str) -> String {
    let text = plain(text);
    let mut out = String::with_capacity(text.len() + 8);
    let mut before: Option<char> = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let special = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '!' | '$' | '{' | '}' => true,
            // Inside a word an underscore is no emphasis: `rx_queue_0` stays readable.
            '_' => !(word(before) && word(rest.peek().copied())),
            // Would start a heading, a list or a rule.
            '#' | '+' | '-' | '=' => before.is_none(),
            // Would make a bare address a link.
            ':' => rest.peek() == Some(&'/'),
            '@' => true,
            '.' => before.is_some_and(|c| c.eq_ignore_ascii_case(&'w')),
            _ => false,
        };
        if special {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
    out
}

/// One word of a command: as it is when harmless, else in single quotes. Never ends a code span or block.
pub fn shell(text: &str) -> String {
    let text: String = plain(text).chars().map(|c| if c == '`' { '\u{fffd}' } else { c }).collect();
    let harmless =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '@' | '%' | '+' | ',' | '=');
    if !text.is_empty() && text.chars().all(harmless) && !text.starts_with('-') {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_stay_text() {
        assert_eq!(plain("eth0\n\u{202e}x\u{1b}[31m"), "eth0\u{fffd}\u{fffd}x\u{fffd}[31m");
        assert_eq!(markdown("rx_queue_0"), "rx_queue_0");
        assert_eq!(markdown("<b>`x`|[a](http://b)"), "\\<b\\>\\`x\\`\\|\\[a\\](http\\://b)");
        assert_eq!(markdown("# head"), "\\# head");
        assert_eq!(shell("eth0"), "eth0");
        assert_eq!(shell("eth0; rm -rf /"), "'eth0; rm -rf /'");
        assert_eq!(shell("a'b$(x)`y`\n"), "'a'\\''b$(x)\u{fffd}y\u{fffd}\u{fffd}'");
        assert_eq!(shell(""), "''");
        assert_eq!(shell("-rf"), "'-rf'");
        assert!(plain(&"x".repeat(500)).chars().count() == MAX_CHARS + 1);
    }
}
