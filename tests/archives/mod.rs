//! Archives made in memory, and what a walk over them hands on.
#![allow(dead_code)]

use std::io::{Cursor, Write};

use coroner::bundle::{Entry, Input, Limits, NoteKind, OpenError, Walk, Want, walk};

pub type Files = Vec<(String, Vec<u8>)>;

/// Three files as a collector writes them: short, empty, and long enough for several blocks.
pub fn sample() -> Files {
    let long: String = (0..20_000).map(|i| format!("{i} 0.00 {} 1.5\n", i * 7919 % 1013)).collect();
    vec![
        ("host/proc/loadavg".into(), b"0.10 0.20 0.30 1/99 4242\n".to_vec()),
        ("host/cmd/empty.txt".into(), Vec::new()),
        ("host/cmd/sar.txt".into(), long.into_bytes()),
        ("host/proc/uptime".into(), b"100.00 200.00\n".to_vec()),
    ]
}

pub fn as_zip(files: &Files, method: zip::CompressionMethod) -> Vec<u8> {
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        out.start_file(name, options).unwrap();
        out.write_all(bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}

pub fn as_tar(files: &Files) -> Vec<u8> {
    let mut out = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(1_700_000_000);
        out.append_data(&mut header, name, bytes.as_slice()).unwrap();
    }
    out.into_inner().unwrap()
}

pub fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[derive(Debug)]
pub struct Seen {
    pub walk: Walk,
    pub entries: Vec<Entry>,
}

impl Seen {
    pub fn files(&self) -> Files {
        self.entries.iter().map(|e| (e.path.clone(), e.bytes.clone())).collect()
    }

    pub fn paths(&self) -> Vec<&str> {
        self.entries.iter().map(|e| e.path.as_str()).collect()
    }

    /// The note that holds `text`.
    #[track_caller]
    pub fn note(&self, text: &str) -> (NoteKind, &str) {
        let note = self.walk.notes.iter().find(|n| n.text.contains(text));
        let note = note.unwrap_or_else(|| panic!("no note says {text:?}: {:?}", self.walk.notes));
        (note.severity, &note.path)
    }
}

pub fn read(bytes: &[u8]) -> Seen {
    read_with(bytes, &Limits::default()).expect("a bundle")
}

pub fn read_with(bytes: &[u8], limits: &Limits) -> Result<Seen, OpenError> {
    read_input(&Input::Stdin(bytes.to_vec()), limits)
}

pub fn read_input(input: &Input, limits: &Limits) -> Result<Seen, OpenError> {
    let mut entries = Vec::new();
    let walk = walk(input, limits, &mut |_| Want::Read { max: u64::MAX }, &mut |e| entries.push(e))?;
    Ok(Seen { walk, entries })
}

/// A fixture of `tests/data/archives`.
pub fn data(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/archives/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).expect("a fixture")
}
