//! Processes and threads.

use super::facts;

facts! {
    process: Process {
        NAME "process.name": text, "command name" <- ["ps -eo pid,comm,args", "top -b -n 2"];
        CPU "process.cpu": num Count, "CPUs used on average in the window" <- ["pidstat -u 1 10", "top -b -n 2", "cat /proc/PID/stat (twice)"];
        RSS "process.rss": num Bytes, "resident memory" <- ["ps -eo pid,rss,comm", "cat /proc/PID/status"];
        SWAP "process.swap": num Bytes, "memory of it in swap (VmSwap)" <- ["cat /proc/PID/status"];
        ALLOWED "process.allowed_cpus": cpus, "CPUs it may run on" <- ["cat /proc/PID/status", "taskset -p PID"];
        CGROUP "process.cgroup": text, "its cgroup path" <- ["cat /proc/PID/cgroup"];
    }
}

facts! {
    thread: Thread {
        CPU "thread.cpu": num Count, "CPUs used on average in the window" <- ["pidstat -t 1 10", "cat /proc/PID/task/TID/stat (twice)"];
        ALLOWED "thread.allowed_cpus": cpus, "CPUs it may run on" <- ["cat /proc/PID/task/TID/status"];
    }
}
