//! What the tests over whole bundles share.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use coroner::analysis::Analysis;
use coroner::bundle::Input;
use coroner::rank::rank;
use coroner::report::build;
use coroner::report::model::{Finding, Model};
use coroner::rule::{Catalogue, evaluate};

/// The folder of captures that come from others; absent on a user's clone.
pub fn shared() -> Option<PathBuf> {
    let path = std::env::var_os("CORONER_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    path.is_dir().then_some(path)
}

/// The same, or says by name that the test is skipped.
pub fn shared_or_skip(test: &str, folder: &str) -> Option<PathBuf> {
    let path = shared().map(|shared| shared.join(folder)).filter(|path| path.is_dir());
    if path.is_none() {
        println!("skipped: {test} (no ../shared/{folder})");
    }
    path
}

pub fn lab(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/lab").join(format!("{name}.tar.gz"))
}

/// The whole way: bundle to report.
pub fn report(path: &Path, within: Option<&str>) -> Model {
    let input = Input::Paths(vec![path.to_owned()]);
    let catalogue = Catalogue::builtin();
    let mut analysis = Analysis::read(&input, within).unwrap();
    let ranked = rank(&catalogue, evaluate(&catalogue, analysis.facts()));
    build::model(&mut analysis, &catalogue, &ranked, &input)
}

/// Findings that no other finding explains.
pub fn causes(model: &Model) -> impl Iterator<Item = &Finding> {
    model.findings.iter().filter(|finding| finding.explained_by.is_none())
}

/// One line a finding, for messages of failed tests.
pub fn listed(model: &Model) -> String {
    let lines = model.findings.iter().map(|f| {
        let by = f.explained_by.as_ref().map(|by| format!(" (explained by {by})")).unwrap_or_default();
        format!(
            "  {} {} {} {} {}{by}",
            f.severity,
            f.verdict.name(),
            f.rule,
            f.variant.as_deref().unwrap_or("-"),
            f.entity.name
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Files of one folder of a lab archive: path below the folder, content.
pub fn lab_files(archive: &str, state: &str) -> Vec<(String, Vec<u8>)> {
    use std::io::Read;
    let file = std::fs::File::open(lab(archive)).unwrap();
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let prefix = format!("{archive}/{state}/");
    let mut files = Vec::new();
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().to_string_lossy().into_owned();
        if let Some(rest) = path.strip_prefix(&prefix)
            && entry.header().entry_type().is_file()
        {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            files.push((rest.to_owned(), bytes));
        }
    }
    files
}

/// A zip of some files, in memory.
pub fn zipped<'f>(files: impl IntoIterator<Item = &'f (String, Vec<u8>)>) -> Vec<u8> {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (path, bytes) in files {
        zip.start_file(path.as_str(), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The report of a bundle in memory; an error is its text.
pub fn report_bytes(bytes: Vec<u8>) -> Result<Model, String> {
    let input = Input::Stdin(bytes);
    let catalogue = Catalogue::builtin();
    let mut analysis = Analysis::read(&input, None).map_err(|error| error.to_string())?;
    let ranked = rank(&catalogue, evaluate(&catalogue, analysis.facts()));
    Ok(build::model(&mut analysis, &catalogue, &ranked, &input))
}
