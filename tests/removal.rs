//! Taking files away never acquits and never accuses another: the verdict stays, weakens, or becomes "cannot tell".

mod common;

use common::{causes, lab_files, listed, report_bytes, zipped};
use coroner::report::model::Model;

/// Bundles and the rule that the whole bundle convicts.
const CASES: &[(&str, &str)] = &[
    ("rss_collapse_virtio", "rss-collapse"),
    ("cfs_throttling", "cfs-throttling"),
    ("cfs_throttling_v1", "cfs-throttling"),
    ("swap_storm", "swap-reclaim"),
    ("numa_remote_membind", "numa-imbalance"),
    ("numa_miss_spill", "numa-imbalance"),
];

/// What may not happen to `rule` when evidence is taken away from `whole`.
fn complaint(rule: &str, whole: &Model, part: &Model) -> Option<String> {
    let fired = part.findings.iter().any(|finding| finding.rule == rule);
    let unsure = part.cannot_tell.iter().find(|entry| entry.rule == rule);
    if !fired {
        match unsure {
            None => return Some(format!("{rule} is no longer mentioned")),
            Some(entry) if entry.missing.iter().all(|fact| fact.collect.is_empty()) => {
                return Some(format!("{rule} cannot tell, and does not say what to collect"));
            }
            Some(_) => {}
        }
    }
    let known: Vec<&str> = whole.findings.iter().map(|finding| finding.rule.as_str()).collect();
    let new: Vec<&str> = causes(part).map(|f| f.rule.as_str()).filter(|rule| !known.contains(rule)).collect();
    (!new.is_empty()).then(|| format!("new causes {new:?}"))
}

#[test]
fn one_file_less_never_acquits_and_never_accuses() {
    let mut wrong = Vec::new();
    for (archive, rule) in CASES {
        let files = lab_files(archive, "before");
        let whole = report_bytes(zipped(&files)).unwrap();
        for (gone, _) in &files {
            let part = report_bytes(zipped(files.iter().filter(|(path, _)| path != gone))).unwrap();
            if let Some(text) = complaint(rule, &whole, &part) {
                wrong.push(format!("{archive} without {gone}: {text}\n{}", listed(&part)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_snapshot_alone_is_at_most_possible() {
    for (archive, rule) in CASES {
        let mut files = lab_files(archive, "before");
        files.retain(|(path, _)| !path.starts_with("t1/") && !path.contains("mpstat") && !path.contains("pidstat"));
        let part = report_bytes(zipped(&files)).unwrap();
        let strong = part.findings.iter().filter(|f| f.rule == *rule && f.confidence > 0.5).count();
        assert_eq!(strong, 0, "{archive}\n{}", listed(&part));
    }
}
