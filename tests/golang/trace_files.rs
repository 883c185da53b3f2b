//! Sums over the text of `go tool trace -d=parsed`: time by state, collections, stops of the world, mark
//! assists and processor starts, for our own traces and for those of eleven other programs.

use std::fs;

use coroner::golang::{Kind, TraceSummary, recognise};
use serde_json::{Value, json};

use crate::inputs::{number, own, shared, trace, with_expectations};

/// In the old formats Go's reader orders equal time stamps of different processors at random: with twelve of
/// them its own sums differ by tens of nanoseconds from run to run.
const OLD_FORMAT_SLACK_NS: u64 = 100;

fn check(name: &str, summary: &TraceSummary, want: &Value) {
    let times = summary.times.as_ref().unwrap();
    let got = json!({
        "events": summary.events,
        "duration_ns": times.duration_ns(),
        "waits": times.waits.count,
        "wait_sum_ns": times.waits.sum_ns,
        "wait_p50_ns": times.waits.p50_ns,
        "wait_p99_ns": times.waits.p99_ns,
        "max_runnable": summary.max_runnable.goroutines,
        "proc_starts": summary.proc_starts,
        "stw": [times.stop_the_world.count, times.stop_the_world.total_ns],
        "gc": [times.gc.count, times.gc.total_ns],
        "assists": [times.mark_assists, times.mark_assist_ns],
        "runnable_ns": times.states.runnable_ns,
        "running_ns": times.states.running_ns,
        "syscall_ns": times.states.syscall_ns,
        "waiting_ns": times.states.waiting_ns,
    });
    for (key, want) in want.as_object().unwrap() {
        let (got, want) = (numbers(&got[key]), numbers(want));
        let time = summary.generations == 0 && (key.ends_with("_ns") || want.len() == 2);
        let slack = if time { OLD_FORMAT_SLACK_NS } else { 0 };
        assert_eq!(got.len(), want.len());
        let close = got.iter().zip(&want).all(|(got, want)| got.abs_diff(*want) <= slack);
        assert!(close, "{name}: {key} is {got:?}, not {want:?}");
    }
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().map_or_else(|| vec![number(value)], |list| list.iter().map(number).collect())
}

#[test]
fn own_traces_add_up_as_the_parsed_text_does() {
    let expected: Value = serde_json::from_slice(&own("parsed.json")).unwrap();
    for (name, want) in expected.as_object().unwrap() {
        check(name, &trace(&own(name)), want);
    }
}

#[test]
fn every_trace_of_the_corpus_adds_up_as_the_parsed_text_does() {
    let Some(folder) = shared("corpus/go-trace") else { return };
    let expected: Value = serde_json::from_slice(&own("parsed-others.json")).unwrap();
    for (path, want) in with_expectations(&folder) {
        let (name, data) = (path.file_name().unwrap().to_str().unwrap(), fs::read(&path).unwrap());
        let summary = trace(&data);
        let format: u32 = want["header"].as_str().unwrap().strip_prefix("1.").unwrap().parse().unwrap();
        assert_eq!(recognise(&data), Some(Kind::Trace(format)), "{name}");
        assert_eq!(data.len() as u64, number(&want["bytes"]));
        assert!(!summary.cut && summary.notes.is_empty(), "{name}: {:?}", summary.notes);
        assert_eq!((summary.format, summary.forced), (format, 0), "{name}");
        assert_eq!(want["format"].as_str().unwrap().starts_with("v1"), summary.generations == 0, "{name}");
        check(name, &summary, &expected[name]);
    }
}
