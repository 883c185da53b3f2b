//! NUMA nodes.

use super::facts;

facts! {
    numa_node: Node {
        CPUS "numa_node.cpus": cpus, "CPUs of the node" <- ["numactl -H", "lscpu"];
        MEM_TOTAL "numa_node.mem_total": num Bytes, "memory of the node" <- ["numactl -H", "cat /sys/devices/system/node/node*/meminfo"];
        MEM_FREE "numa_node.mem_free": num Bytes, "free memory of the node" <- ["numactl -H", "cat /sys/devices/system/node/node*/meminfo"];
        DISTANCES "numa_node.distances": list, "distance to each node with memory or CPUs, in the order of node numbers; 10 is itself" <- ["numactl -H", "cat /sys/devices/system/node/node*/distance"];
        KSWAPD "numa_node.kswapd_cpu": series Count, "CPUs used by the node's kswapd" <- ["pidstat -u 1 10", "top -b -n 2"];
    }
}
