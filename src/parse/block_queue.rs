//! `/sys/block/DEV/queue/*`: one file a setting, or gathered rows `PATH:value`.

use super::table::number;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::disk;

pub static PARSER: Parser = Parser {
    kind: "sys-block-queue",
    names: &["*sys block * queue *", "*block * queue *"],
    sniff,
    parse,
    binary: false,
};

/// Device and setting of `.../block/sda/queue/nr_requests`.
fn place(path: &str) -> Option<(&str, &str)> {
    let (left, rest) = path.rsplit_once("/queue/")?;
    let device = left.rsplit('/').next()?;
    let key = rest.split('/').next()?.trim_end_matches(".txt");
    let fits = left.contains("block/") && !device.is_empty() && !key.is_empty() && !key.contains(' ');
    fits.then_some((device, key))
}

/// `PATH:value` or `PATH value`.
fn gathered(line: &str) -> Option<(&str, &str, &str)> {
    let end = line.find([':', ' '])?;
    let (device, key) = place(line.get(..end)?)?;
    Some((device, key, line.get(end + 1..)?.trim()))
}

fn sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| gathered(line).is_some()) {
        return Looks::Yes;
    }
    let one = doc.text.lines().filter(|line| !line.trim().is_empty()).take(2).count() == 1;
    if one && (place(doc.path).is_some() || place(doc.command).is_some()) { Looks::Maybe } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    if let Some((device, key)) = place(doc.command).or_else(|| place(doc.path)) {
        if let Some((line, text)) = doc.lines().find(|(_, text)| !text.trim().is_empty()) {
            put(device, key, text.trim(), line, out);
        }
        return;
    }
    for (line, text) in doc.lines() {
        if let Some((device, key, value)) = gathered(text) {
            put(device, key, value, line, out);
        }
    }
}

fn put(device: &str, key: &str, value: &str, line: u32, out: &mut Out) {
    let count = value.parse::<u64>().ok().and_then(|_| number(value));
    match (key, count) {
        ("scheduler", _) => {
            // The one in brackets is in use; a device with one choice prints it bare.
            let chosen = value.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
            let bare = value.split_whitespace().next().filter(|_| !value.contains(' '));
            if let Some(scheduler) = chosen.or(bare) {
                out.text(&disk::SCHEDULER, device, scheduler, line);
            }
        }
        ("write_cache", _) => out.text(&disk::WRITE_CACHE, device, value, line),
        ("rotational", Some(value)) => out.flag(&disk::ROTATIONAL, device, value != 0.0, line),
        ("nr_requests", Some(value)) => out.num(&disk::NR_REQUESTS, device, value, line),
        ("read_ahead_kb", Some(value)) => out.num(&disk::READ_AHEAD, device, value * 1024.0, line),
        ("max_sectors_kb", Some(value)) => out.num(&disk::MAX_IO, device, value * 1024.0, line),
        _ => {}
    }
}
