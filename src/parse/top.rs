//! `top -b`, old and new, with or without per-CPU lines, threads (`-H`), and busybox's.
//!
//! The first of several iterations is an average since each process started and is left out of the series;
//! a single one is one reading.

use super::sysstat::human;
use super::table::size;
use super::tasks::{Census, How, Task, put, put_cpu};
use super::time::{Clock, of_day};
use super::{Doc, Looks, Out, Parser, uptime};
use crate::facts::schema::keys::{cpu, host, memory, process, thread};
use crate::facts::{FactDef, Grade, Value};

pub static PARSER: Parser = Parser { kind: "top", names: &["top*", "*top -b*"], sniff, parse, binary: false };

fn sniff(doc: &Doc) -> Looks {
    let fits = |line: &str| {
        line.starts_with("top - ")
            || cpu_line(line).is_some()
            || task_header(&line.split_whitespace().collect::<Vec<_>>()).is_some()
    };
    if doc.head().take(30).any(fits) { Looks::Yes } else { Looks::No }
}

/// Which CPU a line is about (`None` inside: all of them), and the text after the colon.
fn cpu_line(line: &str) -> Option<(Option<&str>, &str)> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim().trim_start_matches('%');
    let which = match name.to_ascii_lowercase().as_str() {
        "cpu(s)" | "cpu" => None,
        lower => {
            let number = lower.strip_prefix("cpu")?.trim();
            if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            name.get(name.len() - number.len()..)
        }
    };
    let labels = pairs(rest);
    let has = |names: &[&str]| labels.iter().any(|(_, label)| names.contains(&label.as_str()));
    (has(&["us", "usr"]) && has(&["sy", "sys"]) && has(&["id", "idle"])).then_some((which, rest))
}

/// `5.9 us,  5.9%sy, 100.0 id`: numbers and the word after each. Digits cut with `+` are no number.
fn pairs(text: &str) -> Vec<(f64, String)> {
    let mut list = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = rest.get(start..).unwrap_or_default();
        let end = rest
            .char_indices()
            .find(|(at, c)| {
                let separator = matches!(c, '.' | ',')
                    && rest.get(at + 1..).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
                !(c.is_ascii_digit() || separator)
            })
            .map_or(rest.len(), |(at, _)| at);
        let (digits, after) = rest.split_at(end);
        let alone = |rest: &str| !rest.starts_with(|c: char| c.is_alphabetic());
        let suffix = after.chars().next().filter(|c| {
            matches!(c, 'k' | 'K' | 'M' | 'G' | 'T' | 'P' | 'g' | 't') && alone(after.get(1..).unwrap_or_default())
        });
        let cut = after.starts_with('+');
        let tail = after.get(usize::from(suffix.is_some())..).unwrap_or_default().trim_start_matches(['%', '+', ' ']);
        let label: String = tail.chars().take_while(|c| c.is_alphabetic() || *c == '/').collect();
        let digits = digits.replace(',', ".");
        if !cut && let Some(value) = size(&format!("{digits}{}", suffix.map(String::from).unwrap_or_default()), 1.0) {
            list.push((value, label));
        }
        rest = after.get(1..).unwrap_or_default();
    }
    list
}

#[derive(Clone, Copy)]
enum Column {
    Pid,
    State,
    Cpu,
    MemShare,
    Res,
    LastCpu,
    Command,
    Other,
}

fn task_header(cells: &[&str]) -> Option<Vec<Column>> {
    let has = |name: &str| cells.contains(&name);
    if !(has("PID") && has("%CPU") && (has("VIRT") || has("RES") || has("TIME+") || has("%VSZ"))) {
        return None;
    }
    let last = cells.len().checked_sub(1)?;
    let column = |(at, cell): (usize, &&str)| match *cell {
        "PID" => Column::Pid,
        "S" | "STAT" => Column::State,
        "%CPU" => Column::Cpu,
        "%MEM" => Column::MemShare,
        "RES" | "RSS" => Column::Res,
        "P" | "CPU" => Column::LastCpu,
        "COMMAND" | "CMD" => Column::Command,
        _ if at == last => Column::Command,
        _ => Column::Other,
    };
    Some(cells.iter().enumerate().map(column).collect())
}

/// One screen of top.
struct Screen<'a> {
    time: Option<f64>,
    lines: Vec<(u32, &'a str)>,
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut screens: Vec<Screen> = Vec::new();
    let mut clock = Clock::default();
    for (number, line) in doc.lines() {
        let starts = line.starts_with("top - ") || (screens.is_empty() && !line.trim().is_empty());
        if starts {
            let words: Vec<&str> = line.split_whitespace().collect();
            let time = words.get(2).and_then(|word| of_day(word, words.get(3).copied()));
            screens.push(Screen { time: time.map(|(time, _)| clock.seconds(time)), lines: Vec::new() });
        }
        if let Some(screen) = screens.last_mut() {
            screen.lines.push((number, line));
        }
    }
    screens.retain(|screen| screen.lines.iter().any(|(_, line)| line.contains("pu") || line.contains("PU")));
    let several = screens.len() > 1;
    for (index, screen) in (0u32..).zip(&screens) {
        let how = match (several, index) {
            (false, _) => How::Once(Grade::Once),
            (true, 0) => {
                if let Some((number, line)) = screen.lines.first() {
                    uptime::write(line, *number, out);
                }
                continue;
            }
            (true, _) => How::At(screen.time.unwrap_or(f64::from(index) * TOP_DELAY)),
        };
        read(screen, how, usize::try_from(index).ok() == screens.len().checked_sub(1), out);
    }
}

/// top's own default delay, where its header has no time.
const TOP_DELAY: f64 = 3.0;

fn read(screen: &Screen, how: How, last: bool, out: &mut Out) {
    let mut header: Option<Vec<Column>> = None;
    let mut threads = false;
    let mut census = Census::default();
    for (number, line) in &screen.lines {
        let (number, line) = (*number, line.trim_end());
        if line.starts_with("top - ") {
            uptime::write(line, number, out);
        } else if line.starts_with("Tasks:") || line.starts_with("Threads:") {
            threads = line.starts_with("Threads:");
            totals(line, threads, number, out);
        } else if let Some((which, rest)) = cpu_line(line) {
            shares(which, rest, how, number, out);
        } else if memory_line(line) {
            if last {
                sizes(line, number, out);
            }
        } else {
            let cells: Vec<&str> = line.split_whitespace().collect();
            if let Some(found) = task_header(&cells) {
                header = Some(found);
            } else if let Some(columns) = &header {
                task(&cells, columns, threads, how, number, &mut census, out);
            }
        }
    }
    if last {
        census.write(out);
    }
}

fn totals(line: &str, threads: bool, number: u32, out: &mut Out) {
    for (value, label) in pairs(line) {
        let def = match label.as_str() {
            "total" if !threads => &host::TASKS,
            "zombie" => &host::ZOMBIES,
            _ => continue,
        };
        out.graded(def, "", Value::Num(value), Grade::Once, number);
    }
}

fn shares(which: Option<&str>, rest: &str, how: How, line: u32, out: &mut Out) {
    let found = pairs(rest);
    let get = |names: &[&str]| -> Option<f64> {
        let (value, _) = found.iter().find(|(_, label)| names.contains(&label.as_str()))?;
        (*value <= 100.5).then_some((value / 100.0).min(1.0))
    };
    let user = get(&["us", "usr"]).map(|user| user + get(&["ni", "nic"]).unwrap_or_default());
    let idle = get(&["id", "idle"]);
    let wait = get(&["wa", "io"]);
    let parts = [user, get(&["sy", "sys"]), wait, idle, get(&["si", "sirq"]), get(&["st"]), get(&["hi", "irq"])];
    if parts.iter().flatten().all(|value| *value == 0.0) {
        return;
    }
    let busy = idle.map(|idle| (1.0 - idle - wait.unwrap_or_default()).max(0.0));
    let name = which.unwrap_or_default();
    let of = |whole: &'static FactDef, one: &'static FactDef| if which.is_some() { one } else { whole };
    for (def, value) in [
        (of(&host::USER, &cpu::USER), user),
        (of(&host::SYSTEM, &cpu::SYSTEM), get(&["sy", "sys"])),
        (of(&host::IOWAIT, &cpu::IOWAIT), wait),
        (of(&host::IDLE, &cpu::IDLE), idle),
        (of(&host::SOFT, &cpu::SOFT), get(&["si", "sirq"])),
        (of(&host::STEAL, &cpu::STEAL), get(&["st"])),
        (of(&host::BUSY, &cpu::BUSY), busy),
    ] {
        if let Some(value) = value {
            put(out, def, name, how, value, line);
        }
    }
    if which.is_some()
        && let Some(value) = get(&["hi", "irq"])
    {
        put(out, &cpu::IRQ, name, how, value, line);
    }
}

fn memory_line(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    line.contains(':') && name.len() < 16 && (name.contains("Mem") || name.contains("Swap"))
}

fn sizes(line: &str, number: u32, out: &mut Out) {
    let Some((name, rest)) = line.split_once(':') else { return };
    let factor = match name.split_whitespace().next() {
        Some("KiB") => 1024.0,
        Some("MiB") => 1_048_576.0,
        Some("GiB") => 1_073_741_824.0,
        Some("TiB") => 1_099_511_627_776.0,
        _ => 1.0,
    };
    let swap = name.contains("Swap");
    let busybox = rest.contains("shrd");
    for (value, label) in pairs(rest) {
        let def = match (swap, label.as_str()) {
            (false, "total") => &memory::TOTAL,
            (false, "free") => &memory::FREE,
            (_, "avail") => &memory::AVAILABLE,
            (false, "buff/cache") => &memory::FILE_CACHE,
            (true, "total") => &memory::SWAP_TOTAL,
            (true, "used") => &memory::SWAP_USED,
            _ => continue,
        };
        if busybox && !matches!(label.as_str(), "free") {
            continue;
        }
        out.graded(def, "", Value::Num(value * factor), Grade::Once, number);
    }
}

fn task(cells: &[&str], columns: &[Column], threads: bool, how: How, line: u32, census: &mut Census, out: &mut Out) {
    let mut pid = None;
    let (mut state, mut cpus, mut share, mut res, mut last_cpu) = (None, None, None, None, None);
    let mut command = String::new();
    for (at, column) in columns.iter().enumerate() {
        let Some(cell) = cells.get(at).copied() else { break };
        match column {
            Column::Pid => pid = Some(cell),
            Column::State => state = Some(cell),
            Column::Cpu => cpus = human(cell, false),
            Column::MemShare => share = human(cell, false),
            Column::Res => res = size(cell, 1024.0),
            Column::LastCpu => last_cpu = human(cell, false),
            Column::Command if at + 1 == columns.len() => command = cells.get(at..).unwrap_or_default().join(" "),
            Column::Command => command = cell.to_owned(),
            Column::Other => {}
        }
    }
    let Some(pid) = pid else { return };
    let Some(task) = (if threads { Task::thread(None, pid) } else { Task::process(pid) }) else { return };
    let (Some(state), Some(cpus)) = (state, cpus) else { return };
    put_cpu(out, &task, &command, how, cpus / 100.0, line);
    census.seen(pid, &command, line);
    census.state(state, line);
    if threads {
        out.text(&thread::NAME, &task.id, &command, line);
        return;
    }
    out.text(&process::NAME, pid, &command, line);
    let once = |out: &mut Out, def: &'static FactDef, value: Value| out.graded(def, pid, value, Grade::Once, line);
    once(out, &process::STATE, Value::Text(state.chars().take(4).collect::<String>().into()));
    if let Some(res) = res {
        once(out, &process::RSS, Value::Num(res));
    }
    if let Some(share) = share {
        once(out, &process::MEM_SHARE, Value::Num(share / 100.0));
    }
    if let Some(last) = last_cpu {
        once(out, &process::LAST_CPU, Value::Num(last));
    }
}
