//! Broken and hostile bundles: an honest report or one clear error, never a panic.

mod common;

use common::{lab_files, report_bytes, zipped};

#[test]
fn a_bundle_cut_anywhere_is_salvaged_or_refused_clearly() {
    let files = lab_files("rss_collapse_virtio", "before");
    let whole = zipped(&files);
    let complete = report_bytes(whole.clone()).unwrap();
    for step in 1..=50 {
        let cut = whole.len() * step / 51;
        match report_bytes(whole[..cut].to_vec()) {
            Err(text) => assert!(!text.is_empty() && !text.contains('\n'), "cut at {cut}: {text}"),
            Ok(model) => {
                assert!(!model.bundle.complete, "cut at {cut} passes for complete");
                for finding in &model.findings {
                    let known = complete.findings.iter().any(|have| have.rule == finding.rule);
                    assert!(known || finding.confidence < 0.9, "cut at {cut} confirms {}", finding.rule);
                }
            }
        }
    }
}

#[test]
fn random_bytes_are_no_bundle() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for size in [0usize, 1, 100, 10_000, 1_000_000] {
        let bytes: Vec<u8> = (0..size)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state.to_le_bytes()[3]
            })
            .collect();
        if let Ok(model) = report_bytes(bytes) {
            assert!(model.findings.is_empty());
        }
    }
}

#[test]
fn one_endless_line_stays_bounded() {
    let mut line = b"cpu  1 2 3 4 ".to_vec();
    line.resize(200 << 20, b'7');
    let model = report_bytes(zipped(&[("proc/stat".to_owned(), line)])).unwrap();
    assert!(model.findings.is_empty());
}

#[test]
fn names_that_climb_are_refused_and_said() {
    let model =
        report_bytes(zipped(&[("../../etc/x".to_owned(), b"root".to_vec()), ("ok.txt".to_owned(), b"x".to_vec())]));
    let model = model.unwrap();
    let said =
        |note: &coroner::report::model::Note| format!("{} {}", note.path.as_deref().unwrap_or_default(), note.text);
    assert!(model.bundle.notes.iter().any(|note| said(note).contains("etc/x")), "{:?}", model.bundle.notes);
    assert!(!model.inventory.iter().any(|file| file.path.starts_with("..")));
}
