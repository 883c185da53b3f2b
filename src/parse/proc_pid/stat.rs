//! `/proc/PID/stat`: one line; the command may hold blanks, parentheses and line ends, so it ends at the last `)`.

use super::super::{Doc, Looks, Out, Parser};
use super::{sample, task};
use crate::facts::schema::keys::{process, thread};
use crate::facts::{Grade, Value};
use crate::parse::tasks::{Task, is_number};

pub static PARSER: Parser = Parser {
    kind: "proc-pid-stat",
    names: &["*proc * stat", "proc stat", "*pids * stat", "stat"],
    sniff,
    parse,
    binary: false,
};

/// Fields after the command, in order (proc(5)); those that Coroner keeps have a name.
const FIELDS: &[&str] = &[
    "state",
    "ppid",
    "",
    "",
    "",
    "",
    "",
    "stat.minflt",
    "",
    "stat.majflt",
    "",
    "stat.utime",
    "stat.stime",
    "",
    "",
    "",
    "",
    "stat.num_threads",
    "",
    "stat.starttime",
    "stat.vsize",
    "stat.rss_pages",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "stat.processor",
    "",
    "",
    "stat.blkio_ticks",
    "stat.guest_time",
];

/// The pid, the command and the fields after it.
fn split(text: &str) -> Option<(&str, &str, Vec<&str>)> {
    let text = text.trim_start();
    let (pid, _) = text.split_once(" (")?;
    // A second file may follow; the command's `)` is the last one of the first line that has numbers after it.
    let end = text.find(") ").map(|first| {
        let line_end = text.get(first..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| first + at);
        text.get(..line_end).and_then(|line| line.rfind(')')).unwrap_or(first)
    })?;
    let name = text.get(pid.len() + 2..end)?;
    let fields: Vec<&str> = text.get(end + 1..)?.lines().next()?.split_whitespace().collect();
    let numbers = fields.iter().skip(1).all(|field| field.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit()));
    let state = fields.first().is_some_and(|state| state.len() == 1 && "RSDZTtWXxKPI".contains(state));
    (is_number(pid) && state && numbers && fields.len() >= 20).then_some((pid, name, fields))
}

fn sniff(doc: &Doc) -> Looks {
    if split(doc.text).is_some() { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let line = doc.first_line;
    let Some((pid, name, fields)) = split(doc.text) else { return };
    let place = task(doc);
    let who = if place.thread { place } else { Task { id: pid.to_owned(), thread: false } };
    let id = who.id.as_str();
    out.text(if who.thread { &thread::NAME } else { &process::NAME }, id, name, line);
    for (field, text) in FIELDS.iter().zip(&fields) {
        if *field == "state" {
            let def = if who.thread { &thread::STATE } else { &process::STATE };
            out.graded(def, id, Value::Text((*text).into()), Grade::Once, line);
            continue;
        }
        let Ok(value) = text.parse::<f64>() else { continue };
        match *field {
            "" => continue,
            "ppid" if !who.thread => out.num(&process::PARENT, id, value, line),
            "stat.processor" => {
                let def = if who.thread { &thread::LAST_CPU } else { &process::LAST_CPU };
                out.graded(def, id, Value::Num(value), Grade::Once, line);
            }
            "stat.num_threads" if !who.thread => {
                out.graded(&process::THREADS, id, Value::Num(value), Grade::Once, line)
            }
            _ => {}
        }
        if field.contains('.') && (0.0..9e18).contains(&value) {
            sample(out, &who, field, value, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_with_everything_in_them() {
        let tail = " S 1 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 99 4096 7 18446744073709551615 1";
        for name in ["a", "a b", "(a) b)", ") R 1", "x\ny"] {
            let text = format!("12 ({name}){tail}\n");
            let (pid, have, fields) = split(&text).unwrap();
            assert_eq!((pid, have, fields.first()), ("12", name, Some(&"S")));
        }
        assert!(split("12 (a) S 1 2 3").is_none());
        assert!(split("cpu  1 2 3 4").is_none());
    }
}
