//! Goroutine dumps as text, `?debug=1` and `?debug=2` (also what a crash or SIGQUIT prints): goroutines
//! with the same state and the same stack are one group.

use std::collections::HashMap;

use super::trace::Note;

/// Groups told apart; further goroutines are counted only.
pub(super) const MAX_GROUPS: usize = 10_000;
pub(super) const MAX_FRAMES: usize = 100;
pub(super) const MAX_LINE: usize = 1 << 16;
const MAX_NOTES: usize = 100;
const EXAMPLES: usize = 8;

/// Goroutines with the same state, stack and creator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Such as `IO wait`, `chan receive`; empty in a `debug=1` dump, which does not tell.
    pub state: String,
    /// Function names from the leaf on, at most 100.
    pub stack: Vec<String>,
    /// The function with the `go` statement; empty for main and where not told.
    pub created_by: String,
    pub count: u64,
    /// The longest that one of them has been in this state; 0 below a minute, and where not told.
    pub max_wait_minutes: u64,
    /// How many have been in this state for a minute or longer.
    pub waiting_minutes: u64,
    pub locked_to_thread: u64,
    /// Some of their ids.
    pub examples: Vec<u64>,
    /// Label sets of a `debug=1` dump, as written.
    pub labels: String,
    /// Line of the first, from 1.
    pub line: u64,
}

/// A goroutine dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dump {
    /// 1 or 2.
    pub debug: u8,
    pub goroutines: u64,
    /// As the header of a `debug=1` dump has it; more than `goroutines` when the dump is cut.
    pub announced: Option<u64>,
    /// The largest first.
    pub groups: Vec<Group>,
    /// Goroutines by state, the most frequent first; empty in a `debug=1` dump.
    pub states: Vec<(String, u64)>,
    pub max_wait_minutes: u64,
    /// Lines that name a creator, those of ancestors included.
    pub creators: u64,
    /// Stacks of which the dump leaves frames out.
    pub elided: u64,
    /// `offset` is a line number, from 1.
    pub notes: Vec<Note>,
}

/// Reads a goroutine dump; `None` when there is no goroutine in it.
pub fn read_goroutines(data: &[u8]) -> Option<Dump> {
    super::goroutines_debug1::read(data).or_else(|| super::goroutines_debug2::read(data))
}

/// Lines with their numbers from 1, cut to a bound, without the end of line.
pub(super) fn lines(data: &[u8]) -> impl Iterator<Item = (u64, String)> {
    (1u64..).zip(data.split(|&byte| byte == b'\n')).map(|(number, line)| {
        let line = line.get(..MAX_LINE).unwrap_or(line);
        (number, String::from_utf8_lossy(line).trim_end().to_owned())
    })
}

/// Collects goroutines into groups.
#[derive(Default)]
pub(super) struct Groups {
    index: HashMap<(String, Vec<String>, String), usize>,
    pub dump: Dump,
    ungrouped: u64,
}

impl Groups {
    pub fn note(&mut self, line: u64, text: &str) {
        if self.dump.notes.len() < MAX_NOTES {
            self.dump.notes.push(Note { offset: line, text: text.to_owned() });
        }
    }

    /// Adds one goroutine, or as many as `new.count` says.
    pub fn add(&mut self, new: Group) {
        self.dump.goroutines = self.dump.goroutines.saturating_add(new.count);
        self.dump.max_wait_minutes = self.dump.max_wait_minutes.max(new.max_wait_minutes);
        let key = (new.state.clone(), new.stack.clone(), new.created_by.clone());
        let Some(&at) = self.index.get(&key) else {
            if self.dump.groups.len() < MAX_GROUPS {
                self.index.insert(key, self.dump.groups.len());
                self.dump.groups.push(new);
            } else {
                self.ungrouped = self.ungrouped.saturating_add(new.count);
            }
            return;
        };
        let Some(group) = self.dump.groups.get_mut(at) else { return };
        group.count = group.count.saturating_add(new.count);
        group.max_wait_minutes = group.max_wait_minutes.max(new.max_wait_minutes);
        group.waiting_minutes += new.waiting_minutes;
        group.locked_to_thread += new.locked_to_thread;
        group.examples.extend(new.examples);
        group.examples.truncate(EXAMPLES);
    }

    pub fn finish(mut self, debug: u8) -> Option<Dump> {
        if self.ungrouped > 0 {
            self.note(0, "more distinct stacks than are told apart");
        }
        let mut dump = self.dump;
        dump.debug = debug;
        let mut states: HashMap<&str, u64> = HashMap::new();
        for group in dump.groups.iter().filter(|_| debug == 2) {
            let count = states.entry(&group.state).or_default();
            *count = count.saturating_add(group.count);
        }
        dump.states = states.into_iter().map(|(state, count)| (state.to_owned(), count)).collect();
        dump.states.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        dump.groups.sort_by_key(|group| (std::cmp::Reverse(group.count), group.line));
        (dump.goroutines > 0 || dump.announced.is_some()).then_some(dump)
    }
}
