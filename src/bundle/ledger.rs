//! The account of one walk: what was met, what was handed on, what was lost or refused and how much was unpacked. Every reader of a
//! container writes here, so that no bound is kept twice and no loss goes unsaid.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Read};
use std::ops::Bound;
use std::rc::Rc;

use sha2::{Digest, Sha256};

use super::guard::{self, HEAD_BYTES, LINKS, Limits, NOTES_PER_KIND, human, len_usize, len64};
use super::{Each, Entry, Head, Listed, Note, NoteKind, Want, WantFn};

/// Bytes unpacked so far, against what the input's size allows. Shared by every decoder of a walk.
pub(super) struct Budget {
    used: Cell<u64>,
    allowed: Cell<u64>,
    input: Cell<u64>,
    limits: Limits,
}

impl Budget {
    /// Counts `bytes` of input, which widens what may be unpacked.
    pub fn feed(&self, bytes: u64) {
        let l = &self.limits;
        self.input.set(self.input.get().saturating_add(bytes));
        self.allowed.set(self.input.get().saturating_mul(l.ratio).max(l.ratio_floor).min(l.total_bytes));
    }

    fn take(&self, bytes: usize) -> io::Result<()> {
        self.used.set(self.used.get().saturating_add(len64(bytes)));
        let allowed = self.allowed.get();
        if self.used.get() <= allowed {
            return Ok(());
        }
        Err(io::Error::other(OverBudget(match allowed == self.limits.total_bytes {
            true => format!("more than {} unpacked", human(allowed)),
            false => format!("{} of input unpack to more than {}", human(self.input.get()), human(allowed)),
        })))
    }
}

/// The walk unpacks too much: what follows is not read.
#[derive(Debug)]
pub(super) struct OverBudget(String);

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OverBudget {}

pub(super) fn is_over_budget(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|e| e.is::<OverBudget>())
}

/// A reader whose output counts as unpacked.
pub(super) struct Metered<R> {
    pub inner: R,
    pub budget: Rc<Budget>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.budget.take(n)?;
        Ok(n)
    }
}

/// A file met in a container, before its content is looked at.
pub(super) struct Found {
    pub path: String,
    /// Bytes of content, where the container says.
    pub size: Option<u64>,
    /// Whether ending before `size` means that content was lost. Not so for `/proc`, whose files have size 0, and packed streams.
    pub exact: bool,
    pub mtime: Option<i64>,
}

struct Link {
    root: String,
    from: String,
    target: String,
    hard: bool,
}

pub(super) struct Ledger<'a> {
    pub limits: &'a Limits,
    pub budget: Rc<Budget>,
    /// Nothing that could be read is missing from what was handed on.
    pub complete: bool,
    /// A bound was hit: containers stop reading.
    pub stopped: bool,
    /// Files met, wanted or not.
    pub met: u64,
    pub listed: Vec<Listed>,
    want: WantFn<'a>,
    each: Each<'a>,
    notes: Vec<Note>,
    per_topic: BTreeMap<&'static str, (usize, NoteKind)>,
    entries: u64,
    names: u64,
    seen: BTreeSet<Box<str>>,
    links: Vec<Link>,
    links_met: usize,
    digest: Option<Sha256>,
}

impl<'a> Ledger<'a> {
    pub fn new(limits: &'a Limits, want: WantFn<'a>, each: Each<'a>) -> Self {
        let budget = Budget { used: Cell::new(0), allowed: Cell::new(0), input: Cell::new(0), limits: limits.clone() };
        budget.feed(0);
        Ledger {
            limits,
            budget: Rc::new(budget),
            complete: true,
            stopped: false,
            met: 0,
            listed: Vec::new(),
            want,
            each,
            notes: Vec::new(),
            per_topic: BTreeMap::new(),
            entries: 0,
            names: 0,
            seen: BTreeSet::new(),
            links: Vec::new(),
            links_met: 0,
            digest: None,
        }
    }

    /// Keep a hash over what is handed on, for inputs that are no single file.
    pub fn digest_entries(&mut self) {
        self.digest = Some(Sha256::new());
    }

    pub fn metered<R: Read>(&self, inner: R) -> Metered<R> {
        Metered { inner, budget: Rc::clone(&self.budget) }
    }

    /// Writes a note. `topic` groups notes that say the same of many files; past a few of them only their number is told.
    pub fn note(&mut self, topic: &'static str, severity: NoteKind, path: &str, text: impl Into<String>) {
        if matches!(severity, NoteKind::Lost | NoteKind::Refused) {
            self.complete = false;
        }
        let (count, _) = self.per_topic.entry(topic).or_insert((0, severity));
        *count += 1;
        if *count <= NOTES_PER_KIND {
            self.notes.push(Note { path: path.to_owned(), line: None, text: text.into(), severity });
        }
    }

    /// Says that reading `path` failed, and stops the walk if it failed because a bound was hit.
    pub fn broke(&mut self, topic: &'static str, path: &str, what: &str, error: &io::Error) {
        if is_over_budget(error) {
            self.stop(path, &error.to_string());
        } else {
            self.note(topic, NoteKind::Lost, path, format!("{what}: {error}"));
        }
    }

    /// Ends the walk at a bound. What was handed on so far counts.
    pub fn stop(&mut self, path: &str, why: &str) {
        if !self.stopped {
            self.stopped = true;
            self.note("stopped", NoteKind::Refused, path, format!("{why}: the rest of the bundle is not read"));
        }
    }

    /// The path under `prefix` for a name as its container spells it; `None` if the name is refused, already taken, or one too many.
    pub fn admit(&mut self, prefix: &str, raw: &[u8], backslash: bool) -> Option<String> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            self.stop(prefix, &format!("more than {} entries", self.limits.entries));
            return None;
        }
        let shown = || String::from_utf8_lossy(raw.get(..raw.len().min(80)).unwrap_or_default()).into_owned();
        let name = match guard::path(raw, backslash, self.limits) {
            Ok((name, absolute)) => {
                if absolute {
                    self.note(
                        "absolute",
                        NoteKind::Odd,
                        &name,
                        "has an absolute name; read as if relative to the bundle",
                    );
                }
                name
            }
            Err(why) => {
                let shown: String = shown().chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
                self.note(
                    "name",
                    NoteKind::Refused,
                    prefix,
                    format!("an entry {} and is not read: {shown}", why.says()),
                );
                return None;
            }
        };
        let path = join(prefix, &name);
        self.names = self.names.saturating_add(len64(path.len()));
        if self.names > self.limits.names_bytes {
            self.stop(prefix, &format!("more than {} of names", human(self.limits.names_bytes)));
            return None;
        }
        Some(path)
    }

    /// Whether `path` is the first file of its name.
    pub fn is_first(&mut self, path: &str) -> bool {
        let first = self.seen.insert(path.into());
        if !first {
            self.note("duplicate", NoteKind::Odd, path, "occurs more than once; the first one is read");
        }
        first
    }

    /// Counts directories and other entries that are not admitted as files.
    pub fn pass_over(&mut self, prefix: &str) {
        self.entries += 1;
        if self.entries > self.limits.entries {
            self.stop(prefix, &format!("more than {} entries", self.limits.entries));
        }
    }

    /// Remembers a link of the container at `root`. Links are never followed.
    pub fn link(&mut self, root: &str, from: String, target: &[u8], hard: bool) {
        self.links_met += 1;
        if self.links.len() < LINKS {
            let target: String =
                String::from_utf8_lossy(target).chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
            self.links.push(Link { root: root.to_owned(), from, target, hard });
        }
    }

    /// Offers a file to the caller and hands it on if wanted. `src` yields the content from its start; `head` is how it begins.
    /// True if the content ended early or could not be read to its end, which has then been noted.
    pub fn offer(&mut self, found: Found, head: &[u8], src: &mut dyn Read) -> bool {
        self.met += 1;
        let head = head.get(..head.len().min(HEAD_BYTES)).unwrap_or(head);
        let want = (self.want)(&Head { path: &found.path, size: found.size, head });
        let Want::Read { max } = want else {
            if matches!(want, Want::List) {
                let size = found.size.unwrap_or(len64(head.len()));
                self.hash(&found.path, &size.to_le_bytes());
                self.listed.push(Listed { path: found.path, size, read: false });
            }
            return false;
        };
        let cap = max.min(self.limits.entry_bytes);
        let mut bytes = Vec::with_capacity(len_usize(found.size.unwrap_or(0).min(cap)));
        let mut over = false;
        let failed = match (&mut *src).take(cap).read_to_end(&mut bytes) {
            Ok(_) if len64(bytes.len()) < cap => None,
            // One byte more tells a file of exactly `cap` from a longer one, and lets the reader check its sum.
            Ok(_) => match src.read(&mut [0]) {
                Ok(n) => {
                    over = n > 0;
                    None
                }
                Err(e) => Some(e),
            },
            Err(e) => Some(e),
        };
        let got = len64(bytes.len());
        let short = !over && failed.is_none() && found.exact && found.size.is_some_and(|size| got < size);
        if let Some(e) = &failed {
            self.broke("cut", &found.path, &format!("reading stopped after {}", human(got)), e);
        } else if short {
            let size = found.size.unwrap_or(got);
            self.note(
                "cut",
                NoteKind::Lost,
                &found.path,
                format!("cut off: {} of {} are there", human(got), human(size)),
            );
        } else if over {
            let of = found.size.map(|s| format!(" of {}", human(s))).unwrap_or_default();
            self.note("capped", NoteKind::Info, &found.path, format!("only the first {}{of} are read", human(cap)));
        }
        let broken = failed.is_some() || short;
        let size = found.size.filter(|s| *s >= got).unwrap_or(got);
        self.hash(&found.path, &bytes);
        self.listed.push(Listed { path: found.path.clone(), size, read: true });
        (self.each)(Entry { path: found.path, bytes, size, truncated: over || broken, mtime: found.mtime });
        broken
    }

    fn hash(&mut self, path: &str, content: &[u8]) {
        if let Some(digest) = &mut self.digest {
            digest.update(len64(path.len()).to_le_bytes());
            digest.update(path);
            digest.update(len64(content.len()).to_le_bytes());
            digest.update(content);
        }
    }

    /// Notes in the order they arose, those on links and the counts of the capped ones last; and the hash over entries, if kept.
    pub fn close(mut self) -> (Vec<Listed>, Vec<Note>, bool, Option<Sha256>) {
        self.close_links();
        for (topic, (count, severity)) in std::mem::take(&mut self.per_topic) {
            if let Some(more) = count.checked_sub(NOTES_PER_KIND).filter(|n| *n > 0) {
                let text = format!("and {more} more notes of this kind ({topic})");
                self.notes.push(Note { path: String::new(), line: None, text, severity });
            }
        }
        (self.listed, self.notes, self.complete, self.digest)
    }

    fn close_links(&mut self) {
        let links = std::mem::take(&mut self.links);
        let outside: Vec<&Link> = links.iter().filter(|l| !self.leads_inside(l)).collect();
        if self.links_met == 0 {
            return;
        }
        let shown: Vec<String> = outside.iter().take(3).map(|l| format!("{} -> {}", l.from, l.target)).collect();
        let inside = links.len() - outside.len();
        let (severity, tail) = match outside.len() {
            0 => (NoteKind::Info, String::new()),
            n => (NoteKind::Odd, format!("; {n} lead elsewhere or nowhere, such as {}", shown.join(", "))),
        };
        let text = format!(
            "{} links are not followed; {inside} lead to files of the bundle that are read by their own names{tail}",
            self.links_met
        );
        self.note("links", severity, "", text);
    }

    fn leads_inside(&self, link: &Link) -> bool {
        let parent = link.from.rsplit_once('/').map_or("", |(parent, _)| parent);
        let top = link
            .from
            .get(link.root.len()..)
            .unwrap_or_default()
            .trim_start_matches('/')
            .split('/')
            .next()
            .unwrap_or_default();
        let bases = match (link.hard, link.target.starts_with('/')) {
            (true, _) => vec![link.root.clone()],
            (false, true) => vec![join(&link.root, top), link.root.clone()],
            (false, false) => vec![parent.to_owned()],
        };
        bases.iter().filter_map(|base| resolve(base, &link.target)).any(|path| {
            let folder = format!("{path}/");
            self.seen.contains(path.as_str())
                || self
                    .seen
                    .range::<str, _>((Bound::Included(folder.as_str()), Bound::Unbounded))
                    .next()
                    .is_some_and(|p| p.starts_with(&folder))
        })
    }
}

pub(super) fn join(prefix: &str, name: &str) -> String {
    match (prefix, name) {
        ("", name) => name.to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, name) => format!("{prefix}/{name}"),
    }
}

/// `target` seen from `base`; `None` if it climbs out.
fn resolve(base: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = base.split('/').filter(|p| !p.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}
