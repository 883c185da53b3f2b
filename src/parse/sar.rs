//! `sar` text: many tables in one file, each known by its header; every version, locale, clock, `--human`, `--pretty`.
//! What `sadf` prints (CSV, tab lines, JSON) is the same data in other shapes: [`super::sadf`].

use std::collections::BTreeMap;

use super::cpu_row::{OF_CPU, OF_HOST, shares};
use super::sysstat::{ABSURD, Rows, Stamp, banner, human, put_banner};
use super::table::number;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{cpu, disk, host, memory, nic};
use crate::facts::{FactDef, Grade, Value};

pub static PARSER: Parser = Parser { kind: "sar", names: &["sar*", "*sar_*", "sadf*"], sniff, parse, binary: false };

fn sniff(doc: &Doc) -> Looks {
    if super::sadf::looks(doc) {
        return Looks::Yes;
    }
    let mut rows = Rows::default();
    for line in doc.head() {
        let row = rows.row(1, line);
        if row.stamp == Stamp::None {
            continue;
        }
        if header(&row.cells).is_some_and(|found| found.known()) {
            return Looks::Yes;
        }
        if row.cells.starts_with(&["LINUX", "RESTART"]) || row.cells.starts_with(&["LINUX-RESTART"]) {
            return Looks::Yes;
        }
    }
    Looks::No
}

/// What the rows of a table are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Host,
    Cpu,
    Disk,
    Nic,
    /// Interrupts, sensors, file systems, terminals: no facts.
    Other,
}

pub fn key(name: &str) -> Option<Key> {
    Some(match name {
        "CPU" => Key::Cpu,
        "DEV" => Key::Disk,
        "IFACE" => Key::Nic,
        "INTR" | "TTY" | "FAN" | "TEMP" | "IN" | "BAT" | "BUS" | "FILESYSTEM" | "MOUNTPOINT" | "FCHOST" | "DEVICE" => {
            Key::Other
        }
        _ => return None,
    })
}

struct Header<'a> {
    key: Key,
    /// The key column is the last one (`--pretty`).
    last: bool,
    names: Vec<&'a str>,
}

impl Header<'_> {
    /// A table that only sar prints.
    fn known(&self) -> bool {
        const OWN: &[&str] = &[
            "proc/s",
            "cswch/s",
            "pswpin/s",
            "pgpgin/s",
            "kbmemfree",
            "kbswpfree",
            "runq-sz",
            "rxpck/s",
            "rxerr/s",
            "total/s",
            "MHz",
            "active/s",
            "atmptf/s",
            "totsck",
            "frmpg/s",
            "dentunusd",
            "kbhugfree",
            "rtps",
            "irec/s",
            "%scpu-10",
            "%ssys-10",
            "%sio-10",
            "%smem-10",
            "tcp6sck",
            "idgm/s",
            "MBfsfree",
            "rcvin/s",
            "fch_rxf/s",
        ];
        let has = |name: &str| self.names.contains(&name);
        let at = |name: &str| self.names.iter().position(|have| *have == name);
        match self.key {
            Key::Cpu if has("%idle") && has("%iowait") => match (at("%irq"), at("%steal")) {
                (Some(hard), Some(steal)) => steal < hard,
                (Some(_), None) => false,
                (None, _) => true,
            },
            Key::Disk => has("tps"),
            Key::Other => has("intr/s") || has("%ufs") || has("degC") || has("rpm") || has("inV") || has("MBfsused"),
            _ => self.names.iter().any(|name| OWN.contains(name)),
        }
    }
}

/// A header has names only; a row has at least one number.
fn header<'a>(cells: &[&'a str]) -> Option<Header<'a>> {
    let words = cells.iter().all(|cell| human(cell, false).is_none() && cell.contains(|c: char| c.is_alphabetic()));
    let (first, rest) = cells.split_first()?;
    if !words {
        return None;
    }
    if let Some(key) = key(first) {
        return Some(Header { key, last: false, names: rest.to_vec() });
    }
    let (last, start) = cells.split_last()?;
    match key(last) {
        Some(key) if !start.is_empty() => Some(Header { key, last: true, names: start.to_vec() }),
        _ => Some(Header { key: Key::Host, last: false, names: cells.to_vec() }),
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    if super::sadf::looks(doc) {
        return super::sadf::parse(doc, out);
    }
    let mut rows = Rows::default();
    let mut now: Option<Header> = None;
    let mut table = Tables::default();
    for (line_no, line) in doc.lines() {
        if let Some(found) = banner(line) {
            put_banner(&found, line_no, out);
            table.arch(found.arch);
            continue;
        }
        let row = rows.row(line_no, line);
        if row.stamp == Stamp::None || row.cells.is_empty() {
            continue;
        }
        if row.cells.first().is_some_and(|first| first.starts_with("LINUX")) {
            out.note(line_no, "the host was restarted here; rates before and after are of different boots");
            now = None;
            continue;
        }
        if let Some(found) = header(&row.cells) {
            now = Some(found);
            continue;
        }
        let Some(head) = &now else { continue };
        let (name, cells) = match (head.key, head.last) {
            (Key::Other, _) => continue,
            (Key::Host, _) => ("", row.cells.as_slice()),
            (_, false) => match row.cells.split_first() {
                Some((name, rest)) => (*name, rest),
                None => continue,
            },
            (_, true) => match row.cells.split_last() {
                Some((name, rest)) => (*name, rest),
                None => continue,
            },
        };
        let values: Vec<(&str, f64)> = head
            .names
            .iter()
            .zip(cells)
            .filter_map(|(name, cell)| Some((*name, human(cell, name.contains("kB") || name.starts_with("kb"))?)))
            .collect();
        if cells.len() < head.names.len() {
            out.note(line_no, "row shorter than its header; the columns that are there were read");
        }
        table.row(head.key, name, &values, row.stamp, line_no, out);
    }
    table.finish(out);
}

/// How a column becomes a fact.
struct Column {
    key: Key,
    names: &'static [&'static str],
    def: &'static FactDef,
    factor: f64,
    how: Shape,
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// Every row is a point.
    Series,
    /// The mean over all rows.
    Mean,
    /// The last row: an amount at that time.
    Last,
}

const KIB: f64 = 1024.0;
const SECTOR: f64 = 512.0;
const PERCENT: f64 = 0.01;
const MILLI: f64 = 1e-3;

macro_rules! columns {
    ($($key:ident [$($name:literal),+] => $def:path, $factor:expr, $how:ident;)+) => {
        &[$(Column { key: Key::$key, names: &[$($name),+], def: &$def, factor: $factor, how: Shape::$how }),+]
    };
}

/// Names of text and CSV headers, and of sadf's JSON.
static COLUMNS: &[Column] = columns! {
    Host ["cswch/s", "cswch"] => host::CONTEXT_SWITCHES, 1.0, Series;
    Host ["pgpgin/s", "pgpgin"] => host::BLOCK_IN, KIB, Series;
    Host ["pgpgout/s", "pgpgout"] => host::BLOCK_OUT, KIB, Series;
    Host ["majflt/s", "majflt"] => memory::MAJOR_FAULTS, 1.0, Series;
    Host ["pgscand/s", "pgscand"] => memory::SCAN_DIRECT, 1.0, Series;
    Host ["pgscank/s", "pgscank"] => memory::SCAN_KSWAPD, 1.0, Series;
    Host ["runq-sz"] => host::RUNNABLE, 1.0, Series;
    Host ["blocked"] => host::BLOCKED, 1.0, Series;
    Host ["plist-sz"] => host::TASKS, 1.0, Last;
    Host ["ldavg-1"] => host::LOAD1, 1.0, Last;
    Host ["ldavg-5"] => host::LOAD5, 1.0, Last;
    Host ["ldavg-15"] => host::LOAD15, 1.0, Last;
    Host ["kbmemfree", "memfree"] => memory::FREE, KIB, Last;
    Host ["kbavail", "avail"] => memory::AVAILABLE, KIB, Last;
    Host ["kbswpused", "swpused"] => memory::SWAP_USED, KIB, Last;
    Host ["%scpu"] => host::PSI_CPU, PERCENT, Series;
    Host ["%sio"] => host::PSI_IO, PERCENT, Series;
    Host ["%fio"] => host::PSI_IO_FULL, PERCENT, Series;
    Host ["%smem"] => memory::PSI_MEM, PERCENT, Series;
    Host ["%fmem"] => memory::PSI_MEM_FULL, PERCENT, Series;
    Host ["oseg/s", "oseg"] => host::TCP_SEGMENTS, 1.0, Mean;
    Cpu ["total/s", "total"] => cpu::PACKETS, 1.0, Mean;
    Cpu ["dropd/s", "dropd"] => cpu::DROPPED, 1.0, Mean;
    Cpu ["squeezd/s", "squeezd"] => cpu::SQUEEZED, 1.0, Mean;
    Cpu ["rx_rps/s", "rx_rps"] => cpu::RPS_RECEIVED, 1.0, Mean;
    Disk ["tps"] => disk::IOPS, 1.0, Series;
    Disk ["rd_sec/s", "rd_sec"] => disk::READ_BPS, SECTOR, Series;
    Disk ["wr_sec/s", "wr_sec"] => disk::WRITE_BPS, SECTOR, Series;
    Disk ["rkB/s", "rkB"] => disk::READ_BPS, KIB, Series;
    Disk ["wkB/s", "wkB"] => disk::WRITE_BPS, KIB, Series;
    Disk ["aqu-sz", "avgqu-sz"] => disk::AQU_SZ, 1.0, Series;
    Disk ["await"] => disk::AWAIT, MILLI, Series;
    Disk ["%util", "util-percent"] => disk::UTIL, PERCENT, Series;
    Nic ["rxpck/s", "rxpck"] => nic::RX_PPS, 1.0, Mean;
    Nic ["txpck/s", "txpck"] => nic::TX_PPS, 1.0, Mean;
    Nic ["rxkB/s", "rxkB"] => nic::RX_BPS, KIB, Mean;
    Nic ["txkB/s", "txkB"] => nic::TX_BPS, KIB, Mean;
    Nic ["rxbyt/s"] => nic::RX_BPS, 1.0, Mean;
    Nic ["txbyt/s"] => nic::TX_BPS, 1.0, Mean;
    Nic ["rxerr/s", "rxerr"] => nic::RX_ERRORS, 1.0, Mean;
    Nic ["rxdrop/s", "rxdrop"] => nic::RX_DEV_DROPS, 1.0, Mean;
    Nic ["txdrop/s", "txdrop"] => nic::TX_DEV_DROPS, 1.0, Mean;
    Nic ["rxfifo/s", "rxfifo"] => nic::RX_FIFO, 1.0, Mean;
};

/// Means of more seconds than this are summaries of their interval, not a series in the rulebook's sense (0.1).
const FINE: f64 = 30.0;
/// Page size of all but some arm64 and ppc64 kernels.
const PAGE: f64 = 4096.0;

/// An `Average:` row, kept until it is known whether there are any others: key, name, values, line.
type Summary = (Key, String, Vec<(String, f64)>, u32);

/// Collects the rows of all tables of one file.
#[derive(Default)]
pub struct Tables {
    means: BTreeMap<(&'static str, String), (&'static FactDef, f64, u32, u32)>,
    lasts: BTreeMap<&'static str, (&'static FactDef, f64, u32)>,
    retrans: Option<(f64, u32, u32)>,
    times: Option<(f64, Option<f64>)>,
    summaries: Vec<Summary>,
    odd_pages: bool,
    points: bool,
}

impl Tables {
    pub fn arch(&mut self, arch: Option<&str>) {
        self.odd_pages = arch.is_some_and(|arch| arch.starts_with("ppc") || arch.starts_with("aarch64"));
    }

    pub fn row(&mut self, key: Key, name: &str, values: &[(&str, f64)], stamp: Stamp, line: u32, out: &mut Out) {
        match stamp {
            Stamp::At(at) => {
                self.points = true;
                let grade = self.grade(at);
                self.put(key, name, values, Some((at, grade)), line, out);
            }
            Stamp::Summary if self.summaries.len() < 10_000 => {
                let values = values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
                self.summaries.push((key, name.to_owned(), values, line));
            }
            _ => {}
        }
    }

    fn grade(&mut self, at: f64) -> Grade {
        let (first, second) = self.times.get_or_insert((at, None));
        if at > *first {
            second.get_or_insert(at);
        }
        match second {
            Some(second) if *second - *first > FINE => Grade::Two,
            _ => Grade::Series,
        }
    }

    fn put(
        &mut self,
        key: Key,
        name: &str,
        values: &[(&str, f64)],
        at: Option<(f64, Grade)>,
        line: u32,
        out: &mut Out,
    ) {
        let get = |wanted: &[&str]| values.iter().find(|(have, _)| wanted.contains(have)).map(|(_, value)| *value);
        let name = if key == Key::Cpu && matches!(name, "all" | "-1") { "" } else { name };
        if key == Key::Cpu && get(&["%idle", "idle"]).is_some() {
            return cpu_row(name, values, at, line, out);
        }
        if key == Key::Nic && name == "lo" {
            return;
        }
        for column in COLUMNS.iter().filter(|column| column.key == key) {
            let Some(value) = get(column.names).filter(|value| *value >= 0.0 && *value < ABSURD) else { continue };
            if column.factor == PERCENT && value > 200.0 {
                out.note(line, format!("{name} {}: a percentage that cannot be; left out", column.names.concat()));
                continue;
            }
            let idle = column.def == &disk::AWAIT && get(&["tps"]) == Some(0.0);
            if idle {
                continue;
            }
            let mut def = column.def;
            if key == Key::Cpu && name.is_empty() {
                def = match def {
                    def if *def == cpu::DROPPED => &host::SOFTNET_DROPPED,
                    def if *def == cpu::SQUEEZED => &host::SOFTNET_SQUEEZED,
                    _ => continue,
                };
            }
            let value = value * column.factor;
            match (column.how, at) {
                (Shape::Series, Some((at, grade))) => out.point_graded(def, name, at, value, line, grade),
                (Shape::Series, None) => out.graded(def, name, Value::Num(value), Grade::Two, line),
                (Shape::Mean, _) => {
                    let mean = self.means.entry((def.path, name.to_owned())).or_insert((def, 0.0, 0, line));
                    mean.1 += value;
                    mean.2 += 1;
                }
                (Shape::Last, _) => {
                    self.lasts.insert(def.path, (def, value, line));
                }
            }
        }
        if key == Key::Host {
            self.host_extra(&get, at, line, out);
        }
    }

    fn host_extra(&mut self, get: &dyn Fn(&[&str]) -> Option<f64>, at: Option<(f64, Grade)>, line: u32, out: &mut Out) {
        for (names, def) in
            [(&["pswpin/s", "pswpin"][..], &memory::SWAP_IN), (&["pswpout/s", "pswpout"][..], &memory::SWAP_OUT)]
        {
            let Some(pages) = get(names) else { continue };
            if self.odd_pages && pages > 0.0 {
                out.note(line, "pages of swap: the page size of this kernel is not known; left out");
                continue;
            }
            match at {
                Some((at, grade)) => out.point_graded(def, "", at, pages * PAGE, line, grade),
                None => out.graded(def, "", Value::Num(pages * PAGE), Grade::Two, line),
            }
        }
        for (parts, def) in [
            ([&["kbmemfree", "memfree"][..], &["kbmemused", "memused"][..]], &memory::TOTAL),
            ([&["kbswpfree", "swpfree"][..], &["kbswpused", "swpused"][..]], &memory::SWAP_TOTAL),
        ] {
            if let (Some(free), Some(used)) = (parts.first().and_then(|n| get(n)), parts.last().and_then(|n| get(n))) {
                self.lasts.insert(def.path, (def, (free + used) * KIB, line));
            }
        }
        if let (Some(tcp), Some(udp)) = (get(&["tcpsck"]), get(&["udpsck"])) {
            self.lasts.insert(host::FLOWS.path, (&host::FLOWS, tcp + udp, line));
        }
        // NFS has a `retrans/s` too; TCP's table begins with `atmptf/s`.
        if get(&["atmptf/s", "atmptf"]).is_some()
            && let Some(value) = get(&["retrans/s", "retrseg/s", "retrseg", "retrans"])
        {
            let sum = self.retrans.get_or_insert((0.0, 0, line));
            sum.0 += value;
            sum.1 += 1;
        }
    }

    pub fn finish(mut self, out: &mut Out) {
        if !self.points {
            for (key, name, values, line) in std::mem::take(&mut self.summaries) {
                let values: Vec<(&str, f64)> = values.iter().map(|(name, value)| (name.as_str(), *value)).collect();
                self.put(key, &name, &values, None, line, out);
            }
        }
        let sent = self.means.get(&(host::TCP_SEGMENTS.path, String::new())).map(|(_, sum, n, _)| sum / f64::from(*n));
        if let (Some(sent), Some((sum, n, line))) = (sent.filter(|sent| *sent > 0.0), self.retrans) {
            let share = sum / f64::from(n) / sent;
            out.graded(&host::TCP_RETRANS, "", Value::Num(share), Grade::Two, line);
        }
        for ((_, name), (def, sum, n, line)) in self.means {
            out.graded(def, &name, Value::Num(sum / f64::from(n)), Grade::Two, line);
        }
        for (def, value, line) in self.lasts.into_values() {
            let grade = if def == &memory::TOTAL || def == &memory::SWAP_TOTAL { Grade::State } else { Grade::Once };
            out.graded(def, "", Value::Num(value), grade, line);
        }
    }
}

fn cpu_row(name: &str, values: &[(&str, f64)], at: Option<(f64, Grade)>, line: u32, out: &mut Out) {
    let get = |wanted: &str| {
        values.iter().find(|(have, _)| have.strip_prefix('%').unwrap_or(have) == wanted).map(|(_, value)| *value)
    };
    let (facts, offline) = shares(if name.is_empty() { &OF_HOST } else { &OF_CPU }, &get);
    if offline || (!name.is_empty() && number(name).is_none()) {
        return;
    }
    for (def, value) in facts {
        match at {
            Some((at, grade)) => out.point_graded(def, name, at, value, line, grade),
            None => out.graded(def, name, Value::Num(value), Grade::Two, line),
        }
    }
}
