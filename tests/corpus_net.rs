//! Values of the corpus for the kernel's CPU, interrupt and network files, ethtool, ip, tc and cgroups, against the
//! `.expected.json` beside each file. The corpus lies beside the repository (`../shared`, or `CORONER_SHARED`).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use coroner::bundle::{Input, Limits};
use coroner::facts::schema::keys::{cgroup, family, host, irq, nic};
use coroner::facts::{Entity, FactDef, Facts, Family, Kind, SubjectId, Value};
use coroner::parse::run::{Single, load, parse_bytes};
use serde_json::Value as Json;

fn shared() -> Option<PathBuf> {
    let root = std::env::var_os("CORONER_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let found = root.join("corpus").is_dir();
    if !found {
        eprintln!("skipped: no corpus at {}", root.display());
    }
    found.then_some(root)
}

/// One capture with what it must say.
struct Case {
    id: String,
    have: Single,
    want: Json,
}

const SUBJECT: SubjectId = SubjectId(0);

fn entity(kind: Kind, name: &str) -> Entity {
    Entity::new(SUBJECT, kind, name)
}

impl Case {
    /// First sample of a metric.
    fn sample(&self, family: &Family, name: &str, metric: &str) -> Option<f64> {
        self.have.facts.samples(family, &entity(family.kind, name), metric).first().map(|sample| sample.value)
    }

    fn fact(&self, def: &FactDef, name: &str) -> Option<&Value> {
        self.have.facts.get(def, &entity(def.kind, name)).ok().map(|reading| &reading.value)
    }

    fn number(&self, def: &FactDef, name: &str) -> Option<f64> {
        self.fact(def, name).and_then(Value::number)
    }

    /// The only entity of a kind.
    fn only(&self, kind: Kind) -> String {
        let names: Vec<String> = self.have.facts.entities(SUBJECT, kind).map(|one| one.name.to_string()).collect();
        assert_eq!(names.len(), 1, "{}: entities {names:?}", self.id);
        names.into_iter().next().unwrap()
    }

    #[track_caller]
    fn same(&self, what: &str, have: Option<f64>, want: &Json) {
        assert_eq!(have, want.as_f64(), "{}: {what}", self.id);
    }
}

/// Runs a check over every capture of a kind that has an expectation; says how many there were.
fn each(kind: &str, least: usize, check: impl Fn(&Case)) {
    let Some(root) = shared() else { return };
    let folder = root.join("corpus").join(kind);
    let mut seen = 0;
    for file in fs::read_dir(&folder).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".expected.json") else { continue };
        let want: Json = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let input = ["txt", "json"].iter().map(|ext| folder.join(format!("{stem}.{ext}"))).find(|path| path.exists());
        let Some(input) = input else { continue };
        let bytes = fs::read(&input).unwrap();
        check(&Case { id: format!("{kind}/{stem}"), have: parse_bytes(&path_for(kind, stem), &bytes), want });
        seen += 1;
    }
    assert!(seen >= least, "{kind}: only {seen} captures");
}

/// Names say what bare values are; everything else is read under a name that says nothing.
fn path_for(kind: &str, stem: &str) -> String {
    let file = stem.rsplit('-').next().unwrap();
    match kind {
        "cgroup" if stem.contains("stat-") => "sys/fs/cgroup/a/cpu.stat".to_owned(),
        "cgroup" => format!("sys/fs/cgroup/a/{file}"),
        "pressure" => format!("proc/pressure/{file}"),
        "irq-affinity" => match stem.split('-').find_map(|part| part.strip_prefix("irq")) {
            Some(number) => format!("proc/irq/{number}/{file}"),
            None => "proc/irq/default_smp_affinity".to_owned(),
        },
        "ethtool-S" => "cmd/ethtool_-S_eth0.txt".to_owned(),
        "ethtool-i" => "cmd/ethtool_-i_eth0.txt".to_owned(),
        "sys-cpu" => format!("sys/devices/system/cpu/{file}"),
        _ => "paste.txt".to_owned(),
    }
}

fn entities(facts: &Facts, kind: Kind) -> usize {
    facts.entities(SUBJECT, kind).count()
}

fn object(value: &Json) -> impl Iterator<Item = (&String, &Json)> {
    value.as_object().into_iter().flatten()
}

#[test]
fn proc_stat() {
    const TICKS: [&str; 10] =
        ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"];
    each("proc-stat", 12, |case| {
        let first = case.want.get("documents").map_or(&case.want, |all| &all[0]);
        for (metric, want) in TICKS.iter().zip(first["total"].as_array().unwrap()) {
            case.same(metric, case.sample(&family::HOST_STAT, "", metric), want);
        }
        let cpu = first["first_cpu"]["cpu"].to_string();
        for (metric, want) in TICKS.iter().zip(first["first_cpu"]["values"].as_array().unwrap()) {
            case.same(metric, case.sample(&family::PROC_STAT, &cpu, metric), want);
        }
        for key in ["ctxt", "btime", "processes", "procs_running", "procs_blocked"] {
            case.same(key, case.sample(&family::HOST_STAT, "", key), &first[key]);
        }
        case.same("intr", case.sample(&family::HOST_STAT, "", "intr"), &first["intr"]["total"]);
        if first.get("softirq").is_some() {
            case.same("softirqs", case.sample(&family::HOST_STAT, "", "softirqs"), &first["softirq"]["total"]);
        }
        if case.want.get("documents").is_none() {
            assert_eq!(Some(entities(&case.have.facts, Kind::Cpu) as f64), first["cpus"].as_f64(), "{}", case.id);
        }
    });
}

#[test]
fn proc_softirqs() {
    each("proc-softirqs", 9, |case| {
        let cpus: Vec<String> = case.have.facts.entities(SUBJECT, Kind::Cpu).map(|one| one.name.to_string()).collect();
        // Columns are possible CPUs; those that never ran are no CPUs of the host.
        assert!(!cpus.is_empty() && Some(cpus.len() as u64) <= case.want["cpu_columns"].as_u64(), "{}", case.id);
        let ran = |cpu: &String| {
            case.sample(&family::SOFTIRQS, cpu, "TIMER") != Some(0.0)
                || case.sample(&family::SOFTIRQS, cpu, "RCU") != Some(0.0)
        };
        assert!(cpus.iter().all(ran), "{}: CPUs that never ran", case.id);
        for (kind, want) in object(&case.want).filter(|(key, _)| !key.starts_with('_') && *key != "cpu_columns") {
            let total: f64 = cpus.iter().filter_map(|cpu| case.sample(&family::SOFTIRQS, cpu, kind)).sum();
            case.same(kind, Some(total), &want["total"]);
            if want.get("cpu0").is_some() {
                case.same(kind, case.sample(&family::SOFTIRQS, "0", kind), &want["cpu0"]);
            }
        }
    });
}

#[test]
fn proc_interrupts() {
    each("proc-interrupts", 18, |case| {
        let samples = case.want["samples"].as_u64().or(case.want["samples"].as_array().map(|all| all.len() as u64));
        if let Some(samples) = samples {
            let list = case.have.facts.samples(&family::INTERRUPTS, &entity(Kind::Irq, "0"), "0");
            assert_eq!(list.len() as u64, samples, "{}", case.id);
            assert!(list.iter().all(|sample| sample.at.is_some()), "{}", case.id);
            return;
        }
        let first = &case.want;
        let total = |name: &str| -> f64 {
            case.have
                .facts
                .metrics(&family::INTERRUPTS, &entity(Kind::Irq, name))
                .map(|all| all.iter().filter(|(cpu, _)| &***cpu != "total").map(|(_, list)| list[0].value).sum())
                .unwrap_or(f64::NAN)
        };
        let cpus: BTreeSet<u64> = match first["cpus"].as_array() {
            Some(list) => list.iter().filter_map(Json::as_u64).collect(),
            None => (first["cpus"]["first"].as_u64().unwrap()..=first["cpus"]["last"].as_u64().unwrap()).collect(),
        };
        let have: BTreeSet<u64> = case
            .have
            .facts
            .entities(SUBJECT, Kind::Irq)
            .filter_map(|one| case.have.facts.metrics(&family::INTERRUPTS, one))
            .flat_map(|all| all.keys().filter_map(|cpu| cpu.parse().ok()).collect::<Vec<u64>>())
            .collect();
        assert_eq!(have, cpus, "{}", case.id);
        let numeric =
            case.have.facts.entities(SUBJECT, Kind::Irq).filter(|one| one.name.parse::<u32>().is_ok()).count();
        assert_eq!(Some(numeric as u64), first["numeric_irqs"].as_u64(), "{}", case.id);
        for label in ["LOC", "RES", "NMI"] {
            if let Some(want) = first.get(format!("{label}_total")) {
                case.same(label, Some(total(label)), want);
            }
        }
        let busiest = &first["busiest_numeric_irq"];
        let number = busiest["irq"].to_string();
        case.same("busiest", Some(total(&number)), &busiest["total"]);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(Value::Text(name)) = case.fact(&irq::NAME, &number) {
            let label = words(busiest["label"].as_str().unwrap());
            assert!(label.ends_with(&words(name)), "{}: '{name}' of '{label}'", case.id);
        }
    });
}

#[test]
fn softnet_stat() {
    each("proc-net-softnet_stat", 11, |case| {
        let cpus: Vec<String> = case.have.facts.entities(SUBJECT, Kind::Cpu).map(|one| one.name.to_string()).collect();
        assert_eq!(Some(cpus.len() as u64), case.want["rows"].as_u64(), "{}", case.id);
        for metric in ["processed", "dropped", "time_squeeze"] {
            let total: f64 = cpus.iter().filter_map(|cpu| case.sample(&family::SOFTNET, cpu, metric)).sum();
            case.same(metric, Some(total), &case.want[format!("{metric}_total")]);
        }
    });
}

#[test]
fn pressure() {
    each("pressure", 10, |case| {
        let resource = case.id.rsplit('-').next().unwrap();
        for (level, values) in object(&case.want).filter(|(key, _)| matches!(key.as_str(), "some" | "full")) {
            for (key, want) in object(values) {
                let metric = format!("{resource}.{level}.{}", if key == "total_us" { "total" } else { key.as_str() });
                case.same(&metric, case.sample(&family::PRESSURE, "", &metric), want);
            }
        }
        if case.want.get("full").is_none() {
            assert_eq!(case.sample(&family::PRESSURE, "", &format!("{resource}.full.total")), None, "{}", case.id);
        }
    });
}

#[test]
fn loadavg_and_cmdline() {
    each("proc-loadavg", 4, |case| {
        let all: Vec<f64> =
            [&host::LOAD1, &host::LOAD5, &host::LOAD15].iter().filter_map(|def| case.number(def, "")).collect();
        let want: Vec<f64> = match case.want.get("load") {
            Some(list) => list.as_array().unwrap().iter().filter_map(Json::as_f64).collect(),
            None => ["1", "5", "15"].iter().filter_map(|m| case.want.get(format!("load{m}"))?.as_f64()).collect(),
        };
        if !want.is_empty() {
            assert_eq!(all, want, "{}", case.id);
        }
        assert_eq!(all.len(), 3, "{}", case.id);
    });
    each("proc-cmdline", 5, |case| {
        assert!(
            matches!(case.fact(&host::CMDLINE, ""), Some(Value::Text(text)) if text.contains("root=")),
            "{}",
            case.id
        );
    });
}

#[test]
fn ethtool_channels_and_rings() {
    let sum = |section: &Json, key: &str| -> Option<f64> {
        let one = |key: &str| section.get(key).and_then(Json::as_f64);
        match (one(key), one("Combined")) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
        }
    };
    each("ethtool-l", 7, |case| {
        let name =
            case.have.facts.entities(SUBJECT, Kind::Nic).next().map(|one| one.name.to_string()).unwrap_or_default();
        // Of files with several outputs the expectation holds the first one, which may be that of -g.
        if case.want["maximum"].get("RX Mini").is_some() {
            case.same("ring", case.number(&nic::RING_RX_MAX, &name), &case.want["maximum"]["RX"]);
            assert!(case.number(&nic::CHANNELS_MAX, &name).is_some(), "{}", case.id);
            return;
        }
        for (section, def) in [("maximum", &nic::CHANNELS_MAX), ("current", &nic::CHANNELS_NOW)] {
            assert_eq!(case.number(def, &name), sum(&case.want[section], "RX"), "{}: {section}", case.id);
        }
    });
    each("ethtool-g", 11, |case| {
        let Some(name) = case.have.facts.entities(SUBJECT, Kind::Nic).next().map(|one| one.name.to_string()) else {
            assert!(case.want.get("text").is_some(), "{}: no NIC", case.id);
            return;
        };
        for (section, key, def) in [
            ("maximum", "RX", &nic::RING_RX_MAX),
            ("current", "RX", &nic::RING_RX_NOW),
            ("maximum", "TX", &nic::RING_TX_MAX),
            ("current", "TX", &nic::RING_TX_NOW),
        ] {
            if let Some(want) = case.want.get(section) {
                case.same(section, case.number(def, &name), &want[key]);
            }
        }
    });
}

#[test]
fn ethtool_statistics() {
    each("ethtool-S", 20, |case| {
        let metrics = case.have.facts.metrics(&family::NIC_STATS, &entity(Kind::Nic, "eth0"));
        let Some(distinct) = case.want["distinct"].as_u64() else {
            assert!(metrics.is_none(), "{}: counters from an error text", case.id);
            return;
        };
        let metrics = metrics.unwrap();
        // vmxnet3 repeats its names under each queue: ours are qualified, theirs (as listed) are not.
        if !case.id.contains("vmxnet3") {
            assert_eq!(metrics.len() as u64, distinct, "{}", case.id);
            for group in ["first", "nonzero_problem_counters"] {
                for (name, want) in object(&case.want[group]) {
                    case.same(name, case.sample(&family::NIC_STATS, "eth0", name), want);
                }
            }
        } else {
            assert!(metrics.len() as u64 > distinct, "{}", case.id);
            assert!(metrics.keys().any(|name| &**name == "rx_queue_0_ucast pkts rx"), "{}", case.id);
        }
    });
}

#[test]
fn ethtool_driver_and_table() {
    each("ethtool-i", 10, |case| {
        for (key, def) in [
            ("driver", &nic::DRIVER),
            ("version", &nic::DRIVER_VERSION),
            ("firmware-version", &nic::FIRMWARE),
            ("bus-info", &nic::BUS),
        ] {
            let want = case.want.get(key).and_then(Json::as_str).filter(|text| !matches!(*text, "" | "N/A"));
            let have = case.fact(def, "eth0").map(|value| match value {
                Value::Text(text) => text.to_string(),
                other => format!("{other:?}"),
            });
            assert_eq!(have.as_deref(), want, "{}: {key}", case.id);
        }
    });
    each("ethtool-x", 5, |case| {
        let name = case.only(Kind::Nic);
        case.same("rings", case.number(&nic::RX_RINGS, &name), &case.want["rings"]);
        let used = case.want["rings_used"].as_f64().filter(|used| *used > 0.0);
        assert_eq!(case.number(&nic::TABLE_QUEUES, &name), used, "{}", case.id);
    });
}

#[test]
fn irq_affinity() {
    each("irq-affinity", 13, |case| {
        let (def, name) = match case.id.split("irq").nth(2).and_then(|rest| rest.split('-').next()) {
            Some(number) => (&irq::AFFINITY, number),
            None => (&host::DEFAULT_IRQ_AFFINITY, ""),
        };
        let Some(Value::Cpus(set)) = case.fact(def, name) else { panic!("{}: no set", case.id) };
        assert_eq!(Some(set.len() as u64), case.want["count"].as_u64(), "{}", case.id);
        if let Some(list) = case.want["list"].as_str() {
            assert_eq!(set.to_string(), list, "{}", case.id);
        }
        if let Some(cpus) = case.want["cpus"].as_array() {
            let want: Vec<u64> = cpus.iter().filter_map(Json::as_u64).collect();
            assert_eq!(set.iter().map(u64::from).collect::<Vec<_>>(), want, "{}", case.id);
        }
    });
}

#[test]
fn cgroup_files() {
    each("cgroup", 15, |case| {
        let file = path_for("cgroup", case.id.rsplit('/').next().unwrap());
        let file = file.rsplit('/').next().unwrap();
        for (key, want) in object(&case.want["values"]) {
            let metric = match key.as_str() {
                "throttled_time" => "throttled_usec",
                other => other,
            };
            let want = if key == "throttled_time" { want.as_f64().unwrap() / 1000.0 } else { want.as_f64().unwrap() };
            assert_eq!(
                case.sample(&family::CGROUP, "a", &format!("{file}.{metric}")),
                Some(want),
                "{}: {key}",
                case.id
            );
        }
        for level in ["some", "full"] {
            for (key, want) in object(&case.want[level]) {
                let metric = format!("{file}.{level}.{}", if key == "total_us" { "total" } else { key.as_str() });
                case.same(&metric, case.sample(&family::CGROUP, "a", &metric), want);
            }
        }
        if case.id.contains("docker-cpu.max") || case.id.contains("slice-cpu.max") {
            assert_eq!(case.fact(&cgroup::HAS_QUOTA, "a"), Some(&Value::Flag(false)), "{}", case.id);
        }
        if case.id.contains("telegraf-v2-cpu.max") {
            assert_eq!(case.number(&cgroup::QUOTA_CPUS, "a"), Some(48.0));
        }
    });
}

#[test]
fn net_counters() {
    each("proc-net-dev", 6, |case| {
        // Files of one process are of another namespace and give nothing; a neutral name cannot tell.
        assert_eq!(Some(entities(&case.have.facts, Kind::Nic) as u64), case.want["interfaces"].as_u64(), "{}", case.id);
        for (name, values) in object(&case.want["values"]) {
            for (metric, want) in object(values) {
                case.same(&format!("{name} {metric}"), case.sample(&family::NETDEV, name, metric), want);
            }
        }
    });
    for kind in ["proc-net-snmp", "proc-net-netstat"] {
        each(kind, 8, |case| {
            for group in ["Tcp", "Udp", "Ip", "TcpExt", "IpExt"] {
                for (name, want) in object(&case.want[group]) {
                    let metric = format!("{group}.{name}");
                    case.same(&metric, case.sample(&family::SNMP, "", &metric), want);
                }
            }
            let metrics = case.have.facts.metrics(&family::SNMP, &entity(Kind::Host, "")).unwrap();
            for (group, want) in object(&case.want["groups"]) {
                let start = format!("{group}.");
                let have = metrics.keys().filter(|name| name.starts_with(&start)).count();
                assert_eq!(Some(have as u64), want.as_u64(), "{}: {group}", case.id);
            }
        });
    }
    each("proc-net-sockstat", 7, |case| {
        for (name, values) in object(&case.want).filter(|(_, values)| values.is_object()) {
            for (key, want) in object(values) {
                let metric = format!("{name}.{key}");
                case.same(&metric, case.sample(&family::SOCKSTAT, "", &metric), want);
            }
        }
    });
}

#[test]
fn tools_that_print_counters() {
    each("nstat", 5, |case| {
        let have = case.have.facts.metrics(&family::SNMP, &entity(Kind::Host, "")).map_or(0, |all| all.len());
        assert_eq!(Some(have as u64), case.want["counters"].as_u64(), "{}", case.id);
        for (flat, dotted) in [
            ("TcpRetransSegs", "Tcp.RetransSegs"),
            ("TcpExtListenOverflows", "TcpExt.ListenOverflows"),
            ("TcpExtTCPTimeouts", "TcpExt.TCPTimeouts"),
            ("IpInReceives", "Ip.InReceives"),
            ("UdpInErrors", "Udp.InErrors"),
        ] {
            if let Some(want) = case.want.get(flat) {
                case.same(flat, case.sample(&family::SNMP, "", dotted), want);
            }
        }
    });
    each("netstat-s", 6, |case| {
        for (key, metric) in [
            ("retransmitted", "Tcp.RetransSegs"),
            ("segments_received", "Tcp.InSegs"),
            ("udp_receive_errors", "Udp.InErrors"),
        ] {
            if let Some(want) = case.want.get(key).filter(|want| want.is_number()) {
                case.same(key, case.sample(&family::SNMP, "", metric), want);
            }
        }
    });
    each("ip-s-link", 9, |case| {
        let (links, first) = match case.want["links"].as_array() {
            Some(list) => (Some(list.len() as u64), list),
            None => (case.want["links"].as_u64(), case.want["first"].as_array().unwrap()),
        };
        assert_eq!(Some(entities(&case.have.facts, Kind::Nic) as u64), links, "{}", case.id);
        for link in first {
            let name = link["name"].as_str().unwrap();
            let name = name.split('@').next().unwrap();
            case.same("mtu", case.number(&nic::MTU, name), &link["mtu"]);
            for (key, metric) in [
                ("rx_bytes", "rx_bytes"),
                ("rx_packets", "rx_packets"),
                ("rx_errors", "rx_errs"),
                ("rx_dropped", "rx_drop"),
                ("tx_bytes", "tx_bytes"),
                ("tx_packets", "tx_packets"),
            ] {
                if let Some(want) = link.get(key) {
                    case.same(&format!("{name} {key}"), case.sample(&family::NETDEV, name, metric), want);
                }
            }
        }
    });
    each("ss", 3, |case| {
        for (key, metric) in [("estab", "ss.estab"), ("closed", "ss.closed"), ("timewait", "ss.timewait")] {
            if let Some(want) = case.want.get(key) {
                case.same(key, case.sample(&family::SOCKSTAT, "", metric), want);
            }
        }
    });
}

#[test]
fn ethtool_link_pause_coalesce() {
    each("ethtool", 8, |case| {
        let Some(name) = case.have.facts.entities(SUBJECT, Kind::Nic).next().map(|one| one.name.to_string()) else {
            panic!("{}: no NIC", case.id);
        };
        let text = |key: &str| case.want.get(key).and_then(Json::as_str);
        let speed = text("Speed").and_then(|text| text.strip_suffix("Mb/s")?.parse::<f64>().ok());
        assert_eq!(case.number(&nic::SPEED, &name), speed.map(|mbit| mbit * 125_000.0), "{}", case.id);
        let link = text("Link detected").map(|text| Value::Flag(text == "yes"));
        assert_eq!(case.fact(&nic::STATE, &name), link.as_ref(), "{}", case.id);
    });
    each("ethtool-c", 9, |case| {
        let Some(name) = case.have.facts.entities(SUBJECT, Kind::Nic).next().map(|one| one.name.to_string()) else {
            assert!(case.want.get("text").is_some() || case.have.error.is_some(), "{}: no NIC", case.id);
            return;
        };
        let usecs = case.want.get("rx-usecs").and_then(Json::as_f64);
        let have = case.number(&nic::RX_COALESCE, &name).map(|seconds| (seconds * 1e6).round());
        assert_eq!(have, usecs, "{}", case.id);
        let adaptive = match case.want["adaptive"]["rx"].as_str() {
            Some("on") => Some(Value::Flag(true)),
            Some("off") => Some(Value::Flag(false)),
            _ => None,
        };
        assert_eq!(case.fact(&nic::ADAPTIVE_RX, &name), adaptive.as_ref(), "{}", case.id);
    });
    each("ethtool-a", 6, |case| {
        let name =
            case.have.facts.entities(SUBJECT, Kind::Nic).next().map(|one| one.name.to_string()).unwrap_or_default();
        for (key, def) in [("RX", &nic::PAUSE_RX), ("TX", &nic::PAUSE_TX)] {
            let want = case.want.get(key).and_then(Json::as_str).map(|text| Value::Flag(text == "on"));
            assert_eq!(case.fact(def, &name), want.as_ref(), "{}: {key}", case.id);
        }
    });
}

#[test]
fn qdisc_schedstat_cpuinfo_sys_cpu() {
    each("tc-s-qdisc", 7, |case| {
        let key = if case.want.get("drops").is_some() { "drops" } else { "dropped_total" };
        let roots = case.have.facts.sampled(&family::QDISC, SUBJECT);
        let total: f64 = roots.iter().filter_map(|one| case.sample(&family::QDISC, &one.name, "dropped")).sum();
        case.same(key, Some(total), &case.want[key]);
        assert!(!roots.is_empty() || case.id.contains("md-"), "{}: no root", case.id);
    });
    each("proc-schedstat", 1, |case| {
        for (at, metric) in [(6, "run_ns"), (7, "wait_ns"), (8, "slices")] {
            case.same(metric, case.sample(&family::SCHEDSTAT, "0", metric), &case.want["cpu0"][at]);
        }
    });
    each("proc-cpuinfo", 15, |case| {
        if let Some(cpus) = case.want.get("cpus") {
            case.same("cpus", case.number(&host::CPUS_ONLINE, ""), cpus);
        }
        for (key, def) in [("sockets", &host::SOCKETS), ("cores", &host::CORES)] {
            if let (Some(want), Some(have)) = (case.want.get(key), case.number(def, "")) {
                case.same(key, Some(have), want);
            }
        }
        if let Some(model) = case.want["model"].as_str() {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let Some(Value::Text(have)) = case.fact(&host::CPU_MODEL, "") else { panic!("{}: no model", case.id) };
            assert_eq!(words(have), words(model), "{}", case.id);
        }
    });
    each("sys-cpu", 18, |case| {
        let def = match Path::new(&path_for("sys-cpu", &case.id)).file_name().and_then(|name| name.to_str()) {
            Some("online") => &host::ONLINE_CPUS,
            Some("present") => &host::PRESENT_CPUS,
            Some("offline") => &host::NOT_ONLINE_CPUS,
            Some("isolated") => &host::ISOLATED_CPUS,
            _ => return,
        };
        let Some(Value::Cpus(set)) = case.fact(def, "") else { panic!("{}: no list", case.id) };
        assert_eq!(Some(set.len() as u64), case.want["count"].as_u64(), "{}", case.id);
    });
}

/// Ends of paths in the lab and golab archives, and the kind that must read them.
const LAB: &[(&str, &str)] = &[
    ("/proc/stat", "proc-stat"),
    ("proc_stat.t0.txt", "proc-stat"),
    ("/proc/softirqs", "proc-softirqs"),
    ("/proc/interrupts", "proc-interrupts"),
    ("/proc/net/softnet_stat", "proc-net-softnet_stat"),
    ("/proc/net/dev", "proc-net-dev"),
    ("/proc/net/snmp", "proc-net-snmp"),
    ("/proc/net/netstat", "proc-net-netstat"),
    ("/proc/net/udp", "proc-net-udp"),
    ("/proc/pressure/cpu", "pressure"),
    ("/proc/pressure/memory", "pressure"),
    ("pressure_cpu.t1.txt", "pressure"),
    ("/proc/uptime", "proc-uptime"),
    ("/timestamp", "timestamp"),
    ("/proc/loadavg", "proc-loadavg"),
    ("node/loadavg.t0.txt", "proc-loadavg"),
    ("/proc/schedstat", "proc-schedstat"),
    ("/cmd/proc_cmdline.txt", "proc-cmdline"),
    ("/irq/affinity.txt", "irq-affinity"),
    ("/cmd/sys_queues_eth0.txt", "sys-net"),
    ("/cmd/ethtool_-l_eth0.txt", "ethtool-l"),
    ("/cmd/ethtool_-g_eth0.txt", "ethtool-g"),
    ("/cmd/ethtool_-i_eth0.txt", "ethtool-i"),
    ("/cmd/ethtool_-x_eth0.txt", "ethtool-x"),
    ("/cmd/ethtool_-k_eth0.txt", "ethtool-k"),
    ("/cmd/ethtool_-c_eth0.txt", "ethtool-c"),
    ("/cmd/ethtool_eth0.txt", "ethtool"),
    ("/ethtool_-S_eth0.txt", "ethtool-S"),
    ("/cmd/ip_-s_-d_link.txt", "ip-s-link"),
    ("/cpu.stat", "cgroup"),
    ("/cpu.max", "cgroup"),
    ("/cpu.weight", "cgroup"),
    ("/cpu.shares", "cgroup"),
    ("/cpu.cfs_quota_us", "cgroup"),
    ("/cpu.pressure", "cgroup"),
    ("/memory.stat", "cgroup"),
    ("/memory.max", "cgroup"),
    ("/cpu.stat.t0", "cgroup"),
    ("/unified.cpu.stat.t1", "cgroup"),
    ("/cpu.stat.local.t0", "cgroup"),
];

#[test]
fn every_lab_file_is_read() {
    let Some(root) = shared() else { return };
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut archives: Vec<PathBuf> = fs::read_dir(root.join("lab")).unwrap().map(|file| file.unwrap().path()).collect();
    archives.push(root.join("golab/c-fixed/bundle.tar.gz"));
    for archive in archives {
        let loaded = load(&Input::Paths(vec![archive.clone()]), &Limits::default(), None).unwrap();
        for file in &loaded.walk.listed {
            let Some((end, kind)) = LAB.iter().find(|(end, _)| file.path.ends_with(end)) else { continue };
            let kinds = loaded.artifacts.iter().find(|have| have.path == file.path).map(|have| have.kinds.clone());
            assert_eq!(kinds, Some(vec![*kind]), "{}: {}", archive.display(), file.path);
            seen.insert(end);
        }
    }
    let unseen: Vec<&str> = LAB.iter().map(|(end, _)| *end).filter(|end| !seen.contains(end)).collect();
    assert!(unseen.is_empty(), "no such file: {unseen:?}");
}

/// A collapsed queue and a throttled group; numbers as they stand in the files of t0 and t1.
#[test]
fn lab_snapshots_give_their_numbers() {
    let Some(root) = shared() else { return };
    let before = |name: &str| {
        let archive = root.join("lab").join(format!("{name}.tar.gz"));
        load(&Input::Paths(vec![archive]), &Limits::default(), Some(&format!("{name}/before"))).unwrap()
    };
    let loaded = before("rss_collapse_virtio");
    let nic = entity(Kind::Nic, "eth0");
    assert_eq!(loaded.facts.number(&nic::CHANNELS_NOW, &nic), Some(1.0));
    assert_eq!(loaded.facts.number(&nic::CHANNELS_MAX, &nic), Some(4.0));
    // eth0's counters are in cmd/ip_-s_-d_link.txt too, read at another time than the snapshots.
    let packets = loaded.facts.change(&family::NETDEV, &nic, "rx_packets").unwrap();
    assert_eq!(packets.delta, 474_534.0 - 82_945.0);
    assert!(packets.dt.is_some_and(|dt| (dt - 12.98).abs() < 1e-6), "{packets:?}");

    let loaded = before("cfs_throttling");
    let group = entity(Kind::Cgroup, "victim");
    let periods = loaded.facts.change(&family::CGROUP, &group, "cpu.stat.nr_periods").unwrap();
    let throttled = loaded.facts.change(&family::CGROUP, &group, "cpu.stat.nr_throttled").unwrap();
    assert_eq!((periods.delta, throttled.delta), (162.0 - 29.0, 160.0 - 27.0));
    assert_eq!(loaded.facts.number(&cgroup::QUOTA_CPUS, &group), Some(0.2));
}
