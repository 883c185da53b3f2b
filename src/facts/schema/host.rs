//! The host: identity, CPU totals, load, scheduler and network totals.

use super::facts;

facts! {
    host: Host {
        HOSTNAME "host.hostname": text, "host name as the bundle gives it" <- ["hostname", "uname -a"];
        KERNEL "host.kernel": text, "kernel release" <- ["uname -r", "cat /proc/version"];
        OS "host.os": text, "distribution name and version" <- ["cat /etc/os-release"];
        ARCH "host.arch": text, "machine architecture" <- ["uname -m", "lscpu"];
        CPU_MODEL "host.cpu_model": text, "CPU model name" <- ["lscpu", "cat /proc/cpuinfo"];
        CMDLINE "host.cmdline": text, "kernel command line" <- ["cat /proc/cmdline"];
        VIRT "host.virtualization": text, "hypervisor or container technology, 'none' on bare metal" <- ["lscpu", "systemd-detect-virt"];
        MACHINE_TYPE "host.machine_type": text, "cloud machine type (t3.medium)" <- ["curl -s http://169.254.169.254/latest/meta-data/instance-type"];
        VIEW "host.view": text, "'host' or 'container': whose files the bundle holds" <- ["cat /proc/1/cgroup", "cat /proc/self/cgroup"];
        CPUS_ONLINE "host.cpus_online": num Count, "online logical CPUs" <- ["lscpu", "nproc", "cat /proc/stat"];
        CORES "host.cores": num Count, "physical cores" <- ["lscpu"];
        THREADS_PER_CORE "host.threads_per_core": num Count, "hardware threads per core" <- ["lscpu"];
        SOCKETS "host.sockets": num Count, "CPU sockets" <- ["lscpu"];
        NODES "host.numa_nodes": num Count, "NUMA nodes" <- ["numactl -H", "lscpu"];
        ONLINE_CPUS "host.cpus_online_list": cpus, "CPUs online" <- ["lscpu", "cat /sys/devices/system/cpu/online"];
        OFFLINE_CPUS "host.cpus_offline": cpus, "CPUs present and offline" <- ["lscpu", "cat /sys/devices/system/cpu/offline"];
        PRESENT_CPUS "host.cpus_present": cpus, "CPUs that are there, online or not" <- ["cat /sys/devices/system/cpu/present"];
        NOT_ONLINE_CPUS "host.cpus_not_online": cpus, "possible CPUs that are not online, also those that are not there" <- ["cat /sys/devices/system/cpu/offline"];
        ISOLATED_CPUS "host.cpus_isolated": cpus, "CPUs taken from the scheduler by isolcpus= or cpusets" <- ["cat /sys/devices/system/cpu/isolated", "cat /proc/cmdline"];
        DEFAULT_IRQ_AFFINITY "host.default_irq_affinity": cpus, "CPUs that new interrupt lines may go to" <- ["cat /proc/irq/default_smp_affinity"];
        BOOT_ID "host.boot_id": text, "identity of the boot" <- ["cat /proc/sys/kernel/random/boot_id"];
        UPTIME "host.uptime": num Seconds, "time since boot" <- ["cat /proc/uptime", "uptime"];
        WINDOW "host.window": num Seconds, "time between the two snapshots, or the span of the longest series" <- ["two snapshots, e.g. coroner collector"];
        LOAD1 "host.load1": num Count, "load average over one minute (runnable and D-state tasks)" <- ["cat /proc/loadavg", "uptime"];
        LOAD5 "host.load5": num Count, "load average over five minutes" <- ["cat /proc/loadavg", "uptime"];
        LOAD15 "host.load15": num Count, "load average over fifteen minutes" <- ["cat /proc/loadavg", "uptime"];
        BUSY "host.busy": series Share, "CPU time not idle and not waiting for I/O, share of all CPUs" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)", "vmstat 1 10"];
        USER "host.user": series Share, "user (and nice) share of all CPU time" <- ["mpstat -P ALL 1 10", "vmstat 1 10"];
        SYSTEM "host.system": series Share, "kernel share of all CPU time" <- ["mpstat -P ALL 1 10", "vmstat 1 10"];
        IOWAIT "host.iowait": series Share, "idle with I/O outstanding, share of all CPU time" <- ["mpstat -P ALL 1 10", "vmstat 1 10"];
        SOFT "host.soft": series Share, "softirq share of all CPU time" <- ["mpstat -P ALL 1 10"];
        STEAL "host.steal": series Share, "stolen share of all CPU time" <- ["mpstat -P ALL 1 10", "vmstat 1 10"];
        IDLE "host.idle": series Share, "idle share of all CPU time, I/O wait not included" <- ["mpstat -P ALL 1 10", "vmstat 1 10"];
        RUNNABLE "host.runnable": series Count, "runnable tasks, running included (vmstat r)" <- ["vmstat 1 10", "cat /proc/stat (twice)"];
        BLOCKED "host.blocked": series Count, "tasks in uninterruptible sleep (vmstat b)" <- ["vmstat 1 10", "cat /proc/stat (twice)"];
        CONTEXT_SWITCHES "host.context_switches": series PerSec, "context switches" <- ["vmstat 1 10", "cat /proc/stat (twice)"];
        INTERRUPTS "host.interrupts": series PerSec, "hardware interrupts" <- ["vmstat 1 10", "cat /proc/stat (twice)"];
        BLOCK_IN "host.block_in": series BytesPerSec, "bytes read from block devices (vmstat bi, pgpgin)" <- ["vmstat 1 10", "sar -B 1 10", "sar -b 1 10"];
        BLOCK_OUT "host.block_out": series BytesPerSec, "bytes written to block devices (vmstat bo, pgpgout)" <- ["vmstat 1 10", "sar -B 1 10", "sar -b 1 10"];
        IDLE_DURING "host.idle_during_capture": flag, "the host did next to nothing in the window (guard G1): CPU < 5 %, NICs < 1000 packets/s, disks < 10 IOPS" <- ["mpstat -P ALL 1 10", "cat /proc/net/dev (twice)", "cat /proc/diskstats (twice)"];
        PSI_CPU "host.psi_cpu_some": series Share, "share of time in which some task waited for a CPU" <- ["cat /proc/pressure/cpu (twice)"];
        PSI_IO "host.psi_io_some": series Share, "share of time in which some task waited for I/O" <- ["cat /proc/pressure/io (twice)"];
        PSI_IO_FULL "host.psi_io_full": series Share, "share of time in which all non-idle tasks waited for I/O" <- ["cat /proc/pressure/io (twice)"];
        SOFT_HOT_CPU "host.soft_hot_cpu": num Count, "number of the CPU with the highest softirq share" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        SOFT_HOT "host.soft_hot": series Share, "softirq share of the hottest CPU" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        SOFT_MEDIAN_OTHERS "host.soft_median_others": num Share, "median softirq share of the CPUs other than the hottest" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        IDLE_MEDIAN_OTHERS "host.idle_median_others": num Share, "median idle share of the CPUs other than the softirq-hottest" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        PACKETS_TOP1 "host.packets_top1": num Share, "share of all packets that one CPU processed (softnet_stat)" <- ["cat /proc/net/softnet_stat (twice)"];
        PACKETS_NEFF "host.packets_neff": num Count, "effective number of CPUs that processed packets, 1/sum(p^2)" <- ["cat /proc/net/softnet_stat (twice)"];
        SOFTNET_DROPPED "host.softnet_dropped": num PerSec, "packets dropped because a CPU's backlog was full" <- ["cat /proc/net/softnet_stat (twice)"];
        SOFTNET_SQUEEZED "host.softnet_squeezed": num PerSec, "net_rx_action runs that ended with work left (time_squeeze)" <- ["cat /proc/net/softnet_stat (twice)"];
        TCP_RETRANS "host.tcp_retrans": num Share, "retransmitted share of TCP segments sent" <- ["cat /proc/net/snmp (twice)", "nstat"];
        TCP_SEGMENTS "host.tcp_segments": num PerSec, "TCP segments sent" <- ["cat /proc/net/snmp (twice)", "nstat"];
        FLOWS "host.flows": num Count, "open TCP and UDP sockets in use, as a bound for independent flows" <- ["cat /proc/net/sockstat", "ss -s"];
        TASKS "host.tasks": num Count, "tasks (processes; threads where the list has them)" <- ["ps -eLo pid,tid,stat,comm", "top -b -n 2"];
        TASKS_BLOCKED "host.tasks_blocked": num Count, "tasks in uninterruptible sleep (D) when looked at once" <- ["ps -eLo pid,tid,stat,wchan:32,comm"];
        ZOMBIES "host.zombies": num Count, "zombie processes" <- ["ps -ef", "top -b -n 2"];
        LISTEN_FULL "host.listen_queues_full": num Count, "listening TCP sockets whose accept queue exceeds its limit" <- ["ss -lnt"];
        LISTEN_FULL_SOCKETS "host.listen_full_sockets": list, "those sockets, with queue length and limit" <- ["ss -lnt"];
        LISTEN_FILL "host.listen_queue_fill": num Share, "fill of the fullest accept queue" <- ["ss -lnt"];
        CONNTRACK_COUNT "host.conntrack_count": num Count, "tracked connections" <- ["cat /proc/sys/net/netfilter/nf_conntrack_count"];
        CONNTRACK_MAX "host.conntrack_max": num Count, "limit of tracked connections" <- ["cat /proc/sys/net/netfilter/nf_conntrack_max"];
        SOMAXCONN "host.somaxconn": num Count, "limit of accept queues (net.core.somaxconn)" <- ["sysctl net.core.somaxconn"];
        SYN_BACKLOG "host.tcp_max_syn_backlog": num Count, "limit of half-open connections per socket" <- ["sysctl net.ipv4.tcp_max_syn_backlog"];
        SYNCOOKIES "host.tcp_syncookies": num Count, "0 off, 1 when the SYN queue is full, 2 always" <- ["sysctl net.ipv4.tcp_syncookies"];
        NETDEV_BUDGET "host.netdev_budget": num Count, "packets of one NET_RX softirq run" <- ["sysctl net.core.netdev_budget"];
        NETDEV_BACKLOG "host.netdev_max_backlog": num Count, "limit of a CPU's backlog" <- ["sysctl net.core.netdev_max_backlog"];
        IRQBALANCE "host.irqbalance_running": flag, "an irqbalance process was running" <- ["ps -ef", "systemctl status irqbalance"];
    }
}
