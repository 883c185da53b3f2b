//! CPUs and interrupts.

use super::facts;

facts! {
    cpu: Cpu {
        USER "cpu.user": series Share, "user (nice included) share of this CPU's time" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        SYSTEM "cpu.system": series Share, "kernel share, interrupts not included" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        IOWAIT "cpu.iowait": series Share, "idle with I/O outstanding" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        IRQ "cpu.irq": series Share, "hard interrupt share" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        SOFT "cpu.soft": series Share, "soft interrupt share (network receive, timers, block completions)" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        STEAL "cpu.steal": series Share, "share taken by the hypervisor" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        IDLE "cpu.idle": series Share, "idle share, I/O wait not included" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        BUSY "cpu.busy": series Share, "all but idle and I/O wait" <- ["mpstat -P ALL 1 10", "cat /proc/stat (twice)"];
        RUN_QUEUE "cpu.run_queue": num Count, "runnable tasks on its queue when looked at once" <- ["cat /sys/kernel/debug/sched/debug"];
        KSOFTIRQD "cpu.ksoftirqd": series Count, "CPU used by ksoftirqd of this CPU" <- ["pidstat -u 1 10", "top -b -n 2"];
        NODE "cpu.node": num Count, "NUMA node of the CPU" <- ["lscpu -e", "numactl -H"];
        SOCKET "cpu.socket": num Count, "socket of the CPU" <- ["lscpu -e", "cat /proc/cpuinfo"];
        CORE "cpu.core": num Count, "core id" <- ["lscpu -e", "cat /proc/cpuinfo"];
        SIBLINGS "cpu.siblings": cpus, "hardware threads of the same core, itself included" <- ["lscpu -e", "cat /sys/devices/system/cpu/cpu*/topology/thread_siblings_list"];
        FREQUENCY "cpu.frequency": num Hertz, "frequency at capture" <- ["cat /proc/cpuinfo", "grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq"];
        MAX_FREQUENCY "cpu.max_frequency": num Hertz, "highest frequency of the hardware" <- ["grep . /sys/devices/system/cpu/cpu*/cpufreq/cpuinfo_max_freq"];
        FREQUENCY_LIMIT "cpu.frequency_limit": num Hertz, "highest frequency that the policy allows" <- ["grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq"];
        GOVERNOR "cpu.governor": text, "frequency governor" <- ["grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"];
        PACKETS "cpu.packets": num PerSec, "packets that this CPU took from the network (softnet_stat processed)" <- ["cat /proc/net/softnet_stat (twice)"];
        NET_RX "cpu.net_rx": num PerSec, "NET_RX softirqs (falls, not rises, on a saturated CPU)" <- ["cat /proc/softirqs (twice)"];
        SQUEEZED "cpu.squeezed": num PerSec, "time_squeeze events" <- ["cat /proc/net/softnet_stat (twice)"];
        DROPPED "cpu.dropped": num PerSec, "packets dropped at this CPU's backlog" <- ["cat /proc/net/softnet_stat (twice)"];
        RPS_RECEIVED "cpu.rps_received": num PerSec, "packets handed to this CPU by RPS" <- ["cat /proc/net/softnet_stat (twice)"];
    }
}

facts! {
    irq: Irq {
        NAME "irq.name": text, "device names of the interrupt line" <- ["cat /proc/interrupts"];
        TOTAL "irq.total": num Count, "interrupts since boot, all CPUs" <- ["cat /proc/interrupts"];
        RATE "irq.rate": num PerSec, "interrupts, all CPUs" <- ["cat /proc/interrupts (twice)"];
        AFFINITY "irq.affinity": cpus, "CPUs the line may go to (smp_affinity)" <- ["grep . /proc/irq/*/smp_affinity_list"];
        EFFECTIVE "irq.effective": cpus, "CPUs the line does go to (effective_affinity)" <- ["grep . /proc/irq/*/effective_affinity_list"];
        NODE "irq.numa_node": num Count, "NUMA node of the device behind the line" <- ["cat /proc/irq/N/node"];
        TOP_CPU "irq.top_cpu": num Count, "CPU that took most of its interrupts" <- ["cat /proc/interrupts (twice)"];
        NIC "irq.nic": text, "interface it serves" <- ["ls /sys/class/net/IFACE/device/msi_irqs"];
        QUEUE "irq.queue": num Count, "queue of the interface it serves" <- ["cat /proc/interrupts"];
    }
}
