//! Facts: what a bundle says, in base units, each value with the line it came from.
//!
//! Parsers and derivations write here; rules and the report read here. Nothing in this room knows a file
//! format, a rule or a threshold. Absence is a value: [`Missing`] says why a fact is unknown, and it is
//! never the same as zero, false or healthy.

pub mod dictionary;
pub mod entity;
pub mod schema;
pub mod store;
pub mod value;

pub use entity::{Entity, Kind, SubjectId};
pub use schema::{FactDef, Family, Ty};
pub use store::{Change, Facts, Sample};
pub use value::{CpuSet, Grade, Reading, Series, Source, Value};

use std::fmt;
use std::sync::Arc;

/// Why a fact is unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// No file that could say it is in the bundle.
    NotCollected,
    /// The file is there and cannot be used; the text says why.
    Unreadable(Source, Arc<str>),
    /// One snapshot or too few samples where two or more are needed.
    TooShort,
    /// A counter went backwards between the snapshots (restart, reset, re-created cgroup).
    CounterReset,
    /// It does not exist on this host (no such device, view from inside a container ...).
    NotApplicable(Arc<str>),
    /// The kernel is older than the counter.
    KernelTooOld(Arc<str>),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::NotCollected => f.write_str("not collected"),
            Missing::Unreadable(_, why) => write!(f, "unreadable: {why}"),
            Missing::TooShort => f.write_str("only one snapshot, a rate needs two"),
            Missing::CounterReset => f.write_str("the counter was reset between the snapshots"),
            Missing::NotApplicable(why) => write!(f, "not applicable: {why}"),
            Missing::KernelTooOld(why) => write!(f, "kernel too old: {why}"),
        }
    }
}
