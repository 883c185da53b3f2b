//! Block devices and mounts.

use super::facts;

facts! {
    disk: Disk {
        IOPS "disk.iops": series PerSec, "reads, writes, discards and flushes completed" <- ["iostat -xz 1 10", "cat /proc/diskstats (twice)"];
        READ_IOPS "disk.read_iops": series PerSec, "reads completed" <- ["iostat -xz 1 10", "cat /proc/diskstats (twice)"];
        WRITE_IOPS "disk.write_iops": series PerSec, "writes completed" <- ["iostat -xz 1 10", "cat /proc/diskstats (twice)"];
        READ_BPS "disk.read_bytes_per_s": series BytesPerSec, "bytes read" <- ["iostat -xz 1 10", "cat /proc/diskstats (twice)"];
        WRITE_BPS "disk.write_bytes_per_s": series BytesPerSec, "bytes written" <- ["iostat -xz 1 10", "cat /proc/diskstats (twice)"];
        READ_AWAIT "disk.read_await": series Seconds, "mean time of a read, queueing included" <- ["iostat -xz 1 10", "cat /proc/diskstats (twice)"];
        WRITE_AWAIT "disk.write_await": series Seconds, "mean time of a write, queueing included" <- ["iostat -xz 1 10", "cat /proc/diskstats (twice)"];
        AWAIT "disk.await": series Seconds, "mean time of a request, queueing included" <- ["iostat -xz 1 10", "cat /proc/diskstats (twice)"];
        AQU_SZ "disk.aqu_sz": series Count, "mean requests outstanding (aqu-sz)" <- ["iostat -xz 1 10", "cat /proc/diskstats (twice)"];
        UTIL "disk.util": series Share, "time with at least one request outstanding; no limit for parallel devices" <- ["iostat -xz 1 10", "cat /proc/diskstats (twice)"];
    }
}

facts! {
    mount: Mount {
        FSTYPE "mount.fstype": text, "file system type" <- ["cat /proc/self/mountinfo", "findmnt"];
        SOURCE "mount.source": text, "device or remote path" <- ["cat /proc/self/mountinfo", "findmnt"];
        OPTIONS "mount.options": text, "mount options" <- ["cat /proc/self/mountinfo", "findmnt"];
    }
}
