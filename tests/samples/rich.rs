//! One host, a confirmed cause with two symptoms, a likely second one, gaps, notes.

use coroner::report::model::*;
use serde_json::Value;

use super::{context, evidence, finding, quote};

const MPSTAT: &str = "cmd/mpstat_-P_ALL_1_30.txt";

pub fn model() -> Model {
    Model {
        schema: SCHEMA,
        tool: Tool { name: "coroner", version: "0.1.0", catalogue_sha256: "4f1d".repeat(16) },
        bundle: bundle(),
        summary: "eth0 received 98 304 packets a second through one of its eight queues, and CPU 3 spent 91 % of its time in softirq \
                  while the other seven were idle. Confirmed by the ring's drop counter; a channel change fixes it now."
            .into(),
        coverage: Coverage { rules: 58, fired: 4, cannot_tell: 9, ruled_out: 3, not_indicated: 34, not_applicable: 8 },
        findings: vec![rss(), drops(), retransmits(), swap()],
        cannot_tell: gaps(),
        ruled_out: ruled_out(),
        not_indicated: ["conntrack-full", "disk-saturated", "fd-exhaustion", "numa-imbalance", "thermal-throttling", "zone-reclaim"]
            .map(str::to_owned)
            .to_vec(),
        inventory: inventory(),
    }
}

fn bundle() -> Bundle {
    let row = |label: &str, value: &str, source: Option<Quote>| HeaderRow {
        label: label.into(),
        value: value.into(),
        source,
    };
    Bundle {
        name: "web-7.contoso.example-20250301.zip".into(),
        sha256: "9a3c".repeat(16),
        kind: "coroner".into(),
        subjects: vec![Subject {
            host: "web-7.contoso.example".into(),
            pod: None,
            header: vec![
                row(
                    "Kernel",
                    "6.1.0-31-amd64",
                    Some(quote(
                        "cmd/uname_-a.txt",
                        1,
                        "Linux web-7.contoso.example 6.1.0-31-amd64 #1 SMP x86_64 GNU/Linux",
                    )),
                ),
                row(
                    "CPUs",
                    "8 online, 1 socket, Xeon Platinum 8370C",
                    Some(quote("cmd/lscpu.txt", 5, "CPU(s):                  8")),
                ),
                row("NUMA nodes", "1", Some(quote("cmd/lscpu.txt", 21, "NUMA node(s):            1"))),
                row(
                    "Memory",
                    "31.3 GiB, 4.2 GiB available",
                    Some(quote("t0/proc/meminfo", 3, "MemAvailable:    4404019 kB")),
                ),
                row(
                    "NICs",
                    "eth0 virtio_net, 10 Gbit/s",
                    Some(quote("cmd/ethtool_-i_eth0.txt", 1, "driver: virtio_net")),
                ),
                row("Uptime", "41 days", None),
            ],
        }],
        window: Some(Window { from: Some(1_740_823_200.0), to: Some(1_740_823_230.0), seconds: 30.0 }),
        complete: false,
        notes: vec![
            Note {
                kind: "lost".into(),
                path: Some("journal.txt".into()),
                line: None,
                text: "The archive ends inside this file; 1.2 MiB of it was read.".into(),
            },
            Note {
                kind: "odd".into(),
                path: Some("cmd/vmstat_1_30.txt".into()),
                line: Some(3),
                text: "First report since boot, not used.".into(),
            },
        ],
    }
}

fn rss() -> Finding {
    let mut item = finding(
        "rss-collapse",
        "eth0 delivers through one queue: RSS has collapsed",
        Verdict::Confirmed,
        "P1",
        "web-7.contoso.example",
    );
    item.variant = Some("queue-count".into());
    item.entity = EntityName { kind: "nic".into(), name: "eth0".into() };
    item.window = Some(Window { from: Some(1_740_823_204.0), to: Some(1_740_823_226.0), seconds: 22.0 });
    item.explains = vec!["nic-ring-drops".into(), "tcp-retransmits".into()];
    item.story = "eth0 has **one** receive queue switched on although its driver offers **8**. All packets interrupt CPU 3, which \
                  spent 91 % of its time in softirq; the other CPUs were 96 % idle (median). Packets that CPU 3 could not take in \
                  time were dropped in the ring."
        .into();
    item.evidence = rss_evidence();
    item.charts = charts();
    item.fix_now = "Switch on one queue per core. The change takes effect at once:\n\n```sh\nethtool -L eth0 combined 8\nethtool -X eth0 default\n\
                    for i in $(ls /sys/class/net/eth0/device/msi_irqs); do cat /proc/irq/$i/effective_affinity_list; done\n```\n\nRisk: the rings are \
                    rebuilt; expect up to a second without packets and counters that restart.\n\nUndo: `ethtool -L eth0 combined 1`"
        .into();
    item.fix_for_good = "Set the channels where the interface is configured, so that a firmware or driver update cannot reset them:\n\n\
                         ```ini\n[Match]\nOriginalName=eth0\n\n[Link]\nNamePolicy=keep kernel\nCombinedChannels=8\n```\n\n- With NetworkManager: `ethtool.channels-combined 8`\n\
                         - Compare `ethtool -l` with the expected value at boot"
        .into();
    item.verify = "Two readings ten seconds apart should differ on every queue:\n\n```sh\nethtool -S eth0 | grep rx_queue\n```\n\nExpect no CPU above 50 % softirq and \
                   a drop counter that stands still."
        .into();
    item.rule_out =
        "If one flow carries most bytes (`ss -ti`), more queues do not help: one flow always stays on one queue."
            .into();
    item.references = vec![
        Reference {
            title: "Scaling in the Linux Networking Stack".into(),
            url: "https://docs.kernel.org/networking/scaling.html".into(),
        },
        Reference { title: "ethtool(8)".into(), url: "https://man7.org/linux/man-pages/man8/ethtool.8.html".into() },
    ];
    item.limits = vec![
        "An indirection table that uses one entry only would look the same; ethtool -x was not collected.".into(),
        "A reading of ethtool -l with more than one current channel would refute this variant.".into(),
    ];
    item
}

fn rss_evidence() -> Vec<Evidence> {
    let head = "10:00:04     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle";
    let mut soft = evidence("when", "one CPU drowns in softirq", Some(true));
    soft.expression = "sustained(max(cpu, cpu.soft), above=70%, for=10s)".into();
    soft.fact = Some("cpu.soft".into());
    soft.value = 0.9124.into();
    soft.shown = "91.2 %".into();
    soft.unit = Some("share");
    soft.op = Some(">=");
    soft.threshold = 0.7.into();
    soft.threshold_shown = "70 %".into();
    soft.grade = Some("series");
    soft.sources = vec![context(
        quote(
            MPSTAT,
            48,
            "10:00:05       3    0.61    0.00    4.02    0.00    0.00   91.24    0.00    0.00    0.00    4.13",
        ),
        &[
            (44, head),
            (47, "10:00:05       2    1.01    0.00    1.02    0.00    0.00    0.00    0.00    0.00    0.00   97.97"),
        ],
        &[(49, "10:00:05       4    0.00    0.00    1.00    0.00    0.00    1.00    0.00    0.00    0.00   98.00")],
    )];
    let mut queues = evidence("when", "receive work sits on few queues", Some(true));
    queues.expression = "nic.rx_neff <= 2 or nic.rho_fair < 0.5".into();
    queues.fact = Some("nic.rx_neff".into());
    queues.value = 1.0.into();
    queues.shown = "1".into();
    queues.unit = Some("count");
    queues.op = Some("<=");
    queues.threshold = 2.into();
    queues.threshold_shown = "2".into();
    queues.grade = Some("two snapshots");
    queues.sources = vec![
        quote("t0/ethtool_-S_eth0.txt", 14, "     rx_queue_0_packets: 81230455"),
        quote("t1/ethtool_-S_eth0.txt", 14, "     rx_queue_0_packets: 84179575"),
    ];
    let mut drops = evidence("proof", "the ring dropped packets", Some(true));
    drops.expression = "nic.rx_ring_drop_rate > 0".into();
    drops.fact = Some("nic.rx_ring_drop_rate".into());
    drops.value = 412.0.into();
    drops.shown = "412/s".into();
    drops.unit = Some("per_second");
    drops.op = Some(">");
    drops.threshold_shown = "0/s".into();
    drops.grade = Some("two snapshots");
    drops.sources = vec![quote("t1/ethtool_-S_eth0.txt", 21, "     rx_queue_0_drops: 12360")];
    let mut idle = evidence("supports", "other CPUs idle", Some(true));
    idle.expression = "host.idle_median_others >= 70%".into();
    idle.fact = Some("host.idle_median_others".into());
    idle.value = 0.96.into();
    idle.shown = "96 %".into();
    idle.op = Some(">=");
    idle.threshold_shown = "70 %".into();
    idle.grade = Some("series");
    let mut squeezed = evidence("supports", "the backlog was cut short", None);
    squeezed.expression = "host.softnet_squeezed > 10/s".into();
    squeezed.fact = Some("host.softnet_squeezed".into());
    squeezed.threshold_shown = "10/s".into();
    squeezed.op = Some(">");
    let mut rps = evidence("against", "RPS spreads it on purpose", Some(false));
    rps.expression = "nic.rps_spread".into();
    rps.shown = "no".into();
    rps.value = Value::Bool(false);
    rps.sources = vec![quote("cmd/sys_queues_eth0.txt", 2, "rx-0/rps_cpus:00")];
    let mut channels = evidence("variant", "more channels are offered than used", Some(true));
    channels.expression = "nic.channels_now <= 2 and nic.channels_max > nic.channels_now".into();
    channels.value = 1.into();
    channels.shown = "1 of 8".into();
    channels.sources =
        vec![quote("cmd/ethtool_-l_eth0.txt", 5, "Combined:\t8"), quote("cmd/ethtool_-l_eth0.txt", 10, "Combined:\t1")];
    vec![soft, queues, drops, idle, squeezed, rps, channels]
}

fn charts() -> Vec<Chart> {
    let at: Vec<f64> =
        (0..30).filter(|at| *at != 12 && *at != 13 && *at != 14).map(|at| 1_740_823_200.0 + f64::from(at)).collect();
    let values = (0..8_usize)
        .map(|cpu| {
            at.iter()
                .map(|time| {
                    let second = time - 1_740_823_200.0;
                    Some(match cpu {
                        3 if (4.0..26.0).contains(&second) => 0.86 + (second * 7.0 % 5.0) * 0.02,
                        3 => 0.12,
                        6 if second == 20.0 => 0.55,
                        _ => (second * (cpu as f64 + 3.0) % 4.0) * 0.006,
                    })
                })
                .collect()
        })
        .collect();
    let heat = Chart {
        id: "heat-soft".into(),
        title: "Softirq time per CPU".into(),
        alt: "CPU 3 stands at 86 to 94 % from the fourth to the 26th second; the other CPUs stay below 2 %, but for one sample of CPU 6.".into(),
        unit: "share",
        body: ChartBody::Heat { rows: (0..8).map(|cpu| format!("CPU {cpu}")).collect(), at: at.clone(), values },
        limit: Some((0.7, "70 % for 10 s".into())),
        held: Some((1_740_823_204.0, 1_740_823_226.0)),
    };
    let bars = (0..8)
        .map(|queue| Bar {
            label: format!("virtio0-input.{queue}"),
            value: if queue == 0 { 98_304.0 } else { 0.0 },
            note: if queue == 0 { "CPU 3".into() } else { String::new() },
            marked: queue == 0,
        })
        .collect();
    let queues = Chart {
        id: "bars-queues".into(),
        title: "Packets per receive queue".into(),
        alt: "Queue 0 takes all 98 304 packets a second and interrupts CPU 3.".into(),
        unit: "per_second",
        body: ChartBody::Bars { bars },
        limit: None,
        held: None,
    };
    vec![heat, queues]
}

fn drops() -> Finding {
    let mut item = finding(
        "nic-ring-drops",
        "eth0 drops packets because its ring is full",
        Verdict::Likely,
        "P2",
        "web-7.contoso.example",
    );
    item.entity = EntityName { kind: "nic".into(), name: "eth0".into() };
    item.explained_by = Some("rss-collapse".into());
    item.story = "The ring of queue 0 overflowed 412 times a second.".into();
    let mut row = evidence("when", "the ring dropped packets", Some(true));
    row.value = 12360.into();
    row.shown = "412/s".into();
    row.op = Some(">");
    row.threshold_shown = "0/s".into();
    row.expression = "nic.rx_ring_drop_rate > 0".into();
    row.sources = vec![quote("t1/ethtool_-S_eth0.txt", 21, "     rx_queue_0_drops: 12360")];
    item.evidence = vec![row];
    item.fix_now = "```sh\nethtool -G eth0 rx 1024\n```".into();
    item
}

fn retransmits() -> Finding {
    let mut item = finding(
        "tcp-retransmits",
        "TCP sends 3.1 % of its segments again",
        Verdict::Possible,
        "P3",
        "web-7.contoso.example",
    );
    item.explained_by = Some("rss-collapse".into());
    item.story = "Peers saw losses while the ring overflowed.".into();
    item
}

fn swap() -> Finding {
    let mut item = finding(
        "swap-reclaim",
        "Direct reclaim stalls allocations while swap fills",
        Verdict::Likely,
        "P2",
        "web-7.contoso.example",
    );
    item.story = "Tasks stalled for memory **23 %** of the window and 1.4 GiB went to swap. Kept apart from the network finding: neither explains the other.".into();
    let mut row = evidence("when", "tasks stall for memory", Some(true));
    row.expression = "psi.memory_some >= 10%".into();
    row.value = 0.2311.into();
    row.shown = "23.1 %".into();
    row.op = Some(">=");
    row.threshold_shown = "10 %".into();
    row.grade = Some("two snapshots");
    row.sources = vec![
        quote("t0/proc/pressure/memory", 1, "some avg10=23.11 avg60=14.02 avg300=5.44 total=412233912"),
        quote("t1/proc/pressure/memory", 1, "some avg10=23.40 avg60=16.88 avg300=6.11 total=419166912"),
    ];
    item.evidence = vec![row];
    let at: Vec<f64> = (0..30).map(f64::from).collect();
    let line = |label: &str, scale: f64| Line {
        label: label.into(),
        values: at
            .iter()
            .map(|at| if *at > 9.0 && *at < 13.0 { None } else { Some((at * 1.7 % 9.0 + 8.0) * scale) })
            .collect(),
    };
    item.charts = vec![
        Chart {
            id: "psi".into(),
            title: "Memory pressure".into(),
            alt: "Stall share rises over the limit for most of the window; nothing was sampled from second 10 to 12."
                .into(),
            unit: "share",
            limit: Some((0.1, "10 % objective".into())),
            held: Some((2.0, 28.0)),
            body: ChartBody::Lines { at: at.clone(), lines: vec![line("some", 0.02), line("full", 0.009)] },
        },
        Chart {
            id: "numa".into(),
            title: "NUMA distances".into(),
            alt: "Two nodes at distance 21.".into(),
            unit: "count",
            limit: None,
            held: None,
            body: ChartBody::Matrix {
                rows: vec!["node 0".into(), "node 1".into()],
                columns: vec!["node 0".into(), "node 1".into()],
                values: vec![vec![Some(10.0), Some(21.0)], vec![Some(21.0), None]],
            },
        },
    ];
    item.fix_now = "Cap the batch job's memory:\n\n```sh\necho 8G > /sys/fs/cgroup/batch/memory.high\n```\n\n**Risk:** the job slows down.\n\n**Undo:** `echo max > /sys/fs/cgroup/batch/memory.high`".into();
    item
}

fn gaps() -> Vec<CannotTell> {
    let missing = |fact: &str, meaning: &str, collect: &str| MissingFact {
        fact: fact.into(),
        meaning: meaning.into(),
        reason: "not collected".into(),
        collect: collect.into(),
    };
    let gap = |rule: &str, title: &str, missing: Vec<MissingFact>| CannotTell {
        rule: rule.into(),
        title: title.into(),
        severity: "P2".into(),
        subject: SubjectName { host: "web-7.contoso.example".into(), pod: None },
        entity: None,
        missing,
    };
    let iostat = "iostat -xzt 1 30";
    vec![
        gap(
            "disk-latency",
            "Disk latency above its objective",
            vec![missing("disk.await", "mean wait of a request", iostat)],
        ),
        gap(
            "burst-credits",
            "Volume out of burst credits",
            vec![
                missing("disk.iops", "requests completed per second", iostat),
                missing("cloud.volume", "volume type", "curl -s http://169.254.169.254/latest/meta-data/"),
            ],
        ),
        gap("slow-fsync", "fsync is slow", vec![missing("disk.flush_wait", "mean wait of a flush", iostat)]),
        gap(
            "conntrack-drops",
            "Connection table overflows",
            vec![missing("net.conntrack_drop", "packets dropped by a full table", "conntrack -S")],
        ),
        gap(
            "firmware-event",
            "Firmware changed before onset",
            vec![MissingFact {
                fact: "host.firmware".into(),
                meaning: String::new(),
                reason: "kernel too old".into(),
                collect: String::new(),
            }],
        ),
    ]
}

fn ruled_out() -> Vec<RuledOut> {
    let item = |rule: &str, title: &str, because: &str, shown: &str, source: Quote| RuledOut {
        rule: rule.into(),
        title: title.into(),
        subject: SubjectName { host: "web-7.contoso.example".into(), pod: None },
        entity: EntityName { kind: "host".into(), name: "web-7".into() },
        because: because.into(),
        shown: shown.into(),
        sources: vec![source],
    };
    vec![
        item(
            "cpu-steal",
            "The hypervisor takes CPU time",
            "steal stays low on every CPU",
            "0.1 %",
            quote(
                MPSTAT,
                312,
                "Average:     all    1.02    0.00    1.41    0.02    0.00   11.60    0.10    0.00    0.00   85.85",
            ),
        ),
        item(
            "storage-irq-one-cpu",
            "Disk interrupts land on one CPU",
            "the hot CPU takes network softirqs",
            "98 % NET_RX",
            quote(
                "t1/proc/softirqs",
                5,
                "      NET_RX:       1022        988       1213   84179575        877        911       1034        902",
            ),
        ),
    ]
}

fn inventory() -> Vec<Inventory> {
    let file = |path: &str, size: u64, kind: Option<&str>, facts: usize| Inventory {
        path: path.into(),
        size,
        kind: kind.map(str::to_owned),
        facts,
    };
    vec![
        file(MPSTAT, 38_121, Some("mpstat"), 3_240),
        file("cmd/ethtool_-l_eth0.txt", 214, Some("ethtool-l"), 8),
        file("t0/ethtool_-S_eth0.txt", 2_918, Some("ethtool-S"), 88),
        file("t1/ethtool_-S_eth0.txt", 2_918, Some("ethtool-S"), 88),
        file("t0/proc/softirqs", 1_220, Some("softirqs"), 80),
        file("notes/ticket-4711.txt", 803, None, 0),
    ]
}
