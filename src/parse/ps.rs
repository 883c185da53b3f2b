//! `ps` with any columns: the header decides. Thread rows (`-m`, `-L`, `-T`) count as tasks; a list without its header
//! is read when it is `ps aux`.

use super::sysstat::human;
use super::table::number;
use super::tasks::{Census, How, Task, is_number, put_cpu};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{process, thread};
use crate::facts::{Grade, Value};

pub static PARSER: Parser =
    Parser { kind: "ps", names: &["ps", "ps *", "*ps_*", "threads_psr*"], sniff, parse, binary: false };

fn sniff(doc: &Doc) -> Looks {
    let mut bare = false;
    for line in doc.head() {
        let cells: Vec<&str> = line.split_whitespace().collect();
        if header(&cells).is_some() || thread_line(line).is_some() {
            return Looks::Yes;
        }
        bare |= aux_row(&cells);
    }
    if bare { Looks::Yes } else { Looks::No }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Column {
    Pid,
    Tid,
    Ppid,
    Cpu,
    MemShare,
    Rss,
    State,
    Threads,
    LastCpu,
    Wchan,
    /// A start that may be five words (`lstart`).
    Start,
    Command,
    Cgroup,
    Other,
}

fn header(cells: &[&str]) -> Option<Vec<Column>> {
    // lsof, iotop, top, pidstat and docker name their columns much alike.
    const OTHERS: &[&str] = &[
        "VIRT",
        "TIME+",
        "%usr",
        "FD",
        "DISK",
        "IO>",
        "NODE",
        "PRIO",
        "CONTAINER",
        "%MEM%",
        "Node",
        "%VSZ",
        "IMAGE",
        "NET",
        "HITS",
        "TYPE",
        "WHAT",
        "MODE",
        "SYSCPU",
        "RDDSK",
        "VSIZE",
    ];
    if cells.len() < 2 || cells.iter().any(|cell| OTHERS.contains(cell)) {
        return None;
    }
    let columns: Vec<Column> = cells
        .iter()
        .map(|cell| match *cell {
            "PID" | "TGID" => Column::Pid,
            "LWP" | "TID" | "SPID" => Column::Tid,
            "PPID" => Column::Ppid,
            "%CPU" | "PCPU" | "CP" => Column::Cpu,
            "%MEM" | "PMEM" => Column::MemShare,
            "RSS" | "RES" | "RSZ" | "RSSIZE" => Column::Rss,
            "STAT" | "S" | "STATE" => Column::State,
            "NLWP" | "THCNT" => Column::Threads,
            "PSR" | "P" | "CPUID" => Column::LastCpu,
            "WCHAN" => Column::Wchan,
            "STARTED" | "START" | "STIME" => Column::Start,
            "COMMAND" | "CMD" | "ARGS" | "COMM" | "UCMD" => Column::Command,
            "CGROUP" | "CGNAME" => Column::Cgroup,
            _ => Column::Other,
        })
        .collect();
    let has = |wanted: Column| columns.contains(&wanted);
    let shouting = cells.iter().all(|cell| !cell.chars().any(char::is_lowercase));
    (shouting
        && (has(Column::Pid) || has(Column::Tid))
        && (has(Column::Command) || has(Column::State) || has(Column::LastCpu)))
    .then_some(columns)
}

const AUX: &[Column] = &[
    Column::Other,
    Column::Pid,
    Column::Cpu,
    Column::MemShare,
    Column::Other,
    Column::Rss,
    Column::Other,
    Column::State,
    Column::Start,
    Column::Other,
    Column::Command,
];

/// `root  93907 96.5  0.0   9248  2100 ?   R   19:35 127:55 /bin/sh`
fn aux_row(cells: &[&str]) -> bool {
    let get = |at: usize| cells.get(at).copied().unwrap_or_default();
    cells.len() >= 11
        && is_number(get(1))
        && number(get(2)).is_some()
        && number(get(3)).is_some()
        && is_number(get(4))
        && is_number(get(5))
        && (get(6) == "?" || get(6).starts_with("pts/") || get(6).starts_with("tty"))
        && get(7).starts_with(['R', 'S', 'D', 'T', 't', 'Z', 'I'])
        && get(9).contains(':')
}

/// `151 (redis-server) psr=1 Cpus_allowed_list: 0-3`: one thread a line, of one process.
fn thread_line(line: &str) -> Option<(&str, &str, u32, Option<&str>)> {
    let (tid, rest) = line.trim().split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") psr=")?;
    let (psr, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let allowed = rest.split_once("Cpus_allowed_list:").map(|(_, list)| list.trim());
    Some((is_number(tid).then_some(tid)?, name, psr.parse().ok()?, allowed))
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut columns: Option<Vec<Column>> = None;
    let mut census = Census::default();
    let mut owner: Option<&str> = None;
    let mut noted = false;
    let pid_of_path = doc.path.split('/').rev().skip(1).find(|part| is_number(part));
    for (line_no, line) in doc.lines() {
        if let Some((tid, name, psr, allowed)) = thread_line(line) {
            threads_of(pid_of_path, tid, name, psr, allowed, line_no, out);
            continue;
        }
        let cells: Vec<&str> = line.split_whitespace().collect();
        if columns.as_ref().is_none_or(|have| have.len() == cells.len())
            && let Some(found) = header(&cells)
        {
            columns = Some(found);
            continue;
        }
        if columns.is_none() && aux_row(&cells) {
            if !noted {
                out.note(line_no, "header inferred: the columns of ps aux");
                noted = true;
            }
            columns = Some(AUX.to_vec());
        }
        let Some(columns) = &columns else { continue };
        let row = Row::read(columns, &cells);
        row.write(&mut owner, &mut census, line_no, out);
    }
    census.write(out);
}

fn threads_of(pid: Option<&str>, tid: &str, name: &str, psr: u32, allowed: Option<&str>, line: u32, out: &mut Out) {
    let Some(task) = Task::thread(pid, tid) else { return };
    out.text(&thread::NAME, &task.id, name, line);
    out.graded(&thread::LAST_CPU, &task.id, Value::Num(f64::from(psr)), Grade::Once, line);
    if let Some(set) = allowed.and_then(crate::facts::CpuSet::parse_list) {
        out.cpus(&thread::ALLOWED, &task.id, set, line);
    }
}

#[derive(Default)]
struct Row<'a> {
    pid: Option<&'a str>,
    tid: Option<&'a str>,
    ppid: Option<&'a str>,
    cpu: Option<f64>,
    mem_share: Option<f64>,
    rss: Option<f64>,
    state: Option<&'a str>,
    threads: Option<f64>,
    last_cpu: Option<f64>,
    wchan: Option<&'a str>,
    command: String,
    cgroup: Option<&'a str>,
}

impl<'a> Row<'a> {
    /// Cells by column. Commands (and `lstart`) hold blanks: columns left of them count from the left, right of them from the right.
    fn read(columns: &[Column], cells: &[&'a str]) -> Row<'a> {
        let mut row = Row::default();
        let mut at = 0usize;
        for (index, column) in columns.iter().enumerate() {
            let after = columns.len() - index - 1;
            let Some(cell) = cells.get(at).copied() else { break };
            let mut width = 1;
            match column {
                Column::Pid => row.pid = Some(cell),
                Column::Tid => row.tid = Some(cell),
                Column::Ppid => row.ppid = Some(cell),
                Column::Cpu => row.cpu = human(cell, false),
                Column::MemShare => row.mem_share = human(cell, false),
                Column::Rss => row.rss = super::table::size(cell, 1024.0),
                Column::State => row.state = Some(cell),
                Column::Threads => row.threads = number(cell),
                Column::LastCpu => row.last_cpu = number(cell),
                Column::Wchan => row.wchan = Some(cell).filter(|name| *name != "-"),
                Column::Cgroup => row.cgroup = Some(cell).filter(|name| *name != "-"),
                Column::Start if weekday(cell) => width = 5,
                Column::Command => {
                    let end = cells.len().saturating_sub(after).max(at + 1);
                    row.command = cells.get(at..end).unwrap_or_default().join(" ");
                    width = end - at;
                }
                Column::Start | Column::Other => {}
            }
            at += width;
        }
        row
    }

    fn write(self, owner: &mut Option<&'a str>, census: &mut Census, line: u32, out: &mut Out) {
        let process = self.pid.filter(|pid| is_number(pid));
        if let Some(pid) = process {
            *owner = Some(pid);
        }
        let state = self.state.filter(|state| *state != "-");
        if let Some(state) = state {
            census.state(state, line);
        }
        // `-m`: a row with "-" for the process id is a thread of the process above.
        let of = process.or(*owner);
        if let Some(task) = self.tid.and_then(|tid| Task::thread(of, tid)) {
            self.write_thread(&task, state, line, out);
        }
        let Some(pid) = process else { return };
        let leader = self.tid.is_none_or(|tid| tid == pid);
        if !leader {
            return;
        }
        let Some(task) = Task::process(pid) else { return };
        census.seen(pid, &self.command, line);
        if let Some(cpu) = self.cpu.filter(|_| self.tid.is_none()) {
            // CPU time over the life of the process.
            put_cpu(out, &task, &self.command, How::Once(Grade::SinceBoot), cpu / 100.0, line);
        }
        if !self.command.is_empty() {
            out.text(&process::NAME, pid, name(&self.command), line);
            out.text(&process::COMMAND, pid, &self.command, line);
        }
        let once = [
            (&process::RSS, self.rss),
            (&process::MEM_SHARE, self.mem_share.map(|share| share / 100.0)),
            (&process::THREADS, self.threads),
            (&process::LAST_CPU, self.last_cpu),
        ];
        for (def, value) in once {
            if let Some(value) = value {
                out.graded(def, pid, Value::Num(value), Grade::Once, line);
            }
        }
        if let Some(ppid) = self.ppid.and_then(number) {
            out.num(&process::PARENT, pid, ppid, line);
        }
        for (def, text) in [(&process::STATE, state), (&process::WCHAN, self.wchan)] {
            if let Some(text) = text {
                out.graded(def, pid, Value::Text(text.into()), Grade::Once, line);
            }
        }
        if let Some(cgroup) = self.cgroup {
            out.text(&process::CGROUP, pid, cgroup_path(cgroup), line);
        }
    }

    fn write_thread(&self, task: &Task, state: Option<&str>, line: u32, out: &mut Out) {
        if !self.command.is_empty() {
            out.text(&thread::NAME, &task.id, name(&self.command), line);
        }
        if let Some(cpu) = self.cpu {
            out.graded(&thread::CPU, &task.id, Value::Num(cpu / 100.0), Grade::SinceBoot, line);
        }
        if let Some(last) = self.last_cpu {
            out.graded(&thread::LAST_CPU, &task.id, Value::Num(last), Grade::Once, line);
        }
        if let Some(state) = state {
            out.graded(&thread::STATE, &task.id, Value::Text(state.into()), Grade::Once, line);
        }
    }
}

fn weekday(cell: &str) -> bool {
    matches!(cell, "Mon" | "Tue" | "Wed" | "Thu" | "Fri" | "Sat" | "Sun")
}

/// The program's name: `/usr/bin/python3 x.py` is `python3`, `[kworker/0:1]` is `kworker/0:1`.
pub fn name(command: &str) -> &str {
    let first = command.split_whitespace().next().unwrap_or_default();
    if let Some(kernel) = first.strip_prefix('[') {
        return kernel.trim_end_matches(']');
    }
    first.trim_end_matches(':').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(first)
}

/// The cpu controller's path (or the unified one) of `10:devices:/a,4:cpu,cpuacct:/b,0::/c`.
fn cgroup_path(text: &str) -> &str {
    let mut unified = None;
    for (at, _) in text.match_indices(":/") {
        let head = text.get(..at).unwrap_or_default();
        let path = text.get(at + 1..).unwrap_or_default();
        // The next entry begins with `,N:`.
        let end = path
            .match_indices(',')
            .find(|(comma, _)| {
                let next = path.get(comma + 1..).unwrap_or_default();
                next.split(':').next().is_some_and(is_number)
            })
            .map_or(path.len(), |(comma, _)| comma);
        let path = path.get(..end).unwrap_or_default();
        // Controllers of this entry: what follows the last `,N:` before it.
        let entry =
            head.rfind(|c: char| c.is_ascii_digit()).and_then(|digit| head.get(digit + 1..)).unwrap_or_default();
        if entry.trim_matches(':').split(',').any(|controller| controller == "cpu") {
            return path;
        }
        unified = unified.or(Some(path));
    }
    unified.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_cgroups() {
        assert_eq!(name("/usr/sbin/nginx -g x"), "nginx");
        assert_eq!(name("[kworker/0:1-events]"), "kworker/0:1-events");
        assert_eq!(name("nginx: worker process"), "nginx");
        assert_eq!(cgroup_path("10:devices:/init.scope,4:cpu,cpuacct:/sys.slice/a,b,0::/c"), "/sys.slice/a,b");
        assert_eq!(cgroup_path("0::/user.slice/x"), "/user.slice/x");
        assert!(header(&["COMMAND", "PID", "USER", "FD", "TYPE"]).is_none());
    }
}
