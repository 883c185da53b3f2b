//! Derivations: facts from facts and samples. Counters become rates here and nowhere else.
//!
//! One idea, one file. A derivation reads the store of one subject and puts new facts with the sources of
//! their inputs. It decides nothing: thresholds live in rules.

pub mod cgroup_cpu;
pub mod cpu_time;
pub mod disk;
pub mod fragmentation;
pub mod guard;
pub mod irq;
pub mod memcg;
pub mod memory;
pub mod nic;
pub mod nic_queues;
pub mod numa;
pub mod numa_process;
pub mod pressure;
pub mod rate;
pub mod reclaim;
pub mod skew;
pub mod softnet;
pub mod tcp;

use crate::facts::{Facts, SubjectId};

/// One derivation. `run` is called once for every subject, in the order of [`DERIVATIONS`].
pub struct Derivation {
    pub name: &'static str,
    pub run: fn(&mut Facts, SubjectId),
}

/// Every derivation; later ones may read what earlier ones put.
pub static DERIVATIONS: &[Derivation] = &[
    Derivation { name: "cpu time", run: cpu_time::derive },
    Derivation { name: "softnet", run: softnet::derive },
    Derivation { name: "pressure", run: pressure::derive },
    Derivation { name: "memory", run: memory::derive },
    Derivation { name: "reclaim", run: reclaim::derive },
    Derivation { name: "memory of cgroups", run: memcg::derive },
    Derivation { name: "fragmentation", run: fragmentation::derive },
    Derivation { name: "NUMA nodes", run: numa::derive },
    Derivation { name: "NUMA placement", run: numa_process::derive },
    Derivation { name: "disk", run: disk::derive },
    Derivation { name: "tcp", run: tcp::derive },
    Derivation { name: "nic", run: nic::derive },
    Derivation { name: "irq", run: irq::derive },
    Derivation { name: "nic queues", run: nic_queues::derive },
    Derivation { name: "cgroup cpu", run: cgroup_cpu::derive },
    Derivation { name: "guards", run: guard::derive },
];

/// Runs all derivations over all subjects.
pub fn run(facts: &mut Facts) {
    for subject in facts.subjects() {
        for derivation in DERIVATIONS {
            (derivation.run)(facts, subject);
        }
    }
}
