//! Tokens to a tree. The grammar, loosest first:
//!
//!     or     = and { "or" and }
//!     and    = not { "and" not }
//!     not    = "not" not | compare
//!     compare= sum [ ( = == != < <= > >= ) sum | [ "not" ] "in" list ]
//!     sum    = term { (+ -) term }         term = unary { (* /) unary }        unary = "-" unary | atom
//!     atom   = quantity | text | "true" | "false" | path | word | word "(" args ")" | "(" or ")"
//!     args   = [ name "=" ] or | "where" or, separated by commas

use super::lex::{Tok, Token, lex};
use super::{MAX_DEPTH, Mistake, Span};
use crate::units::literal::{self, Quantity};

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: Kind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Num(Quantity),
    Text(String),
    Flag(bool),
    Path(String, String),
    Word(String),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Cmp(CmpOp, Box<Expr>, Box<Expr>),
    In(Box<Expr>, Vec<Expr>),
    Arith(ArithOp, Box<Expr>, Box<Expr>),
    Call { name: String, name_span: Span, args: Vec<Arg> },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    pub name: Option<(String, Span)>,
    pub value: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CmpOp {
    pub const fn name(self) -> &'static str {
        match self {
            CmpOp::Eq => "=",
            CmpOp::Ne => "!=",
            CmpOp::Lt => "<",
            CmpOp::Le => "<=",
            CmpOp::Gt => ">",
            CmpOp::Ge => ">=",
        }
    }

    /// The same comparison with its sides swapped.
    pub const fn flipped(self) -> CmpOp {
        match self {
            CmpOp::Lt => CmpOp::Gt,
            CmpOp::Le => CmpOp::Ge,
            CmpOp::Gt => CmpOp::Lt,
            CmpOp::Ge => CmpOp::Le,
            same => same,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithOp {
    Add,
    Sub,
    Mul,
    Div,
}

pub fn parse(text: &str) -> Result<Expr, Mistake> {
    let tokens = lex(text)?;
    let mut parser = Parser { tokens, at: 0, end: text.len(), depth: 0 };
    if parser.tokens.is_empty() {
        return Err(Mistake::new(0..text.len(), "empty expression", "a condition is expected here"));
    }
    let expr = parser.or()?;
    match parser.peek() {
        None => Ok(expr),
        Some((tok, span)) => Err(parser.leftover(tok.clone(), span.clone())),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    end: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn symbol(&mut self, symbol: &str) -> Option<Span> {
        match self.peek() {
            Some((Tok::Sym(have), span)) if *have == symbol => {
                let span = span.clone();
                self.at += 1;
                Some(span)
            }
            _ => None,
        }
    }

    fn word(&mut self, word: &str) -> Option<Span> {
        match self.peek() {
            Some((Tok::Word(have), span)) if have == word => {
                let span = span.clone();
                self.at += 1;
                Some(span)
            }
            _ => None,
        }
    }

    /// Where the next token is, or the end of the text.
    fn here(&self) -> Span {
        self.peek().map_or(self.end..self.end, |(_, span)| span.clone())
    }

    fn expect(&mut self, symbol: &'static str, after: &str) -> Result<Span, Mistake> {
        let here = self.here();
        self.symbol(symbol)
            .ok_or_else(|| Mistake::new(here, format!("`{symbol}` is missing"), format!("after {after}")))
    }

    fn leftover(&self, tok: Tok, span: Span) -> Mistake {
        let title = "unexpected text after the expression";
        let mistake = Mistake::new(span, title, "the expression was complete before this");
        match tok {
            Tok::Sym("=" | "==" | "!=" | "<" | "<=" | ">" | ">=") => {
                mistake.help("comparisons do not chain: write `a < b and b < c`")
            }
            Tok::Word(word) if literal::quantity(1.0, &word).is_some() => {
                mistake.help(format!("write the number and its unit together, as in 10{word}"))
            }
            _ => mistake.help("join conditions with `and` or `or`"),
        }
    }

    fn nested(&mut self, rule: fn(&mut Parser) -> Result<Expr, Mistake>) -> Result<Expr, Mistake> {
        if self.depth >= MAX_DEPTH {
            let title = format!("nested deeper than {MAX_DEPTH}");
            return Err(Mistake::new(self.here(), title, "split the condition"));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    fn or(&mut self) -> Result<Expr, Mistake> {
        self.joined("or", Parser::and, Kind::Or)
    }

    fn and(&mut self) -> Result<Expr, Mistake> {
        self.joined("and", Parser::not, Kind::And)
    }

    fn joined(
        &mut self,
        word: &str,
        part: fn(&mut Parser) -> Result<Expr, Mistake>,
        make: fn(Vec<Expr>) -> Kind,
    ) -> Result<Expr, Mistake> {
        let first = part(self)?;
        let mut parts = vec![first];
        while self.word(word).is_some() {
            parts.push(part(self)?);
        }
        let span = parts[0].span.start..parts[parts.len() - 1].span.end;
        match parts.len() {
            1 => Ok(parts.remove(0)),
            _ => Ok(Expr { kind: make(parts), span }),
        }
    }

    fn not(&mut self) -> Result<Expr, Mistake> {
        let Some(start) = self.word("not") else { return self.compare() };
        let inner = self.nested(Parser::not)?;
        let span = start.start..inner.span.end;
        Ok(Expr { kind: Kind::Not(Box::new(inner)), span })
    }

    fn compare(&mut self) -> Result<Expr, Mistake> {
        let left = self.sum()?;
        let op = match self.peek() {
            Some((Tok::Sym("=" | "=="), _)) => CmpOp::Eq,
            Some((Tok::Sym("!="), _)) => CmpOp::Ne,
            Some((Tok::Sym("<"), _)) => CmpOp::Lt,
            Some((Tok::Sym("<="), _)) => CmpOp::Le,
            Some((Tok::Sym(">"), _)) => CmpOp::Gt,
            Some((Tok::Sym(">="), _)) => CmpOp::Ge,
            Some((Tok::Word(word), _)) if word == "in" => return self.list(left, false),
            Some((Tok::Word(word), _)) if word == "not" => {
                self.at += 1;
                return self.list(left, true);
            }
            _ => return Ok(left),
        };
        self.at += 1;
        let right = self.sum()?;
        let span = left.span.start..right.span.end;
        Ok(Expr { kind: Kind::Cmp(op, Box::new(left), Box::new(right)), span })
    }

    fn list(&mut self, left: Expr, negate: bool) -> Result<Expr, Mistake> {
        let here = self.here();
        if self.word("in").is_none() {
            return Err(Mistake::new(here, "`in` is missing", "after `not`").help("write `x not in [\"a\", \"b\"]`"));
        }
        self.expect("[", "`in`")?;
        let mut items = Vec::new();
        let end = loop {
            if let Some(end) = self.symbol("]") {
                break end;
            }
            items.push(self.nested(Parser::sum)?);
            if self.symbol(",").is_none() {
                break self.expect("]", "the list")?;
            }
        };
        let span = left.span.start..end.end;
        let found = Expr { kind: Kind::In(Box::new(left), items), span: span.clone() };
        Ok(if negate { Expr { kind: Kind::Not(Box::new(found)), span } } else { found })
    }

    fn sum(&mut self) -> Result<Expr, Mistake> {
        self.operators(&[("+", ArithOp::Add), ("-", ArithOp::Sub)], Parser::term)
    }

    fn term(&mut self) -> Result<Expr, Mistake> {
        self.operators(&[("*", ArithOp::Mul), ("/", ArithOp::Div)], Parser::unary)
    }

    fn operators(
        &mut self,
        table: &[(&str, ArithOp)],
        part: fn(&mut Parser) -> Result<Expr, Mistake>,
    ) -> Result<Expr, Mistake> {
        let mut left = part(self)?;
        while let Some((_, op)) = table.iter().find(|(symbol, _)| self.symbol(symbol).is_some()) {
            let right = part(self)?;
            let span = left.span.start..right.span.end;
            left = Expr { kind: Kind::Arith(*op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Mistake> {
        let Some(start) = self.symbol("-") else { return self.atom() };
        let inner = self.nested(Parser::unary)?;
        let span = start.start..inner.span.end;
        Ok(Expr { kind: Kind::Neg(Box::new(inner)), span })
    }

    fn atom(&mut self) -> Result<Expr, Mistake> {
        let Some((tok, span)) = self.peek().cloned() else {
            return Err(Mistake::new(
                self.end..self.end,
                "the expression is not complete",
                "something is missing here",
            ));
        };
        self.at += 1;
        let kind = match tok {
            Tok::Num(quantity) => Kind::Num(quantity),
            Tok::Str(text) => Kind::Text(text),
            Tok::Path(kind, name) => Kind::Path(kind, name),
            Tok::Word(word) if word == "true" || word == "false" => Kind::Flag(word == "true"),
            Tok::Word(word) if matches!(&*word, "and" | "or" | "in" | "where") => {
                return Err(Mistake::new(span, format!("`{word}` without something before it"), "here"));
            }
            Tok::Word(name) => {
                if self.symbol("(").is_none() {
                    return Ok(Expr { kind: Kind::Word(name), span });
                }
                let (args, end) = self.args(&name)?;
                let whole = span.start..end;
                return Ok(Expr { kind: Kind::Call { name, name_span: span, args }, span: whole });
            }
            Tok::Sym("(") => {
                let inner = self.nested(Parser::or)?;
                let end = self.expect(")", "the parenthesis")?;
                return Ok(Expr { kind: inner.kind, span: span.start..end.end });
            }
            Tok::Sym(symbol) => {
                return Err(Mistake::new(span, format!("unexpected `{symbol}`"), "a value is expected here"));
            }
        };
        Ok(Expr { kind, span })
    }

    fn args(&mut self, call: &str) -> Result<(Vec<Arg>, usize), Mistake> {
        let mut args = Vec::new();
        loop {
            if let Some(end) = self.symbol(")") {
                return Ok((args, end.end));
            }
            let name = match (self.peek(), self.tokens.get(self.at + 1)) {
                (Some((Tok::Word(word), span)), _) if word == "where" => {
                    let name = (word.clone(), span.clone());
                    self.at += 1;
                    Some(name)
                }
                (Some((Tok::Word(word), span)), Some((Tok::Sym("="), _))) if PARAMETERS.contains(&&**word) => {
                    let name = (word.clone(), span.clone());
                    self.at += 2;
                    Some(name)
                }
                _ => None,
            };
            args.push(Arg { name, value: self.nested(Parser::or)? });
            if self.symbol(",").is_none() {
                let end = self.expect(")", &format!("the arguments of `{call}`"))?;
                return Ok((args, end.end));
            }
        }
    }
}

/// Names of named arguments; elsewhere `word = value` is a comparison.
pub const PARAMETERS: &[&str] = &["above", "below", "for"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_is_that_of_the_grammar() {
        let tree = parse("not a.x > 1 + 2 * 3 or b.y and c.z").unwrap();
        let Kind::Or(parts) = tree.kind else { panic!("{tree:?}") };
        assert!(matches!(&parts[0].kind, Kind::Not(inner) if matches!(inner.kind, Kind::Cmp(CmpOp::Gt, _, _))));
        assert!(matches!(&parts[1].kind, Kind::And(parts) if parts.len() == 2));
    }

    #[test]
    fn calls_take_named_arguments_and_filters() {
        let tree = parse("sustained(max(cpu, cpu.soft, where cpu.node = 1), above=70%, for=10s)").unwrap();
        let Kind::Call { args, .. } = tree.kind else { panic!("{tree:?}") };
        assert_eq!(args[1].name.as_ref().unwrap().0, "above");
        let Kind::Call { args, .. } = &args[0].value.kind else { panic!() };
        assert_eq!(args[2].name.as_ref().unwrap().0, "where");
    }

    #[test]
    fn mistakes_point_at_their_place() {
        assert_eq!(parse("a.x <").unwrap_err().span, 5..5);
        assert_eq!(parse("(a.x").unwrap_err().title, "`)` is missing");
        assert!(parse("1 < a.x < 3").unwrap_err().help.unwrap().contains("do not chain"));
        assert!(parse("a.x < 10 ms").unwrap_err().help.unwrap().contains("10ms"));
        assert!(parse(&"(".repeat(100)).unwrap_err().title.contains("nested"));
        assert!(parse(&"-".repeat(100)).unwrap_err().title.contains("nested"));
    }
}
