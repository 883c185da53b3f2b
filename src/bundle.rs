//! A support bundle, whatever it comes as: a zip, a tar in any usual compression, a folder, loose files, or standard input.
//!
//! [`walk`] is one pass over it. Each file is shown by its first bytes, read if wanted, handed on, and forgotten. The kind of everything is
//! told by content, never by name; nothing is written to disk, no link is followed, and every bound stands in [`guard`]. What is damaged
//! is read as far as it goes, and what was lost is said in a [`Note`].

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::as_conversions)]

use std::fs::{File, FileType};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

mod decode;
mod folder;
pub mod guard;
pub mod layout;
mod ledger;
mod magic;
mod open;
pub mod raw;
mod salvage;
mod tarball;
pub mod text;
mod zipped;

pub use guard::Limits;
use guard::{STDIN_MAX, human, len64};
use ledger::{Found, Ledger};

/// What the user named.
#[derive(Debug, Clone)]
pub enum Input {
    /// One archive, one folder, one file, or several files and folders that make up one bundle.
    Paths(Vec<PathBuf>),
    Stdin(Vec<u8>),
}

/// A file before it is read.
#[derive(Debug)]
pub struct Head<'a> {
    pub path: &'a str,
    /// Bytes of content. Unknown for a packed file inside the bundle.
    pub size: Option<u64>,
    /// The first bytes of the content, at most [`guard::HEAD_BYTES`]; all of it if it is shorter.
    pub head: &'a [u8],
}

/// What to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Pass over it without a trace, as on a second walk that fetches cited files.
    Skip,
    /// Pass over it and list it.
    List,
    /// List it and hand on its first `max` bytes, or [`Limits::entry_bytes`] if that is less.
    Read { max: u64 },
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// `/`-separated, relative to the bundle, unique in it. A file in an archive in the bundle is `outer.tar.gz/inner/path`.
    pub path: String,
    pub bytes: Vec<u8>,
    /// Bytes of the whole content, as far as known.
    pub size: u64,
    /// `bytes` is not the whole content: it was longer than wanted, or is cut off in the bundle (a note says so).
    pub truncated: bool,
    /// Modification time, Unix seconds, where the container states it with its time zone.
    pub mtime: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub path: String,
    /// Bytes of content; as stored, where it was packed and not read.
    pub size: u64,
    pub read: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoteKind {
    /// Content that should be there is not, or does not read.
    Lost,
    /// Content is there and was not read, for safety or for want of a reader.
    Refused,
    /// Something about the bundle that deserves a look; all its content counts.
    Odd,
    Info,
}

/// What the user should know about how the bundle was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The file concerned; empty for the bundle as a whole.
    pub path: String,
    pub line: Option<u32>,
    /// Reads on from the path: `is encrypted and ...`.
    pub text: String,
    pub severity: NoteKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Container {
    Zip,
    Tar,
    TarGz,
    TarXz,
    TarZst,
    TarBz2,
    Folder,
    /// Several files and folders named together.
    Files,
    /// One file that is no archive, packed or not.
    Single,
}

impl Container {
    fn tar(codec: magic::Codec) -> Self {
        match codec {
            magic::Codec::Gz => Container::TarGz,
            magic::Codec::Xz => Container::TarXz,
            magic::Codec::Zst => Container::TarZst,
            magic::Codec::Bz2 => Container::TarBz2,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Container::Zip => "zip",
            Container::Tar => "tar",
            Container::TarGz => "tar.gz",
            Container::TarXz => "tar.xz",
            Container::TarZst => "tar.zst",
            Container::TarBz2 => "tar.bz2",
            Container::Folder => "folder",
            Container::Files => "files",
            Container::Single => "file",
        }
    }
}

/// What a walk found.
#[derive(Debug)]
pub struct Walk {
    /// The name of the archive, folder or first file; `stdin` for standard input.
    pub name: String,
    pub container: Container,
    /// Lower-case hex. Of one file: of its bytes. Of a folder or several files: of path and content of every file handed on and of path
    /// and size of every file listed, in order, each preceded by its length (64 bits, little-endian).
    pub sha256: String,
    /// In the bundle's order; a folder's is that of its names.
    pub listed: Vec<Listed>,
    pub notes: Vec<Note>,
    /// Nothing was lost or refused.
    pub complete: bool,
}

/// Why there is nothing to analyze. Displays as one line that says what, why and what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{path}: no such file or folder; check the path")]
    Missing { path: String },
    #[error("{path}: cannot be read: {why}")]
    Unreadable { path: String, why: String },
    #[error("{path}: is not a file or a folder; to read a pipe, use `-` for standard input")]
    NotAFile { path: String },
    #[error("{path}: is empty; collect the bundle again")]
    Empty { path: String },
    #[error("{path}: nothing in it can be read: {why}; copy or collect the bundle again")]
    Nothing { path: String, why: String },
    #[error("standard input: more than {}; write it to a file and name the file", human(*max))]
    StdinTooLarge { max: u64 },
    #[error("no bundle named; name an archive, a folder or files")]
    NoInput,
}

type WantFn<'a> = &'a mut dyn FnMut(&Head) -> Want;
type Each<'a> = &'a mut dyn FnMut(Entry);

/// Reads standard input, up to [`STDIN_MAX`].
pub fn read_stdin() -> Result<Input, OpenError> {
    match folder::read_bounded(io::stdin().lock(), STDIN_MAX) {
        Ok(Some(bytes)) => Ok(Input::Stdin(bytes)),
        Ok(None) => Err(OpenError::StdinTooLarge { max: STDIN_MAX }),
        Err(e) => Err(OpenError::Unreadable { path: "standard input".into(), why: e.to_string() }),
    }
}

/// Walks `input` once. `want` is asked about each file in turn, and `each` gets those it wants read, in the same order.
///
/// # Errors
/// If the input is not there or nothing of it can be read. A bundle that is damaged in part is no error: see [`Walk::notes`].
pub fn walk(
    input: &Input,
    limits: &Limits,
    want: &mut dyn FnMut(&Head) -> Want,
    each: &mut dyn FnMut(Entry),
) -> Result<Walk, OpenError> {
    let mut ledger = Ledger::new(limits, want, each);
    let (name, container, sha256) = match input {
        Input::Stdin(bytes) => stdin(&mut ledger, bytes)?,
        Input::Paths(paths) => match paths.as_slice() {
            [] => return Err(OpenError::NoInput),
            [path] => match kind_of(path)? {
                kind if kind.is_dir() => {
                    ledger.digest_entries();
                    folder::walk(&mut ledger, path, "");
                    (name_of(path), Container::Folder, None)
                }
                _ => one_file(&mut ledger, path)?,
            },
            paths => {
                ledger.digest_entries();
                several(&mut ledger, paths)?;
                (paths.first().map(|p| name_of(p)).unwrap_or_default(), Container::Files, None)
            }
        },
    };
    let met = ledger.met;
    let (listed, notes, complete, digest) = ledger.close();
    if met == 0 {
        let why = notes.iter().find(|n| n.severity != NoteKind::Info);
        let why = why.map_or_else(|| format!("the {} holds no files", container.name()), |n| n.text.clone());
        return Err(OpenError::Nothing { path: name, why });
    }
    let sha256 = sha256.or(digest.map(hex)).unwrap_or_default();
    Ok(Walk { name, container, sha256, listed, notes, complete })
}

type Opened = (String, Container, Option<String>);

fn stdin(ledger: &mut Ledger, bytes: &[u8]) -> Result<Opened, OpenError> {
    if bytes.is_empty() {
        return Err(OpenError::Empty { path: "standard input".into() });
    }
    ledger.budget.feed(len64(bytes.len()));
    let found = Found { path: "stdin".into(), size: Some(len64(bytes.len())), exact: false, mtime: None };
    let container = open::top(ledger, found, Cursor::new(bytes)).unwrap_or(Container::Single);
    Ok(("stdin".into(), container, Some(hex(Sha256::new_with_prefix(bytes)))))
}

/// One file: its hash is taken beside the walk, while its blocks are in the page cache.
fn one_file(ledger: &mut Ledger, path: &Path) -> Result<Opened, OpenError> {
    let unreadable = |e: io::Error| OpenError::Unreadable { path: path.display().to_string(), why: e.to_string() };
    let (file, meta) = folder::regular(path).map_err(unreadable)?;
    let name = name_of(path);
    let path_in = ledger.admit("", name.as_bytes(), false).unwrap_or_else(|| "file".into());
    ledger.budget.feed(meta.len());
    let found = Found { path: path_in, size: Some(meta.len()), exact: false, mtime: folder::mtime(&meta) };
    let (container, hash) = std::thread::scope(|scope| {
        let hash = scope.spawn(|| hash_file(path));
        let container = open::top(ledger, found, file);
        (container, hash.join())
    });
    let container = container.map_err(unreadable)?;
    let hash = hash.map_err(|_| io::Error::other("its hash could not be taken")).and_then(|h| h).map_err(unreadable)?;
    match hash {
        Some(hash) => Ok((name, container, Some(hash))),
        None => Err(OpenError::Empty { path: path.display().to_string() }),
    }
}

/// Files and folders named together, under the names that are left when what all of them share is taken off.
fn several(ledger: &mut Ledger, paths: &[PathBuf]) -> Result<(), OpenError> {
    let parents: Vec<Vec<_>> =
        paths.iter().map(|p| p.parent().map(|p| p.components().collect()).unwrap_or_default()).collect();
    let shared = parents.iter().skip(1).fold(parents.first().cloned().unwrap_or_default(), |shared, parent| {
        shared.into_iter().zip(parent).take_while(|(a, b)| a == *b).map(|(a, _)| a).collect()
    });
    let shared: PathBuf = shared.iter().collect();
    for path in paths {
        let kind = kind_of(path)?;
        let own = path.strip_prefix(&shared).unwrap_or(path);
        let own: PathBuf = own.components().filter(|c| matches!(c, std::path::Component::Normal(_))).collect();
        let Some(name) = ledger.admit("", own.as_os_str().as_encoded_bytes(), cfg!(windows)) else { continue };
        if kind.is_dir() {
            folder::walk(ledger, path, &name);
        } else {
            folder::one(ledger, path, kind, "", name);
        }
    }
    Ok(())
}

/// What the user named exists and can be read. A link the user named himself is followed.
fn kind_of(path: &Path) -> Result<FileType, OpenError> {
    let shown = || path.display().to_string();
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() || meta.is_file() => Ok(meta.file_type()),
        Ok(_) => Err(OpenError::NotAFile { path: shown() }),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Err(OpenError::Missing { path: shown() }),
        Err(e) => Err(OpenError::Unreadable { path: shown(), why: e.to_string() }),
    }
}

fn name_of(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().or(whole.file_name());
    name.map_or_else(|| "root".into(), |n| n.to_string_lossy().into_owned())
}

/// The SHA-256 of a file; `None` if it is empty.
fn hash_file(path: &Path) -> io::Result<Option<String>> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut block = vec![0; 256 * 1024];
    let mut empty = true;
    loop {
        match file.read(&mut block)? {
            0 => break,
            n => digest.update(block.get(..n).unwrap_or_default()),
        }
        empty = false;
    }
    Ok((!empty).then(|| hex(digest)))
}

fn hex(digest: Sha256) -> String {
    digest.finalize().iter().map(|b| format!("{b:02x}")).collect()
}
