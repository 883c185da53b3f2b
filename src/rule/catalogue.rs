//! The catalogue: the rules compiled into the program, and those of folders given at run time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use super::file::{self, Rule};
use super::problem::{Page, Problem};

include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// Largest page read from a folder; no rule that a person can review is longer.
const MAX_PAGE: u64 = 1 << 20;

#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("cannot read {path}: {error}", path = .0.display(), error = .1)]
    Unreadable(PathBuf, std::io::Error),
    #[error("{} is larger than 1 MiB: that is no rule", .0.display())]
    TooLarge(PathBuf),
    #[error("{} has no rule page (*.md)", .0.display())]
    Empty(PathBuf),
}

/// Rules by id. Pages that are no rules are kept for `rules check`, and not evaluated.
#[derive(Debug, Default)]
pub struct Catalogue {
    rules: Vec<Rule>,
    /// Rules whose page has mistakes.
    drafts: Vec<Rule>,
    pages: BTreeMap<String, Arc<Page>>,
    problems: Vec<Problem>,
}

impl Catalogue {
    /// The rules of this version of the program.
    pub fn builtin() -> Catalogue {
        let mut catalogue = Catalogue::default();
        for (path, text) in PAGES {
            catalogue.add(path, (*text).to_owned());
        }
        catalogue
    }

    /// Adds the pages of a folder (or one page); a page of the same id replaces the one before.
    pub fn with_dir(mut self, dir: &Path) -> Result<Catalogue, CatalogueError> {
        let mut found = 0;
        for entry in WalkDir::new(dir).follow_links(true).sort_by_file_name() {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(dir).to_owned();
                CatalogueError::Unreadable(path, error.into())
            })?;
            let path = entry.path();
            let page = entry.file_type().is_file() && path.extension().is_some_and(|ext| ext == "md");
            if !page || path.file_stem().is_some_and(|stem| stem == "README") {
                continue;
            }
            let unreadable = |error| CatalogueError::Unreadable(path.to_owned(), error);
            if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_PAGE {
                return Err(CatalogueError::TooLarge(path.to_owned()));
            }
            let text = std::fs::read(path).map_err(unreadable)?;
            self.add(&path.to_string_lossy().replace('\\', "/"), String::from_utf8_lossy(&text).into_owned());
            found += 1;
        }
        if found == 0 {
            return Err(CatalogueError::Empty(dir.to_owned()));
        }
        Ok(self)
    }

    /// Adds one page.
    pub fn add(&mut self, path: &str, text: String) {
        let mut parts = path.rsplit('/');
        let id = parts.next().unwrap_or(path).trim_end_matches(".md").to_owned();
        let area = parts.next().unwrap_or_default().to_owned();
        self.rules.retain(|rule| rule.id != id);
        self.drafts.retain(|rule| rule.id != id);
        if let Some(old) = self.pages.remove(&id) {
            self.problems.retain(|problem| !Arc::ptr_eq(&problem.page, &old));
            if old.path.rsplit_once('/').map(|(dir, _)| root(dir)) == path.rsplit_once('/').map(|(dir, _)| root(dir)) {
                let page = Arc::new(Page { path: path.to_owned(), text: text.clone() });
                let problem = Problem::new(&page, 0..0, format!("rule `{id}` is already in {}", old.path));
                self.problems.push(problem.help("a rule's id is the name of its file: rename one of them"));
            }
        }
        let page = Arc::new(Page { path: path.to_owned(), text });
        if let Some(rule) = file::read(&page, &id, &area, &mut self.problems) {
            let list = if rule.draft { &mut self.drafts } else { &mut self.rules };
            let at = list.partition_point(|have| (&have.area, &have.id) < (&rule.area, &rule.id));
            list.insert(at, rule);
        }
        self.pages.insert(id, page);
    }

    /// Rules that can be evaluated, by area and id.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// Rules that are checked and not evaluated.
    pub(super) fn drafts(&self) -> &[Rule] {
        &self.drafts
    }

    pub(super) fn rules_mut(&mut self) -> &mut [Rule] {
        &mut self.rules
    }

    /// Mistakes found while reading pages. [`super::check::check`] finds the others.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// True when a page of that id was read, broken or not.
    pub fn has(&self, id: &str) -> bool {
        self.pages.contains_key(id)
    }

    /// Ids of all pages, broken ones included.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.pages.keys().map(String::as_str)
    }

    /// SHA-256 over ids, pages and tunables in force: two reports with the same hash used the same rules.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for (id, page) in &self.pages {
            hash.update(id.as_bytes());
            hash.update([0]);
            hash.update(page.text.as_bytes());
            hash.update([0]);
        }
        for rule in &self.rules {
            for tunable in rule.tunables.iter().filter(|tunable| tunable.value != tunable.default) {
                hash.update(format!("{}:{}={}\n", rule.id, tunable.name, tunable.value.value).as_bytes());
            }
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The folder above the area.
fn root(dir: &str) -> &str {
    dir.rsplit_once('/').map_or("", |(root, _)| root)
}
