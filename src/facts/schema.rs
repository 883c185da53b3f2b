//! The fact dictionary: every fact, declared once.
//!
//! From these tables come the typed keys that parsers and derivations write, `docs/facts.md`,
//! `coroner facts list` and the static check of rules. A fact that is not declared here does not exist.

use super::entity::Kind;
use crate::units::Unit;

mod broker;
mod cgroup;
mod cpu;
mod disk;
mod family;
mod go;
mod host;
mod log;
mod memory;
mod nic;
mod node;
mod process;
mod settings;

pub use family::Family;

/// Keys by area, as `schema::keys::cpu::SOFT`.
pub mod keys {
    pub use super::family::keys as family;
    pub use super::{broker::broker, broker::broker_queue, broker::channel, broker::connection, broker::consumer};
    pub use super::{broker::pod, broker::workload};
    pub use super::{cgroup::cgroup, cpu::cpu, cpu::irq, disk::disk, disk::mount, go::go_process};
    pub use super::{host::host, log::log, memory::memory, nic::nic, nic::queue};
    pub use super::{node::numa, node::numa_node, process::process, process::thread, settings::settings};
}

/// Type of a fact's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Flag,
    Text,
    Cpus,
    List,
    Num(Unit),
    Series(Unit),
}

/// One entry of the dictionary.
#[derive(Debug)]
pub struct FactDef {
    /// Dotted path, `kind.name`, unique.
    pub path: &'static str,
    pub kind: Kind,
    pub ty: Ty,
    /// One line: what it means.
    pub doc: &'static str,
    /// Commands that would collect it, best first.
    pub collect: &'static [&'static str],
}

impl FactDef {
    pub fn unit(&self) -> Option<Unit> {
        match self.ty {
            Ty::Num(unit) | Ty::Series(unit) => Some(unit),
            _ => None,
        }
    }
}

impl PartialEq for FactDef {
    fn eq(&self, other: &FactDef) -> bool {
        self.path == other.path
    }
}

/// Declares the facts of one kind:
/// `facts! { cpu: Cpu { SOFT "soft": series Share, "meaning" <- ["command", ...]; } }`
macro_rules! facts {
    ($module:ident : $kind:ident { $($key:ident $name:literal : $shape:ident $($unit:ident)? , $doc:literal <- [$($cmd:literal),* $(,)?] ;)+ }) => {
        pub mod $module {
            use crate::facts::entity::Kind;
            use crate::facts::schema::FactDef;
            #[allow(unused_imports)]
            use crate::facts::schema::Ty;
            #[allow(unused_imports)]
            use crate::units::Unit;
            $(
                #[doc = $doc]
                pub static $key: FactDef = FactDef {
                    path: $name,
                    kind: Kind::$kind,
                    ty: $crate::facts::schema::shape!($shape $($unit)?),
                    doc: $doc,
                    collect: &[$($cmd),*],
                };
            )+
            pub static ALL: &[&FactDef] = &[$(&$key),+];
        }
    };
}

macro_rules! shape {
    (flag) => {
        Ty::Flag
    };
    (text) => {
        Ty::Text
    };
    (cpus) => {
        Ty::Cpus
    };
    (list) => {
        Ty::List
    };
    (num $unit:ident) => {
        Ty::Num(Unit::$unit)
    };
    (series $unit:ident) => {
        Ty::Series(Unit::$unit)
    };
}

use {facts, shape};

/// Every fact, grouped by area, in the order of the dictionary page.
pub static AREAS: &[&[&FactDef]] = &[
    keys::host::ALL,
    keys::memory::ALL,
    keys::log::ALL,
    keys::settings::ALL,
    keys::cpu::ALL,
    keys::irq::ALL,
    keys::nic::ALL,
    keys::queue::ALL,
    keys::disk::ALL,
    keys::mount::ALL,
    keys::numa::ALL,
    keys::numa_node::ALL,
    keys::cgroup::ALL,
    keys::process::ALL,
    keys::thread::ALL,
    keys::go_process::ALL,
    keys::pod::ALL,
    keys::broker_queue::ALL,
    keys::consumer::ALL,
    keys::channel::ALL,
    keys::connection::ALL,
    keys::broker::ALL,
    keys::workload::ALL,
];

pub fn all() -> impl Iterator<Item = &'static FactDef> {
    AREAS.iter().flat_map(|area| area.iter().copied())
}

pub fn find(path: &str) -> Option<&'static FactDef> {
    all().find(|fact| fact.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn paths_are_unique_well_named_and_collectable() {
        let mut seen = BTreeSet::new();
        for fact in all() {
            assert!(seen.insert(fact.path), "{} twice", fact.path);
            let (kind, name) = fact.path.split_once('.').unwrap();
            assert_eq!(kind, fact.kind.name(), "{}", fact.path);
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{}", fact.path);
            assert!(!fact.collect.is_empty(), "{} cannot be collected", fact.path);
            assert!(!fact.doc.is_empty() && !fact.doc.ends_with('.'), "{}", fact.path);
        }
    }
}
