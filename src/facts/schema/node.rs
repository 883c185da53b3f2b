//! NUMA nodes.

use super::facts;

facts! {
    numa_node: Node {
        CPUS "numa_node.cpus": cpus, "CPUs of the node" <- ["numactl -H", "lscpu"];
        MEM_TOTAL "numa_node.mem_total": num Bytes, "memory of the node" <- ["numactl -H", "cat /sys/devices/system/node/node*/meminfo"];
        MEM_FREE "numa_node.mem_free": num Bytes, "free memory of the node" <- ["numactl -H", "cat /sys/devices/system/node/node*/meminfo"];
        DISTANCES "numa_node.distances": list, "distance to each node with memory or CPUs, in the order of node numbers; 10 is itself" <- ["numactl -H", "cat /sys/devices/system/node/node*/distance"];
        KSWAPD "numa_node.kswapd_cpu": series Count, "CPUs used by the node's kswapd" <- ["pidstat -u 1 10", "top -b -n 2"];
        FREE_SHARE "numa_node.free_share": num Share, "free part of the node's memory" <- ["numactl -H", "cat /sys/devices/system/node/node*/meminfo"];
        HEADROOM "numa_node.headroom": num Count, "free pages as a multiple of the high watermarks of its zones: below 1 kswapd works" <- ["cat /proc/zoneinfo (twice)"];
        LOW_RATIO "numa_node.free_of_low": num Count, "free pages as a multiple of the low watermarks of its zones: below 1 kswapd has been woken" <- ["cat /proc/zoneinfo (twice)"];
        ALLOCATIONS "numa_node.allocations": num PerSec, "pages allocated on the node" <- ["cat /sys/devices/system/node/node*/numastat (twice)", "numastat (twice)"];
        MISS_SHARE "numa_node.miss_share": num Share, "of the pages allocated on it, those that were meant for another node (numa_miss)" <- ["cat /sys/devices/system/node/node*/numastat (twice)", "numastat (twice)"];
        OTHER_SHARE "numa_node.other_share": num Share, "of the pages allocated on it, those that tasks on CPUs of another node asked for (other_node)" <- ["cat /sys/devices/system/node/node*/numastat (twice)", "numastat (twice)"];
        FOREIGN "numa_node.foreign": num PerSec, "pages that were meant for it and came from another node (numa_foreign)" <- ["cat /sys/devices/system/node/node*/numastat (twice)", "numastat (twice)"];
    }
}

facts! {
    numa: Host {
        USABLE "host.numa_usable_nodes": num Count, "nodes with both CPUs and memory" <- ["numactl -H", "lscpu"];
        FREE_MIN "host.node_free_min": num Share, "free part of the memory of the fullest node" <- ["numactl -H", "cat /sys/devices/system/node/node*/meminfo"];
        FREE_MAX "host.node_free_max": num Share, "free part of the memory of the emptiest node" <- ["numactl -H", "cat /sys/devices/system/node/node*/meminfo"];
        FULLEST "host.node_fullest": num Count, "number of the fullest node" <- ["numactl -H", "cat /sys/devices/system/node/node*/meminfo"];
        EMPTIEST "host.node_emptiest": num Count, "number of the emptiest node" <- ["numactl -H", "cat /sys/devices/system/node/node*/meminfo"];
        FULLEST_CACHE "host.node_fullest_cache": num Share, "page cache on the fullest node as a share of its memory" <- ["cat /sys/devices/system/node/node*/meminfo", "numastat -m"];
        HEADROOM_MIN "host.node_headroom_min": num Count, "free pages of the shortest node as a multiple of its high watermarks" <- ["cat /proc/zoneinfo (twice)"];
        HEADROOM_MAX "host.node_headroom_max": num Count, "the same of the node with most head-room" <- ["cat /proc/zoneinfo (twice)"];
        LOW_MIN "host.node_free_of_low": num Count, "lowest free pages of any node as a multiple of its low watermarks" <- ["cat /proc/zoneinfo (twice)"];
        ALLOCATED "host.numa_allocations": num PerSec, "pages allocated on all nodes" <- ["cat /sys/devices/system/node/node*/numastat (twice)", "numastat (twice)"];
        SPILL_SHARE "host.numa_spill_share": num Share, "largest miss share of the nodes that serve a tenth of all allocations or more" <- ["cat /sys/devices/system/node/node*/numastat (twice)", "numastat (twice)"];
        SPILL_NODE "host.numa_spill_node": num Count, "node that took the pages meant for another" <- ["cat /sys/devices/system/node/node*/numastat (twice)", "numastat (twice)"];
        SPILL_FROM "host.numa_spill_from": num Count, "node whose pages went elsewhere" <- ["cat /sys/devices/system/node/node*/numastat (twice)", "numastat (twice)"];
        OTHER_SHARE "host.numa_remote_share": num Share, "largest share of allocations for tasks of another node, of the nodes that serve a tenth of all allocations or more" <- ["cat /sys/devices/system/node/node*/numastat (twice)", "numastat (twice)"];
        OTHER_NODE "host.numa_remote_node": num Count, "node that serves tasks of another" <- ["cat /sys/devices/system/node/node*/numastat (twice)", "numastat (twice)"];
        INTERLEAVED "host.numa_interleaved": num Share, "allocations that were spread over the nodes on purpose (interleave_hit)" <- ["cat /sys/devices/system/node/node*/numastat (twice)", "numastat (twice)"];
        HINT_LOCAL "host.numa_hint_local": num Share, "NUMA hint faults that found their page on the own node" <- ["cat /proc/vmstat (twice)"];
        MIGRATED "host.numa_migrated": series PerSec, "pages that NUMA balancing moved between nodes" <- ["cat /proc/vmstat (twice)"];
        PROCESS "host.numa_process": num Count, "process id of the large process whose memory fits its CPUs worst" <- ["numastat -p PID", "cat /proc/PID/numa_maps"];
        PROCESS_NAME "host.numa_process_name": text, "its command" <- ["numastat -p PID", "cat /proc/PID/status"];
        PROCESS_MEMORY "host.numa_process_memory": num Bytes, "its resident memory on all nodes" <- ["numastat -p PID", "cat /proc/PID/numa_maps"];
        MISMATCH "host.numa_mismatch": num Share, "its placement mismatch: sum over nodes of max(0, CPU share - memory share); 0 is aligned" <- ["cat /proc/PID/numa_maps /proc/PID/task/*/stat (twice)"];
        CONCENTRATION "host.numa_concentration": num Share, "largest share of its memory on one node" <- ["numastat -p PID", "cat /proc/PID/numa_maps"];
        REMOTE "host.numa_remote_expected": num Share, "memory accesses expected to go to another node if it touches its pages evenly" <- ["cat /proc/PID/numa_maps /proc/PID/task/*/stat (twice)"];
        CPU_NEFF "host.numa_cpu_neff": num Count, "effective number of nodes it runs on, 1/sum(p^2)" <- ["cat /proc/PID/task/*/stat (twice)"];
        MEM_NODE "host.numa_mem_node": num Count, "node that holds most of its memory" <- ["numastat -p PID", "cat /proc/PID/numa_maps"];
        CPU_NODE "host.numa_cpu_node": num Count, "node on which it runs most" <- ["cat /proc/PID/task/*/stat (twice)"];
        POLICY "host.numa_policy": text, "NUMA policy of most of its memory" <- ["cat /proc/PID/numa_maps"];
        FITS "host.numa_process_fits": flag, "its memory is less than 85 % of the node it runs on" <- ["numastat -p PID", "numactl -H"];
    }
}
