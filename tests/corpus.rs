//! Recognition: every file of the corpus, under a name that says nothing, is read as its own kind, and as no other.
//!
//! The corpus lies beside the repository (`../shared`, or `CORONER_SHARED`); without it the test says so and passes.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use coroner::parse::PARSERS;
use coroner::parse::run::parse_bytes;

pub fn shared() -> Option<PathBuf> {
    let root = std::env::var_os("CORONER_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let found = root.join("corpus").is_dir();
    if !found {
        eprintln!("skipped: no corpus at {}", root.display());
    }
    found.then_some(root)
}

/// Bare values, which only their path explains: the path they are read under.
fn own_path(kind: &str, stem: &str, text: &str) -> Option<String> {
    let bare = text.trim().lines().count() <= 2
        && text.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, ',' | '-' | ' ' | '\t' | '\n' | '.'));
    // Pressure of a group looks like pressure of the host, and `max 100000` could be a limit of anything.
    let alike = text.starts_with("some avg10") || text.starts_with("full avg10") || text.starts_with("max ");
    let file = stem.rsplit('-').next()?;
    match kind {
        "cgroup" if bare || alike => Some(format!("sys/fs/cgroup/a/{file}")),
        "irq-affinity" if bare => match stem.split('-').find_map(|part| part.strip_prefix("irq")) {
            Some(number) => Some(format!("proc/irq/{number}/{file}")),
            None => Some("proc/irq/default_smp_affinity".to_owned()),
        },
        "sys-node" if bare => {
            let node =
                stem.split('-').find(|part| part.strip_prefix("node").is_some_and(|n| n.parse::<u32>().is_ok()))?;
            Some(format!("sys/devices/system/node/{node}/{file}"))
        }
        "sys-cpu" if bare => Some(format!("sys/devices/system/cpu/{file}")),
        "proc-pid-schedstat" if bare => Some("proc/1/schedstat".to_owned()),
        "proc-sys-vm" if bare => Some(format!("proc/sys/vm/{file}")),
        // Rows without a header, of columns that only the command names.
        "rabbitmq" if stem == "insights-queues" => Some("cmd/rabbitmqctl_list_queues.txt".to_owned()),
        _ => None,
    }
}

/// Error texts and empty files: they are no data of any kind and must be read as none. Start of `kind/name`.
const NO_DATA: &[&str] = &[
    "ethtool-S/rhel7-ovs-none",
    "ethtool-S/rhel7-vlan-no-device",
    "ethtool-k/rhel7-vlan-none",
    "ethtool-a/local-virtio",
];

/// Files that hold several commands: the other kinds are right too. Start of `kind/name`, and those kinds.
const ALSO: &[(&str, &[&str])] = &[
    ("ethtool-l/md-netutils-", &["ethtool-i", "ethtool-g"]),
    ("free/ptsummary-005-memory", &["proc-meminfo"]),
    ("free/ptsummary-007-memory", &["proc-meminfo"]),
    ("perf-stat/md-89c72332", &["proc-meminfo"]), // perf stat cat /proc/meminfo
];

#[test]
fn every_file_is_its_kind_and_no_other() {
    let Some(root) = shared() else { return };
    let known: Vec<&str> = PARSERS.iter().map(|parser| parser.kind).collect();
    let mut wrong: BTreeMap<String, String> = BTreeMap::new();
    let mut read = 0;
    for folder in fs::read_dir(root.join("corpus")).unwrap() {
        let folder = folder.unwrap().path();
        let kind = folder.file_name().unwrap().to_string_lossy().into_owned();
        if !folder.is_dir() || kind == "trees" || kind == "mixed" {
            continue;
        }
        for file in fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".expected.json") || !file.is_file() {
                continue;
            }
            let id = format!("{kind}/{name}");
            let bytes = fs::read(&file).unwrap();
            let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
            let path = own_path(&kind, stem, &String::from_utf8_lossy(&bytes));
            let have = parse_bytes(path.as_deref().unwrap_or("paste.txt"), &bytes);
            let no_data = NO_DATA.iter().any(|start| id.starts_with(start));
            let also = ALSO.iter().find(|(start, _)| id.starts_with(start)).map_or(&[][..], |(_, kinds)| kinds);
            let own = have.kinds.contains(&kind.as_str());
            let other: Vec<&&str> = have.kinds.iter().filter(|have| **have != kind && !also.contains(have)).collect();
            read += 1;
            if !other.is_empty() {
                wrong.insert(id, format!("read as {other:?}"));
            } else if no_data && own && have.facts.iter().next().is_some() {
                wrong.insert(id, "facts from an error text".to_owned());
            } else if known.contains(&kind.as_str()) && !own && !no_data {
                wrong.insert(id, "not recognised".to_owned());
            }
        }
    }
    assert!(read > 800, "only {read} files of the corpus were read");
    let text: Vec<String> = wrong.iter().map(|(id, why)| format!("{id}: {why}")).collect();
    assert!(wrong.is_empty(), "{} files:\n{}", wrong.len(), text.join("\n"));
}
