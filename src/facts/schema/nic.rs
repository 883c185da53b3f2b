//! Network interfaces and their queues.

use super::facts;

facts! {
    nic: Nic {
        DRIVER "nic.driver": text, "kernel driver" <- ["ethtool -i IFACE"];
        DRIVER_VERSION "nic.driver_version": text, "version of the driver" <- ["ethtool -i IFACE"];
        FIRMWARE "nic.firmware": text, "firmware version" <- ["ethtool -i IFACE"];
        BUS "nic.bus": text, "bus address, as virtio0 or 0000:3b:00.0" <- ["ethtool -i IFACE"];
        KIND "nic.kind": text, "'physical', 'virtual' (veth, bridge, bond, tunnel ...) or 'loopback'" <- ["ethtool -i IFACE", "ip -d link"];
        STATE "nic.link_up": flag, "link detected" <- ["ethtool IFACE", "ip -s link"];
        SPEED "nic.speed": num BytesPerSec, "negotiated speed" <- ["ethtool IFACE"];
        DUPLEX "nic.duplex": text, "'full' or 'half'" <- ["ethtool IFACE"];
        MTU "nic.mtu": num Bytes, "largest packet" <- ["ip -s link"];
        QDISC "nic.qdisc": text, "root queueing discipline" <- ["tc -s qdisc", "ip -s link"];
        MASTER "nic.master": text, "bond or bridge it belongs to" <- ["ip -s link"];
        ADAPTIVE_RX "nic.adaptive_rx": flag, "adaptive interrupt coalescing on receive" <- ["ethtool -c IFACE"];
        RX_COALESCE "nic.rx_coalesce": num Seconds, "receive interrupt delay (rx-usecs)" <- ["ethtool -c IFACE"];
        RX_COALESCE_FRAMES "nic.rx_coalesce_frames": num Count, "packets before a receive interrupt (rx-frames)" <- ["ethtool -c IFACE"];
        PAUSE_RX "nic.pause_rx": flag, "honours pause frames" <- ["ethtool -a IFACE"];
        PAUSE_TX "nic.pause_tx": flag, "sends pause frames" <- ["ethtool -a IFACE"];
        THREADED_NAPI "nic.threaded_napi": flag, "NAPI polls in kernel threads, not in softirq" <- ["cat /sys/class/net/IFACE/threaded"];
        CHANNELS_NOW "nic.channels_now": num Count, "receive channels in use (combined, or rx)" <- ["ethtool -l IFACE"];
        CHANNELS_MAX "nic.channels_max": num Count, "receive channels the hardware offers" <- ["ethtool -l IFACE"];
        CHANNELS_TX_NOW "nic.channels_tx_now": num Count, "transmit channels in use (combined, or tx)" <- ["ethtool -l IFACE"];
        CHANNELS_TX_MAX "nic.channels_tx_max": num Count, "transmit channels the hardware offers" <- ["ethtool -l IFACE"];
        RING_RX_NOW "nic.ring_rx_now": num Count, "receive ring entries in use" <- ["ethtool -g IFACE"];
        RING_RX_MAX "nic.ring_rx_max": num Count, "receive ring entries possible" <- ["ethtool -g IFACE"];
        RING_TX_NOW "nic.ring_tx_now": num Count, "transmit ring entries in use" <- ["ethtool -g IFACE"];
        RING_TX_MAX "nic.ring_tx_max": num Count, "transmit ring entries possible" <- ["ethtool -g IFACE"];
        RX_RINGS "nic.rx_rings": num Count, "receive rings that the RSS table may point to" <- ["ethtool -x IFACE"];
        HASH_FUNCTION "nic.rss_function": text, "RSS hash function in use" <- ["ethtool -x IFACE"];
        GRO "nic.gro": flag, "generic receive offload" <- ["ethtool -k IFACE"];
        LRO "nic.lro": flag, "large receive offload" <- ["ethtool -k IFACE"];
        TSO "nic.tso": flag, "TCP segmentation offload" <- ["ethtool -k IFACE"];
        GSO "nic.gso": flag, "generic segmentation offload" <- ["ethtool -k IFACE"];
        RX_HASH "nic.rx_hash": flag, "the hardware hands the flow hash to the kernel" <- ["ethtool -k IFACE"];
        NTUPLE "nic.ntuple": flag, "n-tuple filters steer flows to queues" <- ["ethtool -k IFACE"];
        RX_CHECKSUM "nic.rx_checksum": flag, "receive checksum offload" <- ["ethtool -k IFACE"];
        TABLE_QUEUES "nic.table_queues": num Count, "distinct queues in the RSS indirection table" <- ["ethtool -x IFACE"];
        TABLE_TOP1 "nic.table_top1": num Share, "share of indirection table entries that point to one queue" <- ["ethtool -x IFACE"];
        NODE "nic.numa_node": num Count, "NUMA node of the device, unknown when the kernel says -1" <- ["cat /sys/class/net/IFACE/device/numa_node"];
        RX_PPS "nic.rx_pps": num PerSec, "packets received" <- ["cat /proc/net/dev (twice)", "sar -n DEV 1 10", "ethtool -S IFACE (twice)"];
        TX_PPS "nic.tx_pps": num PerSec, "packets sent" <- ["cat /proc/net/dev (twice)", "sar -n DEV 1 10"];
        RX_BPS "nic.rx_bytes_per_s": num BytesPerSec, "bytes received" <- ["cat /proc/net/dev (twice)", "sar -n DEV 1 10"];
        TX_BPS "nic.tx_bytes_per_s": num BytesPerSec, "bytes sent" <- ["cat /proc/net/dev (twice)", "sar -n DEV 1 10"];
        RX_DROPS "nic.rx_drops": num PerSec, "packets lost on the host's side (ring full, no buffer), by the driver's own counters" <- ["ethtool -S IFACE (twice)", "ip -s link (twice)"];
        RX_ERRORS "nic.rx_errors": num PerSec, "receive errors (interface counter)" <- ["ip -s link (twice)", "sar -n EDEV 1 10"];
        RX_DEV_DROPS "nic.rx_dev_drops": num PerSec, "receive drops of the interface counter; unknown protocols count too" <- ["ip -s link (twice)", "sar -n EDEV 1 10"];
        TX_DEV_DROPS "nic.tx_dev_drops": num PerSec, "transmit drops of the interface counter" <- ["ip -s link (twice)", "sar -n EDEV 1 10"];
        RX_FIFO "nic.rx_fifo": num PerSec, "receive FIFO overruns of the interface counter" <- ["ip -s link (twice)", "sar -n EDEV 1 10"];
        RX_NEFF "nic.rx_neff": num Count, "effective number of receive queues, 1/sum(p^2) over queue packets" <- ["ethtool -S IFACE (twice)"];
        RX_TOP1 "nic.rx_top1": num Share, "share of received packets that came through one queue" <- ["ethtool -S IFACE (twice)"];
        RX_TOP_QUEUE "nic.rx_top_queue": num Count, "queue with the most received packets" <- ["ethtool -S IFACE (twice)"];
        RX_QUEUES "nic.rx_queues": num Count, "receive queues with counters" <- ["ethtool -S IFACE (twice)"];
        RHO_FAIR "nic.rho_fair": num Count, "neff divided by what fair hashing of the open flows could reach (nF/(n+F-1))" <- ["ethtool -S IFACE (twice)", "cat /proc/net/sockstat"];
        CPU_NEFF "nic.cpu_neff": num Count, "effective number of CPUs its queue interrupts land on, weighted by queue packets" <- ["ethtool -S IFACE (twice)", "grep . /proc/irq/*/effective_affinity_list"];
        CPU_TOP1 "nic.cpu_top1": num Share, "share of queue packets whose interrupt lands on one CPU" <- ["ethtool -S IFACE (twice)", "grep . /proc/irq/*/effective_affinity_list"];
        IRQ_CPUS "nic.irq_cpus": cpus, "CPUs on which its queue interrupts land" <- ["grep . /proc/irq/*/effective_affinity_list", "cat /proc/interrupts"];
        IRQS "nic.irqs": list, "its queue interrupt lines" <- ["ls /sys/class/net/IFACE/device/msi_irqs", "cat /proc/interrupts"];
        RPS_CPUS "nic.rps_cpus": cpus, "CPUs that RPS may use" <- ["grep . /sys/class/net/IFACE/queues/rx-*/rps_cpus"];
        RESET_LOGGED "nic.reset_logged": flag, "the kernel log tells of a driver reset, a firmware change, missing MSI-X vectors or a fall back to one queue for it" <- ["dmesg -T", "journalctl -k"];
        MAC "nic.mac": text, "permanent hardware address" <- ["ethtool -P IFACE", "ip -s link"];
        LOCAL_CPUS "nic.local_cpus": cpus, "CPUs of the device's NUMA node (all, when it has none)" <- ["cat /sys/class/net/IFACE/device/local_cpulist", "lscpu"];
    }
}

facts! {
    queue: Queue {
        RX_PPS "queue.rx_pps": num PerSec, "packets received through this queue" <- ["ethtool -S IFACE (twice)"];
        RX_SHARE "queue.rx_share": num Share, "share of the NIC's received packets" <- ["ethtool -S IFACE (twice)"];
        IRQ "queue.irq": num Count, "its interrupt line" <- ["cat /proc/interrupts"];
        CPUS "queue.cpus": cpus, "CPUs on which its interrupt lands" <- ["grep . /proc/irq/*/effective_affinity_list"];
        RPS_CPUS "queue.rps_cpus": cpus, "CPUs that RPS may use for this receive queue; empty when RPS is off" <- ["grep . /sys/class/net/IFACE/queues/rx-*/rps_cpus"];
        XPS_CPUS "queue.xps_cpus": cpus, "CPUs that send through the transmit queue of this number" <- ["grep . /sys/class/net/IFACE/queues/tx-*/xps_cpus"];
    }
}
