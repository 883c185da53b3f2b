//! Rules: Markdown pages that say how a known failure looks in the facts, and what to do about it.
//!
//! page -> rule (compiled, checked) -> outcome per entity. Nothing in here reads a bundle's files or knows
//! how a report looks.

pub mod catalogue;
pub mod chart;
pub mod check;
mod escape;
pub mod evaluate;
pub mod evidence;
pub mod examples;
pub mod explain;
pub mod expr;
pub mod file;
pub mod handbook;
pub mod page;
pub mod problem;
pub mod prose;
mod prose_scan;
pub mod sections;
pub mod suggest;
pub mod table;
pub mod tunables;
pub mod verdict;
mod yaml;

pub use catalogue::{Catalogue, CatalogueError};
pub use check::check;
pub use evaluate::evaluate;
pub use file::{Condition, Rule};
pub use problem::Problem;
pub use sections::Filled;
pub use verdict::{ConditionTrace, Outcome, Role, Severity, Verdict};
