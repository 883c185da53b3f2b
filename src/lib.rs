//! Coroner: the cause of death, read from the support bundle.
//!
//! bundle -> parse -> derive -> rule -> rank -> report; each module is one room of that flow.

pub mod analysis;
pub mod bundle;
pub mod derive;
pub mod facts;
pub mod golang;
pub mod parse;
pub mod rank;
pub mod report;
pub mod rule;
pub mod units;
