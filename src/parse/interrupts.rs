//! `/proc/interrupts`: interrupts per line and CPU, and the device names that the line serves.
//!
//! The header names the online CPUs, so a column is a CPU id and never a position. Pieces without a header
//! (`grep eth0 /proc/interrupts`) are read as CPU 0, 1, 2 ... and say so.

use std::collections::BTreeSet;

use super::stamp::stamp;
use super::table::count;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::INTERRUPTS;
use crate::facts::schema::keys::irq;

pub static PARSER: Parser = Parser {
    kind: "proc-interrupts",
    names: &["*proc interrupts*", "interrupts*", "grep * proc interrupts"],
    sniff,
    parse,
    binary: false,
};

/// CPU ids of a header row (`CPU0 CPU1 CPU3`). A last id that was cut (`CPU1` for `CPU10`) does not rise and ends the row.
pub fn cpu_header(line: &str) -> Option<Vec<String>> {
    let mut ids: Vec<u32> = Vec::new();
    for word in line.split_ascii_whitespace() {
        let id: u32 = match word.strip_prefix("CPU").and_then(|id| id.parse().ok()) {
            Some(id) => id,
            None if ids.is_empty() => return None,
            None => break,
        };
        if ids.last().is_some_and(|last| id <= *last) {
            break;
        }
        ids.push(id);
    }
    (!ids.is_empty()).then(|| ids.iter().map(u32::to_string).collect())
}

/// Lines with one number for the whole machine.
const TOTALS: [&str; 3] = ["ERR", "Err", "MIS"];

struct Row<'a> {
    label: &'a str,
    values: Vec<f64>,
    /// What follows the numbers: chip, hardware number, trigger, devices.
    rest: &'a str,
    /// Columns were left out of the middle (`...`).
    gap: bool,
}

fn row(line: &str) -> Option<Row<'_>> {
    let (label, mut rest) = line.split_once(':')?;
    let label = label.trim();
    let plain = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'-';
    if label.is_empty() || label.len() > 12 || !label.bytes().all(plain) {
        return None;
    }
    let mut values = Vec::new();
    let mut gap = false;
    loop {
        rest = rest.trim_start();
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word == "..." || word == "…" {
            gap = true;
        } else if gap && count(word).is_some() {
            // After a gap nobody can say which CPU a number belongs to.
        } else if let Some(value) = count(word) {
            values.push(value);
        } else {
            break;
        }
        rest = after;
    }
    (!values.is_empty()).then_some(Row { label, values, rest: rest.trim_end(), gap })
}

/// Device names: what follows the chip, the hardware interrupt number and the trigger.
fn devices(rest: &str) -> &str {
    let mut rest = rest;
    let mut first = true;
    loop {
        let trimmed = rest.trim_start();
        let end = trimmed.find(|c: char| c.is_ascii_whitespace()).unwrap_or(trimmed.len());
        let (word, after) = trimmed.split_at(end);
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let trigger = digits.strip_prefix('-').unwrap_or(digits);
        let hardware = digits.len() < word.len() && (digits.is_empty() || digits.starts_with('-'));
        let level =
            matches!(trigger, "Edge" | "Level" | "edge" | "level" | "fasteoi" | "virq" | "event" | "ipi" | "pirq");
        if word.is_empty() || !(first || hardware || level) {
            return trimmed;
        }
        first = false;
        rest = after;
    }
}

fn sniff(doc: &Doc) -> Looks {
    const CHIPS: [&str; 9] = ["MSI", "APIC", "-edge", "-fasteoi", "-level", "GIC", "Level ", "Edge ", "xen-"];
    const NAMED: [(&str, &str); 8] = [
        ("NMI", "Non-maskable"),
        ("LOC", "Local timer"),
        ("RES", "Rescheduling"),
        ("CAL", "Function call"),
        ("TLB", "TLB shootdowns"),
        ("MCP", "Machine check"),
        ("IPI0", "Rescheduling"),
        ("XT-PIC", ""),
    ];
    let mut header = false;
    let mut rows = 0;
    for line in doc.head() {
        if cpu_header(line).is_some() {
            header = true;
            continue;
        }
        let Some(row) = row(line) else { continue };
        let number = row.label.bytes().all(|b| b.is_ascii_digit());
        let chip = || CHIPS.iter().any(|chip| row.rest.contains(chip)) || row.rest.contains("XT-PIC");
        let named = NAMED.iter().any(|(label, text)| row.label == *label && row.rest.starts_with(text));
        if (number && (header || chip())) || named {
            rows += 1;
        }
    }
    if rows > 0 { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut cpus: Vec<String> = Vec::new();
    let mut header = false;
    let mut at = None;
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let widest = || doc.lines().filter_map(|(_, line)| row(line)).map(|row| row.values.len()).max().unwrap_or(0);
    for (number, line) in doc.lines() {
        if let Some(ids) = cpu_header(line) {
            cpus = ids;
            header = true;
            seen.clear();
            continue;
        }
        let Some(row) = row(line) else {
            if let Some(seconds) = stamp(line) {
                at = Some(seconds);
                seen.clear();
            }
            continue;
        };
        if TOTALS.contains(&row.label) {
            if let Some(value) = row.values.first()
                && seen.insert(row.label.to_owned())
            {
                out.sample_at(&INTERRUPTS, row.label, "total", *value, number, at);
            }
            continue;
        }
        if cpus.is_empty() {
            cpus = (0..widest()).map(|id| id.to_string()).collect();
            out.note(number, "no header; columns taken as CPU 0, 1, 2 ...");
        }
        if !seen.insert(row.label.to_owned()) {
            out.note(number, format!("a second '{}' row was left out", row.label));
            continue;
        }
        let mut values = row.values;
        if row.gap {
            out.note(number, "columns are missing in the middle ('...'); only those before are used");
        } else if values.len() > cpus.len() {
            out.note(number, format!("{} values under {} columns", values.len(), cpus.len()));
        } else if values.len() < cpus.len() && row.rest.is_empty() && header {
            // The row was cut, perhaps inside its last number.
            values.pop();
            out.note(number, "the row is cut; its last number was left out");
        }
        for (cpu, value) in cpus.iter().zip(values) {
            out.sample_at(&INTERRUPTS, row.label, cpu, value, number, at);
        }
        let named = !row.label.bytes().all(|b| b.is_ascii_digit());
        let name = if named { row.rest.trim() } else { devices(row.rest) };
        if !name.is_empty() {
            out.text(&irq::NAME, row.label, name, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_of_every_chip() {
        for (rest, name) in [
            ("IO-APIC  11-fasteoi   uhci_hcd:usb3, virtio1, ens3", "uhci_hcd:usb3, virtio1, ens3"),
            ("PCI-MSI 49153-edge      virtio0-input.0", "virtio0-input.0"),
            ("PCI-MSIX-0000:27:00.0   1-edge      enp39s0-Tx-Rx-0", "enp39s0-Tx-Rx-0"),
            ("IR-PCI-MSI-edge      eth4-TxRx-0", "eth4-TxRx-0"),
            ("GICv3  27 Level     arch_timer", "arch_timer"),
            ("ITS-MSI 81921 Edge      mlx5_comp0@pci:0000:01:00.0", "mlx5_comp0@pci:0000:01:00.0"),
            ("xen-percpu    -virq      timer0", "timer0"),
            ("xen-pirq-msi-x     eth0-TxRx-0", "eth0-TxRx-0"),
            ("IR-IO-APIC-edge    ", ""),
            ("IO-APIC   2-edge      timer", "timer"),
        ] {
            assert_eq!(devices(rest), name, "{rest}");
        }
        assert_eq!(cpu_header("  CPU0  CPU5 CPU7 CPU1").unwrap(), ["0", "5", "7"]);
    }
}
