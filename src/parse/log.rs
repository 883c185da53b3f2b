//! The kernel's log: `dmesg`, `dmesg -T`, journal and syslog text. What it says is counted by signature.
//!
//! A log that begins at boot (or is long) proves that a signature is absent; an excerpt proves only what it shows.

use std::sync::LazyLock;

use regex::Regex;

use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{host, log};
use crate::facts::{FactDef, Grade, Value};

pub static PARSER: Parser = Parser {
    kind: "dmesg",
    names: &[
        "dmesg*",
        "*dmesg*",
        "journalctl*",
        "*journalctl*",
        "*var log messages*",
        "*var log syslog*",
        "*kern.log*",
    ],
    sniff,
    parse,
    binary: false,
};

/// One signature: the count of its lines, its first line, and what such lines contain.
struct Signature {
    count: &'static FactDef,
    first: &'static FactDef,
    pattern: &'static str,
}

macro_rules! signatures {
    ($($count:ident $first:ident $pattern:literal;)+) => {
        &[$(Signature { count: &log::$count, first: &log::$first, pattern: $pattern }),+]
    };
}

static SIGNATURES: &[Signature] = signatures! {
    OOM_KILL OOM_KILL_LINE r"Killed process \d|oom-kill:.*task=";
    MEMCG_OOM MEMCG_OOM_LINE r"Memory cgroup out of memory";
    GLOBAL_OOM GLOBAL_OOM_LINE r"\bOut of memory( \(oom_kill_allocating_task\))?: Kill|Out of memory and no killable processes";
    PAGE_ALLOC PAGE_ALLOC_LINE r"page allocation failure|page allocation stalls";
    HUNG_TASK HUNG_TASK_LINE r"blocked for more than \d+ seconds";
    SOFT_LOCKUP SOFT_LOCKUP_LINE r"soft lockup - CPU";
    HARD_LOCKUP HARD_LOCKUP_LINE r"(?i)hard lockup on cpu";
    RCU_STALL RCU_STALL_LINE r"detected (expedited )?stalls? on|self-detected stall|rcu.*kthread starved";
    OOPS OOPS_LINE r"\bOops: |kernel BUG at|BUG: unable to handle|Kernel panic|general protection fault";
    HARDWARE_ERROR HARDWARE_ERROR_LINE r"\[Hardware Error\]|Machine check events logged|EDAC .*\b(CE|UE)\b|mce: \[Hardware|Uncorrected hardware memory error";
    THERMAL THERMAL_LINE r"clock throttled|temperature above threshold|power limit notification";
    CLOCKSOURCE CLOCKSOURCE_LINE r"[Mm]arking clocksource .* (as )?unstable|Clocksource .* unstable|clocksource.*timekeeping watchdog.*too large";
    IO_ERROR IO_ERROR_LINE r"I/O error[,:]? ?(on )?dev|Buffer I/O error|lost page write due to I/O error|Unhandled error code|rejecting I/O to|I/O error while writing";
    MEDIUM_ERROR MEDIUM_ERROR_LINE r"critical medium error|Medium Error";
    DISK_TIMEOUT DISK_TIMEOUT_LINE r"timing out command|nvme.*timeout, (aborting|reset|completion polled|disable)|attempting task abort|task abort: |ata\d.*(failed command|exception Emask)|scsi.*timed out|hard resetting link";
    FS_ERROR FS_ERROR_LINE r"(EXT[234]-fs|BTRFS|F2FS-fs|JBD2).*\b[Ee]rror\b|XFS.*([Cc]orruption|metadata I/O error|xfs_do_force_shutdown|Shutting down filesystem|log I/O error)|XFS: possible memory allocation deadlock";
    FS_WARNING FS_WARNING_LINE r"(EXT[234]-fs|BTRFS|XFS.*) [Ww]arning|BTRFS warning|EXT[234]-fs warning";
    READ_ONLY READ_ONLY_LINE r"[Rr]emounting filesystem read-only|forced readonly";
    PATH_LOST PATH_LOST_LINE r"multipath: .*[Ff]ailing path|remaining active paths: \d|rport.*blocked FC remote port time out";
    NFS_DOWN NFS_DOWN_LINE r"nfs: server .* (not responding|timed out)";
    CONNTRACK_FULL CONNTRACK_FULL_LINE r"conntrack: table full";
    NEIGHBOUR_FULL NEIGHBOUR_FULL_LINE r"(?i)neighbou?r(:.*)? table overflow";
    SYN_FLOOD SYN_FLOOD_LINE r"(?i)possible SYN flooding";
    TIME_WAIT_FULL TIME_WAIT_FULL_LINE r"time wait bucket table overflow";
    TCP_MEMORY TCP_MEMORY_LINE r"consider tuning tcp_mem|too many orphaned sockets|[Tt]oo many of orphaned sockets";
    LINK_DOWN LINK_DOWN_LINE r"[Ll]ink [Ii]s [Dd]own|: [Ll]ink [Dd]own\b|[Ll]ost carrier|link status definitely down";
    TX_TIMEOUT TX_TIMEOUT_LINE r"NETDEV WATCHDOG|transmit queue \d+ timed out|(?i)\btx[ _]timeout\b|Detected Tx Unit Hang";
    NIC_RESET NIC_RESET_LINE r"(?i)reset(ting)? adapter|adapter reset|device reset begins|Device reset completed|PF reset|reset(ting)? (the )?(nic|device eth|port)|Hardware Error: resetting|Trigger reset";
    NIC_QUEUES NIC_QUEUES_LINE r"(?i)(fail|unable|not enough|insufficient|could not|couldn't|only).*msi-?x|msi-?x.*(fail|not enough|insufficient|unavailable|falling back|not available)|single queue|limiting.*queue|rss (is )?(disabled|not supported)|disabling rss|fewer (queues|vectors)|reducing.*(queues|vectors)";
    FIRMWARE FIRMWARE_LINE r"(?i)(firmware|NVM image|fw) (update|upgrade|flash|version mismatch|error|crash|recovery|is (newer|older))|firmware.*(has been updated|failed to load|health compromised)|devlink.*flash";
    IRQ_UNHANDLED IRQ_UNHANDLED_LINE r"nobody cared";
    CONSOLE CONSOLE_LINE r"too much work for irq";
    AUDIT_BACKLOG AUDIT_BACKLOG_LINE r"audit.*backlog limit exceeded|audit_backlog=\d+ > audit_backlog_limit";
    PIDS_LIMIT PIDS_LIMIT_LINE r"fork rejected by pids controller";
    FILE_LIMIT FILE_LIMIT_LINE r"VFS: file-max limit \d+ reached";
    SEGFAULT SEGFAULT_LINE r"segfault at ";
};

/// One pass over a line finds whether any signature is in it; the few that match are then told apart.
static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let all: Vec<String> = SIGNATURES.iter().map(|signature| format!("(?:{})", signature.pattern)).collect();
    Regex::new(&all.join("|")).ok()
});
static EACH: LazyLock<Vec<(usize, Regex)>> = LazyLock::new(|| {
    SIGNATURES.iter().enumerate().filter_map(|(at, one)| Some((at, Regex::new(one.pattern).ok()?))).collect()
});

/// `[ 1234.567890] `, `[Tue Mar 24 03:29:26 2020] `, `Mar 24 03:29:26 host kernel: `, `2026-01-02T03:04:05+00:00 host kernel: `.
/// Gives the seconds since boot, where the line has them, and the message.
fn message(line: &str) -> Option<(Option<f64>, &str)> {
    let mut rest = line.trim_start_matches(|c: char| c == '<' || c == '>' || c.is_ascii_digit());
    if !line.starts_with('<') {
        rest = line;
    }
    if let Some((stamp, text)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let stamp = stamp.trim();
        if let Ok(seconds) = stamp.parse::<f64>()
            && stamp.contains('.')
        {
            return Some((Some(seconds), text.trim_start()));
        }
        return dated(stamp).then(|| (None, text.trim_start()));
    }
    let (head, text) = rest.split_once(" kernel: ").or_else(|| rest.split_once(" kernel:: "))?;
    if head.len() > 120 || !head.contains(':') {
        return None;
    }
    let text = text.trim_start_matches([':', ' ']);
    match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((stamp, rest)) if stamp.trim().parse::<f64>().is_ok() => {
            Some((stamp.trim().parse().ok(), rest.trim_start()))
        }
        _ => Some((None, text)),
    }
}

fn dated(stamp: &str) -> bool {
    const DAYS: &[&str] = &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    stamp.len() > 15 && stamp.contains(':') && DAYS.iter().any(|day| stamp.starts_with(day))
}

/// `bnx2 0000:0b:00.0: eth0: using MSIX`: a message of a driver, without a time.
fn bare(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let driver =
        words.next().is_some_and(|word| word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
    let address = words.next().is_some_and(|word| {
        let parts: Vec<&str> = word.split(':').collect();
        matches!(parts.as_slice(), [domain, _, slot, ""] if domain.len() == 4 && slot.contains('.'))
    });
    driver && address
}

fn matches(line: &str) -> bool {
    ANY.as_ref().is_some_and(|any| any.is_match(line))
}

fn sniff(doc: &Doc) -> Looks {
    let (mut timed, mut plain, mut hits, mut lines) = (0, 0, 0, 0);
    for line in doc.head() {
        lines += 1;
        timed += usize::from(message(line).is_some());
        plain += usize::from(bare(line));
        hits += usize::from(line.len() < 4096 && matches(line));
    }
    if timed * 2 > lines || timed >= 3 || plain >= 2 {
        return Looks::Yes;
    }
    if hits > 0 { if lines <= 40 && hits * 2 >= lines { Looks::Yes } else { Looks::Maybe } } else { Looks::No }
}

/// A log of so many lines is no excerpt.
const LONG: u32 = 200;
/// A log whose first line is younger than this begins at boot.
const BOOT: f64 = 10.0;
/// Lines kept as sources of one count.
const KEPT: usize = 16;

#[derive(Default, Clone)]
struct Found {
    count: u32,
    lines: Vec<u32>,
    text: String,
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut found = vec![Found::default(); SIGNATURES.len()];
    let (mut count, mut first_line, mut from_boot) = (0u32, doc.first_line, None);
    for (number, line) in doc.lines() {
        if line.trim().is_empty() {
            continue;
        }
        let (seconds, text) = message(line).unwrap_or((None, line));
        if count == 0 {
            first_line = number;
        }
        count = count.saturating_add(1);
        if count == 1 {
            from_boot = seconds;
        }
        if number < first_line.saturating_add(400) {
            identity(text.strip_prefix("kernel: ").unwrap_or(text), number, out);
        }
        if !matches(text) {
            continue;
        }
        for (at, pattern) in EACH.iter() {
            if pattern.is_match(text)
                && let Some(have) = found.get_mut(*at)
            {
                if have.count == 0 {
                    have.text = line.trim().to_owned();
                }
                have.count += 1;
                if have.lines.len() < KEPT {
                    have.lines.push(number);
                }
            }
        }
    }
    let whole = count >= LONG || from_boot.is_some_and(|seconds| seconds < BOOT);
    for (signature, have) in SIGNATURES.iter().zip(found) {
        if have.count > 0 {
            let value = Value::Num(f64::from(have.count));
            out.graded_from(signature.count, "", value, Grade::State, &have.lines);
            out.text(signature.first, "", &have.text, have.lines.first().copied().unwrap_or(first_line));
        } else if whole {
            out.num(signature.count, "", 0.0, first_line);
        }
    }
}

/// What the first lines of a boot say of the host.
fn identity(text: &str, number: u32, out: &mut Out) {
    if let Some(rest) = text.strip_prefix("Linux version ") {
        if let Some(release) = rest.split_whitespace().next() {
            out.text(&host::KERNEL, "", release, number);
        }
    } else if let Some(line) =
        text.strip_prefix("Command line: ").or_else(|| text.strip_prefix("Kernel command line: "))
    {
        out.text(&host::CMDLINE, "", line, number);
    } else if let Some(name) = text.strip_prefix("Hypervisor detected: ") {
        out.text(&host::VIRT, "", name, number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signature_is_a_pattern() {
        assert!(ANY.is_some());
        assert_eq!(EACH.len(), SIGNATURES.len());
    }

    #[test]
    fn times_of_every_style() {
        for (line, seconds, text) in [
            ("[ 1234.567890] eth0: up", Some(1234.56789), "eth0: up"),
            ("<6>[    0.000000] Linux version 5", Some(0.0), "Linux version 5"),
            ("[Tue Mar 24 03:29:26 2020] x", None, "x"),
            ("Mar 24 03:29:26 h kernel: [15.5] TCP: y", Some(15.5), "TCP: y"),
            ("2026-01-02T03:04:05+00:00 h kernel: z", None, "z"),
        ] {
            assert_eq!(message(line), Some((seconds, text)), "{line}");
        }
        assert_eq!(message("[root@host ~]# ls"), None);
        assert!(bare("bnx2 0000:0b:00.0: eth0: using MSIX"));
    }
}
