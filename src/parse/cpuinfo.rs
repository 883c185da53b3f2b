//! `/proc/cpuinfo`: model, topology and current frequency. Keys differ by architecture, and virtual machines leave the
//! topology out: then sockets and cores are unknown, not zero or one.

use std::collections::BTreeSet;

use super::table::{count, number, pair};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{cpu, host};
use crate::facts::{Grade, Value};

pub static PARSER: Parser =
    Parser { kind: "proc-cpuinfo", names: &["proc cpuinfo", "*proc cpuinfo"], sniff, parse, binary: false };

const MEGAHERTZ: f64 = 1e6;

fn sniff(doc: &Doc) -> Looks {
    const OWN: [&str; 11] = [
        "vendor_id",
        "cpu family",
        "model name",
        "BogoMIPS",
        "bogomips",
        "CPU implementer",
        "bogomips per cpu",
        "# processors",
        "timebase",
        "clock",
        "revision",
    ];
    let (mut processors, mut own) = (0, 0);
    for (key, _) in doc.head().filter_map(pair) {
        processors += usize::from(key == "processor" || key.starts_with("processor "));
        own += usize::from(OWN.contains(&key));
    }
    match (processors, own) {
        (1.., 1..) => Looks::Yes,
        (1.., _) => Looks::Maybe,
        (0, 3..) => Looks::Yes,
        _ => Looks::No,
    }
}

#[derive(Default)]
struct Seen {
    cpus: BTreeSet<String>,
    sockets: BTreeSet<String>,
    cores: BTreeSet<(String, String)>,
    complete: bool,
    first: u32,
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut seen = Seen { complete: true, ..Seen::default() };
    let mut model = false;
    let mut threads: Option<(f64, u32)> = None;
    let mut current: Option<String> = None;
    let (mut socket, mut core, mut siblings) = (None, None, None);
    let close =
        |socket: &mut Option<String>, core: &mut Option<String>, seen: &mut Seen| match (socket.take(), core.take()) {
            (Some(socket), Some(core)) => {
                seen.sockets.insert(socket.clone());
                seen.cores.insert((socket, core));
            }
            _ => seen.complete = false,
        };
    for (line_number, line) in doc.lines() {
        let Some((key, value)) = pair(line) else { continue };
        // s390: `processor 0: version = FF,  identification = ...`.
        let id = if key == "processor" { Some(value) } else { key.strip_prefix("processor ").map(str::trim) };
        if let Some(id) = id.filter(|id| count(id).is_some()) {
            if current.is_some() {
                close(&mut socket, &mut core, &mut seen);
            } else {
                seen.first = line_number;
            }
            seen.cpus.insert(id.to_owned());
            current = Some(id.to_owned());
            continue;
        }
        match key {
            "model name" | "cpu model" | "cpu" | "Processor" if !value.is_empty() && !model => {
                model = true;
                out.text(&host::CPU_MODEL, "", value, line_number);
            }
            "physical id" => socket = Some(value.to_owned()),
            "core id" => {
                core = Some(value.to_owned());
                if let (Some(id), Some(value)) = (&current, count(value)) {
                    out.num(&cpu::CORE, id, value, line_number);
                }
            }
            "siblings" => siblings = count(value),
            "cpu cores" => {
                if let (Some(all), Some(cores)) = (siblings, count(value).filter(|cores| *cores > 0.0)) {
                    threads = Some((all / cores, line_number));
                }
            }
            "cpu MHz" | "CPU MHz" | "cpu MHz dynamic" | "clock" => {
                let value = number(value.trim_end_matches("MHz"));
                if let (Some(id), Some(value)) = (&current, value.filter(|value| *value > 0.0)) {
                    out.graded(&cpu::FREQUENCY, id, Value::Num(value * MEGAHERTZ), Grade::Once, line_number);
                }
            }
            _ => {}
        }
    }
    if current.is_none() {
        return;
    }
    close(&mut socket, &mut core, &mut seen);
    let number = |len: usize| u32::try_from(len).map_or(f64::INFINITY, f64::from);
    out.num(&host::CPUS_ONLINE, "", number(seen.cpus.len()), seen.first);
    if seen.complete {
        out.num(&host::SOCKETS, "", number(seen.sockets.len()), seen.first);
        out.num(&host::CORES, "", number(seen.cores.len()), seen.first);
    }
    if let Some((threads, line)) = threads {
        out.num(&host::THREADS_PER_CORE, "", threads, line);
    }
}
