//! Processes and threads.

use super::facts;

facts! {
    process: Process {
        NAME "process.name": text, "command name" <- ["ps -eo pid,comm,args", "top -b -n 2"];
        CPU "process.cpu": series Count, "CPUs in use" <- ["pidstat -u 1 10", "top -b -n 2", "cat /proc/PID/stat (twice)"];
        RSS "process.rss": num Bytes, "resident memory" <- ["ps -eo pid,rss,comm", "cat /proc/PID/status"];
        SWAP "process.swap": num Bytes, "memory of it in swap (VmSwap)" <- ["cat /proc/PID/status"];
        ALLOWED "process.allowed_cpus": cpus, "CPUs it may run on" <- ["cat /proc/PID/status", "taskset -p PID"];
        COMMAND "process.command": text, "command line" <- ["ps -eo pid,args"];
        STATE "process.state": text, "state letters when looked at once: R runnable, D uninterruptible, S sleeping, Z zombie" <- ["ps -eo pid,stat,comm", "cat /proc/PID/stat"];
        PARENT "process.parent": num Count, "process id of the parent" <- ["ps -eo pid,ppid,comm", "cat /proc/PID/stat"];
        THREADS "process.threads": num Count, "threads" <- ["ps -eo pid,nlwp,comm", "cat /proc/PID/status"];
        MEM_SHARE "process.mem_share": num Share, "resident memory as a share of RAM" <- ["ps -eo pid,pmem,comm", "top -b -n 2"];
        LAST_CPU "process.last_cpu": num Count, "CPU it last ran on" <- ["ps -eo pid,psr,comm", "cat /proc/PID/stat"];
        WCHAN "process.wchan": text, "kernel function it sleeps in" <- ["ps -eo pid,wchan:32,comm", "cat /proc/PID/wchan"];
        CPU_WAIT "process.cpu_wait": series Share, "time runnable and waiting for a CPU" <- ["pidstat -u 1 10", "cat /proc/PID/schedstat (twice)"];
        MAJOR_FAULTS "process.major_faults": series PerSec, "page faults that needed I/O" <- ["pidstat -r 1 10", "cat /proc/PID/stat (twice)"];
        READ_BPS "process.read_bytes_per_s": series BytesPerSec, "bytes it caused to be read from disk" <- ["pidstat -d 1 10", "cat /proc/PID/io (twice)"];
        WRITE_BPS "process.write_bytes_per_s": series BytesPerSec, "bytes it caused to be written to disk" <- ["pidstat -d 1 10", "cat /proc/PID/io (twice)"];
        SWITCHES "process.voluntary_switches": series PerSec, "context switches because it waited" <- ["pidstat -w 1 10", "cat /proc/PID/status (twice)"];
        PREEMPTIONS "process.involuntary_switches": series PerSec, "context switches because it was preempted" <- ["pidstat -w 1 10", "cat /proc/PID/status (twice)"];
        FDS "process.fds": num Count, "open file descriptors" <- ["pidstat -v 1 1", "ls /proc/PID/fd | wc -l"];
        FD_LIMIT "process.fd_limit": num Count, "soft limit of open files" <- ["cat /proc/PID/limits"];
        PROC_LIMIT "process.task_limit": num Count, "soft limit of processes and threads of its user" <- ["cat /proc/PID/limits"];
        LOCK_LIMIT "process.lock_limit": num Bytes, "soft limit of locked memory" <- ["cat /proc/PID/limits"];
        MEMS_ALLOWED "process.allowed_nodes": cpus, "NUMA nodes it may take memory from" <- ["cat /proc/PID/status"];
        MEM_POLICY "process.mem_policy": text, "NUMA policy of most of its memory" <- ["cat /proc/PID/numa_maps"];
        IPC "process.ipc": num Count, "instructions per cycle" <- ["perf stat -p PID -e cycles,instructions -- sleep 10"];
        LLC_MISSES "process.llc_misses": num Share, "share of last-level cache loads that missed" <- ["perf stat -p PID -e LLC-loads,LLC-load-misses -- sleep 10"];
        CACHE_MISSES "process.cache_misses": num Share, "share of cache references that missed" <- ["perf stat -p PID -e cache-references,cache-misses -- sleep 10"];
        NODE_MISSES "process.node_misses": num Share, "share of memory loads that went to another node" <- ["perf stat -p PID -e node-loads,node-load-misses -- sleep 10"];
        NUMA_MEMORY "process.numa_memory": num Bytes, "resident memory, all nodes" <- ["numastat -p PID", "cat /proc/PID/numa_maps"];
        NUMA_MISMATCH "process.numa_mismatch": num Share, "sum over nodes of max(0, CPU share - memory share): 0 when it runs where its memory is" <- ["cat /proc/PID/numa_maps /proc/PID/task/*/stat (twice)"];
        NUMA_CONCENTRATION "process.numa_concentration": num Share, "largest share of its memory on one node" <- ["numastat -p PID", "cat /proc/PID/numa_maps"];
        NUMA_REMOTE "process.numa_remote": num Share, "accesses expected to go to another node: 1 - sum(CPU share x memory share)" <- ["cat /proc/PID/numa_maps /proc/PID/task/*/stat (twice)"];
        NUMA_WEIGHT "process.numa_weight": num Share, "the larger of its share of the CPU time in use and its share of RAM" <- ["pidstat -u 1 10", "numastat -p PID"];
        CGROUP "process.cgroup": text, "its cgroup path" <- ["cat /proc/PID/cgroup"];
    }
}

facts! {
    thread: Thread {
        CPU "thread.cpu": series Count, "CPUs in use" <- ["pidstat -t 1 10", "cat /proc/PID/task/TID/stat (twice)"];
        NAME "thread.name": text, "command name" <- ["ps -eLo pid,tid,comm", "cat /proc/PID/task/TID/stat"];
        STATE "thread.state": text, "state letters when looked at once" <- ["ps -eLo pid,tid,stat,comm", "cat /proc/PID/task/TID/stat"];
        LAST_CPU "thread.last_cpu": num Count, "CPU it last ran on" <- ["ps -eLo pid,tid,psr", "cat /proc/PID/task/TID/stat"];
        CPU_WAIT "thread.cpu_wait": series Share, "time runnable and waiting for a CPU" <- ["pidstat -t 1 10", "cat /proc/PID/task/TID/schedstat (twice)"];
        ALLOWED "thread.allowed_cpus": cpus, "CPUs it may run on" <- ["cat /proc/PID/task/TID/status"];
    }
}
