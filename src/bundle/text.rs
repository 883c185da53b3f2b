//! Text of an artifact as parsers see it: decoded, cleaned of colour codes, split into numbered lines.
//!
//! Line numbers are those of the file, so that a quote can be found again with any pager.

use std::borrow::Cow;

/// A decoded text. Lines keep their file line numbers.
#[derive(Debug)]
pub struct Text<'a> {
    whole: Cow<'a, str>,
}

impl<'a> Text<'a> {
    /// Decodes bytes: UTF-8 (with or without BOM), UTF-16 with BOM, else UTF-8 with replacement of bad bytes.
    pub fn decode(bytes: &'a [u8]) -> Text<'a> {
        let whole = match bytes {
            [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
            [0xFF, 0xFE, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
            [0xFE, 0xFF, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
            _ => String::from_utf8_lossy(bytes),
        };
        Text { whole: if whole.contains('\u{1b}') { Cow::Owned(strip_ansi(&whole)) } else { whole } }
    }

    pub fn as_str(&self) -> &str {
        &self.whole
    }

    /// Lines without their ends, numbered from 1.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &str)> {
        lines_from(&self.whole, 1)
    }
}

/// Lines of `text`, the first one having number `first`.
pub fn lines_from(text: &str, first: u32) -> impl Iterator<Item = (u32, &str)> {
    (first..).zip(text.split('\n')).map(|(number, line)| (number, line.strip_suffix('\r').unwrap_or(line)))
}

/// True when the bytes are no text a parser of text could use: NUL bytes outside UTF-16.
pub fn is_binary(head: &[u8]) -> bool {
    let utf16 = head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]);
    !utf16 && head.iter().take(4096).any(|byte| *byte == 0)
}

fn utf16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).filter_map(|pair| <[u8; 2]>::try_from(pair).ok()).map(read);
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Removes terminal escape sequences (CSI, OSC, single-character ones).
pub fn strip_ansi(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('[') => {
                while let Some(&c) = chars.peek() {
                    if c == '\n' {
                        break;
                    }
                    chars.next();
                    if ('\u{40}'..='\u{7e}').contains(&c) {
                        break;
                    }
                }
            }
            Some(']') => {
                while let Some(&c) = chars.peek() {
                    if c == '\n' {
                        break;
                    }
                    chars.next();
                    if c == '\u{7}' || c == '\\' {
                        break;
                    }
                }
            }
            Some('\n') => out.push('\n'),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_people_send() {
        let utf16: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain("a\r\nb".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        for (bytes, want) in [
            (b"a\r\nb".to_vec(), "ab"),
            (b"\xEF\xBB\xBFa\nb".to_vec(), "ab"),
            (utf16, "ab"),
            (b"\x1b[31ma\x1b[0m\nb".to_vec(), "ab"),
        ] {
            let text = Text::decode(&bytes);
            let lines: Vec<_> = text.lines().collect();
            assert_eq!(lines.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [1, 2]);
            assert_eq!(lines.iter().map(|(_, line)| *line).collect::<String>(), want);
        }
    }
}
