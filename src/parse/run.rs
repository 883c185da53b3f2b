//! Runs the parsers over a bundle: recognise, split, parse in parallel, merge in the order of the bundle.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::recognise::{error_text, parser_by_name, parser_for};
use super::sections::{self, Section};
use super::{Doc, Out};
use crate::bundle::layout::{self, Place};
use crate::bundle::raw::RawStore;
use crate::bundle::text::{Text, is_binary};
use crate::bundle::{Entry, Head, Input, Limits, Note, NoteKind, OpenError, Walk, Want, walk};
use crate::facts::schema::keys::family;
use crate::facts::{Entity, Facts, SubjectId};

/// Largest text that a parser is given; the rest of a longer file is left out with a note.
pub const MAX_ARTIFACT: u64 = 64 << 20;
/// Bytes read before a batch is parsed: enough to keep all cores busy, small beside the memory bound.
const BATCH: usize = 24 << 20;

/// A subject of the bundle: a host, a pod, or one state of a host.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// Folder it came from; empty for the whole bundle.
    pub root: String,
    pub pod: Option<String>,
}

/// One file of the bundle and what became of it.
#[derive(Clone, Debug)]
pub struct Artifact {
    pub path: String,
    pub size: u64,
    /// Formats found in it.
    pub kinds: Vec<&'static str>,
    /// Facts, samples and points that came from it.
    pub items: usize,
}

/// A bundle as understood: facts still without derivations.
pub struct Loaded {
    pub walk: Walk,
    pub facts: Facts,
    pub subjects: Vec<Subject>,
    /// Files that some parser read; index is `Source::artifact`.
    pub artifacts: Vec<Artifact>,
    pub notes: Vec<Note>,
    pub raw: RawStore,
}

struct Parsed {
    place: Place,
    outs: Vec<Out>,
    kinds: Vec<&'static str>,
    notes: Vec<(u32, String)>,
    empty: Option<String>,
}

/// Reads a bundle. `below` keeps only paths under that folder (one state of an archive that holds two).
pub fn load(input: &Input, limits: &Limits, below: Option<&str>) -> Result<Loaded, OpenError> {
    let mut artifacts: Vec<Artifact> = Vec::new();
    let mut parsed: Vec<Parsed> = Vec::new();
    let mut raw = RawStore::default();
    let mut batch: Vec<(u32, Entry)> = Vec::new();
    let mut batched = 0usize;
    let mut notes = Vec::new();

    let mut flush = |batch: &mut Vec<(u32, Entry)>, artifacts: &mut Vec<Artifact>| {
        let done: Vec<Parsed> = batch.par_iter().map(|(id, entry)| parse_entry(*id, entry)).collect();
        for ((id, entry), result) in batch.drain(..).zip(done) {
            if let Some(artifact) = usize::try_from(id).ok().and_then(|at| artifacts.get_mut(at)) {
                artifact.kinds.clone_from(&result.kinds);
                artifact.items = result.outs.iter().map(Out::len).sum();
            }
            for (line, text) in &result.notes {
                notes.push(note(&entry.path, *line, text.clone()));
            }
            if let Some(why) = &result.empty {
                notes.push(note(&entry.path, 1, format!("no data: {why}")));
            }
            if result.outs.iter().any(|out| !out.is_empty()) {
                raw.keep(id, &entry.path, entry.bytes);
            } else {
                raw.forget(id, &entry.path);
            }
            parsed.push(result);
        }
    };
    let walk = walk(
        input,
        limits,
        &mut |head| match below {
            Some(below) if !layout_below(head.path, below) => Want::Skip,
            _ => wanted(head),
        },
        &mut |entry| {
            let id = u32::try_from(artifacts.len()).unwrap_or(u32::MAX);
            artifacts.push(Artifact { path: entry.path.clone(), size: entry.size, kinds: Vec::new(), items: 0 });
            batched += entry.bytes.len();
            batch.push((id, entry));
            if batched >= BATCH || batch.len() >= 4096 {
                flush(&mut batch, &mut artifacts);
                batched = 0;
            }
        },
    )?;
    flush(&mut batch, &mut artifacts);

    let (subjects, owners) = assign(&parsed);
    let mut facts = Facts::new();
    for (result, owner) in parsed.into_iter().zip(owners) {
        let Some(subject) = owner else { continue };
        for out in result.outs {
            for (pod, snap, seconds) in out.clocks() {
                let of = subjects
                    .iter()
                    .position(|one| one.pod.as_deref() == Some(pod))
                    .and_then(|at| u16::try_from(at).ok());
                match of {
                    Some(at) => facts.set_clock(SubjectId(at), *snap, *seconds),
                    None if pod.is_empty() => facts.set_clock(subject, *snap, *seconds),
                    None => {}
                }
            }
            if let Some((snap, seconds)) = out.snapshot_clock() {
                facts.set_clock(subject, snap, seconds);
            }
            out.settle(subject, &mut facts);
        }
    }
    set_clocks(&mut facts, &subjects);
    facts.settle();
    Ok(Loaded { walk, facts, subjects, artifacts, notes, raw })
}

fn note(path: &str, line: u32, text: String) -> Note {
    Note { path: path.to_owned(), line: (line > 0).then_some(line), text, severity: NoteKind::Odd }
}

fn layout_below(path: &str, below: &str) -> bool {
    let below = below.trim_matches('/');
    path.strip_prefix(below).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether any parser might want a file, from its path and its first bytes.
fn wanted(head: &Head) -> Want {
    let place = layout::place(head.path);
    let binary = is_binary(head.head);
    let text = Text::decode(if binary { &[] } else { head.head });
    let doc = Doc { path: head.path, place: &place, command: "", text: text.as_str(), first_line: 1, bytes: head.head };
    let by_content = || parser_for(&doc, binary).is_some() || (!binary && sections::has_prompt(text.as_str()));
    if parser_by_name(&doc, Some(binary)).is_some() || by_content() {
        Want::Read { max: MAX_ARTIFACT }
    } else {
        Want::List
    }
}

fn parse_entry(id: u32, entry: &Entry) -> Parsed {
    let place = layout::place(&entry.path);
    let mut result = Parsed { outs: Vec::new(), kinds: Vec::new(), notes: Vec::new(), empty: None, place };
    if entry.truncated {
        result.notes.push((0, "only the first part of this file could be read".to_owned()));
    }
    let binary = is_binary(&entry.bytes);
    let text = Text::decode(if binary { &[] } else { &entry.bytes });
    let found = if binary {
        vec![Section { command: String::new(), text: "", first_line: 1 }]
    } else {
        sections::split(text.as_str())
    };
    let alone = found.len() == 1;
    let place = result.place.clone();
    for section in found {
        let doc = Doc {
            path: &entry.path,
            place: &place,
            command: &section.command,
            text: section.text,
            first_line: section.first_line,
            bytes: &entry.bytes,
        };
        parse_section(id, &doc, binary, alone, &mut result);
    }
    result
}

fn parse_section(id: u32, doc: &Doc, binary: bool, alone: bool, result: &mut Parsed) {
    let Some(parser) = parser_for(doc, binary) else {
        if alone && let Some(why) = error_text(doc) {
            result.empty = Some(why);
            if let Some(parser) = parser_by_name(doc, None) {
                result.kinds.push(parser.kind);
            }
        }
        return;
    };
    let mut out = Out::new(id, doc.place.snap);
    (parser.parse)(doc, &mut out);
    if out.is_empty()
        && alone
        && let Some(why) = error_text(doc)
    {
        result.empty = Some(why);
    }
    result.notes.append(&mut out.notes);
    if out.notes_left_out() > 0 {
        result.notes.push((0, format!("and {} more lines that could not be used", out.notes_left_out())));
    }
    if !result.kinds.contains(&parser.kind) {
        result.kinds.push(parser.kind);
    }
    result.outs.push(out);
}

/// Subjects in the order of their roots, and the subject of each file.
fn assign(parsed: &[Parsed]) -> (Vec<Subject>, Vec<Option<SubjectId>>) {
    let used = |result: &&Parsed| !result.outs.is_empty();
    let roots = layout::subjects(parsed.iter().filter(used).map(|result| &result.place));
    let mut index: BTreeMap<String, SubjectId> = BTreeMap::new();
    let mut subjects: Vec<Subject> = Vec::new();
    let mut owners = Vec::with_capacity(parsed.len());
    let loose = roots.is_empty();
    for root in &roots {
        let pod = parsed.iter().find(|result| result.place.root == *root).and_then(|result| result.place.pod.clone());
        let id = SubjectId(u16::try_from(subjects.len()).unwrap_or(u16::MAX - 1));
        index.insert(root.clone(), id);
        subjects.push(Subject { root: root.clone(), pod });
    }
    if loose && parsed.iter().any(|result| !result.outs.is_empty()) {
        index.insert(String::new(), SubjectId(0));
        subjects.push(Subject::default());
    }
    for result in parsed {
        let owner = if loose { Some("") } else { layout::owner(&roots, &result.place.root) };
        owners.push(owner.and_then(|root| index.get(root)).copied());
    }
    (subjects, owners)
}

/// Capture times of the snapshots: `/proc/uptime` where every snapshot has it, else the timestamp files.
fn set_clocks(facts: &mut Facts, subjects: &[Subject]) {
    for at in 0..subjects.len() {
        let subject = SubjectId(u16::try_from(at).unwrap_or(u16::MAX - 1));
        let host = Entity::host(subject);
        let seen: Vec<(u8, f64)> = facts
            .samples(&family::UPTIME, &host, "uptime")
            .iter()
            .filter_map(|sample| sample.snap.map(|snap| (snap, sample.value)))
            .collect();
        if seen.len() >= 2 {
            facts.clear_clocks(subject);
            for (snap, seconds) in seen {
                facts.set_clock(subject, snap, seconds);
            }
        }
    }
}

/// One file read by itself: for tests, and for a single pasted file.
#[derive(Debug)]
pub struct Single {
    pub kinds: Vec<&'static str>,
    /// Facts and samples of subject 0, before derivations.
    pub facts: Facts,
    /// Line (0 for the whole file) and text.
    pub notes: Vec<(u32, String)>,
    /// The text that stands in place of data.
    pub error: Option<String>,
}

/// Reads the bytes of one file under the name `path`.
pub fn parse_bytes(path: &str, bytes: &[u8]) -> Single {
    let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let entry = Entry { path: path.to_owned(), bytes: bytes.to_vec(), size, truncated: false, mtime: None };
    let parsed = parse_entry(0, &entry);
    let mut facts = Facts::new();
    for out in parsed.outs {
        if let Some((snap, seconds)) = out.snapshot_clock() {
            facts.set_clock(SubjectId(0), snap, seconds);
        }
        out.settle(SubjectId(0), &mut facts);
    }
    facts.settle();
    Single { kinds: parsed.kinds, facts, notes: parsed.notes, error: parsed.empty }
}
