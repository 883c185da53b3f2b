//! Where the files are: our own beside this test, larger sets in a shared folder that a clone may lack.

use std::fs;
use std::path::{Path, PathBuf};

use coroner::golang::{Limits, TraceSummary, read_trace};
use serde_json::Value;

pub fn own(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golang").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn own_expected() -> Value {
    serde_json::from_slice(&own("expected.json")).unwrap()
}

/// A folder of the shared files, or `None` with the reason printed.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CORONER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

pub fn trace(data: &[u8]) -> TraceSummary {
    read_trace(data, &Limits::default()).unwrap()
}

pub fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Files of a folder with the `.expected.json` that belongs to each.
pub fn with_expectations(folder: &Path) -> Vec<(PathBuf, Value)> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| !path.to_string_lossy().ends_with(".expected.json"));
    files.sort();
    let expectation = |path: &Path| {
        let name = path.file_name()?.to_str()?;
        let stem = [".pb.gz", ".pb", ".bin", ".txt"].iter().find_map(|end| name.strip_suffix(end))?;
        let json = fs::read(path.with_file_name(format!("{stem}.expected.json"))).ok()?;
        Some(serde_json::from_slice(&json).unwrap())
    };
    let found: Vec<_> = files.iter().filter_map(|path| Some((path.clone(), expectation(path)?))).collect();
    assert!(!found.is_empty(), "{}: no expectations", folder.display());
    found
}
