//! What top, ps, pidstat and `/proc/PID` share: tasks as entities, and the kernel threads whose CPU time says
//! which CPU or node is in trouble (`ksoftirqd/N`, `kswapdN`).

use super::Out;
use crate::facts::schema::keys::{cpu, host, numa_node, process, thread};
use crate::facts::{FactDef, Grade, Value};

/// How a value was read: at a time of a series, or once with a grade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum How {
    At(f64),
    Once(Grade),
}

pub fn put(out: &mut Out, def: &'static FactDef, name: &str, how: How, value: f64, line: u32) {
    match how {
        How::At(at) => out.point(def, name, at, value, line),
        How::Once(grade) => out.graded(def, name, Value::Num(value), grade, line),
    }
}

/// CPU use of a task, in CPUs; also of the CPU or node that a kernel thread works for.
pub fn put_cpu(out: &mut Out, entity: &Task, command: &str, how: How, cpus: f64, line: u32) {
    let def = if entity.thread { &thread::CPU } else { &process::CPU };
    put(out, def, &entity.id, how, cpus, line);
    let name = command.trim_matches(['[', ']']);
    if let Some(number) = name.strip_prefix("ksoftirqd/").filter(|n| is_number(n)) {
        put(out, &cpu::KSOFTIRQD, number, how, cpus, line);
    } else if let Some(number) = name.strip_prefix("kswapd").filter(|n| is_number(n)) {
        put(out, &numa_node::KSWAPD, number, how, cpus, line);
    }
}

pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() < 10 && text.bytes().all(|b| b.is_ascii_digit())
}

/// A process, or a thread: then the id is `pid/tid`, or the tid alone where the process is not told.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    pub id: String,
    pub thread: bool,
}

impl Task {
    pub fn process(pid: &str) -> Option<Task> {
        is_number(pid).then(|| Task { id: pid.to_owned(), thread: false })
    }

    pub fn thread(pid: Option<&str>, tid: &str) -> Option<Task> {
        let id = match pid {
            Some(pid) if is_number(pid) => format!("{pid}/{tid}"),
            _ => tid.to_owned(),
        };
        is_number(tid).then_some(Task { id, thread: true })
    }
}

/// Counts of a list of tasks, and whether the list is whole.
#[derive(Debug, Default)]
pub struct Census {
    pub tasks: u32,
    pub running: u32,
    pub blocked: u32,
    pub zombies: u32,
    /// Line of the first task in uninterruptible sleep.
    first_blocked: Option<u32>,
    irqbalance: Option<u32>,
    init: bool,
    kthreadd: Option<u32>,
    first_line: Option<u32>,
}

impl Census {
    /// A process row by its command. Threads are not counted as processes.
    pub fn seen(&mut self, pid: &str, command: &str, line: u32) {
        self.first_line.get_or_insert(line);
        let name = command.split_whitespace().next().unwrap_or_default();
        let base = name.rsplit('/').next().unwrap_or(name).trim_matches(['[', ']', ':']);
        if base == "irqbalance" {
            self.irqbalance.get_or_insert(line);
        }
        self.init |= pid == "1";
        if base == "kthreadd" {
            self.kthreadd.get_or_insert(line);
        }
    }

    /// The state letter of a task (a thread, where the list has threads).
    pub fn state(&mut self, state: &str, line: u32) {
        self.first_line.get_or_insert(line);
        self.tasks += 1;
        match state.chars().next() {
            Some('D') => {
                self.blocked += 1;
                self.first_blocked.get_or_insert(line);
            }
            Some('R') => self.running += 1,
            Some('Z') => self.zombies += 1,
            _ => {}
        }
    }

    /// True for a list of all processes of a host: it has init and the kernel's threads.
    pub fn whole(&self) -> bool {
        self.init && self.kthreadd.is_some()
    }

    /// Writes counts. A part of a list proves what it shows, never what it does not.
    pub fn write(&self, out: &mut Out) {
        let Some(line) = self.first_line else { return };
        let once = |out: &mut Out, def: &'static FactDef, value: u32, line: u32| {
            out.graded(def, "", Value::Num(f64::from(value)), Grade::Once, line);
        };
        if self.tasks > 0 && self.whole() {
            once(out, &host::TASKS, self.tasks, line);
            once(out, &host::ZOMBIES, self.zombies, line);
        }
        if self.tasks > 0 && (self.whole() || self.blocked > 0) {
            once(out, &host::TASKS_BLOCKED, self.blocked, self.first_blocked.unwrap_or(line));
        }
        match self.irqbalance {
            Some(line) => out.flag(&host::IRQBALANCE, "", true, line),
            None if self.whole() => out.flag(&host::IRQBALANCE, "", false, self.kthreadd.unwrap_or(line)),
            None => {}
        }
    }
}
