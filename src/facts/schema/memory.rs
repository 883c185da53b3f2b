//! Memory of the host: totals, reclaim, swap.

use super::facts;

facts! {
    memory: Host {
        TOTAL "host.mem_total": num Bytes, "MemTotal" <- ["cat /proc/meminfo", "free -b"];
        AVAILABLE "host.mem_available": num Bytes, "MemAvailable, the kernel's estimate of what can be had without swapping" <- ["cat /proc/meminfo", "free -b"];
        FREE "host.mem_free": num Bytes, "MemFree" <- ["cat /proc/meminfo", "free -b"];
        SWAP_TOTAL "host.swap_total": num Bytes, "swap space" <- ["cat /proc/meminfo", "cat /proc/swaps", "free -b"];
        SWAP_USED "host.swap_used": num Bytes, "swap in use" <- ["cat /proc/meminfo", "free -b"];
        SWAP_IN "host.swap_in": series BytesPerSec, "pages read back from swap" <- ["cat /proc/vmstat (twice)", "vmstat 1 10", "sar -W 1 10"];
        SWAP_OUT "host.swap_out": series BytesPerSec, "pages written to swap" <- ["cat /proc/vmstat (twice)", "vmstat 1 10", "sar -W 1 10"];
        PSI_MEM "host.psi_mem_some": series Share, "share of time in which some task waited for memory" <- ["cat /proc/pressure/memory (twice)"];
        PSI_MEM_FULL "host.psi_mem_full": series Share, "share of time in which all non-idle tasks waited for memory" <- ["cat /proc/pressure/memory (twice)"];
        MAJOR_FAULTS "host.major_faults": series PerSec, "page faults that needed I/O (pgmajfault)" <- ["cat /proc/vmstat (twice)", "sar -B 1 10"];
        SCAN_DIRECT "host.scan_direct": series PerSec, "pages scanned by tasks that had to reclaim themselves (pgscan_direct)" <- ["cat /proc/vmstat (twice)", "sar -B 1 10"];
        SCAN_KSWAPD "host.scan_kswapd": series PerSec, "pages scanned by kswapd" <- ["cat /proc/vmstat (twice)", "sar -B 1 10"];
        SWAPPINESS "host.swappiness": num Count, "vm.swappiness" <- ["sysctl vm.swappiness"];
        PAGE_SIZE "host.page_size": num Bytes, "page size of the kernel" <- ["getconf PAGESIZE"];
        SWAP_DEVICES "host.swap_devices": list, "swap devices and files" <- ["cat /proc/swaps", "swapon --show"];
        SWAP_ZRAM "host.swap_on_zram": flag, "all swap is zram: it costs CPU, not I/O" <- ["cat /proc/swaps", "swapon --show"];
        SLAB_LARGEST "host.slab_largest": text, "slab cache that holds most memory" <- ["cat /proc/slabinfo"];
        SLAB_LARGEST_BYTES "host.slab_largest_bytes": num Bytes, "memory of that slab cache" <- ["cat /proc/slabinfo"];
    }
}
