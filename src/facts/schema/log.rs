//! What the kernel's log says: one count per signature, and its first line.

use super::facts;

macro_rules! logs {
    ($($key:ident $count:literal $first:ident $text:literal : $doc:literal;)+) => {
        facts! {
            log: Host {
                $($key $count: num Count, $doc <- ["dmesg -T", "journalctl -k"];
                $first $text: text, $doc <- ["dmesg -T", "journalctl -k"];)+
            }
        }
    };
}

logs! {
    OOM_KILL "host.log_oom_kills" OOM_KILL_LINE "host.log_oom_kills_line": "kernel log: processes killed for memory";
    MEMCG_OOM "host.log_memcg_oom" MEMCG_OOM_LINE "host.log_memcg_oom_line": "kernel log: a control group ran out of memory";
    GLOBAL_OOM "host.log_global_oom" GLOBAL_OOM_LINE "host.log_global_oom_line": "kernel log: the host as a whole ran out of memory and a process was killed";
    PAGE_ALLOC "host.log_page_alloc" PAGE_ALLOC_LINE "host.log_page_alloc_line": "kernel log: page allocation failures";
    HUNG_TASK "host.log_hung_tasks" HUNG_TASK_LINE "host.log_hung_tasks_line": "kernel log: tasks blocked for more than the hung-task limit";
    SOFT_LOCKUP "host.log_soft_lockups" SOFT_LOCKUP_LINE "host.log_soft_lockups_line": "kernel log: CPUs stuck in the kernel";
    HARD_LOCKUP "host.log_hard_lockups" HARD_LOCKUP_LINE "host.log_hard_lockups_line": "kernel log: CPUs that took no interrupts";
    RCU_STALL "host.log_rcu_stalls" RCU_STALL_LINE "host.log_rcu_stalls_line": "kernel log: RCU stalls";
    OOPS "host.log_oops" OOPS_LINE "host.log_oops_line": "kernel log: oopses, bugs and panics";
    HARDWARE_ERROR "host.log_hardware_errors" HARDWARE_ERROR_LINE "host.log_hardware_errors_line": "kernel log: machine check and memory (EDAC) errors";
    THERMAL "host.log_thermal" THERMAL_LINE "host.log_thermal_line": "kernel log: CPUs throttled for heat or power";
    CLOCKSOURCE "host.log_clocksource" CLOCKSOURCE_LINE "host.log_clocksource_line": "kernel log: a clock source marked unstable";
    IO_ERROR "host.log_io_errors" IO_ERROR_LINE "host.log_io_errors_line": "kernel log: I/O errors of block devices";
    MEDIUM_ERROR "host.log_medium_errors" MEDIUM_ERROR_LINE "host.log_medium_errors_line": "kernel log: medium errors";
    DISK_TIMEOUT "host.log_disk_timeouts" DISK_TIMEOUT_LINE "host.log_disk_timeouts_line": "kernel log: commands of a disk that timed out or were aborted";
    FS_ERROR "host.log_fs_errors" FS_ERROR_LINE "host.log_fs_errors_line": "kernel log: file system errors";
    FS_WARNING "host.log_fs_warnings" FS_WARNING_LINE "host.log_fs_warnings_line": "kernel log: file system warnings";
    READ_ONLY "host.log_remounts_read_only" READ_ONLY_LINE "host.log_remounts_read_only_line": "kernel log: file systems remounted read-only";
    PATH_LOST "host.log_paths_lost" PATH_LOST_LINE "host.log_paths_lost_line": "kernel log: multipath paths failed";
    NFS_DOWN "host.log_nfs_down" NFS_DOWN_LINE "host.log_nfs_down_line": "kernel log: NFS servers not responding";
    CONNTRACK_FULL "host.log_conntrack_full" CONNTRACK_FULL_LINE "host.log_conntrack_full_line": "kernel log: packets dropped because the conntrack table was full";
    NEIGHBOUR_FULL "host.log_neighbour_full" NEIGHBOUR_FULL_LINE "host.log_neighbour_full_line": "kernel log: neighbour table overflows";
    SYN_FLOOD "host.log_syn_flood" SYN_FLOOD_LINE "host.log_syn_flood_line": "kernel log: SYN queue full (possible SYN flooding)";
    TIME_WAIT_FULL "host.log_time_wait_full" TIME_WAIT_FULL_LINE "host.log_time_wait_full_line": "kernel log: time-wait bucket table overflows";
    TCP_MEMORY "host.log_tcp_memory" TCP_MEMORY_LINE "host.log_tcp_memory_line": "kernel log: TCP out of memory, or too many orphaned sockets";
    LINK_DOWN "host.log_link_down" LINK_DOWN_LINE "host.log_link_down_line": "kernel log: network links that went down";
    TX_TIMEOUT "host.log_tx_timeouts" TX_TIMEOUT_LINE "host.log_tx_timeouts_line": "kernel log: transmit queues of NICs that timed out";
    NIC_RESET "host.log_nic_resets" NIC_RESET_LINE "host.log_nic_resets_line": "kernel log: resets of network adapters";
    NIC_QUEUES "host.log_nic_queues" NIC_QUEUES_LINE "host.log_nic_queues_line": "kernel log: a driver got fewer interrupt vectors or queues than it wanted, or RSS was disabled";
    FIRMWARE "host.log_nic_firmware" FIRMWARE_LINE "host.log_nic_firmware_line": "kernel log: firmware of an adapter updated, failed or out of step";
    IRQ_UNHANDLED "host.log_irq_unhandled" IRQ_UNHANDLED_LINE "host.log_irq_unhandled_line": "kernel log: interrupts that nobody handled";
    CONSOLE "host.log_console" CONSOLE_LINE "host.log_console_line": "kernel log: a serial console that could not keep up";
    AUDIT_BACKLOG "host.log_audit_backlog" AUDIT_BACKLOG_LINE "host.log_audit_backlog_line": "kernel log: audit backlog limit exceeded";
    PIDS_LIMIT "host.log_pids_limit" PIDS_LIMIT_LINE "host.log_pids_limit_line": "kernel log: forks rejected by the pids controller";
    FILE_LIMIT "host.log_file_limit" FILE_LIMIT_LINE "host.log_file_limit_line": "kernel log: the limit of open files of the system was reached";
    SEGFAULT "host.log_segfaults" SEGFAULT_LINE "host.log_segfaults_line": "kernel log: segmentation faults";
}
