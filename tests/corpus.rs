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

/// Bare values, which only their path explains: start of `kind/name`, and the path they are read under.
const BY_PATH: &[(&str, &str)] = &[
    // Pressure of a group looks like pressure of the host.
    ("cgroup/hs-openstack-root-cpu.pressure", "sys/fs/cgroup/cpu.pressure"),
    ("cgroup/hs-openstack-root-memory.pressure", "sys/fs/cgroup/memory.pressure"),
    ("cgroup/hs-vault-root-cpu.pressure", "sys/fs/cgroup/cpu.pressure"),
    ("cgroup/telegraf-v2-cpu.pressure", "sys/fs/cgroup/a/cpu.pressure"),
    ("cgroup/v2-docker-cpu.pressure", "sys/fs/cgroup/a/cpu.pressure"),
    ("cgroup/telegraf-v2-cpu.max", "sys/fs/cgroup/a/cpu.max"),
    ("cgroup/v2-docker-cpu.max", "sys/fs/cgroup/a/cpu.max"),
    ("cgroup/v2-docker-slice-cpu.max", "sys/fs/cgroup/a/cpu.max"),
    ("cgroup/pcp1-v1-cpuacct.usage_percpu", "sys/fs/cgroup/cpuacct/a/cpuacct.usage_percpu"),
    ("cgroup/telegraf-v1-cpuacct.usage_percpu", "sys/fs/cgroup/cpuacct/a/cpuacct.usage_percpu"),
    ("cgroup/telegraf-v2-cpuset.cpus.effective", "sys/fs/cgroup/a/cpuset.cpus.effective"),
    ("cgroup/v1-docker-cpu.cfs_period_us", "sys/fs/cgroup/cpu/a/cpu.cfs_period_us"),
    ("cgroup/v1-docker-cpu.cfs_quota_us", "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us"),
    // A mask or a list of CPUs.
    ("irq-affinity/hs-k8s-default", "proc/irq/default_smp_affinity"),
    ("irq-affinity/hs-kubernetes-irq0-smp_affinity.", "proc/irq/0/smp_affinity"),
    ("irq-affinity/hs-kubernetes-irq0-smp_affinity_list.", "proc/irq/0/smp_affinity_list"),
    ("irq-affinity/hs-kubernetes-irq1-smp_affinity.", "proc/irq/1/smp_affinity"),
    ("irq-affinity/hs-kubernetes-irq1-smp_affinity_list.", "proc/irq/1/smp_affinity_list"),
    ("irq-affinity/rhel7-b03-irq248-smp_affinity.", "proc/irq/248/smp_affinity"),
    ("irq-affinity/rhel7-b03-irq248-smp_affinity_list.", "proc/irq/248/smp_affinity_list"),
    ("irq-affinity/rhel7-b03-irq314-smp_affinity.", "proc/irq/314/smp_affinity"),
    ("irq-affinity/rhel7-b03-irq314-smp_affinity_list.", "proc/irq/314/smp_affinity_list"),
    ("irq-affinity/rhel7-b03-irq420-smp_affinity.", "proc/irq/420/smp_affinity"),
    ("irq-affinity/rhel7-b03-irq420-smp_affinity_list.", "proc/irq/420/smp_affinity_list"),
    ("irq-affinity/rhel7-b03-irq518-smp_affinity.", "proc/irq/518/smp_affinity"),
    ("irq-affinity/rhel7-b03-irq518-smp_affinity_list.", "proc/irq/518/smp_affinity_list"),
    ("irq-affinity/rhel7-b03-irq83-smp_affinity.", "proc/irq/83/smp_affinity"),
    ("irq-affinity/rhel7-b03-irq83-smp_affinity_list.", "proc/irq/83/smp_affinity_list"),
];

/// Error texts and empty files: they are no data of any kind and must be read as none. Start of `kind/name`.
const NO_DATA: &[&str] = &["ethtool-S/rhel7-ovs-none", "ethtool-S/rhel7-vlan-no-device", "ethtool-k/rhel7-vlan-none"];

/// Files that hold several commands: the other kinds are right too. Start of `kind/name`, and those kinds.
const ALSO: &[(&str, &[&str])] = &[];

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
            let path = BY_PATH.iter().find(|(start, _)| id.starts_with(start)).map_or("paste.txt", |(_, path)| path);
            let have = parse_bytes(path, &fs::read(&file).unwrap());
            let no_data = NO_DATA.iter().any(|start| id.starts_with(start));
            let also = ALSO.iter().find(|(start, _)| id.starts_with(start)).map_or(&[][..], |(_, kinds)| kinds);
            let own = have.kinds.contains(&kind.as_str());
            let other: Vec<&&str> = have.kinds.iter().filter(|have| **have != kind && !also.contains(have)).collect();
            read += 1;
            if !other.is_empty() {
                wrong.insert(id, format!("read as {other:?}"));
            } else if no_data && own && !have.facts.iter().next().is_none() {
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
