//! Kernel settings: single files of `/proc/sys` and the list of `sysctl -a`. One dotted name, whatever the source.
//!
//! Settings that rules use are facts of the host; every numeric one is also a sample of family `sysctl`, so that a
//! derivation can reach any of them by name.

use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::SYSCTL;
use crate::facts::schema::keys::{host, memory, settings};
use crate::facts::{FactDef, Grade, Value};

pub static FILE: Parser = Parser {
    kind: "proc-sys-vm",
    names: &["*proc sys *", "proc.sys.*", "*proc.sys.*"],
    sniff: file_sniff,
    parse: file_parse,
    binary: false,
};
pub static NET_FILE: Parser = Parser {
    kind: "proc-sys-net",
    names: &["*proc sys net *", "proc.sys.net.*", "*proc.sys.net.*"],
    sniff: net_sniff,
    parse: file_parse,
    binary: false,
};
pub static LIST: Parser =
    Parser { kind: "sysctl-a", names: &["*sysctl*"], sniff: list_sniff, parse: list_parse, binary: false };

/// Setting, fact, factor to its base unit.
static KNOWN: &[(&str, &FactDef, f64)] = &[
    ("vm.swappiness", &memory::SWAPPINESS, 1.0),
    ("vm.dirty_ratio", &settings::DIRTY_RATIO, 0.01),
    ("vm.dirty_background_ratio", &settings::DIRTY_BACKGROUND_RATIO, 0.01),
    ("vm.dirty_bytes", &settings::DIRTY_BYTES, 1.0),
    ("vm.dirty_background_bytes", &settings::DIRTY_BACKGROUND_BYTES, 1.0),
    ("vm.min_free_kbytes", &settings::MIN_FREE, 1024.0),
    ("vm.watermark_scale_factor", &settings::WATERMARK_SCALE_FACTOR, 0.0001),
    ("vm.zone_reclaim_mode", &settings::ZONE_RECLAIM_MODE, 1.0),
    ("vm.overcommit_memory", &settings::OVERCOMMIT_MEMORY, 1.0),
    ("vm.overcommit_ratio", &settings::OVERCOMMIT_RATIO, 0.01),
    ("vm.max_map_count", &settings::MAX_MAP_COUNT, 1.0),
    ("vm.nr_hugepages", &settings::NR_HUGEPAGES, 1.0),
    ("vm.numa_stat", &settings::NUMA_STAT, 1.0),
    ("kernel.numa_balancing", &settings::NUMA_BALANCING, 1.0),
    ("kernel.pid_max", &settings::PID_MAX, 1.0),
    ("kernel.threads-max", &settings::THREADS_MAX, 1.0),
    ("kernel.sched_autogroup_enabled", &settings::SCHED_AUTOGROUP, 1.0),
    ("kernel.tainted", &settings::TAINTED, 1.0),
    ("kernel.random.entropy_avail", &settings::ENTROPY, 1.0),
    ("fs.file-max", &settings::FILE_MAX, 1.0),
    ("fs.aio-nr", &settings::AIO_NR, 1.0),
    ("fs.aio-max-nr", &settings::AIO_MAX_NR, 1.0),
    ("fs.inotify.max_user_watches", &settings::INOTIFY_WATCHES, 1.0),
    ("fs.inotify.max_user_instances", &settings::INOTIFY_INSTANCES, 1.0),
    ("net.core.somaxconn", &host::SOMAXCONN, 1.0),
    ("net.core.netdev_max_backlog", &host::NETDEV_BACKLOG, 1.0),
    ("net.core.netdev_budget", &host::NETDEV_BUDGET, 1.0),
    ("net.core.netdev_budget_usecs", &settings::NETDEV_BUDGET_TIME, 1e-6),
    ("net.core.rps_sock_flow_entries", &settings::RPS_SOCK_FLOW_ENTRIES, 1.0),
    ("net.core.busy_poll", &settings::BUSY_POLL, 1e-6),
    ("net.core.rmem_max", &settings::RMEM_MAX, 1.0),
    ("net.core.wmem_max", &settings::WMEM_MAX, 1.0),
    ("net.core.rmem_default", &settings::RMEM_DEFAULT, 1.0),
    ("net.ipv4.tcp_max_syn_backlog", &host::SYN_BACKLOG, 1.0),
    ("net.ipv4.tcp_syncookies", &host::SYNCOOKIES, 1.0),
    ("net.ipv4.tcp_max_orphans", &settings::TCP_MAX_ORPHANS, 1.0),
    ("net.ipv4.tcp_max_tw_buckets", &settings::TCP_MAX_TW_BUCKETS, 1.0),
    ("net.ipv4.tcp_tw_reuse", &settings::TCP_TW_REUSE, 1.0),
    ("net.ipv4.tcp_mtu_probing", &settings::TCP_MTU_PROBING, 1.0),
    ("net.ipv4.tcp_slow_start_after_idle", &settings::TCP_SLOW_START_AFTER_IDLE, 1.0),
    ("net.ipv4.tcp_abort_on_overflow", &settings::TCP_ABORT_ON_OVERFLOW, 1.0),
    ("net.ipv4.conf.all.rp_filter", &settings::RP_FILTER, 1.0),
    ("net.ipv4.neigh.default.gc_thresh1", &settings::NEIGH_GC_THRESH1, 1.0),
    ("net.ipv4.neigh.default.gc_thresh3", &settings::NEIGH_GC_THRESH3, 1.0),
    ("net.netfilter.nf_conntrack_max", &host::CONNTRACK_MAX, 1.0),
    ("net.nf_conntrack_max", &host::CONNTRACK_MAX, 1.0),
    ("net.ipv4.netfilter.ip_conntrack_max", &host::CONNTRACK_MAX, 1.0),
    ("net.netfilter.nf_conntrack_count", &host::CONNTRACK_COUNT, 1.0),
    ("net.netfilter.nf_conntrack_buckets", &settings::CONNTRACK_BUCKETS, 1.0),
];

/// Settings whose text counts.
static TEXTS: &[(&str, &FactDef)] = &[
    ("kernel.hostname", &host::HOSTNAME),
    ("kernel.osrelease", &host::KERNEL),
    ("kernel.random.boot_id", &host::BOOT_ID),
    ("net.ipv4.tcp_congestion_control", &settings::TCP_CONGESTION_CONTROL),
    ("net.core.default_qdisc", &settings::DEFAULT_QDISC),
];

/// Settings of several numbers: setting, index of the number, fact, factor.
static PARTS: &[(&str, usize, &FactDef, f64)] = &[
    ("fs.file-nr", 0, &settings::FILE_NR, 1.0),
    ("net.ipv4.ip_local_port_range", 0, &settings::PORT_RANGE_FIRST, 1.0),
    ("net.ipv4.ip_local_port_range", 1, &settings::PORT_RANGE_LAST, 1.0),
    ("net.ipv4.tcp_rmem", 1, &settings::TCP_RMEM_DEFAULT, 1.0),
    ("net.ipv4.tcp_rmem", 2, &settings::TCP_RMEM_MAX, 1.0),
    ("net.ipv4.tcp_wmem", 2, &settings::TCP_WMEM_MAX, 1.0),
    ("net.ipv4.tcp_mem", 2, &settings::TCP_MEM_MAX, 1.0),
];

/// Entries of `/proc/sys` that count something and so are no state.
const GAUGES: &[&str] = &["net.netfilter.nf_conntrack_count", "fs.file-nr", "fs.aio-nr", "kernel.random.entropy_avail"];

fn measure(name: &str, def: &'static FactDef, value: f64, line: u32, out: &mut Out) {
    let grade = if GAUGES.contains(&name) { Grade::Once } else { Grade::State };
    out.graded(def, "", Value::Num(value), grade, line);
}

fn setting(name: &str, value: &str, line: u32, out: &mut Out) {
    let words: Vec<&str> = value.split_whitespace().take(64).collect();
    let number = |word: &&str| word.parse::<i64>().ok().and_then(|_| word.parse::<f64>().ok());
    if let [one] = words.as_slice()
        && let Some(value) = number(one)
    {
        out.sample(&SYSCTL, "", name, value, line);
        // Zero means "the other one of ratio and bytes counts".
        let unset = value == 0.0 && matches!(name, "vm.dirty_bytes" | "vm.dirty_background_bytes");
        if let Some((_, def, factor)) = KNOWN.iter().find(|(have, ..)| *have == name).filter(|_| !unset) {
            measure(name, def, value * factor, line, out);
        }
    } else if words.len() > 1 && words.iter().all(|word| number(word).is_some()) {
        for (at, word) in words.iter().enumerate() {
            if let Some(value) = number(word) {
                out.sample(&SYSCTL, "", &format!("{name}.{at}"), value, line);
                if let Some((.., def, factor)) = PARTS.iter().find(|(have, part, ..)| *have == name && *part == at) {
                    measure(name, def, value * factor, line, out);
                }
            }
        }
    }
    if let Some((_, def)) = TEXTS.iter().find(|(have, _)| *have == name) {
        out.text(def, "", value, line);
    }
}

/// `vm.swappiness` from `proc/sys/vm/swappiness` or `proc.sys.vm.swappiness`.
fn name_of(doc: &Doc) -> Option<String> {
    let from = if doc.command.contains("proc/sys/") { doc.command } else { doc.path };
    if let Some((_, rest)) = from.split_once("proc/sys/") {
        let rest = rest.trim_end_matches(".txt");
        return Some(rest.split('/').map(|part| part.replace('.', "/")).collect::<Vec<_>>().join("."));
    }
    let (_, rest) = from.split_once("proc.sys.").or_else(|| from.split_once("proc_sys_"))?;
    let rest = rest.trim_end_matches(".txt");
    Some(if from.contains("proc_sys_") { rest.replacen('_', ".", 1) } else { rest.to_owned() })
}

fn file_sniff(doc: &Doc) -> Looks {
    let short = doc.text.lines().filter(|line| !line.trim().is_empty()).take(3).count();
    if name_of(doc).is_some() && (1..3).contains(&short) && doc.text.len() < 4096 { Looks::Maybe } else { Looks::No }
}

fn net_sniff(doc: &Doc) -> Looks {
    if name_of(doc).is_some_and(|name| name.starts_with("net.")) { file_sniff(doc) } else { Looks::No }
}

fn file_parse(doc: &Doc, out: &mut Out) {
    let Some(name) = name_of(doc) else { return };
    if let Some((line, text)) = doc.lines().find(|(_, text)| !text.trim().is_empty()) {
        setting(&name, text.trim(), line, out);
    }
}

/// `name = value`; the value may be empty or hold tabs.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(" =")?;
    let first = name.split('.').next()?;
    let root =
        ["vm", "net", "kernel", "fs", "abi", "dev", "debug", "crypto", "user", "sunrpc", "fscache", "binfmt_misc"];
    let dotted = name.contains('.') && !name.contains(char::is_whitespace);
    (root.contains(&first) && dotted && (value.is_empty() || value.starts_with(' '))).then(|| (name, value.trim()))
}

fn list_sniff(doc: &Doc) -> Looks {
    if doc.path.contains("etc/sysctl") {
        return Looks::No;
    }
    if doc.head().any(|line| entry(line).is_some()) {
        return Looks::Yes;
    }
    let complaint = |line: &str| line.starts_with("sysctl: ") || line.ends_with("is an unknown key");
    if doc.head().any(complaint) { Looks::Maybe } else { Looks::No }
}

fn list_parse(doc: &Doc, out: &mut Out) {
    for (line, text) in doc.lines() {
        if let Some((name, value)) = entry(text) {
            setting(name, value, line, out);
        }
    }
}
