//! Captures of others, read in place: what independent readers found in them must be what the parsers say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use coroner::bundle::{Input, Limits};
use coroner::facts::schema::find;
use coroner::facts::schema::keys::family;
use coroner::facts::{CpuSet, Entity, Facts, Family, Kind, SubjectId, Value};
use coroner::parse::run::load;
use serde_json::Value as Json;

const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;

fn corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("CORONER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let corpus = shared.join("corpus");
    if !corpus.is_dir() {
        eprintln!("skipped: no {}", corpus.display());
    }
    corpus.is_dir().then_some(corpus)
}

struct Case {
    name: String,
    facts: Facts,
    want: Json,
}

impl Case {
    fn number(&self, fact: &str, name: &str) -> Option<f64> {
        let def = find(fact).unwrap();
        self.facts.number(def, &Entity::new(SubjectId(0), def.kind, name))
    }

    fn value(&self, fact: &str, name: &str) -> Option<Value> {
        let def = find(fact).unwrap();
        self.facts.get(def, &Entity::new(SubjectId(0), def.kind, name)).ok().map(|reading| reading.value.clone())
    }

    fn sample(&self, family: &Family, name: &str, metric: &str) -> Option<f64> {
        let entity = Entity::new(SubjectId(0), family.kind, name);
        self.facts.samples(family, &entity, metric).first().map(|sample| sample.value)
    }

    fn names(&self, kind: Kind) -> Vec<String> {
        self.facts.entities(SubjectId(0), kind).map(|entity| entity.name.to_string()).collect()
    }

    fn want(&self, key: &str) -> Option<f64> {
        number(self.want.get(key)?)
    }
}

fn number(value: &Json) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// Every file of a kind that has expectations; returns how many were checked.
fn each(kind: &str, check: impl Fn(&Case)) {
    let Some(corpus) = corpus() else { return };
    let mut checked = 0;
    let mut files: Vec<PathBuf> = std::fs::read_dir(corpus.join(kind)).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".expected.json") else { continue };
        let want: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let file = ["txt", "json"].iter().map(|end| path.with_file_name(format!("{stem}.{end}"))).find(|p| p.is_file());
        let facts = load(&Input::Paths(vec![file.unwrap()]), &Limits::default(), None).unwrap().facts;
        check(&Case { name: format!("{kind}/{stem}"), facts, want });
        checked += 1;
    }
    assert!(checked > 0, "no file of {kind}");
}

#[test]
fn lscpu() {
    each("lscpu", |case| {
        for (key, fact) in [
            ("Thread(s) per core", "host.threads_per_core"),
            ("Socket(s)", "host.sockets"),
            ("NUMA node(s)", "host.numa_nodes"),
        ] {
            if let Some(want) = case.want(key) {
                assert_eq!(case.number(fact, ""), Some(want), "{} {key}", case.name);
            }
        }
        if let (Some(cores), Some(sockets)) = (case.want("Core(s) per socket"), case.want("Socket(s)")) {
            assert_eq!(case.number("host.cores", ""), Some(cores * sockets), "{}", case.name);
        }
        for (key, fact) in [
            ("Architecture", "host.arch"),
            ("Model name", "host.cpu_model"),
            ("Hypervisor vendor", "host.virtualization"),
        ] {
            if let Some(want) = case.want.get(key).and_then(Json::as_str).filter(|text| *text != "-") {
                assert_eq!(case.value(fact, ""), Some(Value::Text(want.into())), "{} {key}", case.name);
            }
        }
        // The expectations' reader took `0,1` for a number; those lists are left out.
        if let Some(list) = case.want.get("On-line CPU(s) list").and_then(Json::as_str) {
            let set = CpuSet::parse_list(list).unwrap();
            assert_eq!(case.number("host.cpus_online", ""), Some(set.len() as f64), "{}", case.name);
            assert_eq!(case.value("host.cpus_online_list", ""), Some(Value::Cpus(set)), "{}", case.name);
        }
        for (key, fact, name) in [
            ("Off-line CPU(s) list", "host.cpus_offline", ""),
            ("NUMA node0 CPU(s)", "numa_node.cpus", "0"),
            ("NUMA node1 CPU(s)", "numa_node.cpus", "1"),
        ] {
            if let Some(list) = case.want.get(key).and_then(Json::as_str) {
                assert_eq!(
                    case.value(fact, name),
                    Some(Value::Cpus(CpuSet::parse_list(list).unwrap())),
                    "{} {key}",
                    case.name
                );
            }
        }
    });
}

/// Every number of the expectations, by its own name, in one family.
fn by_name(kind: &str, family: &'static Family, factor: impl Fn(&str) -> f64) {
    each(kind, |case| {
        if case.want.get("samples").is_some() {
            return;
        }
        for (key, want) in case.want.as_object().unwrap() {
            if let Some(want) = number(want).filter(|_| key != "fields") {
                assert_eq!(case.sample(family, "", key), Some(want * factor(key)), "{} {key}", case.name);
            }
        }
        let fields = case.facts.metrics(family, &Entity::host(SubjectId(0))).map_or(0, |all| all.len());
        assert_eq!(case.want("fields"), Some(fields as f64), "{}", case.name);
    });
}

#[test]
fn meminfo_and_vmstat() {
    by_name("proc-meminfo", &family::MEMINFO, |key| if key.starts_with("HugePages_") { 1.0 } else { KIB });
    by_name("proc-vmstat", &family::VMSTAT, |_| 1.0);
    for (kind, family, metric) in
        [("proc-meminfo", &family::MEMINFO, "HugePages_Total"), ("proc-vmstat", &family::VMSTAT, "pgfault")]
    {
        each(kind, |case| {
            if let Some(samples) = case.want("samples") {
                let list = case.facts.samples(family, &Entity::host(SubjectId(0)), metric);
                assert_eq!(list.len() as f64, samples, "{}", case.name);
                assert!(list.windows(2).all(|pair| pair[0].at < pair[1].at), "{}", case.name);
            }
        });
    }
}

#[test]
fn diskstats() {
    each("proc-diskstats", |case| {
        if let Some(most) = case.want.get("most_sectors") {
            let device = most["device"].as_str().unwrap();
            for (key, want) in most.as_object().unwrap().iter().filter(|(key, _)| *key != "device") {
                assert_eq!(case.sample(&family::DISKSTATS, device, key), number(want), "{} {key}", case.name);
            }
        }
        if let Some(samples) = case.want("samples") {
            let one = case.facts.entities(SubjectId(0), Kind::Disk).next().unwrap();
            assert_eq!(case.facts.samples(&family::DISKSTATS, one, "reads").len() as f64, samples, "{}", case.name);
        }
    });
}

#[test]
fn numactl() {
    each("numactl-H", |case| {
        assert_eq!(case.number("host.numa_nodes", ""), case.want("nodes"), "{}", case.name);
        for (node, want) in case.want["per_node"].as_object().unwrap() {
            let Some(Value::Cpus(cpus)) = case.value("numa_node.cpus", node) else { panic!("{} {node}", case.name) };
            assert_eq!(Some(cpus.len() as f64), number(&want["cpus"]), "{}", case.name);
            for (fact, key) in [("numa_node.mem_total", "size_mb"), ("numa_node.mem_free", "free_mb")] {
                assert_eq!(case.number(fact, node), number(&want[key]).map(|mb| mb * MIB), "{} {key}", case.name);
            }
        }
        for (node, row) in case.want["distances"].as_array().unwrap().iter().enumerate() {
            let want: Vec<String> = row.as_array().unwrap().iter().map(|d| d.to_string()).collect();
            let Some(Value::List(have)) = case.value("numa_node.distances", &node.to_string()) else {
                panic!("{}", case.name)
            };
            assert_eq!(have.iter().map(|d| d.to_string()).collect::<Vec<_>>(), want, "{}", case.name);
        }
    });
}

#[test]
fn numastat() {
    each("numastat", |case| {
        let process = case.names(Kind::Process).first().cloned().unwrap_or_default();
        for (key, want) in case.want.as_object().unwrap() {
            let Some(cells) = want.as_array() else { continue };
            let nodes = case.names(Kind::Node).len().max(cells.len() - 1);
            for (node, want) in cells.iter().take(nodes).enumerate() {
                let node_name = node.to_string();
                let (have, factor) = match key.as_str() {
                    "Total" => (case.sample(&family::PID, &process, &format!("numa.{node}")), MIB),
                    "Private" | "Huge" => {
                        (case.sample(&family::PID, &process, &format!("numa.{node}.{}", key.to_lowercase())), MIB)
                    }
                    key if key.starts_with("numa_") => (case.sample(&family::NODE_STAT, &node_name, key), 1.0),
                    key => (case.sample(&family::NODE_MEMINFO, &node_name, key), MIB),
                };
                assert_eq!(have, number(want).map(|value| value * factor), "{} {key} {node}", case.name);
            }
        }
    });
}

#[test]
fn sys_node() {
    each("sys-node", |case| {
        let node = case.name.split("node").last().unwrap().split('-').next().unwrap().to_owned();
        for (key, want) in case.want.as_object().unwrap() {
            match key.as_str() {
                "list" => {
                    let want =
                        CpuSet::parse_list(&want.as_str().map_or_else(|| want.to_string(), str::to_owned)).unwrap();
                    assert_eq!(case.value("numa_node.cpus", &node), Some(Value::Cpus(want)), "{}", case.name);
                }
                "distances" => {
                    let Some(Value::List(have)) = case.value("numa_node.distances", &node) else {
                        panic!("{}", case.name)
                    };
                    let want: Vec<String> = want.as_array().unwrap().iter().map(|d| d.to_string()).collect();
                    assert_eq!(have.iter().map(|d| d.to_string()).collect::<Vec<_>>(), want, "{}", case.name);
                }
                "count" | "_basis" => {}
                "HugePages_Total" => {
                    assert_eq!(case.sample(&family::NODE_MEMINFO, &node, key), number(want), "{}", case.name)
                }
                key if key.starts_with(char::is_uppercase) => {
                    let have = case.sample(&family::NODE_MEMINFO, &node, key);
                    assert_eq!(have, number(want).map(|kb| kb * KIB), "{} {key}", case.name);
                }
                key => assert_eq!(case.sample(&family::NODE_STAT, &node, key), number(want), "{} {key}", case.name),
            }
        }
    });
}

#[test]
fn rabbitmq() {
    each("rabbitmq", |case| {
        let host = Entity::host(SubjectId(0));
        let items = case.want("items").unwrap_or_default();
        if case.want.get("messages_total").is_some() {
            let queues = case.names(Kind::BrokerQueue);
            assert_eq!(queues.len() as f64, items, "{}", case.name);
            for (key, metric) in [("messages_total", "messages"), ("consumers_total", "consumers")] {
                let sum: f64 = queues.iter().filter_map(|one| case.sample(&family::QUEUE_STATS, one, metric)).sum();
                assert_eq!(Some(sum), case.want(key), "{} {key}", case.name);
            }
        }
        if let Some(version) = case.want.get("rabbitmq_version").and_then(Json::as_str) {
            assert_eq!(case.value("host.broker_version", ""), Some(Value::Text(version.into())), "{}", case.name);
        }
        for group in ["queue_totals", "object_totals"] {
            for (key, want) in case.want.get(group).and_then(Json::as_object).into_iter().flatten() {
                let samples = case.facts.samples(&family::BROKER, &host, &format!("{group}.{key}"));
                assert_eq!(samples.first().map(|s| s.value), number(want), "{} {key}", case.name);
            }
        }
        // Rows less the header of each listing.
        let rows = |kind: Kind| case.names(kind).len() as f64;
        match case.name.as_str() {
            "rabbitmq/36-consumers" => assert_eq!(rows(Kind::Consumer) + 1.0, case.want("tab_rows").unwrap()),
            "rabbitmq/36-queues" | "rabbitmq/38-list-queues" => {
                assert_eq!(rows(Kind::BrokerQueue) + 1.0, case.want("tab_rows").unwrap(), "{}", case.name);
            }
            "rabbitmq/38-list-connections" => {
                assert_eq!(rows(Kind::Connection) + 1.0, case.want("tab_rows").unwrap());
            }
            _ => {}
        }
    });
}

#[test]
fn prometheus() {
    each("prometheus-text", |case| {
        let all: Vec<(String, f64)> = case
            .facts
            .iter_samples()
            .filter(|(family, ..)| *family == "prom")
            .flat_map(|(_, _, metric, list)| list.iter().map(move |sample| (metric.to_owned(), sample.value)))
            .collect();
        // Values that are no number (NaN, infinite) and names too long to keep whole are left out, and nothing else.
        let most = case.want("samples").unwrap();
        assert!(
            all.len() as f64 <= most && all.len() as f64 + 1.0 >= most * 0.97,
            "{}: {} of {most}",
            case.name,
            all.len()
        );
        let value = |name: &str| all.iter().find(|(metric, _)| metric == name).map(|(_, value)| *value);
        for (key, want) in case.want.as_object().unwrap() {
            if key.starts_with("go_") && number(want).is_some_and(f64::is_finite) {
                assert_eq!(value(key), number(want), "{} {key}", case.name);
            }
        }
        for bucket in case.want.get("sched_latency_buckets").and_then(Json::as_array).into_iter().flatten() {
            let le = bucket[0].as_str().map_or_else(|| bucket[0].to_string(), str::to_owned);
            let name = format!("go_sched_latencies_seconds_bucket{{le=\"{le}\"}}");
            assert_eq!(value(&name), number(&bucket[1]), "{} {name}", case.name);
        }
    });
}

#[test]
fn zoneinfo_and_buddyinfo() {
    each("proc-zoneinfo", |case| {
        for zone in case.want["zones"].as_array().unwrap() {
            let (node, name) = (zone["node"].to_string(), zone["zone"].as_str().unwrap());
            for key in ["free", "min", "low", "high", "managed"] {
                if let Some(want) = number(&zone[key]) {
                    let have = case.sample(&family::ZONE, &node, &format!("{name}.{key}"));
                    assert_eq!(have, Some(want), "{} {node} {name} {key}", case.name);
                }
            }
        }
    });
    each("proc-buddyinfo", |case| {
        for zone in case.want["zones"].as_array().unwrap() {
            let (node, name) = (zone["node"].to_string(), zone["zone"].as_str().unwrap());
            for (order, want) in zone["free_by_order"].as_array().unwrap().iter().enumerate() {
                let have = case.sample(&family::BUDDY, &node, &format!("{name}.{order}"));
                assert_eq!(have, number(want), "{} {node} {name} {order}", case.name);
            }
        }
    });
}

#[test]
fn swaps_and_slabs() {
    each("proc-swaps", |case| {
        let rows = case.want["rows"].as_array().cloned().unwrap_or_default();
        let sum = |key: &str| Some(rows.iter().filter_map(|row| number(&row[key])).sum::<f64>() * KIB);
        assert_eq!(case.number("host.swap_total", ""), sum("size_kb"), "{}", case.name);
        assert_eq!(case.number("host.swap_used", ""), sum("used_kb"), "{}", case.name);
        let Some(Value::List(devices)) = case.value("host.swap_devices", "") else { panic!("{}", case.name) };
        assert_eq!(Some(devices.len() as f64), case.want("devices"), "{}", case.name);
    });
    each("proc-slabinfo", |case| {
        let largest = &case.want["largest"];
        let name = largest["name"].as_str().unwrap();
        for (key, metric) in [("active", "active_objs"), ("total", "num_objs"), ("size", "objsize")] {
            let have = case.sample(&family::SLAB, "", &format!("{name}.{metric}"));
            assert_eq!(have, number(&largest[key]), "{} {metric}", case.name);
        }
        assert_eq!(case.value("host.slab_largest", ""), Some(Value::Text(name.into())), "{}", case.name);
        let caches = case.facts.metrics(&family::SLAB, &Entity::host(SubjectId(0))).map_or(0, |all| all.len());
        assert_eq!(Some(caches as f64 / 3.0), case.want("caches"), "{}", case.name);
    });
}

#[test]
fn sysctl() {
    each("sysctl-a", |case| {
        for (key, want) in case.want.as_object().unwrap() {
            if let Some(want) = number(want).filter(|_| key.contains('.')) {
                assert_eq!(case.sample(&family::SYSCTL, "", key), Some(want), "{} {key}", case.name);
            }
            if let Some(words) = want.as_str().filter(|text| key == "net.ipv4.tcp_rmem" && text.contains('\t')) {
                for (at, word) in words.split_whitespace().enumerate() {
                    let have = case.sample(&family::SYSCTL, "", &format!("{key}.{at}"));
                    assert_eq!(have, word.parse().ok(), "{} {key}.{at}", case.name);
                }
            }
        }
        assert_eq!(case.number("host.somaxconn", ""), case.want("net.core.somaxconn"), "{}", case.name);
        assert_eq!(case.number("host.swappiness", ""), case.want("vm.swappiness"), "{}", case.name);
    });
}

#[test]
fn mounts() {
    for kind in ["proc-mounts", "mount"] {
        each(kind, |case| {
            let mut types: BTreeMap<String, f64> = BTreeMap::new();
            let def = find("mount.fstype").unwrap();
            for one in case.facts.entities(SubjectId(0), Kind::Mount) {
                for reading in case.facts.readings(def, one) {
                    if let Value::Text(text) = &reading.value {
                        *types.entry(text.to_string()).or_default() += 1.0;
                    }
                }
            }
            assert_eq!(Some(types.values().sum()), case.want("mounts"), "{}", case.name);
            let want = case.want["types"].as_object().unwrap();
            assert_eq!(types.len(), want.len(), "{}", case.name);
            for (name, count) in want {
                assert_eq!(types.get(name).copied(), number(count), "{} {name}", case.name);
            }
        });
    }
}

/// Size with a suffix as `df -h` and lsblk print it.
fn human(text: &str, bare: f64) -> Option<f64> {
    let (digits, unit) = text.split_at(text.find(|c: char| c.is_ascii_uppercase()).unwrap_or(text.len()));
    let factor = match unit {
        "" => bare,
        "K" => KIB,
        "M" => MIB,
        "G" => MIB * KIB,
        "T" => MIB * MIB,
        _ => return None,
    };
    Some(digits.parse::<f64>().ok()? * factor)
}

#[test]
fn df() {
    each("df", |case| {
        let root: Vec<&str> = case.want["root"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
        let inodes = case.want["header"].as_array().unwrap().iter().any(|word| word == "Inodes");
        let names = if inodes {
            ["mount.inodes", "mount.inodes_used", "mount.inodes_free"]
        } else {
            ["mount.size", "mount.used", "mount.avail"]
        };
        if let [source, cells @ .., _, "/"] = root.as_slice()
            && cells.len() == 3
            && cells[0] != "-"
        {
            assert_eq!(case.value("mount.source", "/"), Some(Value::Text((*source).into())), "{}", case.name);
            for (fact, cell) in names.iter().zip(cells) {
                let want = human(cell, if inodes { 1.0 } else { KIB });
                assert_eq!(case.number(fact, "/"), want, "{} {fact}", case.name);
            }
        }
    });
}

#[test]
fn lsblk() {
    each("lsblk", |case| {
        let disks = case.names(Kind::Disk);
        let names = case.want.get("names").and_then(Json::as_array).cloned().unwrap_or_default();
        for name in names.iter().filter_map(Json::as_str) {
            // Mapper names with the kernel's name behind are known by that one.
            let plain = name.trim_start_matches("/dev/");
            let kernel = disks.iter().any(|disk| disk.starts_with("dm-"));
            assert!(kernel || disks.iter().any(|disk| disk == plain), "{} {name} of {disks:?}", case.name);
        }
    });
}

#[test]
fn nvme() {
    each("nvme", |case| {
        let device = case.names(Kind::Disk).first().cloned().unwrap_or_default();
        for (key, want) in case.want.as_object().unwrap() {
            let (metric, want) = match key.as_str() {
                "ebs_volume_exceeded_us" => {
                    for (key, metric) in [("iops", "iops"), ("throughput", "tp")] {
                        let name = format!("ebs_volume_performance_exceeded_{metric}");
                        assert_eq!(case.sample(&family::NVME, &device, &name), number(&want[key]), "{}", case.name);
                    }
                    continue;
                }
                "_basis" => continue,
                "Percentage Used" => ("percentage_used", want),
                "Data Units Read" => ("data_units_read", want),
                "Media and Data Integrity Errors" => ("media_errors", want),
                key => (key, want),
            };
            let text = want.as_str().map_or_else(|| want.to_string(), str::to_owned);
            let digits: String = text.split('[').next().unwrap().chars().filter(char::is_ascii_digit).collect();
            assert_eq!(case.sample(&family::NVME, &device, metric), digits.parse().ok(), "{} {key}", case.name);
        }
    });
}
