//! Real captures of mpstat, vmstat, iostat, sar, pidstat, top, ps and their like, read in place from the shared
//! corpus, each under a neutral name, against values that small independent readers took from the same files.

use std::path::{Path, PathBuf};

use coroner::bundle::{Input, Limits};
use coroner::facts::schema::keys::family::{PERF, PID};
use coroner::facts::schema::keys::{cpu, disk, host, log, memory, pod, process};
use coroner::facts::{Entity, FactDef, Facts, Kind, Reading, SubjectId, Value};
use coroner::parse::run::{load, parse_bytes};
use serde_json::Value as Json;

fn corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("CORONER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let dir = shared.join("corpus");
    if !dir.is_dir() {
        eprintln!("skipped: no corpus at {}", dir.display());
        return None;
    }
    Some(dir)
}

struct Case {
    name: String,
    kinds: Vec<&'static str>,
    facts: Facts,
    want: Json,
    notes: Vec<String>,
    error: Option<String>,
}

/// Every capture of a kind with what is expected of it.
fn cases(kind: &str) -> Vec<Case> {
    let Some(dir) = corpus() else { return Vec::new() };
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir.join(kind))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_string_lossy().ends_with(".expected.json"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no files of {kind}");
    files.iter().map(|path| case(path)).collect()
}

fn case(path: &Path) -> Case {
    let bytes = std::fs::read(path).unwrap();
    // Three bare numbers are only explained by their path.
    let bare = path.to_string_lossy().contains("/proc-pid-schedstat/");
    let found = parse_bytes(if bare { "proc/77/schedstat" } else { "paste.txt" }, &bytes);
    let want = std::fs::read_to_string(path.with_extension("expected.json"))
        .map_or(Json::Null, |text| serde_json::from_str(&text).unwrap());
    let notes = found.notes.into_iter().map(|(_, text)| text).collect();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    Case { name, kinds: found.kinds, facts: found.facts, want, notes, error: found.error }
}

fn this() -> Entity {
    Entity::host(SubjectId(0))
}

fn entity(kind: Kind, name: &str) -> Entity {
    Entity::new(SubjectId(0), kind, name)
}

/// Every number a fact holds for an entity, of all its readings in order.
fn values(facts: &Facts, def: &FactDef, entity: &Entity) -> Vec<f64> {
    facts.readings(def, entity).iter().flat_map(numbers).collect()
}

fn numbers(reading: &Reading) -> Vec<f64> {
    match &reading.value {
        Value::Num(value) => vec![*value],
        Value::Series(series) => series.values.clone(),
        _ => Vec::new(),
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

fn num(json: &Json, key: &str) -> Option<f64> {
    match &json[key] {
        Json::Number(value) => value.as_f64(),
        Json::String(text) => coroner::parse::table::number(text),
        _ => None,
    }
}

/// A list of what is wrong, shown all at once.
#[derive(Default)]
struct Wrong(Vec<String>, usize);

impl Wrong {
    fn check(&mut self, ok: bool, text: impl FnOnce() -> String) {
        self.1 += 1;
        if !ok {
            self.0.push(text());
        }
    }

    fn first(&mut self, case: &Case, def: &'static FactDef, entity: &Entity, want: Option<f64>) {
        let Some(want) = want else { return };
        let have = values(&case.facts, def, entity);
        self.check(have.first().is_some_and(|first| near(*first, want)), || {
            format!("{}: {} of {entity} begins {:?}, not {want}", case.name, def.path, have.first())
        });
    }

    fn any(&mut self, case: &Case, def: &'static FactDef, entity: &Entity, want: Option<f64>) {
        let Some(want) = want else { return };
        let have = values(&case.facts, def, entity);
        self.check(have.iter().any(|value| near(*value, want)), || {
            format!("{}: {} of {entity} is {:?}, without {want}", case.name, def.path, have.get(..have.len().min(4)))
        });
    }

    fn done(self, least: usize) {
        assert!(self.0.is_empty(), "{} wrong:\n{}", self.0.len(), self.0.join("\n"));
        if corpus().is_some() {
            assert!(self.1 >= least, "only {} checks were made", self.1);
        }
    }
}

const KINDS: &[&str] = &[
    "mpstat",
    "vmstat",
    "iostat",
    "sar",
    "pidstat",
    "top",
    "ps",
    "uptime",
    "perf-stat",
    "dmesg",
    "kubectl-pods",
    "proc-pid-stat",
    "proc-pid-status",
    "proc-pid-io",
    "proc-pid-limits",
    "proc-pid-sched",
    "proc-pid-schedstat",
    "proc-pid-smaps_rollup",
    "proc-pid-cgroup",
    "proc-pid-numa_maps",
    "proc-sched_debug",
];

#[test]
fn every_file_is_recognised_by_its_content() {
    let mut wrong = Wrong::default();
    for kind in KINDS {
        for case in cases(kind) {
            if case.error.is_some() {
                continue;
            }
            let kind = *kind;
            wrong.check(case.kinds == [kind], || format!("{kind}/{} is {:?}", case.name, case.kinds));
        }
    }
    wrong.done(150);
}

/// Percentages of a row against the host's or the CPU's facts. An offline row (nothing but zeros) must give nothing.
fn cpu_row(wrong: &mut Wrong, case: &Case, row: &Json, prefix: &str) {
    let get = |names: &[&str]| names.iter().find_map(|name| num(row, &format!("{prefix}{name}")));
    let id = row["cpu"].as_str().unwrap_or("all").to_owned();
    let all = matches!(id.as_str(), "all" | "-1");
    let one = if all { this() } else { entity(Kind::Cpu, &id) };
    let idle: &'static FactDef = if all { &host::IDLE } else { &cpu::IDLE };
    let soft: &'static FactDef = if all { &host::SOFT } else { &cpu::SOFT };
    let steal: &'static FactDef = if all { &host::STEAL } else { &cpu::STEAL };
    wrong.any(case, idle, &one, get(&["idle"]).map(|v| v / 100.0));
    wrong.any(case, soft, &one, get(&["soft"]).map(|v| v / 100.0));
    wrong.any(case, steal, &one, get(&["steal"]).map(|v| v / 100.0));
    let user: f64 = ["usr", "user", "nice", "guest", "gnice"].iter().filter_map(|name| get(&[name])).sum();
    let user_def: &'static FactDef = if all { &host::USER } else { &cpu::USER };
    let have = values(&case.facts, user_def, &one);
    wrong.check(
        get(&["idle"]).is_none() || have.iter().any(|value| (value - user / 100.0).abs() < 1e-9 || user > 100.0),
        || format!("{}: user of {one} is {:?}, without {user}", case.name, have.first()),
    );
}

#[test]
fn mpstat_rows() {
    let mut wrong = Wrong::default();
    for case in cases("mpstat") {
        for (key, prefix) in [("first_row", "%"), ("first_cpu_load", "")] {
            if case.want[key].is_object() {
                cpu_row(&mut wrong, &case, &case.want[key], prefix);
            }
        }
        if let Some(kernel) = case.want["banner"]["kernel"].as_str() {
            wrong.check(case.facts.text(&host::KERNEL, &this()) == Some(kernel), || format!("{}: kernel", case.name));
        }
        // The expectation lists at most twelve blocks.
        let blocks = case.want["rows_per_cpu_block"].as_array().map_or(0, Vec::len);
        let averages = case.want["average_blocks"].as_u64().unwrap_or(0);
        if blocks > 1 && case.want["first_row"]["cpu"] == "all" {
            let points = values(&case.facts, &host::IDLE, &this()).len();
            wrong.check(points + usize::from(averages > 0) >= blocks && (points <= blocks || blocks == 12), || {
                format!("{}: {points} points of {blocks} blocks, {averages} averages", case.name)
            });
        }
    }
    let case = case_named("mpstat", "rhel7-24cpu-3-offline.txt");
    if let Some(case) = case {
        for off in ["10", "15", "20"] {
            wrong.check(values(&case.facts, &cpu::IDLE, &entity(Kind::Cpu, off)).is_empty(), || {
                format!("CPU {off} is offline")
            });
        }
        wrong.first(&case, &host::CPUS_ONLINE, &this(), Some(21.0));
        let off = match &case.facts.get(&host::OFFLINE_CPUS, &this()).unwrap().value {
            Value::Cpus(set) => set.to_string(),
            _ => String::new(),
        };
        wrong.check(off == "10,15,20", || format!("offline: {off}"));
    }
    wrong.done(90);
}

fn case_named(kind: &str, file: &str) -> Option<Case> {
    Some(case(&corpus()?.join(kind).join(file)))
}

#[test]
fn vmstat_rows() {
    let mut wrong = Wrong::default();
    for case in cases("vmstat") {
        if !case.want["last_row"].is_object() {
            continue;
        }
        let (first, last) = (&case.want["first_row"], &case.want["last_row"]);
        let rows = case.want["rows"].as_u64().unwrap() as usize;
        let runnable = values(&case.facts, &host::RUNNABLE, &this());
        wrong.check(runnable.len() == rows, || format!("{}: {} rows of {rows}", case.name, runnable.len()));
        wrong.first(&case, &host::RUNNABLE, &this(), num(first, "r"));
        wrong.any(&case, &host::BLOCKED, &this(), num(last, "b"));
        wrong.any(&case, &host::IDLE, &this(), num(last, "id").map(|v| v / 100.0));
        wrong.any(&case, &host::CONTEXT_SWITCHES, &this(), num(last, "cs"));
        wrong.any(&case, &memory::SWAP_OUT, &this(), num(last, "so").map(|v| v * 1024.0));
        let idle = values(&case.facts, &host::IDLE, &this()).len();
        wrong.check(idle == (rows - 1).max(1), || format!("{}: {idle} intervals of {rows} rows", case.name));
    }
    wrong.done(100);
}

#[test]
fn iostat_reports() {
    let mut wrong = Wrong::default();
    for case in cases("iostat") {
        let reports = case.want["device_reports"].as_u64().unwrap_or(0);
        // The first report is since boot: with more than one it is left out.
        if reports == 1 {
            let row = &case.want["first_device"];
            let one = entity(Kind::Disk, row["device"].as_str().unwrap_or_default());
            if row["device"].as_str().is_some_and(|name| !name.starts_with("loop")) {
                wrong.first(&case, &disk::UTIL, &one, num(row, "%util").map(|v| v / 100.0));
                wrong.first(&case, &disk::READ_IOPS, &one, num(row, "r/s"));
                wrong.first(&case, &disk::IOPS, &one, num(row, "tps"));
                wrong.first(&case, &disk::READ_BPS, &one, num(row, "rkB/s").map(|v| v * 1024.0));
                wrong.first(&case, &disk::READ_BPS, &one, num(row, "kB_read/s").map(|v| v * 1024.0));
                wrong.first(&case, &disk::WRITE_BPS, &one, num(row, "wMB/s").map(|v| v * 1_048_576.0));
                if num(row, "w/s") > Some(0.0) {
                    wrong.first(&case, &disk::WRITE_AWAIT, &one, num(row, "w_await").map(|v| v / 1000.0));
                }
            }
        }
        if case.want["cpu_reports"] == 1 {
            wrong.first(&case, &host::IDLE, &this(), num(&case.want["first_cpu"], "%idle").map(|v| v / 100.0));
        }
        let cpu_reports = case.want["cpu_reports"].as_u64().unwrap_or(0);
        if cpu_reports > 1 {
            let points = values(&case.facts, &host::IDLE, &this()).len() as u64;
            wrong.check(points == cpu_reports - 1, || format!("{}: {points} of {cpu_reports}", case.name));
        }
        let key = if case.want["disks_per_report"].is_array() { "disks_per_report" } else { "devices_per_report" };
        let devices = case.want[key].as_array().cloned().unwrap_or_default();
        let all: u64 = devices.iter().skip(usize::from(devices.len() > 1)).filter_map(Json::as_u64).max().unwrap_or(0);
        let have = case.facts.entities(SubjectId(0), Kind::Disk).count() as u64;
        wrong.check(have <= all && (have > 0 || all == 0), || format!("{}: {have} disks of {all}", case.name));
    }
    wrong.done(70);
}

#[test]
fn sar_tables() {
    let mut wrong = Wrong::default();
    for case in cases("sar") {
        let row = &case.want["first_cpu_row"];
        if row.is_object() {
            cpu_row(&mut wrong, &case, row, "%");
        }
        let row = &case.want["first_dev_row"];
        if row.is_object() {
            let one = entity(Kind::Disk, row["name"].as_str().unwrap());
            wrong.first(&case, &disk::IOPS, &one, num(row, "tps"));
            wrong.first(&case, &disk::UTIL, &one, num(row, "%util").map(|v| v / 100.0));
            wrong.first(&case, &disk::READ_BPS, &one, num(row, "rd_sec/s").map(|v| v * 512.0));
            wrong.first(&case, &disk::READ_BPS, &one, num(row, "rkB/s").map(|v| v * 1024.0));
        }
        if let Some(kernel) = case.want["banner"]["kernel"].as_str() {
            wrong.check(case.facts.text(&host::KERNEL, &this()) == Some(kernel), || format!("{}: kernel", case.name));
        }
        let Some(restarts) = case.want["restarts"].as_u64().filter(|_| !case.name.contains("sadf")) else { continue };
        let noted = case.notes.iter().filter(|note| note.contains("restarted")).count() as u64;
        wrong.check((restarts > 0) == (noted > 0), || format!("{}: {restarts} restarts, {noted} noted", case.name));
    }
    wrong.done(130);
}

#[test]
fn top_screens() {
    let mut wrong = Wrong::default();
    for case in cases("top") {
        let load = case.want["load"].as_array().unwrap();
        wrong.first(&case, &host::LOAD1, &this(), load[0].as_f64());
        wrong.first(&case, &host::LOAD15, &this(), load[2].as_f64());
        let iterations = case.want["iterations"].as_u64().unwrap();
        if iterations == 1 {
            wrong.any(&case, &host::TASKS, &this(), num(&case.want, "tasks"));
            wrong.first(&case, &host::STEAL, &this(), num(&case.want, "st").map(|v| v / 100.0));
        } else {
            let points = values(&case.facts, &host::IDLE, &this()).len() as u64;
            wrong.check(points == iterations - 1, || format!("{}: {points} of {iterations}", case.name));
        }
    }
    wrong.done(24);
}

#[test]
fn ps_lists() {
    let mut wrong = Wrong::default();
    for case in cases("ps") {
        let rows = case.want["rows"].as_u64().unwrap() - case.want["thread_rows"].as_u64().unwrap_or(0);
        let have = case.facts.entities(SubjectId(0), Kind::Process).count() as u64;
        wrong.check(have == rows, || format!("{}: {have} processes of {rows}", case.name));
        if let Some(states) = case.want["states"].as_object() {
            let blocked: u64 =
                states.iter().filter(|(name, _)| name.starts_with('D')).filter_map(|(_, n)| n.as_u64()).sum();
            let whole = case.facts.get(&host::TASKS, &this()).is_ok();
            if whole || blocked > 0 {
                wrong.first(&case, &host::TASKS_BLOCKED, &this(), Some(blocked as f64));
            }
        }
    }
    if let Some(case) = case_named("ps", "hotsos-openstack-ps_auxwwwm.txt") {
        // 1376 S + 75 I + 2 R threads; the 447 process rows have "-" for a state.
        wrong.first(&case, &host::TASKS, &this(), Some(1453.0));
        wrong.check(case.facts.text(&process::NAME, &entity(Kind::Process, "1")) == Some("init"), || "init".into());
    }
    if let Some(case) = case_named("ps", "insights-container-psaux-test.txt") {
        let flag = &case.facts.get(&host::IRQBALANCE, &this()).unwrap().value;
        wrong.check(*flag == Value::Flag(true), || "irqbalance runs".into());
    }
    wrong.done(20);
}

#[test]
fn pidstat_rows() {
    let mut wrong = Wrong::default();
    for case in cases("pidstat") {
        let row = &case.want["first_row"];
        let pid = ["PID", "TGID"].iter().find_map(|key| row[*key].as_u64());
        let (Some(pid), Some(user), Some(system)) = (pid, num(row, "%usr"), num(row, "%system")) else { continue };
        let cpus = (user + system + num(row, "%guest").unwrap_or(0.0)) / 100.0;
        let one = entity(Kind::Process, &pid.to_string());
        wrong.first(&case, &process::CPU, &one, Some(cpus));
        wrong.first(&case, &process::CPU_WAIT, &one, num(row, "%wait").map(|v| v / 100.0));
    }
    wrong.done(12);
}

#[test]
fn uptime_lines() {
    let mut wrong = Wrong::default();
    for case in cases("uptime") {
        let load = case.want["load"].as_array().unwrap();
        for (def, want) in [&host::LOAD1, &host::LOAD5, &host::LOAD15].into_iter().zip(load) {
            wrong.first(&case, def, &this(), want.as_f64());
        }
        wrong.check(case.facts.get(&host::UPTIME, &this()).is_ok(), || format!("{}: uptime", case.name));
    }
    wrong.done(30);
}

#[test]
fn free_tables() {
    let mut wrong = Wrong::default();
    for case in cases("free") {
        if case.want["text"].is_string() {
            wrong.check(case.error.is_some(), || format!("{}: no data", case.name));
            wrong.check(case.facts.iter().next().is_none(), || format!("{}: facts from an error", case.name));
            continue;
        }
        wrong.check(case.kinds.contains(&"free"), || format!("{} is {:?}", case.name, case.kinds));
        let row = case.want["Mem"].as_array().unwrap();
        let names = case.want["columns"].as_array().unwrap();
        let at = |name: &str| names.iter().position(|have| have == name).and_then(|at| row.get(at)).cloned();
        let bytes = |cell: Option<Json>| match cell? {
            Json::String(text) => coroner::parse::table::size(&text, 1.0),
            Json::Number(value) => {
                let unit = match () {
                    () if case.name.contains("-memory") => 1.0,
                    () if case.name.contains("-m") => 1_048_576.0,
                    () => 1024.0,
                };
                Some(value.as_f64()? * unit)
            }
            _ => None,
        };
        wrong.first(&case, &memory::TOTAL, &this(), bytes(at("total")));
        wrong.first(&case, &memory::FREE, &this(), bytes(at("free")));
        wrong.first(&case, &memory::AVAILABLE, &this(), bytes(at("available")));
        let swap = case.want["Swap"].as_array().unwrap();
        wrong.first(&case, &memory::SWAP_USED, &this(), bytes(swap.get(1).cloned()));
    }
    wrong.done(45);
}

#[test]
fn perf_counts() {
    let mut wrong = Wrong::default();
    for case in cases("perf-stat") {
        let count = |event: &str| case.facts.samples(&PERF, &this(), event).first().map(|sample| sample.value);
        for event in
            ["context-switches", "page-faults", "cycles", "instructions", "branch-misses", "cpu-clock", "task-clock"]
        {
            let Some(want) = case.want[event].as_f64() else { continue };
            // -I and -A print an event several times; the sum is at least the first.
            let have = count(event);
            wrong.check(have.is_some_and(|have| near(have, want) || (case.name.contains("-I") && have > want)), || {
                format!("{}: {event} is {have:?}, not {want}", case.name)
            });
        }
        for event in case.want["not_supported"].as_array().into_iter().flatten() {
            let event = event.as_str().unwrap();
            wrong.check(count(event).is_none(), || format!("{}: {event} is not supported", case.name));
        }
        if let Some(want) = case.want["elapsed_s"].as_f64() {
            let have = count("elapsed");
            wrong
                .check(have.is_some_and(|have| near(have, want)), || format!("{}: elapsed {have:?} {want}", case.name));
        }
        if let Some(want) = case.want["ipc"].as_f64() {
            let have = case.facts.number(&host::IPC, &this()).unwrap_or_default();
            wrong.check((have - want).abs() <= 0.005 + 1e-9, || format!("{}: IPC {have}, not {want}", case.name));
        }
    }
    wrong.done(60);
}

#[test]
fn kernel_logs() {
    let mut wrong = Wrong::default();
    for case in cases("dmesg") {
        for (key, def) in [
            ("oom_kill", &log::OOM_KILL),
            ("hung_task", &log::HUNG_TASK),
            ("soft_lockup", &log::SOFT_LOCKUP),
            ("io_error", &log::IO_ERROR),
        ] {
            let want = case.want[key].as_f64().unwrap();
            let have = values(&case.facts, def, &this());
            wrong.check(have.first().is_none_or(|have| *have == want) && (want == 0.0 || !have.is_empty()), || {
                format!("{}: {key} {have:?}, not {want}", case.name)
            });
        }
        let short = case.want["lines"].as_u64().unwrap() < 30;
        wrong.check(short == values(&case.facts, &log::OOM_KILL, &this()).is_empty(), || {
            format!("{}: zero of a whole log, nothing of an excerpt", case.name)
        });
    }
    wrong.done(40);
}

#[test]
fn pods() {
    let mut wrong = Wrong::default();
    for case in cases("kubectl-pods") {
        let names: Vec<Entity> = case.facts.entities(SubjectId(0), Kind::Pod).cloned().collect();
        wrong.check(names.len() as u64 == case.want["pods"].as_u64().unwrap(), || {
            format!("{}: {} pods", case.name, names.len())
        });
        for (phase, count) in case.want["phases"].as_object().unwrap() {
            let have = names.iter().filter(|name| case.facts.text(&pod::PHASE, name) == Some(phase)).count() as u64;
            wrong.check(Some(have) == count.as_u64(), || format!("{}: {have} {phase}", case.name));
        }
        for (qos, count) in case.want["qos"].as_object().unwrap() {
            let have = names.iter().filter(|name| case.facts.text(&pod::QOS, name) == Some(qos)).count() as u64;
            wrong.check(Some(have) == count.as_u64(), || format!("{}: {have} {qos}", case.name));
        }
        let restarts: f64 = names.iter().filter_map(|name| case.facts.number(&pod::RESTARTS, name)).sum();
        wrong.check(Some(restarts) == case.want["restarts"].as_f64(), || format!("{}: {restarts} restarts", case.name));
    }
    wrong.done(25);
}

#[test]
fn files_of_processes() {
    let mut wrong = Wrong::default();
    let raw = |case: &Case, id: &str, metric: &str| {
        case.facts.samples(&PID, &entity(Kind::Process, id), metric).first().map(|s| s.value)
    };
    for case in cases("proc-pid-stat") {
        let pid = case.want["pid"].to_string();
        let one = entity(Kind::Process, &pid);
        wrong.check(case.facts.text(&process::NAME, &one) == case.want["comm"].as_str().map(str::trim), || {
            format!("{}: name", case.name)
        });
        wrong.check(case.facts.text(&process::STATE, &one) == case.want["state"].as_str(), || {
            format!("{}: state", case.name)
        });
        wrong.first(&case, &process::PARENT, &one, num(&case.want, "ppid"));
        wrong.first(&case, &process::THREADS, &one, num(&case.want, "num_threads"));
        for (key, metric) in [
            ("minflt", "stat.minflt"),
            ("majflt", "stat.majflt"),
            ("utime", "stat.utime"),
            ("stime", "stat.stime"),
            ("starttime", "stat.starttime"),
            ("vsize", "stat.vsize"),
            ("rss", "stat.rss_pages"),
            ("processor", "stat.processor"),
        ] {
            let have = raw(&case, &pid, metric);
            // One file has the largest signed number in every field: that is no reading.
            let want = num(&case.want, key).filter(|value| *value < 9e18);
            wrong.check(have == want, || format!("{}: {key} {have:?}", case.name));
        }
    }
    for case in cases("proc-pid-status") {
        let pid = case.want["Pid"].to_string().replace('"', "");
        let one = entity(Kind::Process, &pid);
        wrong.check(case.facts.text(&process::NAME, &one) == case.want["Name"].as_str(), || {
            format!("{}: name", case.name)
        });
        for (key, factor) in
            [("VmRSS", 1024.0), ("VmSize", 1024.0), ("VmSwap", 1024.0), ("voluntary_ctxt_switches", 1.0)]
        {
            let want = num(&case.want, key).map(|value| value * factor);
            let have = raw(&case, &pid, &format!("status.{key}"));
            wrong.check(have == want, || format!("{}: {key} {have:?} not {want:?}", case.name));
        }
    }
    for case in cases("proc-pid-io") {
        for key in ["rchar", "read_bytes", "write_bytes", "cancelled_write_bytes"] {
            let have = raw(&case, "?", &format!("io.{key}"));
            wrong.check(have == num(&case.want, key), || format!("{}: {key} {have:?}", case.name));
        }
    }
    for case in cases("proc-pid-schedstat") {
        for (key, metric) in [("run_ns", "run_ns"), ("wait_ns", "wait_ns"), ("slices", "slices")] {
            let have = raw(&case, "77", &format!("schedstat.{metric}"));
            wrong.check(have == num(&case.want, key), || format!("{}: {key} {have:?}", case.name));
        }
    }
    for case in cases("proc-pid-smaps_rollup") {
        for key in ["Rss", "Pss", "Swap", "Private_Dirty"] {
            let have = raw(&case, "?", &format!("smaps.{key}"));
            wrong.check(have == num(&case.want, key).map(|kib| kib * 1024.0), || {
                format!("{}: {key} {have:?}", case.name)
            });
        }
    }
    for case in cases("proc-pid-limits") {
        let want = case.want["Max open files"][0].as_str().unwrap().parse::<f64>().unwrap();
        wrong.first(&case, &process::FD_LIMIT, &entity(Kind::Process, "?"), Some(want));
    }
    for case in cases("proc-pid-cgroup") {
        let want = case.want["v1"]["cpu"].as_str().or(case.want["v2_path"].as_str());
        let have = case.facts.text(&process::CGROUP, &entity(Kind::Process, "?"));
        wrong.check(have == want, || format!("{}: {have:?}, not {want:?}", case.name));
    }
    for case in cases("proc-pid-numa_maps") {
        for (node, pages) in case.want["pages_by_node"].as_object().unwrap() {
            let have = raw(&case, "?", &format!("numa.{}", node.trim_start_matches('N')));
            wrong.check(have == pages.as_f64().map(|n| n * 4096.0), || format!("{}: {node} {have:?}", case.name));
        }
    }
    wrong.done(150);
}

/// Names of files that people and collectors give to what these tools print, and the kind behind each.
const NAMED: &[(&str, &str)] = &[
    ("top_", "top"),
    ("top.txt", "top"),
    ("ps_", "ps"),
    ("threads_psr", "ps"),
    ("mpstat_", "mpstat"),
    ("vmstat_", "vmstat"),
    ("iostat_", "iostat"),
    ("pidstat_", "pidstat"),
    ("sar_", "sar"),
    ("free", "free"),
    ("uptime.", "uptime"),
    ("perf_stat_", "perf-stat"),
    ("dmesg", "dmesg"),
    ("atop_", "atop"),
    ("taskset_-p", "taskset"),
    ("runqlen_-C", "runqlen"),
    ("task_schedstat", "proc-pid-schedstat"),
];

fn expected_kind(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next()?;
    if let Some((_, kind)) = NAMED.iter().find(|(start, _)| name.starts_with(start)) {
        return Some(kind);
    }
    let parts: Vec<&str> = path.split('/').collect();
    let of_process = parts
        .windows(3)
        .any(|three| three[0] == "proc" && three[1].bytes().all(|b| b.is_ascii_digit()) && three[2] == name);
    let of_pod = path.contains("/proc/status.");
    match name {
        "stat" if of_process => Some("proc-pid-stat"),
        "status" if of_process => Some("proc-pid-status"),
        "io" if of_process => Some("proc-pid-io"),
        "sched" if of_process => Some("proc-pid-sched"),
        "schedstat" if of_process => Some("proc-pid-schedstat"),
        "cgroup" if of_process => Some("proc-pid-cgroup"),
        "numa_maps" if of_process => Some("proc-pid-numa_maps"),
        _ if of_pod => Some("proc-pid-status"),
        _ => None,
    }
}

/// Every file of these kinds in the incidents and in the captures of the labs is read as what it is, and gives facts.
#[test]
fn incidents_and_lab_captures() {
    let Some(corpus) = corpus() else { return };
    let shared = corpus.parent().unwrap();
    let mut bundles: Vec<PathBuf> = Vec::new();
    for folder in ["cases", "lab"] {
        bundles.extend(std::fs::read_dir(shared.join(folder)).unwrap().map(|entry| entry.unwrap().path()));
    }
    for run in std::fs::read_dir(shared.join("golab")).unwrap() {
        bundles.push(run.unwrap().path().join("bundle.tar.gz"));
    }
    bundles.retain(|path| path.is_dir() || path.to_string_lossy().ends_with(".tar.gz") && path.is_file());
    bundles.sort();
    let mut wrong = Wrong::default();
    for bundle in bundles {
        let loaded = load(&Input::Paths(vec![bundle.clone()]), &Limits::default(), None).unwrap();
        let name = bundle.file_name().unwrap().to_string_lossy().into_owned();
        for artifact in &loaded.artifacts {
            let Some(kind) = expected_kind(&artifact.path) else { continue };
            wrong.check(artifact.kinds.contains(&kind) && artifact.items > 0, || {
                format!("{name}: {} is {:?} with {} facts", artifact.path, artifact.kinds, artifact.items)
            });
        }
    }
    wrong.done(500);
}
