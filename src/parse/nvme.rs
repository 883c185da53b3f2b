//! NVMe: `nvme smart-log` and smartctl's NVMe section (text of any locale, JSON), `nvme list`, and the statistics of
//! EBS volumes (`nvme amzn stats`, `ebsnvme stats`): counters since attach, times in microseconds.

use super::json::{self, Node};
use super::table::pair;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::disk;
use crate::facts::schema::keys::family::NVME;

pub static PARSER: Parser =
    Parser { kind: "nvme", names: &["*nvme*", "*smartctl*", "*ebsnvme*"], sniff, parse, binary: false };

/// Names of the SMART log: nvme-cli's own, smartctl's words, smartctl's JSON.
const SMART: &[(&str, &[&str])] = &[
    ("critical_warning", &["Critical Warning"]),
    ("temperature", &["Temperature"]),
    ("available_spare", &["Available Spare", "avail_spare"]),
    ("available_spare_threshold", &["Available Spare Threshold", "spare_thresh"]),
    ("percentage_used", &["Percentage Used", "percent_used"]),
    ("data_units_read", &["Data Units Read"]),
    ("data_units_written", &["Data Units Written"]),
    ("host_read_commands", &["Host Read Commands", "host_reads"]),
    ("host_write_commands", &["Host Write Commands", "host_writes"]),
    ("controller_busy_time", &["Controller Busy Time"]),
    ("power_cycles", &["Power Cycles"]),
    ("power_on_hours", &["Power On Hours"]),
    ("unsafe_shutdowns", &["Unsafe Shutdowns"]),
    ("media_errors", &["Media and Data Integrity Errors"]),
    ("num_err_log_entries", &["Error Information Log Entries"]),
];

fn smart_name(key: &str) -> Option<&'static str> {
    SMART
        .iter()
        .find(|(name, others)| key.eq_ignore_ascii_case(name) || others.iter().any(|o| key.eq_ignore_ascii_case(o)))
        .map(|(name, _)| *name)
}

/// Headings of the EBS statistics, with or without colon, and the beginning of the metrics below.
const SECTIONS: &[(&str, &str)] = &[
    ("Total Ops", "total_ops"),
    ("Total Bytes", "total_bytes"),
    ("Total Time (us)", "total_time"),
    ("EBS Volume Performance Exceeded (us)", "ebs_volume_performance_exceeded"),
    ("EC2 Instance EBS Performance Exceeded (us)", "ec2_instance_ebs_performance_exceeded"),
    ("EC2 Instance Performance Exceeded (us)", "ec2_instance_ebs_performance_exceeded"),
];

fn section(line: &str) -> Option<&'static str> {
    let line = line.trim().trim_end_matches(':');
    SECTIONS.iter().find(|(title, _)| line.eq_ignore_ascii_case(title)).map(|(_, name)| *name)
}

fn sniff(doc: &Doc) -> Looks {
    let (mut smart, mut sections) = (0, 0);
    for line in doc.head() {
        if line.starts_with("Smart Log for NVME device")
            || line.starts_with("Additional Smart Log for NVME device")
            || is_list_header(line)
        {
            return Looks::Yes;
        }
        sections += u32::from(section(line).is_some());
        smart += u32::from(pair(line).is_some_and(|(key, _)| smart_name(key.trim_matches(['"', ' '])).is_some()));
    }
    let ebs = doc.text.contains("\"ebs_volume_performance_exceeded");
    let list = doc.text.contains("\"DevicePath\"") && doc.text.contains("\"ModelNumber\"");
    if smart >= 3 || sections >= 2 || ebs || list || doc.text.contains("\"nvme_smart_health_information_log\"") {
        Looks::Yes
    } else if doc.head().any(|line| line.contains("Not an EBS device")) {
        Looks::Maybe
    } else {
        Looks::No
    }
}

fn is_list_header(line: &str) -> bool {
    line.starts_with("Node ") && line.contains(" SN ") && line.contains(" Model ")
}

/// `/dev/nvme1n1`, `nvme1` in the text or the name; empty when nothing says.
fn device(doc: &Doc) -> String {
    let named = doc.head().find_map(|line| line.split_once("NVME device:")).map(|(_, rest)| rest);
    let from = named.or_else(|| doc.device()).unwrap_or_default();
    let word = from.split_whitespace().next().unwrap_or_default();
    let word = word.rsplit('/').next().unwrap_or_default();
    let at = word.find("nvme").unwrap_or(word.len());
    let word = word.get(at..).unwrap_or_default();
    if word.len() > 4 { word.split('.').next().unwrap_or_default().to_owned() } else { String::new() }
}

/// A number with any thousands separator, before a unit or a bracket: `203,913,228`, `837 355 [428 GB]`, `34 C`, `0x00`.
fn grouped(value: &str) -> Option<f64> {
    let value = value.split(['[', '(']).next()?.trim();
    if let Some(hex) = value.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).ok().map(f64::from);
    }
    let mut digits = String::new();
    for c in value.chars() {
        match c {
            '0'..='9' | '-' if c != '-' || digits.is_empty() => digits.push(c),
            ' ' | ',' | '.' | '\'' | '\u{a0}' | '\u{202f}' | '’' => {}
            _ => break,
        }
    }
    digits.parse::<f64>().ok()
}

/// A value of the SMART log, as sample and where rules use it as fact.
fn smart(name: &str, device: &str, value: f64, line: u32, out: &mut Out) {
    // nvme-cli's JSON has Kelvin; no drive runs at 200 degrees Celsius.
    let value = if name == "temperature" && value > 200.0 { value - 273.0 } else { value };
    out.sample(&NVME, device, name, value, line);
    let fact = match name {
        "temperature" => Some((&disk::TEMPERATURE, 1.0)),
        "percentage_used" => Some((&disk::PERCENTAGE_USED, 0.01)),
        "available_spare" => Some((&disk::AVAILABLE_SPARE, 0.01)),
        "critical_warning" => Some((&disk::CRITICAL_WARNING, 1.0)),
        "media_errors" => Some((&disk::MEDIA_ERRORS, 1.0)),
        _ => None,
    };
    if let Some((def, factor)) = fact {
        out.num(def, device, value * factor, line);
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    let device = device(doc);
    if doc.head().next().is_some_and(|line| line.trim_start().starts_with(['{', '['])) {
        return json_parse(doc, &device, out);
    }
    let mut heading: Option<&'static str> = None;
    let mut columns: Option<Vec<(usize, usize)>> = None;
    for (line, text) in doc.lines() {
        if let Some(found) = section(text) {
            heading = Some(found);
        } else if is_list_header(text) {
            columns = None;
        } else if text.starts_with("-----") {
            columns = Some(spans(text));
        } else if let Some(columns) = &columns {
            listed(columns, text, line, out);
        } else if let Some(words) = additional(text) {
            out.sample(&NVME, &device, words.0, words.1, line);
        } else if let Some((key, value)) = pair(text) {
            entry(heading, key, value, &device, line, out);
        }
    }
}

fn entry(heading: Option<&str>, key: &str, value: &str, device: &str, line: u32, out: &mut Out) {
    if let Some(name) = smart_name(key) {
        match grouped(value) {
            Some(value) => smart(name, device, value, line, out),
            None => out.note(line, format!("{key} is no number")),
        }
        return;
    }
    let metric = match (heading, key.to_ascii_lowercase().as_str()) {
        (Some("total_ops" | "total_bytes" | "total_time"), way @ ("read" | "write")) => {
            heading.map(|heading| heading.replacen('_', &format!("_{way}_"), 1))
        }
        (Some(heading), "iops") => Some(format!("{heading}_iops")),
        (Some(heading), "throughput") => Some(format!("{heading}_tp")),
        (_, key) if key.starts_with("queue length") => Some("volume_queue_length".to_owned()),
        _ => None,
    };
    if let (Some(metric), Some(value)) = (metric, grouped(value)) {
        out.sample(&NVME, device, &metric, value, line);
    }
}

/// A row of the vendor's additional log: `0xab program_fail_count 100 0`, normalized and raw value.
fn additional(text: &str) -> Option<(&str, f64)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [id, key, _, raw] = words.as_slice() else { return None };
    if !id.starts_with("0x") || !key.contains('_') {
        return None;
    }
    Some((key, raw.parse().ok()?))
}

/// Character ranges of the dashes below the header of `nvme list`: its cells hold blanks, so only they tell the columns.
fn spans(dashes: &str) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    let mut start = None;
    for (at, c) in dashes.char_indices().chain([(dashes.len(), ' ')]) {
        match (c == '-', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                list.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    list
}

fn listed(columns: &[(usize, usize)], text: &str, line: u32, out: &mut Out) {
    let cells: Vec<&str> =
        columns.iter().filter_map(|(from, to)| text.get(*from..(*to).min(text.len()))).map(str::trim).collect();
    let generic = columns.len() > 7;
    let (Some(node), Some(serial), Some(model)) =
        (cells.first(), cells.get(1 + usize::from(generic)), cells.get(2 + usize::from(generic)))
    else {
        return;
    };
    if let Some(name) = node.strip_prefix("/dev/") {
        out.text(&disk::MODEL, name, model, line);
        out.text(&disk::SERIAL, name, serial, line);
    }
}

fn json_parse(doc: &Doc, device: &str, out: &mut Out) {
    let Some(json) = json::parse(doc.text, doc.first_line) else { return };
    let root = &json.root;
    for item in root.get("Devices").map(Node::items).unwrap_or_default() {
        let text = |key: &str| item.get(key).and_then(Node::text);
        if let Some(name) = text("DevicePath").map(|path| path.trim_start_matches("/dev/").to_owned()) {
            for (key, def) in [("ModelNumber", &disk::MODEL), ("SerialNumber", &disk::SERIAL)] {
                out.text(def, &name, text(key).unwrap_or_default(), item.line);
            }
        }
    }
    let named =
        root.at(&["device", "name"]).and_then(Node::text).map(|path| path.trim_start_matches("/dev/").to_owned());
    let device = named.as_deref().unwrap_or(device);
    if let Some(model) = root.get("model_name")
        && let Some(text) = model.text()
    {
        out.text(&disk::MODEL, device, text, model.line);
    }
    for (key, node) in root.get("nvme_smart_health_information_log").unwrap_or(root).members() {
        let Some(value) = node.num() else { continue };
        if let Some(name) = smart_name(key) {
            smart(name, device, value, node.line, out);
        } else if key.starts_with("ebs_")
            || key.starts_with("ec2_")
            || key.starts_with("total_")
            || key == "volume_queue_length"
        {
            out.sample(&NVME, device, key, value, node.line);
        }
    }
}
