//! Files of `/proc/PID` and `/proc/PID/task/TID`: whose they are (by the path, where the content does not say).

use super::Doc;
use super::tasks::{Task, is_number};

pub mod cgroup;
pub mod keyed;
pub mod numa_maps;
pub mod sched;
pub mod stat;
pub mod status;

/// Process of a file whose path does not say it (a paste).
const UNKNOWN: &str = "?";

/// Numbers of process and thread in the path or in the command (`cat /proc/12/io`, `pids/12/task/13/stat`).
fn owner(doc: &Doc) -> (Option<String>, Option<String>) {
    for text in [doc.command, doc.path] {
        let words: Vec<&str> = text.split(['/', ' ']).filter(|word| !word.is_empty()).collect();
        let Some(at) = words.iter().rposition(|word| matches!(*word, "proc" | "pids" | "pid" | "processes")) else {
            continue;
        };
        let after = words.get(at + 1..).unwrap_or_default();
        let (pid, rest) = match after {
            [pid, rest @ ..] if is_number(pid) || matches!(*pid, "self" | "thread-self") => (*pid, rest),
            // A pod's or a process's own folder: proc/status.
            _ => return (None, None),
        };
        let tid = match rest {
            ["task", tid, ..] if is_number(tid) => Some((*tid).to_owned()),
            _ => None,
        };
        return (Some(pid.to_owned()), tid);
    }
    (None, None)
}

/// Name of the entity that a file is about, and whether it is a thread.
pub fn task(doc: &Doc) -> Task {
    match owner(doc) {
        (Some(pid), Some(tid)) if pid != tid => Task { id: format!("{pid}/{tid}"), thread: true },
        (Some(pid), Some(_)) => Task { id: format!("{pid}/{pid}"), thread: true },
        (Some(pid), None) => Task { id: pid, thread: false },
        _ => Task { id: UNKNOWN.to_owned(), thread: false },
    }
}

/// Writes one raw number of a task, as `file.name`.
pub fn sample(out: &mut super::Out, task: &Task, metric: &str, value: f64, line: u32) {
    use crate::facts::schema::keys::family::{PID, TID};
    out.sample(if task.thread { &TID } else { &PID }, &task.id, metric, value, line);
}
