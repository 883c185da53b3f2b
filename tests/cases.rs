//! Field cases of others with a known cause: what must be named, and what must not be named as a cause.
//!
//! The cases are not part of the repository. Their labels map to rules by [`LABELS`]; a wrong answer fails the test
//! where the rules of that area are finished ([`DONE`]).

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{listed, report_bytes, shared_or_skip, zipped};
use coroner::report::model::{Finding, Model, Verdict};
use coroner::rule::Catalogue;

/// Areas of the catalogue whose answers are held to the cases.
const DONE: &[&str] = &["memory"];

/// Label of the cases, and the rules that say it. Rules that do not exist yet decide nothing.
const LABELS: &[(&str, &[&str])] = &[
    ("burst-credits", &["burst-credits", "cpu-credits", "storage-throttle"]),
    ("cfs-throttling", &["cfs-throttling"]),
    ("conntrack-full", &["conntrack-full"]),
    ("cpu-affinity-overload", &["cpu-affinity-overload", "cpu-pinning"]),
    ("cpu-saturation", &["cpu-saturation"]),
    ("high-load-from-cpu", &["cpu-saturation"]),
    ("cpu-steal", &["cpu-steal"]),
    ("disk-failing", &["disk-failing", "disk-errors", "hung-disk"]),
    ("disk-full", &["disk-full"]),
    ("disk-saturated", &["disk-saturated", "disk-saturation"]),
    ("dstate-kernel-worker", &["blocked-tasks"]),
    ("ena-allowance", &["ena-allowance"]),
    ("fs-dir-index-full", &["fs-dir-index-full"]),
    ("go-gc", &["go-gc"]),
    ("gomaxprocs-mismatch", &["gomaxprocs-mismatch"]),
    ("inode-exhaustion", &["inode-exhaustion", "inodes-full"]),
    ("irq-app-collision", &["irq-app-collision", "irq-core-contention"]),
    ("irq-storm-one-cpu", &["rss-collapse", "storage-irq-one-cpu"]),
    ("storage-irq-one-cpu", &["storage-irq-one-cpu"]),
    ("kernel-oops-dstate", &["blocked-tasks"]),
    ("mmap-sem-dstate", &["blocked-tasks"]),
    ("listen-overflow", &["listen-overflow"]),
    ("loadavg-thread-burst", &["loadavg-thread-burst", "thread-burst"]),
    ("memory-exhausted", &["memory-exhausted"]),
    ("memory-fragmentation", &["memory-fragmentation"]),
    ("memory-leak", &["memory-leak"]),
    ("nic-ring-drops", &["nic-ring-drops"]),
    ("noisy-neighbor", &["noisy-neighbor", "noisy-neighbour"]),
    ("numa-imbalance", &["numa-imbalance", "numa-hidden"]),
    ("prefetch-skew", &["prefetch-skew"]),
    ("rss-collapse", &["rss-collapse"]),
    ("single-queue-nic", &["single-queue-nic", "rss-collapse"]),
    ("slow-fsync", &["slow-fsync"]),
    ("softnet-backlog-drops", &["softnet-backlog-drops", "softnet-drops"]),
    ("swap-reclaim", &["swap-reclaim"]),
    ("syn-flood", &["syn-flood"]),
    ("tcp-retransmits", &["tcp-retransmits"]),
    ("tcp-timewait-overflow", &["tcp-timewait-overflow"]),
    ("thermal-throttling", &["thermal-throttling"]),
    ("too-few-consumers", &["too-few-consumers"]),
];

fn rules(label: &str) -> &'static [&'static str] {
    LABELS.iter().find(|(have, _)| *have == label).map_or(&[], |(_, rules)| rules)
}

/// Path below the folder and content, without the case's own description.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let walk = walkdir::WalkDir::new(dir).sort_by_file_name().into_iter().filter_map(Result::ok);
    walk.filter(|entry| entry.file_type().is_file() && entry.file_name() != "case.json")
        .map(|entry| {
            let path = entry.path().strip_prefix(dir).unwrap().to_string_lossy().replace('\\', "/");
            (path, std::fs::read(entry.path()).unwrap())
        })
        .collect()
}

struct Case {
    id: String,
    mode: String,
    must: Vec<String>,
    must_not: Vec<String>,
    acceptable: Vec<String>,
    decidable: bool,
}

fn case(dir: &Path) -> Case {
    let text = std::fs::read_to_string(dir.join("case.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let list = |key: &str| {
        let values = json[key].as_array().map(Vec::as_slice).unwrap_or_default();
        values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
    };
    Case {
        id: json["id"].as_str().unwrap().to_owned(),
        mode: json["failure_mode"].as_str().unwrap().to_owned(),
        must: list("must_report"),
        must_not: list("must_not_report"),
        acceptable: list("also_acceptable"),
        decidable: json["sufficient_evidence"].as_bool().unwrap(),
    }
}

/// Named as a cause: not folded under another finding, and more than information.
fn as_cause(finding: &Finding) -> bool {
    finding.explained_by.is_none() && finding.severity != "P4"
}

/// What is wrong, each with the rule that is to blame, and labels that no rule can say yet.
fn judge(case: &Case, model: &Model) -> (Vec<(String, String)>, usize) {
    let catalogue = Catalogue::builtin();
    let exists = |id: &&str| catalogue.rule(id).is_some();
    let (mut wrong, mut abstained) = (Vec::new(), 0);
    for label in &case.must_not {
        let named = model.findings.iter().find(|f| as_cause(f) && rules(label).contains(&f.rule.as_str()));
        if let Some(finding) = named {
            wrong.push((finding.rule.clone(), format!("{label} is named as a cause")));
        }
    }
    if case.mode == "healthy" {
        let accepted: Vec<&str> = case.acceptable.iter().flat_map(|label| rules(label)).copied().collect();
        for finding in model.findings.iter().filter(|f| as_cause(f) && f.verdict >= Verdict::Likely) {
            if !accepted.contains(&finding.rule.as_str()) {
                wrong.push((finding.rule.clone(), format!("{} on a healthy host", finding.rule)));
            }
        }
    }
    for label in case.must.iter().filter(|_| case.decidable) {
        let Some(first) = rules(label).iter().find(|id| exists(id)) else {
            abstained += 1;
            continue;
        };
        if !model.findings.iter().any(|finding| rules(label).contains(&finding.rule.as_str())) {
            wrong.push(((*first).to_owned(), format!("{label} is not named")));
        }
    }
    (wrong, abstained)
}

#[test]
fn cases_of_others_are_judged_right() {
    let Some(dir) = shared_or_skip("cases_of_others_are_judged_right", "cases") else { return };
    let mut folders: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| folder.join("case.json").is_file());
    folders.sort();
    assert!(!folders.is_empty());
    let catalogue = Catalogue::builtin();
    let mut table: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let mut failed = Vec::new();
    for folder in &folders {
        let case = case(folder);
        let model = report_bytes(zipped(&files(folder))).unwrap_or_else(|error| panic!("{}: {error}", case.id));
        let (wrong, abstained) = judge(&case, &model);
        let row = table.entry(case.mode.clone()).or_default();
        row[if !wrong.is_empty() {
            1
        } else if abstained > 0 || !case.decidable {
            2
        } else {
            0
        }] += 1;
        for (rule, why) in wrong {
            let done = catalogue.rule(&rule).is_some_and(|rule| DONE.contains(&rule.area.as_str()));
            let line = format!("{}: {why}\n{}", case.id, listed(&model));
            println!("{}{line}", if done { "WRONG " } else { "wrong, not finished " });
            if done {
                failed.push(line);
            }
        }
    }
    println!("{:40} right wrong abstained", "mode");
    for (mode, [right, wrong, abstained]) in &table {
        println!("{mode:40} {right:5} {wrong:5} {abstained:9}");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
