//! Families of raw samples: counters and gauges as the kernel prints them, before any rate is computed.
//! Rules cannot read them; derivations turn them into facts.

use super::Kind;

/// A table of raw numbers of one origin. The metric's name inside is the kernel's or driver's own.
#[derive(Debug)]
pub struct Family {
    pub name: &'static str,
    pub kind: Kind,
    pub doc: &'static str,
    /// Command that takes one snapshot.
    pub collect: &'static str,
    /// Width in bits at which its counters wrap (softnet_stat prints u32), else 64.
    pub bits: u8,
}

impl PartialEq for Family {
    fn eq(&self, other: &Family) -> bool {
        self.name == other.name
    }
}

macro_rules! families {
    ($($key:ident $name:literal : $kind:ident $bits:literal, $doc:literal <- $cmd:literal;)+) => {
        pub mod keys {
            use super::{Family, Kind};
            $(
                #[doc = $doc]
                pub static $key: Family = Family { name: $name, kind: Kind::$kind, doc: $doc, collect: $cmd, bits: $bits };
            )+
            pub static ALL: &[&Family] = &[$(&$key),+];
        }
    };
}

families! {
    PROC_STAT "proc_stat": Cpu 64, "ticks per CPU: user nice system idle iowait irq softirq steal guest guest_nice (USER_HZ, 100/s on all current systems)" <- "cat /proc/stat";
    HOST_STAT "host_stat": Host 64, "/proc/stat: the cpu line (ticks) and ctxt, btime, processes, procs_running, procs_blocked" <- "cat /proc/stat";
    SOFTIRQS "softirqs": Cpu 64, "soft interrupts raised per CPU and kind (NET_RX, NET_TX, TIMER ...)" <- "cat /proc/softirqs";
    INTERRUPTS "interrupts": Irq 64, "interrupts per IRQ; the metric is the CPU number" <- "cat /proc/interrupts";
    SOFTNET "softnet": Cpu 32, "processed, dropped, time_squeeze, received_rps, flow_limit per CPU; the kernel prints u32" <- "cat /proc/net/softnet_stat";
    UPTIME "uptime": Host 64, "seconds since boot (uptime) and idle seconds of all CPUs (idle)" <- "cat /proc/uptime";
    NETDEV "netdev": Nic 64, "/proc/net/dev and ip -s link: rx_bytes rx_packets rx_errs rx_drop ... tx_*" <- "cat /proc/net/dev";
    NIC_STATS "nic_stats": Nic 64, "ethtool -S: the driver's own counters" <- "ethtool -S IFACE";
    SNMP "snmp": Host 64, "/proc/net/snmp and netstat counters as Group.Name (Tcp.RetransSegs, TcpExt.ListenOverflows)" <- "cat /proc/net/snmp /proc/net/netstat";
    SOCKSTAT "sockstat": Host 64, "/proc/net/sockstat as PROTO.field (TCP.inuse); gauges" <- "cat /proc/net/sockstat";
    VMSTAT "vmstat": Host 64, "/proc/vmstat by its own names; pages or events" <- "cat /proc/vmstat";
    MEMINFO "meminfo": Host 64, "/proc/meminfo in bytes (HugePages_* plain counts); gauges" <- "cat /proc/meminfo";
    DISKSTATS "diskstats": Disk 64, "/proc/diskstats: reads reads_merged read_sectors read_ms writes ... in_flight io_ms weighted_ms discards ... flushes flush_ms" <- "cat /proc/diskstats";
    PRESSURE "pressure": Host 64, "PSI as resource.some|full.total (microseconds) and .avg10 .avg60 .avg300 (percent)" <- "cat /proc/pressure/cpu /proc/pressure/io /proc/pressure/memory";
    LOADAVG "loadavg": Host 64, "load1 load5 load15 running tasks; gauges" <- "cat /proc/loadavg";
    NODE_STAT "node_stat": Node 64, "numa_hit numa_miss numa_foreign interleave_hit local_node other_node in pages; and node vmstat names" <- "cat /sys/devices/system/node/node*/numastat";
    NODE_MEMINFO "node_meminfo": Node 64, "per-node meminfo in bytes; gauges" <- "cat /sys/devices/system/node/node*/meminfo";
    ZONE "zone": Node 64, "zoneinfo gauges in pages as Zone.free|min|low|high|managed ...; name is the node" <- "cat /proc/zoneinfo";
    BUDDY "buddy": Node 64, "free blocks per order as Zone.order; gauges" <- "cat /proc/buddyinfo";
    CGROUP "cgroup": Cgroup 64, "cgroup files as file.key: cpu.stat.nr_periods, cpu.stat.throttled_usec (v1 throttled_time is converted to microseconds), memory.current, memory.events.oom_kill, io.stat.MAJ:MIN.rbytes, cpu.pressure.some.total ..." <- "cat /sys/fs/cgroup/PATH/cpu.stat";
    SCHEDSTAT "schedstat": Cpu 64, "/proc/schedstat per CPU: run_ns, wait_ns, slices" <- "cat /proc/schedstat";
    PID "pid": Process 64, "per process: stat.utime (ticks), stat.majflt, schedstat.run_ns, schedstat.wait_ns, io.read_bytes, status.VmSwap (bytes), status.voluntary_ctxt_switches ..." <- "cat /proc/PID/stat /proc/PID/status /proc/PID/io /proc/PID/schedstat";
    TID "tid": Thread 64, "the same per thread" <- "cat /proc/PID/task/*/stat";
    PERF "perf": Host 64, "perf stat: counts by event over its run, and elapsed (seconds)" <- "perf stat -a -- sleep 10";
    PERF_PID "perf_pid": Process 64, "perf stat of one process: counts by event over its run" <- "perf stat -p PID -- sleep 10";
    QDISC "qdisc": Nic 64, "tc -s qdisc totals per interface (root only): dropped overlimits requeues backlog" <- "tc -s qdisc";
    PROM "prom": Go 64, "Prometheus text metrics, name{labels}" <- "curl http://POD/metrics";
    BROKER "broker": Host 64, "broker metrics, name{labels}" <- "curl http://BROKER:15692/metrics";
    QUEUE_STATS "queue_stats": BrokerQueue 64, "per queue: messages_ready, messages_unacknowledged, consumers (gauges); deliver, ack, redeliver, publish ... (counters)" <- "curl http://BROKER:15672/api/queues";
    CHANNEL_STATS "channel_stats": Channel 64, "per channel: messages_unacknowledged (gauge); deliver, ack, redeliver ... (counters)" <- "curl http://BROKER:15672/api/channels";
    SYSCTL "sysctl": Host 64, "kernel settings by their dotted name (vm.swappiness); settings of several numbers as name.0, name.1 ..." <- "sysctl -a";
    SLAB "slab": Host 64, "slab caches as CACHE.active_objs, CACHE.num_objs, CACHE.objsize (bytes); gauges" <- "cat /proc/slabinfo";
    NVME "nvme": Disk 64, "NVMe SMART log and EBS statistics (microseconds, counts)" <- "nvme smart-log /dev/nvmeX; nvme amzn stats /dev/nvmeX";
}
