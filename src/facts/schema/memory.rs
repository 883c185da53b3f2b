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
        AVAILABLE_SHARE "host.mem_available_share": num Share, "MemAvailable as a share of RAM" <- ["cat /proc/meminfo", "free -b"];
        FILE_CACHE "host.file_cache": num Bytes, "page cache: Active(file) and Inactive(file); buffers and cache where only free, top or vmstat tell" <- ["cat /proc/meminfo", "free -b", "vmstat 1 10"];
        FILE_CACHE_SHARE "host.file_cache_share": num Share, "page cache as a share of RAM" <- ["cat /proc/meminfo", "free -b"];
        SWAP_FREE_SHARE "host.swap_free_share": num Share, "free part of the swap space; unknown without swap" <- ["cat /proc/meminfo", "free -b"];
        ALLOC_STALLS "host.alloc_stalls": series PerSec, "allocations that had to reclaim memory themselves before they went on (allocstall_*)" <- ["cat /proc/vmstat (twice)"];
        DIRECT_SHARE "host.reclaim_direct_share": num Share, "part of the pages scanned that tasks had to scan themselves, the rest being kswapd's" <- ["cat /proc/vmstat (twice)", "sar -B 1 10"];
        REFAULT_ANON "host.refault_anon": series BytesPerSec, "anonymous memory read back soon after it was evicted (workingset_refault_anon)" <- ["cat /proc/vmstat (twice)"];
        REFAULT_FILE "host.refault_file": series BytesPerSec, "page cache read back soon after it was evicted (workingset_refault_file)" <- ["cat /proc/vmstat (twice)"];
        KSWAPD "host.kswapd_cpu": series Count, "CPUs used by the busiest kswapd" <- ["pidstat -u 1 10", "top -b -n 2"];
        SWAP_VICTIM "host.swap_victim": num Count, "process id of the process with most memory in swap" <- ["cat /proc/PID/status (of all processes)"];
        SWAP_VICTIM_NAME "host.swap_victim_name": text, "its command" <- ["cat /proc/PID/status (of all processes)"];
        SWAP_VICTIM_BYTES "host.swap_victim_bytes": num Bytes, "its memory in swap" <- ["cat /proc/PID/status (of all processes)"];
        SWAP_VICTIM_SHARE "host.swap_victim_share": num Share, "its memory in swap as a share of its resident memory and swap" <- ["cat /proc/PID/status (of all processes)"];
        OOM_KILLS "host.oom_kills": num Count, "processes killed for want of memory in the window, those of control groups included (oom_kill)" <- ["cat /proc/vmstat (twice)"];
        COMPACT_STALLS "host.compact_stalls": series PerSec, "allocations that had to compact memory themselves (compact_stall)" <- ["cat /proc/vmstat (twice)"];
        COMPACT_FAIL "host.compact_fail_share": num Share, "compactions that failed, of those that ended" <- ["cat /proc/vmstat (twice)"];
        THP_FALLBACKS "host.thp_fallbacks": series PerSec, "faults that wanted a huge page and got small ones (thp_fault_fallback)" <- ["cat /proc/vmstat (twice)"];
        FREE_ORDER "host.largest_free_order": num Count, "order of the largest free block outside the DMA zone; an order-N block is 2^N pages" <- ["cat /proc/buddyinfo"];
        BLOCKS_FREE "host.free_in_blocks": num Bytes, "free memory in the buddy lists outside the DMA zone" <- ["cat /proc/buddyinfo"];
        ALLOC_FAIL_ORDER "host.alloc_fail_order": num Count, "order of the allocation that the kernel log says failed" <- ["dmesg -T", "journalctl -k"];
        ALLOC_FAIL_TASK "host.alloc_fail_task": text, "task whose allocation failed first" <- ["dmesg -T", "journalctl -k"];
        MEMCG_PRESSED "host.memcg_pressed": text, "control group that ran into its own memory limit in the window, the one that waited most" <- ["cat /sys/fs/cgroup/PATH/memory.events (twice)", "cat /sys/fs/cgroup/PATH/memory.pressure (twice)"];
        MEMCG_PRESSED_EVENTS "host.memcg_pressed_events": num PerSec, "times per second it ran into memory.high or memory.max" <- ["cat /sys/fs/cgroup/PATH/memory.events (twice)"];
        MEMCG_PRESSED_PSI "host.memcg_pressed_psi": num Share, "share of time in which some of its tasks waited for memory" <- ["cat /sys/fs/cgroup/PATH/memory.pressure (twice)"];
        MEMCG_OOM_KILLS "host.memcg_oom_kills": num Count, "processes killed in the window because their control group ran out of memory" <- ["cat /sys/fs/cgroup/PATH/memory.events (twice)"];
        MEMCG_OOM_GROUP "host.memcg_oom_group": text, "control group in which most were killed" <- ["cat /sys/fs/cgroup/PATH/memory.events (twice)"];
        MEMCG_OOM_LIMIT "host.memcg_oom_limit": num Bytes, "its memory limit" <- ["cat /sys/fs/cgroup/PATH/memory.max"];
        MEMCG_OOM_PEAK "host.memcg_oom_peak": num Bytes, "the most memory it ever used" <- ["cat /sys/fs/cgroup/PATH/memory.peak"];
        PAGE_SIZE "host.page_size": num Bytes, "page size of the kernel" <- ["getconf PAGESIZE"];
        SWAP_DEVICES "host.swap_devices": list, "swap devices and files" <- ["cat /proc/swaps", "swapon --show"];
        SWAP_ZRAM "host.swap_on_zram": flag, "all swap is zram: it costs CPU, not I/O" <- ["cat /proc/swaps", "swapon --show"];
        SLAB_LARGEST "host.slab_largest": text, "slab cache that holds most memory" <- ["cat /proc/slabinfo"];
        SLAB_LARGEST_BYTES "host.slab_largest_bytes": num Bytes, "memory of that slab cache" <- ["cat /proc/slabinfo"];
    }
}
