//! What names mean at a place: which entity `nic.driver` speaks of, and which bare words are values.

use super::check::Type;
use crate::facts::Kind;

/// How the evaluator finds the entity of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The n-th bound entity: 0 is the rule's, the others are those of the quantifiers around.
    Bound(usize),
    /// The entity that owns the n-th bound one (the NIC of a queue).
    Parent(usize),
    /// The host of the subject.
    Host,
}

/// Bound kinds, outermost first, and the bare words that have a value (tunables; in prose also `variant`).
#[derive(Clone, Debug)]
pub struct Scope {
    pub kinds: Vec<Kind>,
    pub names: Vec<(String, Type)>,
    /// Other words for bound entities, with their position in `kinds` (the variable of a loop in prose).
    pub aliases: Vec<(String, usize)>,
}

impl Scope {
    pub fn new(each: Kind) -> Scope {
        Scope { kinds: vec![each], names: Vec::new(), aliases: Vec::new() }
    }

    /// The innermost entity of that kind; `this` is always the rule's own.
    pub fn slot(&self, kind: &str) -> Option<(Kind, Slot)> {
        if kind == "this" {
            return self.kinds.first().map(|kind| (*kind, Slot::Bound(0)));
        }
        if let Some((_, at)) = self.aliases.iter().rev().find(|(name, _)| name == kind) {
            return self.kinds.get(*at).map(|kind| (*kind, Slot::Bound(*at)));
        }
        let kind = Kind::from_name(kind)?;
        let bound = self.kinds.iter().rposition(|bound| *bound == kind).map(Slot::Bound);
        let parent = || self.kinds.iter().rposition(|bound| bound.parent() == Some(kind)).map(Slot::Parent);
        let host = || (kind == Kind::Host).then_some(Slot::Host);
        bound.or_else(parent).or_else(host).map(|slot| (kind, slot))
    }

    pub fn name(&self, name: &str) -> Option<(usize, Type)> {
        self.names.iter().position(|(have, _)| have == name).map(|at| (at, self.names[at].1))
    }
}
