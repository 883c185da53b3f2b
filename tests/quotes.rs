//! Every quoted line equals that line of the file, found here by plain means.

mod common;

use common::{lab_files, report_bytes, zipped};
use coroner::report::model::Quote;

fn check(quote: &Quote, files: &[(String, Vec<u8>)]) {
    let (_, bytes) = files.iter().find(|(path, _)| *path == quote.path).unwrap_or_else(|| panic!("{}", quote.path));
    let text = String::from_utf8_lossy(bytes);
    let line = text.split('\n').nth(quote.line as usize - 1).unwrap_or_else(|| panic!("{}:{}", quote.path, quote.line));
    let line = line.strip_suffix('\r').unwrap_or(line);
    if quote.cut {
        assert!(line.starts_with(&quote.quote), "{}:{}", quote.path, quote.line);
    } else {
        assert_eq!(line, quote.quote, "{}:{}", quote.path, quote.line);
    }
}

#[test]
fn quotes_equal_their_lines() {
    let mut checked = 0;
    for (archive, state) in [
        ("rss_collapse_virtio", "before"),
        ("rss_collapse_virtio", "after"),
        ("cfs_throttling", "before"),
        ("cfs_throttling_v1", "before"),
        ("swap_storm", "before"),
        ("burst_credit", "before"),
    ] {
        let files = lab_files(archive, state);
        let model = report_bytes(zipped(&files)).unwrap();
        let evidence = model.findings.iter().flat_map(|finding| &finding.evidence).flat_map(|e| &e.sources);
        let header = model.bundle.subjects.iter().flat_map(|s| &s.header).filter_map(|row| row.source.as_ref());
        let acquitted = model.ruled_out.iter().flat_map(|entry| &entry.sources);
        for quote in evidence.chain(header).chain(acquitted) {
            check(quote, &files);
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} quotes");
}
