//! The whole way from a bundle to what it says: read, parse, derive. Rules and reports build on it.

use crate::bundle::{Input, Limits, Note, OpenError};
use crate::derive;
use crate::facts::schema::keys::host;
use crate::facts::{Entity, Facts, SubjectId};
use crate::parse::run::{Loaded, load};
use crate::report::model::Inventory;

/// A bundle, read and understood.
pub struct Analysis {
    pub loaded: Loaded,
}

impl Analysis {
    /// Reads a bundle; `within` keeps only the files under that folder of it.
    pub fn read(input: &Input, within: Option<&str>) -> Result<Analysis, OpenError> {
        let mut loaded = load(input, &Limits::default(), within)?;
        derive::run(&mut loaded.facts);
        Ok(Analysis { loaded })
    }

    pub fn facts(&self) -> &Facts {
        &self.loaded.facts
    }

    /// Host name of a subject as its files give it, else the folder it came from, else the bundle's name.
    pub fn host_name(&self, subject: SubjectId) -> String {
        if let Some(name) = self.facts().text(&host::HOSTNAME, &Entity::host(subject)) {
            return name.to_owned();
        }
        match self.subject(subject) {
            Some(found) if found.pod.is_some() => self.above(subject),
            Some(found) if !found.root.is_empty() => found.root.rsplit('/').next().unwrap_or_default().to_owned(),
            _ => stem(&self.loaded.walk.name).to_owned(),
        }
    }

    /// The host that a pod's folder lies in.
    fn above(&self, pod: SubjectId) -> String {
        let root = self.subject(pod).map(|found| found.root.as_str()).unwrap_or_default();
        let host = root.rsplit_once("pods/").map_or("", |(above, _)| above.trim_end_matches('/'));
        let at = self.loaded.subjects.iter().position(|one| one.root == host && one.pod.is_none());
        match at.and_then(|at| u16::try_from(at).ok()) {
            Some(at) => self.host_name(SubjectId(at)),
            None => stem(&self.loaded.walk.name).to_owned(),
        }
    }

    pub fn pod_name(&self, subject: SubjectId) -> Option<&str> {
        self.subject(subject)?.pod.as_deref()
    }

    /// One name for a subject. Two states of one host carry their folder.
    pub fn subject_name(&self, subject: SubjectId) -> String {
        if subject == SubjectId::WHOLE {
            return stem(&self.loaded.walk.name).to_owned();
        }
        let host = self.host_name(subject);
        match self.subject(subject) {
            Some(found) if found.pod.is_some() => format!("{host} / pod {}", found.pod.as_deref().unwrap_or_default()),
            Some(found) if self.loaded.subjects.len() > 1 && !found.root.is_empty() => {
                let folder = found.root.rsplit('/').next().unwrap_or_default();
                if folder == host { host } else { format!("{host} ({folder})") }
            }
            _ => host,
        }
    }

    fn subject(&self, subject: SubjectId) -> Option<&crate::parse::run::Subject> {
        self.loaded.subjects.get(usize::from(subject.0))
    }

    /// Every file of the bundle and what became of it, in the bundle's order.
    pub fn inventory(&self) -> Vec<Inventory> {
        let mut read = self.loaded.artifacts.iter().peekable();
        self.loaded
            .walk
            .listed
            .iter()
            .map(|listed| {
                let found = if listed.read { read.next_if(|artifact| artifact.path == listed.path) } else { None };
                Inventory {
                    path: listed.path.clone(),
                    size: listed.size,
                    kind: found.filter(|artifact| !artifact.kinds.is_empty()).map(|artifact| artifact.kinds.join(", ")),
                    facts: found.map_or(0, |artifact| artifact.items),
                }
            })
            .collect()
    }

    /// Notes of intake and parsers.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.loaded.walk.notes.iter().chain(&self.loaded.notes)
    }
}

/// Name of a bundle without its suffixes: `db1.tar.gz` is `db1`.
pub fn stem(name: &str) -> &str {
    const SUFFIXES: &[&str] = &[".zip", ".tar", ".tgz", ".txz", ".tbz2", ".gz", ".xz", ".zst", ".bz2", ".txt"];
    let mut name = name;
    while let Some(short) = SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix))
        && !short.is_empty()
    {
        name = short;
    }
    name
}
