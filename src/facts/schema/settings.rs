//! Kernel settings (`sysctl`) that rules use; any other is in the family `sysctl`.

use super::facts;

facts! {
    settings: Host {
        DIRTY_RATIO "host.dirty_ratio": num Share, "share of reclaimable memory at which writers must write back themselves (vm.dirty_ratio)" <- ["sysctl vm.dirty_ratio"];
        DIRTY_BACKGROUND_RATIO "host.dirty_background_ratio": num Share, "share of reclaimable memory at which background write-back begins" <- ["sysctl vm.dirty_background_ratio"];
        DIRTY_BYTES "host.dirty_bytes": num Bytes, "the same limit in bytes; absent when the ratio counts" <- ["sysctl vm.dirty_bytes"];
        DIRTY_BACKGROUND_BYTES "host.dirty_background_bytes": num Bytes, "the background limit in bytes; absent when the ratio counts" <- ["sysctl vm.dirty_background_bytes"];
        MIN_FREE "host.min_free": num Bytes, "memory kept free, base of the zone watermarks" <- ["sysctl vm.min_free_kbytes"];
        WATERMARK_SCALE_FACTOR "host.watermark_scale_factor": num Share, "distance between the watermarks as a share of memory; 0.1 % by default" <- ["sysctl vm.watermark_scale_factor"];
        ZONE_RECLAIM_MODE "host.zone_reclaim_mode": num Count, "reclaim on the local node before going to another, 0 is off" <- ["sysctl vm.zone_reclaim_mode"];
        OVERCOMMIT_MEMORY "host.overcommit_memory": num Count, "0 heuristic, 1 always, 2 never beyond the limit" <- ["sysctl vm.overcommit_memory"];
        OVERCOMMIT_RATIO "host.overcommit_ratio": num Share, "share of memory that counts towards the commit limit in mode 2" <- ["sysctl vm.overcommit_ratio"];
        MAX_MAP_COUNT "host.max_map_count": num Count, "memory maps that a process may have" <- ["sysctl vm.max_map_count"];
        NR_HUGEPAGES "host.nr_hugepages": num Count, "huge pages reserved" <- ["sysctl vm.nr_hugepages"];
        NUMA_STAT "host.numa_stat_enabled": num Count, "1 when the kernel counts NUMA hits and misses; with 0 they stay" <- ["sysctl vm.numa_stat"];
        NUMA_BALANCING "host.numa_balancing": num Count, "automatic NUMA balancing, 0 is off" <- ["sysctl kernel.numa_balancing"];
        PID_MAX "host.pid_max": num Count, "largest process number" <- ["sysctl kernel.pid_max"];
        THREADS_MAX "host.threads_max": num Count, "threads that the system may have" <- ["sysctl kernel.threads-max"];
        SCHED_AUTOGROUP "host.sched_autogroup": num Count, "1 when sessions are scheduled as groups" <- ["sysctl kernel.sched_autogroup_enabled"];
        TAINTED "host.tainted": num Count, "bits that say why the kernel is tainted" <- ["sysctl kernel.tainted"];
        ENTROPY "host.entropy_avail": num Count, "bits of entropy; always 256 since 5.18" <- ["sysctl kernel.random.entropy_avail"];
        FILE_MAX "host.file_max": num Count, "file handles that the system may have" <- ["sysctl fs.file-max"];
        FILE_NR "host.file_nr": num Count, "file handles allocated" <- ["sysctl fs.file-nr"];
        AIO_NR "host.aio_nr": num Count, "asynchronous I/O requests reserved" <- ["sysctl fs.aio-nr"];
        AIO_MAX_NR "host.aio_max_nr": num Count, "asynchronous I/O requests that may be reserved" <- ["sysctl fs.aio-max-nr"];
        INOTIFY_WATCHES "host.inotify_watches": num Count, "inotify watches per user" <- ["sysctl fs.inotify.max_user_watches"];
        INOTIFY_INSTANCES "host.inotify_instances": num Count, "inotify instances per user" <- ["sysctl fs.inotify.max_user_instances"];
        NETDEV_BUDGET_TIME "host.netdev_budget_time": num Seconds, "time that one net_rx_action may take" <- ["sysctl net.core.netdev_budget_usecs"];
        RPS_SOCK_FLOW_ENTRIES "host.rps_sock_flow_entries": num Count, "entries of the RFS table, 0 is off" <- ["sysctl net.core.rps_sock_flow_entries"];
        BUSY_POLL "host.busy_poll": num Seconds, "busy polling of sockets, 0 is off" <- ["sysctl net.core.busy_poll"];
        RMEM_MAX "host.rmem_max": num Bytes, "largest receive buffer that a program may ask for" <- ["sysctl net.core.rmem_max"];
        WMEM_MAX "host.wmem_max": num Bytes, "largest send buffer that a program may ask for" <- ["sysctl net.core.wmem_max"];
        RMEM_DEFAULT "host.rmem_default": num Bytes, "receive buffer of sockets that ask for none" <- ["sysctl net.core.rmem_default"];
        TCP_MAX_ORPHANS "host.tcp_max_orphans": num Count, "orphaned TCP sockets that may exist" <- ["sysctl net.ipv4.tcp_max_orphans"];
        TCP_MAX_TW_BUCKETS "host.tcp_max_tw_buckets": num Count, "TIME-WAIT sockets that may exist" <- ["sysctl net.ipv4.tcp_max_tw_buckets"];
        TCP_TW_REUSE "host.tcp_tw_reuse": num Count, "reuse of TIME-WAIT sockets for outgoing connections" <- ["sysctl net.ipv4.tcp_tw_reuse"];
        TCP_MTU_PROBING "host.tcp_mtu_probing": num Count, "1 probes after a black hole, 2 always" <- ["sysctl net.ipv4.tcp_mtu_probing"];
        TCP_SLOW_START_AFTER_IDLE "host.tcp_slow_start_after_idle": num Count, "1 when the window shrinks after idle time" <- ["sysctl net.ipv4.tcp_slow_start_after_idle"];
        TCP_ABORT_ON_OVERFLOW "host.tcp_abort_on_overflow": num Count, "1 when a full accept queue answers with a reset" <- ["sysctl net.ipv4.tcp_abort_on_overflow"];
        RP_FILTER "host.rp_filter": num Count, "reverse path filter of all interfaces" <- ["sysctl net.ipv4.conf.all.rp_filter"];
        NEIGH_GC_THRESH1 "host.neigh_gc_thresh1": num Count, "neighbour entries below which none is collected" <- ["sysctl net.ipv4.neigh.default.gc_thresh1"];
        NEIGH_GC_THRESH3 "host.neigh_gc_thresh3": num Count, "neighbour entries that may exist" <- ["sysctl net.ipv4.neigh.default.gc_thresh3"];
        CONNTRACK_BUCKETS "host.conntrack_buckets": num Count, "hash buckets of the connection table" <- ["sysctl net.netfilter.nf_conntrack_buckets"];
        TCP_CONGESTION_CONTROL "host.tcp_congestion_control": text, "congestion control algorithm" <- ["sysctl net.ipv4.tcp_congestion_control"];
        DEFAULT_QDISC "host.default_qdisc": text, "queueing discipline of new interfaces" <- ["sysctl net.core.default_qdisc"];
        PORT_RANGE_FIRST "host.port_range_first": num Count, "first port for outgoing connections" <- ["sysctl net.ipv4.ip_local_port_range"];
        PORT_RANGE_LAST "host.port_range_last": num Count, "last port for outgoing connections" <- ["sysctl net.ipv4.ip_local_port_range"];
        TCP_RMEM_DEFAULT "host.tcp_rmem_default": num Bytes, "initial receive buffer of TCP" <- ["sysctl net.ipv4.tcp_rmem"];
        TCP_RMEM_MAX "host.tcp_rmem_max": num Bytes, "largest automatic receive buffer of TCP" <- ["sysctl net.ipv4.tcp_rmem"];
        TCP_WMEM_MAX "host.tcp_wmem_max": num Bytes, "largest automatic send buffer of TCP" <- ["sysctl net.ipv4.tcp_wmem"];
        TCP_MEM_MAX "host.tcp_mem_max_pages": num Count, "pages of TCP memory above which nothing is allocated" <- ["sysctl net.ipv4.tcp_mem"];
    }
}
