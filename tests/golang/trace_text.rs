//! Traces written as text, as Go keeps the hard cases of its own reader: processors stolen in system calls,
//! sequence numbers over generations, thread ids used again. The text is turned into bytes here; a case
//! with `SUCCESS` must come out in order without any event forced.

use std::collections::HashMap;
use std::fs;

use coroner::golang::TraceSummary;

use crate::inputs::{shared, trace};

/// Names of events by their numbers from 1, up to format 26.
const NAMES: &str = "EventBatch Stacks Stack Strings String CPUSamples CPUSample Frequency ProcsChange ProcStart \
    ProcStop ProcSteal ProcStatus GoCreate GoCreateSyscall GoStart GoDestroy GoDestroySyscall GoStop GoBlock \
    GoUnblock GoSyscallBegin GoSyscallEnd GoSyscallEndBlocked GoStatus STWBegin STWEnd GCActive GCBegin GCEnd \
    GCSweepActive GCSweepBegin GCSweepEnd GCMarkAssistActive GCMarkAssistBegin GCMarkAssistEnd HeapAlloc HeapGoal \
    GoLabel UserTaskBegin UserTaskEnd UserRegionBegin UserRegionEnd UserLog GoSwitch GoSwitchDestroy \
    GoCreateBlocked GoStatusStack ExperimentalBatch Sync ClockSnapshot EndOfGeneration";

fn uvarint(mut value: u64, into: &mut Vec<u8>) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

/// The bytes of a trace written as text, and how many event lines it has.
pub fn assemble(text: &str) -> (Vec<u8>, u64) {
    let numbers: HashMap<_, _> = NAMES.split_whitespace().zip(1u8..).collect();
    let (mut out, mut events) = (Vec::new(), 0);
    let mut batch: Option<(Vec<u64>, Vec<u8>)> = None;
    let flush = |batch: Option<(Vec<u64>, Vec<u8>)>, out: &mut Vec<u8>| {
        let Some((header, data)) = batch else { return };
        out.push(1);
        header[..3].iter().for_each(|&value| uvarint(value, out));
        uvarint(data.len() as u64, out);
        out.extend(data);
    };
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        let values: Vec<u64> = words.clone().filter_map(|word| word.split_once('=')?.1.parse().ok()).collect();
        if name == "Trace" {
            out = format!("{} trace\0\0\0", line["Trace ".len()..].trim().replacen("Go", "go ", 1)).into_bytes();
        } else if name == "EventBatch" {
            flush(batch.replace((values, Vec::new())), &mut out);
        } else {
            let data = &mut batch.as_mut().unwrap().1;
            if let Some(string) = line.trim().strip_prefix("data=") {
                let string = string.trim_matches('"').replace("\\n", "\n");
                uvarint(string.len() as u64, data);
                data.extend(string.bytes());
                continue;
            }
            if line.starts_with(|first: char| first.is_ascii_uppercase()) {
                data.push(numbers[name]);
                let tables = ["Stacks", "Stack", "Strings", "String", "Frequency", "Sync", "ClockSnapshot"];
                events += u64::from(!tables.contains(&name));
            }
            let first = line.trim_start().starts_with("pc=").then(|| name["pc=".len()..].parse().unwrap());
            first.into_iter().chain(values).for_each(|value| uvarint(value, data));
        }
    }
    flush(batch, &mut out);
    (out, events)
}

fn read(text: &str) -> (TraceSummary, u64) {
    let (data, events) = assemble(text);
    (trace(&data), events)
}

#[test]
fn every_text_trace_of_the_corpus_is_put_in_order() {
    let Some(folder) = shared("corpus/go-trace-text") else { return };
    let mut cases = 0;
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let text = fs::read_to_string(&path).unwrap();
        let (expect, text) = text.split_once("-- trace --").unwrap();
        if !expect.contains("SUCCESS") {
            continue;
        }
        let (summary, events) = read(text);
        assert_eq!(summary.forced, 0, "{}", path.display());
        assert!(!summary.cut && summary.notes.is_empty(), "{}: {:?}", path.display(), summary.notes);
        // A goroutine that ends in a system call gives up its processor, which counts as one event more.
        let extra = text.matches("GoDestroySyscall").count() as u64;
        assert!((events..=events + extra).contains(&summary.events), "{}: {}", path.display(), summary.events);
        cases += 1;
    }
    assert!(cases >= 4);
}

/// Thread 1 steals the processor of thread 0 while that is in a system call. The theft must come before
/// the blocked end of the call although its time stamp is later.
const STEAL: &str = "Trace Go1.23
EventBatch gen=1 m=0 time=0
ProcStatus dt=1 p=0 pstatus=1
GoStatus dt=1 g=1 m=0 gstatus=2
GoSyscallBegin dt=1 p_seq=1 stack=0
GoSyscallEndBlocked dt=1
EventBatch gen=1 m=1 time=0
ProcStatus dt=5 p=2 pstatus=1
GoStatus dt=1 g=2 m=1 gstatus=2
ProcSteal dt=1 p=0 p_seq=2 m=0
GoUnblock dt=9 g=3 g_seq=1 stack=0
GoBlock dt=1 reason_string=0 stack=0
GoStart dt=4 g=3 g_seq=2
EventBatch gen=1 m=2 time=9
GoStatus dt=1 g=3 m=18446744073709551615 gstatus=4
EventBatch gen=1 m=18446744073709551615 time=0
Frequency freq=1000000000
EventBatch gen=1 m=18446744073709551615 time=0
Stacks
EventBatch gen=1 m=18446744073709551615 time=0
Strings
";

#[test]
fn a_stolen_processor_is_idle_before_the_blocked_call_ends() {
    let (summary, _) = read(STEAL);
    assert_eq!((summary.events, summary.forced, summary.proc_steals), (11, 0, Some(1)));
    let times = summary.times.unwrap();
    // Emitted: 2 P0 running, 3 G1 running, 4 G1 in the call, 5 P2 running, 6 G2 running, 7 theft, 8 G1 runnable,
    // 10 G3 waiting, 16 G3 runnable, 17 G2 waiting, 21 G3 running.
    assert_eq!((times.start_ns, times.end_ns), (2, 21));
    assert_eq!((times.waits.count, times.waits.sum_ns), (1, 5));
    assert_eq!((times.states.syscall_ns, times.states.runnable_ns), (8 - 4, 5 + (21 - 8)));
    assert_eq!(times.bins.bins[0].proc_busy_ns, (7 - 2) + (21 - 5));
}

/// An event that never fits is forced, counted, and its wait is not believed.
#[test]
fn a_gap_in_the_sequence_is_forced_and_counted() {
    let (summary, _) = read(&STEAL.replace("g=3 g_seq=2", "g=3 g_seq=3"));
    assert_eq!((summary.events, summary.forced, summary.wait_count), (11, 1, 0));
    assert!(summary.notes.iter().any(|note| note.text.contains("fit no order")));
}
