//! Captures from our own failure lab, before and after the fix: the mode is named before, and gone after.

mod common;

use common::{causes, lab, listed, report};
use coroner::report::model::Verdict;

/// Archive, the rule that must be named first before the fix, and whether a healthy capture is in it.
const MODES: &[(&str, &str)] = &[
    ("rss_collapse_virtio", "rss-collapse"),
    ("cfs_throttling", "cfs-throttling"),
    ("cfs_throttling_v1", "cfs-throttling"),
    ("swap_storm", "swap-reclaim"),
    ("numa_remote_membind", "numa-imbalance"),
    ("numa_miss_spill", "numa-imbalance"),
];

#[test]
fn before_names_its_mode_and_after_does_not() {
    let mut wrong = Vec::new();
    for (archive, rule) in MODES {
        let before = report(&lab(archive), Some(&format!("{archive}/before")));
        match causes(&before).next() {
            Some(top) if top.rule == *rule && top.verdict >= Verdict::Likely => {}
            _ => wrong.push(format!("{archive} before:\n{}", listed(&before))),
        }
        let after = report(&lab(archive), Some(&format!("{archive}/after")));
        if after.findings.iter().any(|finding| finding.rule == *rule) {
            wrong.push(format!("{archive} after:\n{}", listed(&after)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn two_states_in_one_archive_are_two_subjects() {
    for (archive, rule) in MODES {
        let both = report(&lab(archive), None);
        assert_eq!(both.bundle.subjects.len(), 2, "{archive}");
        let hosts: Vec<_> = both.findings.iter().filter(|f| f.rule == *rule).map(|f| f.subject.host.clone()).collect();
        assert!(!hosts.is_empty() && hosts.iter().all(|host| host.contains("before")), "{archive}: {hosts:?}");
    }
}
