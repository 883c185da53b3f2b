//! Parsers: one file format, one file. A parser turns the text of an artifact into facts and raw samples,
//! each with its line. It computes no rates, knows no rules, and never gives up: a bad line is a note.
//!
//! Adding one: write `parse/NAME.rs` with a `pub static PARSER`, add it to [`PARSERS`], add its facts to
//! the dictionary and a fixture to `tests/data/parse/NAME/`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::as_conversions)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::indexing_slicing))]

pub mod atop;
pub mod block_queue;
pub mod bundle_meta;
pub mod cgroup;
pub mod cloud;
pub mod containers;
pub mod cpu_row;
pub mod cpuinfo;
pub mod df;
pub mod diskstats;
pub mod doc;
pub mod ethtool;
pub mod free;
pub mod identity;
pub mod ifconfig;
pub mod interrupts;
pub mod iostat;
pub mod ip_link;
pub mod irq_affinity;
pub mod json;
pub mod log;
pub mod lsblk;
pub mod lscpu;
mod lscpu_labels;
pub mod meminfo;
pub mod mounts;
pub mod mpstat;
pub mod net_dev;
pub mod netstat;
pub mod netstat_s;
pub mod numactl;
pub mod numastat;
pub mod nvme;
pub mod out;
pub mod perf_stat;
pub mod pidstat;
pub mod pressure;
pub mod proc_net_stat;
pub mod proc_pid;
pub mod proc_small;
pub mod proc_stat;
pub mod proc_vmstat;
pub mod prometheus;
pub mod ps;
pub mod rabbitmq;
mod rabbitmq_row;
mod rabbitmq_tables;
pub mod recognise;
pub mod run;
pub mod sadf;
pub mod sar;
pub mod schedstat;
pub mod sections;
pub mod settings;
pub mod small_tools;
pub mod snmp;
pub mod sockstat;
pub mod softirqs;
pub mod softnet;
pub mod ss;
pub mod stamp;
pub mod stamped;
pub mod swaps;
pub mod sys_cpu;
pub mod sys_net;
pub mod sys_node;
pub mod sysstat;
pub mod table;
pub mod tasks;
pub mod tc_qdisc;
pub mod time;
pub mod top;
pub mod uptime;
pub mod vmstat;
pub mod work_queues;
pub mod zones;

pub use doc::Doc;
pub use out::Out;
pub use recognise::Looks;

/// A parser of one format.
pub struct Parser {
    /// Name of the format, as in `facts show` and in fixtures' folders.
    pub kind: &'static str,
    /// Names under which it is found: patterns over [`crate::bundle::layout::flat`] keys, `*` for any text.
    pub names: &'static [&'static str],
    /// What the first lines of the content say, whatever the file's name.
    pub sniff: fn(&Doc) -> Looks,
    pub parse: fn(&Doc, &mut Out),
    /// True for formats that are bytes, not text.
    pub binary: bool,
}

/// Every parser. Order decides only between equals, so more particular formats come first.
pub static PARSERS: &[&Parser] = &[
    &free::PARSER,
    &perf_stat::PARSER,
    &lscpu::PARSER,
    &meminfo::PARSER,
    &proc_vmstat::PARSER,
    &diskstats::PARSER,
    &numactl::PARSER,
    &numastat::PARSER,
    &sys_node::PARSER,
    &settings::LIST,
    &settings::NET_FILE,
    &settings::FILE,
    &zones::ZONEINFO,
    &zones::PAGETYPEINFO,
    &zones::BUDDYINFO,
    &swaps::SWAPS,
    &swaps::SLABINFO,
    &mounts::PROC_MOUNTS,
    &mounts::MOUNT,
    &mounts::FINDMNT,
    &df::PARSER,
    &lsblk::PARSER,
    &block_queue::PARSER,
    &nvme::PARSER,
    &cloud::CLOUDWATCH,
    &cloud::MACHINE,
    &work_queues::KAFKA,
    &work_queues::CELERY,
    &prometheus::PARSER,
    &rabbitmq::PARSER,
    &bundle_meta::META,
    &bundle_meta::MANIFEST,
    &identity::UNAME,
    &identity::VERSION,
    &identity::HOSTNAME,
    &identity::HOSTNAMECTL,
    &identity::NPROC,
    &identity::OS_RELEASE,
    &identity::PAGESIZE,
    &identity::DETECT_VIRT,
    &proc_stat::PARSER,
    &softirqs::PARSER,
    &interrupts::PARSER,
    &softnet::PARSER,
    &cgroup::PARSER,
    &pressure::PARSER,
    &proc_small::UPTIME_FILE,
    &proc_small::LOADAVG_FILE,
    &proc_small::CMDLINE,
    &proc_small::TIMESTAMP,
    &ethtool::settings::CHANNELS,
    &ethtool::settings::RINGS,
    &ethtool::driver::PARSER,
    &ethtool::indirection::PARSER,
    &ethtool::features::PARSER,
    &ethtool::stats::PARSER,
    &irq_affinity::PARSER,
    &mpstat::PARSER,
    &vmstat::PARSER,
    &iostat::PARSER,
    &pidstat::PARSER,
    &sar::PARSER,
    &top::PARSER,
    &uptime::PARSER,
    &ps::PARSER,
    &atop::PARSER,
    &small_tools::TASKSET,
    &small_tools::STACK,
    &small_tools::RUNQLEN,
    &small_tools::IOTOP,
    &net_dev::PARSER,
    &snmp::PROC_SNMP,
    &snmp::PROC_NETSTAT,
    &snmp::PROC_SNMP6,
    &snmp::NSTAT,
    &netstat_s::PARSER,
    &sockstat::PARSER,
    &sockstat::UDP,
    &netstat::PARSER,
    &ss::PARSER,
    &ethtool::link::PARSER,
    &ethtool::tuning::COALESCE,
    &ethtool::tuning::PAUSE,
    &ip_link::PARSER,
    &ifconfig::PARSER,
    &tc_qdisc::PARSER,
    &schedstat::PARSER,
    &cpuinfo::PARSER,
    &sys_cpu::PARSER,
    &sys_net::PARSER,
    &proc_net_stat::PARSER,
    &sockstat::TCP,
    &log::PARSER,
    &containers::KUBECTL,
    &containers::DOCKER,
    &proc_pid::stat::PARSER,
    &proc_pid::status::PARSER,
    &proc_pid::keyed::IO,
    &proc_pid::keyed::LIMITS,
    &proc_pid::keyed::SMAPS,
    &proc_pid::cgroup::PARSER,
    &proc_pid::numa_maps::PARSER,
    &proc_pid::sched::SCHED,
    &proc_pid::sched::SCHEDSTAT,
    &proc_pid::sched::DEBUG,
];
