//! NICs: physical or not, packet rates, losses on the host's side by the driver's own names.

use crate::derive::rate::{computed, put_rate, rate};
use crate::facts::schema::keys::family::{NETDEV, NIC_STATS};
use crate::facts::schema::keys::{nic, queue};
use crate::facts::{CpuSet, Entity, Facts, Grade, Kind, Missing, Reading, SubjectId, Value};

/// Names of interfaces without hardware queues of their own (rulebook G8).
const VIRTUAL_NAMES: &[&str] = &[
    "veth",
    "cali",
    "cni",
    "docker",
    "br-",
    "virbr",
    "tun",
    "tap",
    "bond",
    "team",
    "vxlan",
    "flannel",
    "cilium",
    "lxc",
    "dummy",
    "ifb",
    "geneve",
    "gre",
    "wg",
    "ovs",
    "kube-",
    "nodelocaldns",
    "vnet",
    "sit",
    "ip6tnl",
    "tunl",
    "weave",
    "podman",
    "lxdbr",
    "macvtap",
    "macvlan",
    "ipvlan",
    "genev_sys",
    "vxlan_sys",
];
/// Drivers of such interfaces.
const VIRTUAL_DRIVERS: &[&str] = &[
    "veth",
    "bridge",
    "tun",
    "bonding",
    "team",
    "vxlan",
    "802.1Q VLAN Support",
    "openvswitch",
    "dummy",
    "macvlan",
    "ipvlan",
    "geneve",
    "gre",
];

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let nics: Vec<Entity> = facts.entities(subject, Kind::Nic).cloned().collect();
    for one in &nics {
        kind(facts, one);
        for (def, metric) in [
            (&nic::RX_PPS, "rx_packets"),
            (&nic::TX_PPS, "tx_packets"),
            (&nic::RX_BPS, "rx_bytes"),
            (&nic::TX_BPS, "tx_bytes"),
        ] {
            put_rate(facts, def, &NETDEV, one, &[metric], 1.0);
            put_rate(facts, def, &NIC_STATS, one, &[metric], 1.0);
        }
        drops(facts, one);
        rps(facts, one);
    }
}

/// CPUs that RPS may use for any receive queue; empty when it is off for all.
fn rps(facts: &mut Facts, one: &Entity) {
    let parts: Vec<Reading> =
        facts.scoped(one, Kind::Queue).filter_map(|entity| facts.get(&queue::RPS_CPUS, entity).ok()).cloned().collect();
    if parts.is_empty() {
        return;
    }
    let sets = parts.iter().filter_map(|reading| match &reading.value {
        Value::Cpus(set) => Some(set),
        _ => None,
    });
    let all = CpuSet::from_ids(sets.flat_map(|set| set.iter().collect::<Vec<_>>()));
    let sources: Vec<_> = parts.iter().flat_map(|reading| reading.sources.iter().copied()).collect();
    facts.put(&nic::RPS_CPUS, one, Reading::new(Value::Cpus(all), Grade::State, sources));
}

fn kind(facts: &mut Facts, one: &Entity) {
    let driver = facts.get(&nic::DRIVER, one).ok().cloned();
    let name = &*one.name;
    let by_driver = driver.as_ref().and_then(|reading| match &reading.value {
        Value::Text(text) => Some(VIRTUAL_DRIVERS.contains(&&**text)),
        _ => None,
    });
    let vlan = name.split_once('.').is_some_and(|(_, tag)| !tag.is_empty() && tag.bytes().all(|b| b.is_ascii_digit()));
    let kind = if name == "lo" {
        "loopback"
    } else if by_driver == Some(true) || vlan || VIRTUAL_NAMES.iter().any(|prefix| name.starts_with(prefix)) {
        "virtual"
    } else {
        "physical"
    };
    let sources = driver.map(|reading| reading.sources.to_vec()).unwrap_or_default();
    facts.put(&nic::KIND, one, Reading::new(Value::Text(kind.into()), Grade::State, sources));
}

/// True for counters of packets that the host had no room for (rulebook 0.6, third column).
fn is_host_drop(name: &str) -> bool {
    const EXACT: &[&str] = &[
        "rx_out_of_buffer",
        "rx_missed_errors",
        "rx_no_dma_resources",
        "rx_no_buffer_count",
        "rx_fifo_errors",
        "port.rx_dropped",
        "rx_dropped.nic",
        "rx_total_ring_discards",
        "rx_total_discard_pkts",
        "rx_total_oom_discards",
        "rx_total_buf_errors",
        "rx_no_memory",
        "rx_comp_busy",
        "rx_buf_alloc_fail",
        "rx_steer_missed_packets",
        "rx_overruns",
        "rx_no_bufs",
        "rx_queue_full",
        "rx_discards",
    ];
    const PATTERNS: &[(&str, &str)] = &[
        ("rx_queue_drop_cnt[", "]"),
        ("rx_no_buffers_posted[", "]"),
        ("rx_dropped_pkt[", "]"),
        ("rx_queue_", "_drops"),
        ("rxq", "rx_drops_no_frags"),
        ("queue_", "_rx_page_alloc_fail"),
        ("rx", "_hw_drops"),
        ("rx", "_wqe_err"),
        ("[", "]: rx_discards"),
    ];
    EXACT.contains(&name) || PATTERNS.iter().any(|(start, end)| name.starts_with(start) && name.ends_with(end))
}

fn drops(facts: &mut Facts, one: &Entity) {
    let names: Vec<String> = facts
        .metrics(&NIC_STATS, one)
        .map(|metrics| metrics.keys().filter(|name| is_host_drop(name)).map(|name| (**name).to_owned()).collect())
        .unwrap_or_default();
    let mut parts = Vec::new();
    let mut why = None;
    for name in &names {
        match rate(facts, &NIC_STATS, one, &[name], 1.0) {
            Ok(reading) => parts.push(reading),
            Err(reason) => why = Some(reason),
        }
    }
    if parts.is_empty() {
        // A driver without such a counter still counts in /proc/net/dev.
        match rate(facts, &NETDEV, one, &["rx_fifo"], 1.0) {
            Ok(reading) => facts.put(&nic::RX_DROPS, one, reading),
            Err(Missing::NotCollected) => {
                if let Some(why) = why {
                    facts.put_missing(&nic::RX_DROPS, one, why);
                }
            }
            Err(why) => facts.put_missing(&nic::RX_DROPS, one, why),
        }
        return;
    }
    // Drivers count one loss in a total and in its queues: the largest counter is the loss, not the sum.
    parts.sort_by(|a, b| b.number().unwrap_or(0.0).total_cmp(&a.number().unwrap_or(0.0)));
    let total = parts.first().and_then(Reading::number).unwrap_or(0.0);
    facts.put(&nic::RX_DROPS, one, computed(total, parts.iter()));
}
