//! What facts are about: a CPU, a NIC, a cgroup ... each of one subject (a host, or a pod on a host).

use std::fmt;
use std::sync::Arc;

/// A host, a pod, or one of several states of a host in a bundle. Index into the bundle's subject list;
/// [`SubjectId::WHOLE`] is the bundle itself, for facts across subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubjectId(pub u16);

impl SubjectId {
    /// Facts across all subjects (comparison of pods, of hosts).
    pub const WHOLE: SubjectId = SubjectId(u16::MAX);
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal / $plural:literal),+ $(,)?) => {
        /// Kind of entity. The text is the first part of every fact path and the word rules use in `each:`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $($(#[$doc])* $name),+ }

        impl Kind {
            pub const ALL: &'static [Kind] = &[$(Kind::$name),+];

            pub const fn name(self) -> &'static str {
                match self { $(Kind::$name => $text),+ }
            }

            pub const fn plural(self) -> &'static str {
                match self { $(Kind::$name => $plural),+ }
            }
        }
    };
}

kinds! {
    /// The host as a whole. Its one entity has an empty name.
    Host = "host" / "hosts",
    Cpu = "cpu" / "CPUs",
    Irq = "irq" / "IRQs",
    Nic = "nic" / "NICs",
    /// A queue of a NIC, named `nic/index`.
    Queue = "queue" / "queues",
    Disk = "disk" / "disks",
    Mount = "mount" / "mounts",
    Node = "numa_node" / "NUMA nodes",
    Cgroup = "cgroup" / "cgroups",
    Process = "process" / "processes",
    /// A thread of a process, named `pid/tid`.
    Thread = "thread" / "threads",
    /// A pod or container as its orchestrator sees it.
    Pod = "pod" / "pods",
    /// A Go process (runtime metrics, profiles, trace).
    Go = "go_process" / "Go processes",
    BrokerQueue = "broker_queue" / "broker queues",
    /// A consumer group, connection or client of a broker queue, named `queue/consumer`.
    Consumer = "consumer" / "consumers",
    /// A channel of a broker's connection, by its name (`10.0.0.7:5533 -> 10.0.0.1:5672 (1)`) or its process id.
    Channel = "channel" / "channels",
    /// A connection to a broker, by its name or its process id.
    Connection = "connection" / "connections",
    /// Several pods doing the same work, compared with each other. One entity per set.
    Workload = "workload" / "workloads",
}

impl Kind {
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Kind whose entities own this one's (`queue` belongs to a `nic`); their names are a prefix with `/`.
    pub const fn parent(self) -> Option<Kind> {
        match self {
            Kind::Queue => Some(Kind::Nic),
            Kind::Thread => Some(Kind::Process),
            Kind::Consumer => Some(Kind::BrokerQueue),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing facts are about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entity {
    pub subject: SubjectId,
    pub kind: Kind,
    pub name: Arc<str>,
}

impl Entity {
    pub fn new(subject: SubjectId, kind: Kind, name: impl Into<Arc<str>>) -> Entity {
        Entity { subject, kind, name: name.into() }
    }

    pub fn host(subject: SubjectId) -> Entity {
        Entity::new(subject, Kind::Host, "")
    }

    /// True when `self` is `other` or belongs to it (a queue of this NIC).
    pub fn within(&self, other: &Entity) -> bool {
        if self.subject != other.subject {
            return false;
        }
        if self.kind == other.kind {
            return self.name == other.name;
        }
        self.kind.parent() == Some(other.kind)
            && self.name.strip_prefix(&*other.name).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Numbers inside names sort as numbers: `cpu2` before `cpu10`.
impl Ord for Entity {
    fn cmp(&self, other: &Entity) -> std::cmp::Ordering {
        (self.subject, self.kind).cmp(&(other.subject, other.kind)).then_with(|| natural(&self.name, &other.name))
    }
}

impl PartialOrd for Entity {
    fn partial_cmp(&self, other: &Entity) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() { write!(f, "{}", self.kind) } else { write!(f, "{} {}", self.kind, self.name) }
    }
}

/// Natural order of names, total and consistent with equality.
pub fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(p), Some(q)) = (x.first(), y.first()) {
        if p.is_ascii_digit() && q.is_ascii_digit() {
            let (m, rest_x) = split_digits(x);
            let (n, rest_y) = split_digits(y);
            let order = m.len().cmp(&n.len()).then_with(|| m.cmp(n));
            if order.is_ne() {
                return order;
            }
            (x, y) = (rest_x, rest_y);
        } else {
            let order = p.cmp(q);
            if order.is_ne() {
                return order;
            }
            (x, y) = (x.get(1..).unwrap_or_default(), y.get(1..).unwrap_or_default());
        }
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}

/// Leading digits without their leading zeros, and what follows.
fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let zeros = digits.iter().take_while(|c| **c == b'0').count().min(digits.len().saturating_sub(1));
    (digits.get(zeros..).unwrap_or_default(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_naturally_and_children_know_their_parent() {
        let mut names = vec!["10", "9", "eth10", "eth2", "eth2/10", "eth2/9", "007", "7"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["007", "7", "9", "10", "eth2", "eth2/9", "eth2/10", "eth10"]);
        let nic = Entity::new(SubjectId(0), Kind::Nic, "eth1");
        let queue = |name: &str| Entity::new(SubjectId(0), Kind::Queue, name);
        assert!(queue("eth1/0").within(&nic));
        assert!(!queue("eth10/0").within(&nic));
    }
}
