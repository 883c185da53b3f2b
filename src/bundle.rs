//! Bundles: what was handed over, as a stream of bounded, named byte strings.

pub mod layout;
pub mod raw;
pub mod text;

use std::io::Read;
use std::path::PathBuf;

pub enum Input {
    Paths(Vec<PathBuf>),
    Stdin(Vec<u8>),
}
pub struct Head<'a> {
    pub path: &'a str,
    pub size: Option<u64>,
    pub head: &'a [u8],
}
pub enum Want {
    Skip,
    Read { max: u64 },
    List,
}
pub struct Entry {
    pub path: String,
    pub bytes: Vec<u8>,
    pub size: u64,
    pub truncated: bool,
    pub mtime: Option<i64>,
}
pub struct Listed {
    pub path: String,
    pub size: u64,
    pub read: bool,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    Lost,
    Refused,
    Odd,
    Info,
}
pub struct Note {
    pub path: String,
    pub line: Option<u32>,
    pub text: String,
    pub severity: NoteKind,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    Folder,
    TarGz,
    Single,
}
pub struct Walk {
    pub name: String,
    pub container: Container,
    pub sha256: String,
    pub listed: Vec<Listed>,
    pub notes: Vec<Note>,
    pub complete: bool,
}
#[derive(Clone, Default)]
pub struct Limits {}
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OpenError(String);

pub fn walk(
    input: &Input,
    _limits: &Limits,
    want: &mut dyn FnMut(&Head) -> Want,
    each: &mut dyn FnMut(Entry),
) -> Result<Walk, OpenError> {
    let Input::Paths(paths) = input else { return Err(OpenError("stdin".into())) };
    let mut walk = Walk {
        name: paths[0].file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        container: Container::Folder,
        sha256: String::new(),
        listed: vec![],
        notes: vec![],
        complete: true,
    };
    let mut one = |path: String, bytes: Vec<u8>| {
        let head = Head { path: &path, size: Some(bytes.len() as u64), head: &bytes[..bytes.len().min(4096)] };
        let read = matches!(want(&head), Want::Read { .. });
        walk.listed.push(Listed { path: path.clone(), size: bytes.len() as u64, read });
        if read {
            each(Entry { path, size: bytes.len() as u64, bytes, truncated: false, mtime: None });
        }
    };
    for path in paths {
        if path.is_dir() {
            for e in walkdir::WalkDir::new(path).sort_by_file_name() {
                let e = e.map_err(|e| OpenError(e.to_string()))?;
                if e.file_type().is_file() {
                    let rel = e.path().strip_prefix(path).unwrap().to_string_lossy().into_owned();
                    one(rel, std::fs::read(e.path()).unwrap_or_default());
                }
            }
        } else if path.to_string_lossy().ends_with("gz") {
            let f = std::fs::File::open(path).map_err(|e| OpenError(e.to_string()))?;
            let mut t = tar::Archive::new(flate2::read::MultiGzDecoder::new(f));
            for e in t.entries().map_err(|e| OpenError(e.to_string()))? {
                let mut e = e.map_err(|e| OpenError(e.to_string()))?;
                if !e.header().entry_type().is_file() {
                    continue;
                }
                let p = e.path().unwrap().to_string_lossy().into_owned();
                let mut b = vec![];
                let _ = e.read_to_end(&mut b);
                one(p, b);
            }
        } else {
            one(
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read(path).map_err(|e| OpenError(e.to_string()))?,
            );
        }
    }
    Ok(walk)
}
