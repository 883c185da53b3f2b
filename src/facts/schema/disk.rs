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
        SIZE "disk.size": num Bytes, "capacity" <- ["lsblk -b"];
        TYPE "disk.type": text, "disk, part, lvm, crypt, raid1, mpath, loop and others" <- ["lsblk"];
        MODEL "disk.model": text, "model" <- ["lsblk -o NAME,MODEL", "nvme list"];
        SERIAL "disk.serial": text, "serial number; the volume id of an EBS volume" <- ["nvme list", "lsblk -o NAME,SERIAL"];
        FSTYPE "disk.fstype": text, "file system or member type on it" <- ["lsblk -f"];
        MOUNTPOINTS "disk.mountpoints": list, "where it is mounted" <- ["lsblk"];
        PARENTS "disk.parents": list, "devices that it lies on" <- ["lsblk"];
        ROTATIONAL "disk.rotational": flag, "the kernel takes it for a spinning disk (virtual disks often say so wrongly)" <- ["cat /sys/block/DEV/queue/rotational", "lsblk -d -o NAME,ROTA"];
        SCHEDULER "disk.scheduler": text, "I/O scheduler in use" <- ["cat /sys/block/DEV/queue/scheduler"];
        NR_REQUESTS "disk.nr_requests": num Count, "requests that may queue in the kernel" <- ["cat /sys/block/DEV/queue/nr_requests"];
        READ_AHEAD "disk.read_ahead": num Bytes, "read-ahead window" <- ["cat /sys/block/DEV/queue/read_ahead_kb"];
        MAX_IO "disk.max_io": num Bytes, "largest request" <- ["cat /sys/block/DEV/queue/max_sectors_kb"];
        WRITE_CACHE "disk.write_cache": text, "'write back' or 'write through'" <- ["cat /sys/block/DEV/queue/write_cache"];
        TEMPERATURE "disk.temperature": num Celsius, "composite temperature" <- ["nvme smart-log /dev/nvmeX"];
        PERCENTAGE_USED "disk.percentage_used": num Share, "endurance used, may exceed 100 %" <- ["nvme smart-log /dev/nvmeX"];
        AVAILABLE_SPARE "disk.available_spare": num Share, "spare capacity left" <- ["nvme smart-log /dev/nvmeX"];
        CRITICAL_WARNING "disk.critical_warning": num Count, "bits of the critical warning, 0 is none" <- ["nvme smart-log /dev/nvmeX"];
        MEDIA_ERRORS "disk.media_errors": num Count, "media and data integrity errors in its lifetime" <- ["nvme smart-log /dev/nvmeX"];
        BURST_BALANCE "disk.burst_balance": series Share, "burst credits left (CloudWatch BurstBalance)" <- ["aws cloudwatch get-metric-statistics --namespace AWS/EBS --metric-name BurstBalance ..."];
        VOLUME_IOPS_EXCEEDED "disk.volume_iops_exceeded": series Count, "1 where the volume's IOPS limit was exceeded in the minute" <- ["aws cloudwatch get-metric-statistics --namespace AWS/EBS --metric-name VolumeIOPSExceededCheck ..."];
        VOLUME_THROUGHPUT_EXCEEDED "disk.volume_throughput_exceeded": series Count, "1 where the volume's throughput limit was exceeded in the minute" <- ["aws cloudwatch get-metric-statistics --namespace AWS/EBS --metric-name VolumeThroughputExceededCheck ..."];
        VOLUME_QUEUE_LENGTH "disk.volume_queue_length": series Count, "requests waiting at the volume (CloudWatch)" <- ["aws cloudwatch get-metric-statistics --namespace AWS/EBS --metric-name VolumeQueueLength ..."];
    }
}

facts! {
    mount: Mount {
        FSTYPE "mount.fstype": text, "file system type" <- ["cat /proc/self/mountinfo", "findmnt"];
        SOURCE "mount.source": text, "device or remote path" <- ["cat /proc/self/mountinfo", "findmnt"];
        READ_ONLY "mount.read_only": flag, "mounted read-only" <- ["cat /proc/self/mountinfo", "findmnt"];
        SIZE "mount.size": num Bytes, "size of the file system" <- ["df -PT"];
        USED "mount.used": num Bytes, "bytes in use" <- ["df -PT"];
        AVAIL "mount.avail": num Bytes, "bytes that users may still take; less than size - used where blocks are reserved" <- ["df -PT"];
        INODES "mount.inodes": num Count, "inodes of the file system" <- ["df -Pi"];
        INODES_USED "mount.inodes_used": num Count, "inodes in use" <- ["df -Pi"];
        INODES_FREE "mount.inodes_free": num Count, "inodes free" <- ["df -Pi"];
        OPTIONS "mount.options": text, "mount options" <- ["cat /proc/self/mountinfo", "findmnt"];
    }
}
