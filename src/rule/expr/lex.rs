//! Text to tokens. Quantities (`80%`, `2GiB`, `5000/s`) are one token, so that `10ms` never means `10 * ms`.

use super::{MAX_LEN, Mistake, Span};
use crate::rule::suggest;
use crate::units::literal::{self, Quantity};

#[derive(Clone, Debug, PartialEq)]
pub enum Tok {
    Num(Quantity),
    Str(String),
    /// A word: keyword, function, kind, tunable.
    Word(String),
    /// `kind.name`.
    Path(String, String),
    /// Operator or bracket.
    Sym(&'static str),
}

pub type Token = (Tok, Span);

/// Longest first, so that `<=` is not read as `<`.
const SYMBOLS: &[&str] = &["==", "!=", "<=", ">=", "(", ")", "[", "]", ",", "=", "<", ">", "+", "-", "*", "/"];

pub fn lex(text: &str) -> Result<Vec<Token>, Mistake> {
    if text.len() > MAX_LEN {
        let title = format!("expression longer than {MAX_LEN} bytes");
        return Err(Mistake::new(0..text.len(), title, "split it into several conditions"));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if c.is_ascii_digit() {
            let (number, end) = number(text, start)?;
            at = end;
            tokens.push((Tok::Num(number), start..end));
        } else if c == '"' || c == '\'' {
            let rest = &text[start + 1..];
            let Some(len) = rest.find(c) else {
                return Err(Mistake::new(start..text.len(), "text without its closing quote", "starts here")
                    .help(format!("add a {c} where the text ends")));
            };
            at = start + len + 2;
            tokens.push((Tok::Str(rest[..len].to_owned()), start..at));
        } else if c.is_alphabetic() || c == '_' {
            let first = word_end(text, start);
            at = first;
            let tok = match text[first..].strip_prefix('.') {
                Some(rest) if rest.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                    at = word_end(text, first + 1);
                    Tok::Path(text[start..first].to_owned(), text[first + 1..at].to_owned())
                }
                _ => Tok::Word(text[start..first].to_owned()),
            };
            tokens.push((tok, start..at));
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| text[start..].starts_with(**symbol)) {
            at += symbol.len();
            tokens.push((Tok::Sym(symbol), start..at));
        } else {
            return Err(odd_character(text, start, c));
        }
    }
    Ok(tokens)
}

fn word_end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    start + rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
}

fn number(text: &str, start: usize) -> Result<(Quantity, usize), Mistake> {
    let rest = &text[start..];
    let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(rest.len());
    let suffix = &rest[digits..];
    let mut len = suffix.find(|c: char| !(c.is_alphabetic() || c == '%')).unwrap_or(suffix.len());
    let per_second = suffix[len..].strip_prefix("/s");
    if per_second.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')) {
        len += 2;
    }
    let end = start + digits + len;
    let value = rest[..digits].replace('_', "").parse::<f64>();
    let value = value.map_err(|_| Mistake::new(start..end, "not a number", "here"))?;
    match literal::quantity(value, &suffix[..len]) {
        Some(quantity) => Ok((quantity, end)),
        None => {
            let known = literal::SUFFIXES.iter().map(|(name, _, _)| *name);
            let help = match suggest::closest(&suffix[..len], known.clone()) {
                Some(near) => format!("did you mean `{}{near}`?", &rest[..digits]),
                None => format!("units are {}, each also per second as in 5000/s", known.collect::<Vec<_>>().join(" ")),
            };
            Err(Mistake::new(start..end, format!("unknown unit `{}`", &suffix[..len]), "in this quantity").help(help))
        }
    }
}

fn odd_character(text: &str, start: usize, c: char) -> Mistake {
    let help = match c {
        '&' => Some("write `and`"),
        '|' => Some("write `or`"),
        '!' => Some("write `not` before a condition, `!=` between two values"),
        '≥' => Some("write `>=`"),
        '≤' => Some("write `<=`"),
        '%' => Some("write the number and % together, as in 80%"),
        _ => None,
    };
    let mistake = Mistake::new(start..start + c.len_utf8(), format!("unexpected character `{c}`"), "here");
    debug_assert!(text.is_char_boundary(start));
    match help {
        Some(help) => mistake.help(help),
        None => mistake,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Unit;

    #[test]
    fn quantities_are_one_token_and_words_with_a_dot_are_paths() {
        let tokens: Vec<Tok> = lex("cpu.soft>=70% and x/s < 5000/s").unwrap().into_iter().map(|(tok, _)| tok).collect();
        assert_eq!(tokens[0], Tok::Path("cpu".into(), "soft".into()));
        assert!(matches!(tokens[2], Tok::Num(Quantity { unit: Unit::Share, .. })));
        assert_eq!(tokens[4..7], [Tok::Word("x".into()), Tok::Sym("/"), Tok::Word("s".into())]);
        assert!(matches!(tokens[8], Tok::Num(Quantity { unit: Unit::PerSec, value, .. }) if value == 5000.0));
    }

    #[test]
    fn mistakes_say_what_to_write() {
        assert_eq!(lex("a && b").unwrap_err().help.as_deref(), Some("write `and`"));
        assert_eq!(lex("x > 3 Gib").unwrap().len(), 4);
        assert_eq!(lex("x > 3Gib").unwrap_err().help.as_deref(), Some("did you mean `3GiB`?"));
        assert_eq!(lex("x = \"a").unwrap_err().span, 4..6);
    }
}
