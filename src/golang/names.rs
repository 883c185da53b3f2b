//! The functions that goroutines started in, each name once, with what their goroutines did.

use std::collections::HashMap;

/// Names kept; more are counted under the last one.
const MAX_NAMES: usize = 1 << 16;

/// What all goroutines with the same start function did together. Times are nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartFunction {
    /// Empty for goroutines whose start function the trace does not tell.
    pub name: String,
    pub goroutines: u64,
    /// Time Runnable, waiting for a processor.
    pub runnable_ns: u64,
    pub running_ns: u64,
}

/// A name's number. [`UNNAMED`] is the unknown name.
pub(super) type NameId = u32;
pub(super) const UNNAMED: NameId = 0;

pub(super) struct Names {
    ids: HashMap<String, NameId>,
    pub table: Vec<StartFunction>,
}

impl Names {
    pub fn new() -> Self {
        Names { ids: HashMap::new(), table: vec![StartFunction::default()] }
    }

    pub fn intern(&mut self, name: &[u8]) -> NameId {
        if name.is_empty() {
            return UNNAMED;
        }
        let name = String::from_utf8_lossy(name);
        if let Some(&id) = self.ids.get(name.as_ref()) {
            return id;
        }
        let full = self.table.len() > MAX_NAMES;
        let name = if full { "(other functions)".to_owned() } else { name.into_owned() };
        let next = NameId::try_from(self.table.len()).unwrap_or(UNNAMED);
        *self.ids.entry(name.clone()).or_insert_with(|| {
            self.table.push(StartFunction { name, ..StartFunction::default() });
            next
        })
    }

    /// Goroutines of the runtime itself: background sweeper, mark workers and the like.
    pub fn is_runtime(&self, id: NameId) -> bool {
        self.get(id).is_some_and(|row| row.name.starts_with("runtime."))
    }

    pub fn get(&self, id: NameId) -> Option<&StartFunction> {
        self.table.get(usize::try_from(id).ok()?)
    }

    pub fn add(&mut self, id: NameId, runnable_ns: u64, running_ns: u64) {
        let Some(row) = usize::try_from(id).ok().and_then(|id| self.table.get_mut(id)) else {
            return;
        };
        row.goroutines += 1;
        row.runnable_ns = row.runnable_ns.saturating_add(runnable_ns);
        row.running_ns = row.running_ns.saturating_add(running_ns);
    }
}
