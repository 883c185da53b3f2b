//! Values by function, as `go tool pprof -top` prints them: flat is what was sampled in the function
//! itself (the innermost inlined one at the leaf), cum what was sampled in it or below it, a recursive
//! function counted once for a sample.

use std::collections::{HashMap, HashSet};

use regex::{Regex, RegexBuilder};

use super::pprof::Profile;
use super::pprof_proto::RawFunction;
use super::wire::to_i64;

const MAX_REGEX: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionRow {
    /// The function, or `[file]` of the mapping, or `<unknown>`.
    pub name: String,
    pub flat: i64,
    pub cum: i64,
}

/// The functions of one location, innermost first, as indexes into the rows, and how the profile's
/// `drop_frames` cuts the stack here.
#[derive(Default)]
struct Frames {
    rows: Vec<usize>,
    cut: Option<Cut>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// This location and everything below it go.
    Whole,
    /// Everything below it goes, and the inlined functions that match have gone already.
    Below,
}

impl Profile {
    /// All functions by the sample type at `index`: flat from the largest, then by name.
    pub fn top(&self, index: usize) -> Vec<FunctionRow> {
        let mut rows = Vec::new();
        let frames = self.frames(&mut rows);
        let mut seen: Vec<usize> = vec![0; rows.len()];
        for (number, sample) in self.raw.samples().enumerate() {
            let value = sample.values.get(index).map_or(0, |&value| to_i64(value));
            if value == 0 {
                continue;
            }
            let stack: Vec<_> = sample.locations.iter().filter_map(|id| frames.get(id)).collect();
            let stack = stack.get(kept_from(&stack)..).unwrap_or_default();
            for row in stack.iter().flat_map(|location| &location.rows) {
                let Some(mark) = seen.get_mut(*row).filter(|mark| **mark != number + 1) else { continue };
                *mark = number + 1;
                if let Some(row) = rows.get_mut(*row) {
                    row.cum = row.cum.saturating_add(value);
                }
            }
            let leaf = stack.first().and_then(|location| location.rows.first());
            if let Some(row) = leaf.and_then(|leaf| rows.get_mut(*leaf)) {
                row.flat = row.flat.saturating_add(value);
            }
        }
        rows.retain(|row| (row.flat, row.cum) != (0, 0));
        rows.sort_by(|a, b| {
            let magnitude = b.flat.unsigned_abs().cmp(&a.flat.unsigned_abs());
            magnitude.then_with(|| a.name.cmp(&b.name)).then_with(|| b.cum.cmp(&a.cum))
        });
        rows
    }

    fn frames(&self, rows: &mut Vec<FunctionRow>) -> HashMap<u64, Frames> {
        let functions: HashMap<u64, &RawFunction> =
            self.raw.functions.iter().map(|function| (function.id, function)).collect();
        let mappings: HashMap<u64, usize> =
            self.raw.mappings.iter().enumerate().map(|(at, mapping)| (mapping.id, at)).collect();
        let dropped = self.dropped();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut frames = HashMap::new();
        for location in &self.raw.locations {
            let unnamed = || {
                let mapping = mappings.get(&location.mapping).and_then(|&at| self.mappings.get(at));
                let file = mapping.map(|mapping| mapping.file.as_str()).filter(|file| !file.is_empty());
                file.map_or_else(|| "<unknown>".to_owned(), |file| format!("[{}]", base_name(file)))
            };
            let name = |id: &u64| {
                let name = functions.get(id).map(|function| self.string(function.name));
                name.filter(|name| !name.is_empty())
            };
            let mut names: Vec<Option<String>> = location.functions.iter().map(name).collect();
            let matching = names.iter().rposition(|name| name.as_ref().is_some_and(|name| dropped.contains(name)));
            let cut = matching.map(|at| if at + 1 == names.len() { Cut::Whole } else { Cut::Below });
            if let Some(at) = matching.filter(|_| cut == Some(Cut::Below)) {
                names.drain(..=at);
            }
            if names.is_empty() {
                names.push(None);
            }
            let mut number = |name: String| {
                *numbers.entry(name).or_insert_with_key(|name| {
                    rows.push(FunctionRow { name: name.clone(), flat: 0, cum: 0 });
                    rows.len() - 1
                })
            };
            let rows = names.into_iter().map(|name| number(name.unwrap_or_else(unnamed))).collect();
            frames.insert(location.id, Frames { rows, cut });
        }
        frames
    }

    /// The names that `drop_frames` takes out and `keep_frames` does not keep.
    fn dropped(&self) -> HashSet<String> {
        let anchored = |pattern: String| -> Option<Regex> {
            let whole = format!("^({pattern})$");
            RegexBuilder::new(&whole).size_limit(MAX_REGEX).build().ok().filter(|_| !pattern.is_empty())
        };
        let Some(drop) = anchored(self.string(self.raw.drop_frames)) else { return HashSet::new() };
        let keep = anchored(self.string(self.raw.keep_frames));
        let names = self.raw.functions.iter().map(|function| self.string(function.name));
        names
            .filter(|name| {
                let simple = simplified(name);
                drop.is_match(simple) && !keep.as_ref().is_some_and(|keep| keep.is_match(simple))
            })
            .collect()
    }
}

/// Where a stack begins once the dropped frames and what they called are gone. A stack that has nothing
/// but dropped frames stays.
fn kept_from(stack: &[&Frames]) -> usize {
    let mut found_user = false;
    for (at, location) in stack.iter().enumerate().rev() {
        match location.cut {
            None => found_user = true,
            Some(_) if !found_user => {}
            Some(Cut::Whole) => return at + 1,
            Some(Cut::Below) => return at,
        }
    }
    0
}

/// Without the arguments of a C++ name.
fn simplified(name: &str) -> &str {
    let name = name.strip_prefix('.').unwrap_or(name);
    let mut from = 0;
    while let Some(at) = name.get(from..).and_then(|rest| rest.find('(')).map(|at| from + at) {
        let (before, after) = name.split_at(at);
        if after.starts_with("(anonymous namespace)") {
            from = at + "(anonymous namespace)".len();
        } else if before.ends_with("operator") && after.starts_with("()") {
            from = at + 2;
        } else {
            return before;
        }
    }
    name
}

fn base_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::simplified;

    #[test]
    fn arguments_are_no_part_of_a_name() {
        assert_eq!(simplified("std::sort(int*, int*)"), "std::sort");
        assert_eq!(simplified("(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
        assert_eq!(simplified("S::operator()(int)"), "S::operator()");
        assert_eq!(simplified(".runtime.mallocgc"), "runtime.mallocgc");
    }
}
