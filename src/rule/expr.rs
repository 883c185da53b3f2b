//! The expression language of rules: text -> tokens -> tree -> typed code -> value with its trace.
//!
//! It is our own because it carries units, static types, three-valued logic, spans and a trace of what was
//! read, all at once. No loops, no variables, no functions of the author: bounded by construction.
//! Nothing in here knows rules, verdicts or reports.

use std::ops::Range;

mod call;
mod calls;
pub mod check;
pub mod eval;
pub mod funcs;
pub mod lex;
pub mod parse;
mod quantifier;
pub mod scope;
pub mod series;
pub mod trace;

pub use check::{Code, Node, Op, Type, compile};
pub use eval::Ctx;
pub use scope::Scope;
pub use trace::{Gap, Known, Out, Trace};

/// Byte range in the text of one expression.
pub type Span = Range<usize>;

/// Longest expression in bytes; no rule that a person can review is longer.
pub const MAX_LEN: usize = 2_000;
/// Deepest nesting of parentheses, calls and operators.
pub const MAX_DEPTH: usize = 40;

/// Something wrong in an expression, with the place and a way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    pub span: Span,
    pub title: String,
    /// Text beside the caret.
    pub label: String,
    pub help: Option<String>,
}

impl Mistake {
    pub fn new(span: Span, title: impl Into<String>, label: impl Into<String>) -> Mistake {
        Mistake { span, title: title.into(), label: label.into(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Mistake {
        self.help = Some(help.into());
        self
    }
}

#[cfg(test)]
mod tests;
