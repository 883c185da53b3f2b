//! From a path to a control group: the controller's root is left out, so that one group has one name in every hierarchy.

/// The group, file and version that a path names.
#[derive(Clone, Debug, PartialEq)]
pub struct Where {
    /// Path below the controller's root, without the first slash; `/` for the root itself.
    pub group: String,
    pub file: String,
    /// The path lies below a folder of control groups.
    pub sure: bool,
}

impl Where {
    pub fn of_file(file: &str) -> Where {
        Where { group: String::new(), file: file.to_owned(), sure: false }
    }

    pub fn unnamed(file: &str) -> Where {
        Where { group: "(unnamed)".to_owned(), ..Where::of_file(file) }
    }
}

/// Names of v1 hierarchies; several may be joined by commas.
const CONTROLLERS: [&str; 14] = [
    "cpu",
    "cpuacct",
    "cpuset",
    "memory",
    "blkio",
    "io",
    "pids",
    "hugetlb",
    "devices",
    "freezer",
    "net_cls",
    "net_prio",
    "perf_event",
    "rdma",
];

/// Second part of the names of files, by first part. Others of these controllers exist and hold nothing we read.
const FILES: [(&str, &[&str]); 9] = [
    (
        "cpu",
        &[
            "stat",
            "max",
            "weight",
            "idle",
            "pressure",
            "shares",
            "cfs_quota_us",
            "cfs_period_us",
            "cfs_burst_us",
            "rt_runtime_us",
            "rt_period_us",
            "uclamp",
        ],
    ),
    (
        "cpuacct",
        &[
            "stat",
            "usage",
            "usage_user",
            "usage_sys",
            "usage_percpu",
            "usage_percpu_user",
            "usage_percpu_sys",
            "usage_all",
        ],
    ),
    (
        "cpuset",
        &[
            "cpus",
            "mems",
            "effective_cpus",
            "effective_mems",
            "cpu_exclusive",
            "sched_load_balance",
            "memory_migrate",
            "mem_exclusive",
        ],
    ),
    (
        "memory",
        &[
            "stat",
            "events",
            "current",
            "max",
            "high",
            "low",
            "min",
            "peak",
            "numa_stat",
            "oom",
            "oom_control",
            "swap",
            "zswap",
            "pressure",
            "usage_in_bytes",
            "limit_in_bytes",
            "failcnt",
            "max_usage_in_bytes",
            "soft_limit_in_bytes",
            "memsw",
            "kmem",
            "swappiness",
            "use_hierarchy",
            "move_charge_at_immigrate",
        ],
    ),
    ("io", &["stat", "max", "weight", "pressure", "latency", "bfq", "low"]),
    (
        "blkio",
        &[
            "throttle",
            "io_service_bytes",
            "io_serviced",
            "io_wait_time",
            "io_service_time",
            "io_queued",
            "io_merged",
            "weight",
            "time",
            "sectors",
            "bfq",
        ],
    ),
    ("pids", &["current", "max", "events", "peak"]),
    (
        "cgroup",
        &["procs", "threads", "stat", "events", "type", "controllers", "subtree_control", "max", "freeze", "pressure"],
    ),
    ("irq", &["pressure"]),
];

/// True for the names of files that control groups have.
pub fn is_file(name: &str) -> bool {
    let mut parts = name.split('.');
    let (Some(controller), Some(second)) = (parts.next(), parts.next()) else { return false };
    FILES.iter().any(|(have, files)| *have == controller && files.contains(&second))
}

/// The group as it is shown.
pub fn shown(path: &str) -> String {
    if path.is_empty() { "/".to_owned() } else { path.to_owned() }
}

/// Reads a path; `pod` is the pod whose own group's files lie in `cgroup/`.
pub fn locate(path: &str, pod: Option<&str>) -> Option<Where> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (last, folders) = parts.split_last()?;
    let (before, file) = file_of(last)?;
    let top = folders.iter().rposition(|part| *part == "cgroup");
    let below = top.and_then(|top| folders.get(top + 1..)).unwrap_or_default();
    let hierarchy = below.first().is_some_and(|first| {
        matches!(*first, "unified" | "systemd") || first.split(',').all(|name| CONTROLLERS.contains(&name))
    });
    let group = below.get(usize::from(hierarchy)..).unwrap_or_default().join("/");
    let sure = top.is_some() || before.contains("cgroup");
    let group = match (group.is_empty(), pod, sure) {
        (true, Some(pod), _) => pod.to_owned(),
        (true, None, false) => "(unnamed)".to_owned(),
        _ => shown(&group),
    };
    Some(Where { group, file, sure })
}

/// `cpu.stat` of `cpu.stat.txt`, `unified.cpu.stat`, `sys_fs_cgroup_cpu.stat`; and what stands before it.
fn file_of(last: &str) -> Option<(&str, String)> {
    let mut name = last;
    for suffix in [".txt", ".out", ".log"] {
        name = name.strip_suffix(suffix).unwrap_or(name);
    }
    let mut starts = vec![0];
    starts.extend(name.char_indices().filter(|(_, c)| matches!(c, '_' | '.' | '-' | ' ')).map(|(at, _)| at + 1));
    starts.into_iter().take(64).find_map(|at| {
        let (before, file) = name.split_at_checked(at)?;
        is_file(file).then(|| (before, file.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_every_layout() {
        for (path, pod, group, file) in [
            ("sys/fs/cgroup/cpu.stat", None, "/", "cpu.stat"),
            ("sys/fs/cgroup/victim/cpu.max.burst", None, "victim", "cpu.max.burst"),
            ("sys/fs/cgroup/cpu,cpuacct/system.slice/a.service/cpu.stat", None, "system.slice/a.service", "cpu.stat"),
            ("sys/fs/cgroup/unified/lab-v/cpu.pressure", None, "lab-v", "cpu.pressure"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", None, "/", "cpu.cfs_quota_us"),
            ("cgroup/unified.cpu.stat", Some("w-0"), "w-0", "cpu.stat"),
            ("cgroup/cpu.stat.local", Some("w-0"), "w-0", "cpu.stat.local"),
            ("cmd/cgroup_memory.usage_in_bytes.txt", None, "/", "memory.usage_in_bytes"),
            ("cpu.stat", None, "(unnamed)", "cpu.stat"),
        ] {
            let have = locate(path, pod).unwrap();
            assert_eq!((have.group.as_str(), have.file.as_str()), (group, file), "{path}");
        }
        for path in ["proc/stat", "cmd/cpu.log", "memory.prom", "x/notes.txt"] {
            assert_eq!(locate(path, None), None, "{path}");
        }
    }
}
