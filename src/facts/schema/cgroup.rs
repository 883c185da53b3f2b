//! Control groups: quota, throttling, pressure, limits.

use super::facts;

facts! {
    cgroup: Cgroup {
        VERSION "cgroup.version": num Count, "1 or 2" <- ["cat /proc/self/cgroup"];
        QUOTA_CPUS "cgroup.quota_cpus": num Count, "CPU quota in CPUs (quota / period); absent means no quota" <- ["cat /sys/fs/cgroup/PATH/cpu.max", "cat /sys/fs/cgroup/cpu/PATH/cpu.cfs_quota_us"];
        HAS_QUOTA "cgroup.has_quota": flag, "a CPU quota is set" <- ["cat /sys/fs/cgroup/PATH/cpu.max", "cat /sys/fs/cgroup/cpu/PATH/cpu.cfs_quota_us"];
        QUOTA_ABOVE "cgroup.quota_above": flag, "a group above it has a CPU quota; unknown when their files are not in the bundle" <- ["cat /sys/fs/cgroup/*/cpu.max (every group above)", "cat /sys/fs/cgroup/cpu/*/cpu.cfs_quota_us"];
        PERIOD "cgroup.period": num Seconds, "CFS period" <- ["cat /sys/fs/cgroup/PATH/cpu.max"];
        BURST "cgroup.burst": num Seconds, "CPU time it may save up (cpu.max.burst)" <- ["cat /sys/fs/cgroup/PATH/cpu.max.burst"];
        WEIGHT "cgroup.weight": num Count, "cpu.weight, 100 by default (v1 shares are converted)" <- ["cat /sys/fs/cgroup/PATH/cpu.weight"];
        PERIODS "cgroup.periods": num Count, "CFS periods in the window in which it was runnable" <- ["cat /sys/fs/cgroup/PATH/cpu.stat (twice)"];
        THROTTLED_RATIO "cgroup.throttled_ratio": num Share, "share of its CFS periods in which it was throttled" <- ["cat /sys/fs/cgroup/PATH/cpu.stat (twice)"];
        THROTTLED_PERIODS "cgroup.throttled_periods": num Count, "throttled periods in the window" <- ["cat /sys/fs/cgroup/PATH/cpu.stat (twice)"];
        THROTTLED_TIME "cgroup.throttled_time": num Share, "throttled time per second of window, summed over CPUs (may exceed 1)" <- ["cat /sys/fs/cgroup/PATH/cpu.stat (twice)"];
        THROTTLE_DEPTH "cgroup.throttle_depth": num Seconds, "time throttled per throttled period, summed over CPUs, hence an upper bound of the stall" <- ["cat /sys/fs/cgroup/PATH/cpu.stat (twice)"];
        CPU_USED "cgroup.cpu_used": num Count, "CPUs used on average in the window" <- ["cat /sys/fs/cgroup/PATH/cpu.stat (twice)"];
        UTILISATION "cgroup.quota_used": num Share, "CPU used as a share of the quota" <- ["cat /sys/fs/cgroup/PATH/cpu.stat (twice)", "cat /sys/fs/cgroup/PATH/cpu.max"];
        CPUSET "cgroup.cpuset": cpus, "CPUs it may run on" <- ["cat /sys/fs/cgroup/PATH/cpuset.cpus.effective"];
        CPUSET_MEMS "cgroup.cpuset_mems": cpus, "NUMA nodes it may take memory from" <- ["cat /sys/fs/cgroup/PATH/cpuset.mems.effective"];
        MEM_USED "cgroup.mem_used": num Bytes, "memory charged to it, page cache included" <- ["cat /sys/fs/cgroup/PATH/memory.current"];
        MEM_LIMIT "cgroup.mem_limit": num Bytes, "hard memory limit; absent means no limit" <- ["cat /sys/fs/cgroup/PATH/memory.max"];
        MEM_HIGH "cgroup.mem_high": num Bytes, "memory.high, above which it is throttled and reclaimed; absent means none" <- ["cat /sys/fs/cgroup/PATH/memory.high"];
        SWAP_USED "cgroup.swap_used": num Bytes, "swap charged to it" <- ["cat /sys/fs/cgroup/PATH/memory.swap.current"];
        SWAP_LIMIT "cgroup.swap_limit": num Bytes, "swap limit; absent means no limit" <- ["cat /sys/fs/cgroup/PATH/memory.swap.max"];
        MEM_SHARE "cgroup.mem_share": num Share, "memory charged to it as a share of its limit" <- ["cat /sys/fs/cgroup/PATH/memory.current", "cat /sys/fs/cgroup/PATH/memory.max"];
        MEM_EVENTS "cgroup.mem_limit_events": num PerSec, "times it ran into memory.high or memory.max (v1: memory.failcnt)" <- ["cat /sys/fs/cgroup/PATH/memory.events (twice)", "cat /sys/fs/cgroup/memory/PATH/memory.failcnt (twice)"];
        OOM_KILLS "cgroup.oom_kills": num Count, "processes of it, not of groups below it, killed in the window for want of memory" <- ["cat /sys/fs/cgroup/PATH/memory.events (twice)", "cat /sys/fs/cgroup/memory/PATH/memory.oom_control (twice)"];
        OOM_KILLS_TOTAL "cgroup.oom_kills_total": num Count, "the same since the group was made" <- ["cat /sys/fs/cgroup/PATH/memory.events"];
        PSI_MEM "cgroup.psi_mem_some": series Share, "share of time in which some of its tasks waited for memory" <- ["cat /sys/fs/cgroup/PATH/memory.pressure (twice)"];
        PSI_MEM_FULL "cgroup.psi_mem_full": series Share, "share of time in which all its non-idle tasks waited for memory" <- ["cat /sys/fs/cgroup/PATH/memory.pressure (twice)"];
        PIDS "cgroup.pids": num Count, "tasks in it, threads included" <- ["cat /sys/fs/cgroup/PATH/pids.current"];
        PIDS_LIMIT "cgroup.pids_limit": num Count, "limit of tasks; absent means no limit" <- ["cat /sys/fs/cgroup/PATH/pids.max"];
        PSI_CPU "cgroup.psi_cpu_some": series Share, "share of time in which some of its tasks waited for a CPU" <- ["cat /sys/fs/cgroup/PATH/cpu.pressure (twice)"];
        RUNNABLE "cgroup.runnable": num Count, "threads of it in state R, the most seen in one snapshot" <- ["ps -eLo pid,tid,stat,cgroup,comm", "cat /proc/PID/task/*/stat"];
        GOMAXPROCS "cgroup.gomaxprocs": num Count, "largest GOMAXPROCS of a Go process in it" <- ["curl http://POD/metrics", "curl http://POD/debug/pprof/trace?seconds=5"];
        PROCS "cgroup.processes": num Count, "processes in it" <- ["cat /sys/fs/cgroup/PATH/cgroup.procs"];
    }
}
