//! One trace of each Go version. The expected values are from Go's `internal/trace`, checked again there
//! against the text of `go tool trace -d=parsed`; counts, sums and quantiles must be the same to the digit.

use std::fs;

use coroner::golang::{Limits, TraceSummary, read_trace};
use serde_json::Value;

use crate::inputs::{number, own, own_expected, shared, trace};

/// Compares everything that `labstat` gives for a whole trace.
pub fn check(name: &str, got: &TraceSummary, want: &Value) {
    let times = got.times.as_ref().unwrap_or_else(|| panic!("{name}: no times"));
    let latency = &want["sched_latency"];
    let user = &want["sched_latency_user"];
    let user_waits = times.user_waits.as_ref().unwrap_or_else(|| panic!("{name}: no user waits"));
    let pairs = [
        ("events", got.events, &want["events"]),
        ("cpu samples", got.cpu_samples, &want["cpu_samples_in_trace"]),
        ("start", times.start_ns, &want["first_event_ns"]),
        ("duration", times.duration_ns(), &want["duration_ns"]),
        ("gomaxprocs", got.gomaxprocs, &want["gomaxprocs"]),
        ("procs", got.procs_seen, &want["procs_seen"]),
        ("goroutines", got.goroutines_seen, &want["goroutines_seen"]),
        ("created", got.goroutines_created, &want["goroutines_created"]),
        ("ended", got.goroutines_ended, &want["goroutines_ended"]),
        ("max running", got.max_running, &want["max_running"]),
        ("max runnable", got.max_runnable.goroutines, &want["max_runnable"]),
        ("max runnable at", got.max_runnable.at_ns, &want["max_runnable_at_ns"]),
        ("running then", got.max_runnable.running, &want["running_at_max_runnable"]),
        ("running", times.states.running_ns, &want["goroutine_running_ns"]),
        ("waits", times.waits.count, &latency["n"]),
        ("wait sum", times.waits.sum_ns, &latency["sum_ns"]),
        ("wait p50", times.waits.p50_ns, &latency["p50_ns"]),
        ("wait p90", times.waits.p90_ns, &latency["p90_ns"]),
        ("wait p99", times.waits.p99_ns, &latency["p99_ns"]),
        ("wait max", times.waits.max_ns, &latency["max_ns"]),
        ("over 100 us", times.waits.over_100us, &latency["counts"]["gt_100us"]),
        ("over 1 ms", times.waits.over_1ms, &latency["counts"]["gt_1ms"]),
        ("over 10 ms", times.waits.over_10ms, &latency["counts"]["gt_10ms"]),
        ("over 100 ms", times.waits.over_100ms, &latency["counts"]["gt_100ms"]),
        ("unknown start", got.waits_unknown_start, &latency["excluded_unknown_start"]),
        ("still runnable", got.runnable_at_end, &latency["still_runnable_at_end"]),
        ("user waits", user_waits.count, &user["n"]),
        ("user sum", user_waits.sum_ns, &user["sum_ns"]),
        ("user p50", user_waits.p50_ns, &user["p50_ns"]),
        ("user p90", user_waits.p90_ns, &user["p90_ns"]),
        ("user p99", user_waits.p99_ns, &user["p99_ns"]),
        ("user max", user_waits.max_ns, &user["max_ns"]),
    ];
    let wrong: Vec<_> = pairs
        .iter()
        .filter(|(_, got, want)| *got != number(want))
        .map(|(what, got, want)| format!("{what}: {got}, not {want}"))
        .collect();
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
    check_fractions(name, got, want);
    check_clock(name, got, want);
    assert!(!got.cut && got.forced == 0 && got.notes.is_empty(), "{name}: {:?}", got.notes);
    assert!(want["header"].as_str().unwrap().starts_with(&format!("\"go 1.{} trace", got.format)));
}

fn check_fractions(name: &str, got: &TraceSummary, want: &Value) {
    let times = got.times.as_ref().unwrap();
    let duration = times.duration_ns() as f64;
    for (key, ns) in [
        ("time_fraction_runnable_gt_procs", times.runnable_above_procs_ns),
        ("time_fraction_runnable_gt_4x_procs", times.runnable_above_4x_procs_ns),
        ("time_fraction_runnable_gt_10x_procs", times.runnable_above_10x_procs_ns),
    ] {
        close(name, key, ns as f64 / duration, &want[key], 0.000_005_1);
    }
    let busy: u64 = times.bins.bins.iter().map(|bin| bin.running_ns).sum();
    let proc_busy: u64 = times.bins.bins.iter().map(|bin| bin.proc_busy_ns).sum();
    assert_eq!(busy, number(&want["goroutine_running_ns"]), "{name}: bins do not add up");
    assert_eq!(proc_busy, number(&want["proc_running_ns"]), "{name}: bins of processors");
    let peak = times.bins.bins.iter().map(|bin| bin.max_runnable).max();
    assert_eq!(peak, Some(got.max_runnable.goroutines), "{name}: peak of the bins");
    if times.bins.start_unix_ns.is_some() {
        return;
    }
    for (index, bin) in times.bins.bins.iter().enumerate() {
        let width = times.bins.covered_ns(index, times.duration_ns()) as f64;
        let busy = width * got.gomaxprocs as f64;
        for (key, share, tolerance) in [
            ("busy_fraction_per_100ms", bin.running_ns as f64 / busy, 0.000_051),
            ("proc_busy_fraction_per_100ms", bin.proc_busy_ns as f64 / busy, 0.000_051),
            ("mean_runnable_per_100ms", bin.runnable_ns as f64 / width, 0.000_51),
        ] {
            close(name, key, share, &want[key][index], tolerance);
        }
    }
}

fn check_clock(name: &str, got: &TraceSummary, want: &Value) {
    let snapshot = &want["clock_snapshot"];
    assert_eq!(got.clock.is_some(), snapshot.is_object(), "{name}: clock");
    let Some(clock) = got.clock else { return };
    let start = got.times.as_ref().unwrap().start_ns;
    assert_eq!(clock.trace_ns, number(&snapshot["trace_ns"]), "{name}");
    assert_eq!(clock.monotonic_ns, number(&snapshot["mono_ns"]), "{name}");
    assert_eq!(clock.unix_ns, snapshot["wall_unix_ns"].as_i64().unwrap(), "{name}");
    let first = i128::from(number(&want["first_event_wall_unix_ns"]));
    assert_eq!(clock.unix_ns(start), first, "{name}");
}

pub fn close(name: &str, key: &str, got: f64, want: &Value, tolerance: f64) {
    let want = want.as_f64().unwrap_or_else(|| panic!("{name}: no {key}"));
    assert!((got - want).abs() <= tolerance, "{name}: {key} is {got}, not {want}");
}

#[test]
fn own_traces_give_the_numbers_of_the_go_tools() {
    let expected = own_expected();
    for name in [
        "go1.19.8.trace",
        "go1.21.13.trace",
        "go1.22.10.trace",
        "go1.23.9.trace",
        "go1.25.5.flight.trace",
        "go1.27.3.flight.trace",
        "go1.27.3.trace",
    ] {
        check(name, &trace(&own(name)), &expected["traces"][name]);
    }
}

#[test]
fn every_trace_of_the_lab_gives_the_numbers_of_the_go_tools() {
    let Some(folder) = shared("golab/versions") else {
        return;
    };
    let expected: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let whole = expected["traces"].as_object().unwrap();
    let whole = whole.iter().filter(|(name, _)| !name.contains("truncated"));
    for (name, want) in whole {
        check(name, &trace(&fs::read(folder.join(name)).unwrap()), want);
    }
}

#[test]
fn start_functions_are_counted() {
    let want = own_expected();
    for name in ["go1.22.10.trace", "go1.27.3.trace"] {
        let times = trace(&own(name)).times.unwrap();
        for row in want["traces"][name]["goroutines_by_name_top5"].as_array().unwrap() {
            let function = row["name"].as_str().unwrap().replace("(unknown)", "");
            let got = times.by_start_function.iter().find(|row| row.name == function).unwrap();
            assert_eq!(got.goroutines, number(&row["n"]), "{name}: {function}");
        }
        let waits = &want["traces"][name]["sched_wait_ns_by_name_top5"][0];
        assert_eq!(times.by_start_function[0].name, waits["name"].as_str().unwrap());
        assert_eq!(times.by_start_function[0].runnable_ns, number(&waits["n"]), "{name}");
    }
}

#[test]
fn a_bound_on_events_stops_after_a_whole_generation() {
    let limits = Limits { events: 1, ..Limits::default() };
    let part = read_trace(own("go1.27.3.trace").as_slice(), &limits).unwrap();
    assert!(part.stopped_early && !part.cut && part.generations == 1);
    assert!(part.notes[0].text.contains("stopped after generation 1"), "{:?}", part.notes);
    let all = trace(&own("go1.27.3.trace"));
    assert!(part.events > 1000 && part.events < all.events && all.generations == 2);
}

/// Go's reader gives these files up; the messages are in `expected.json`. The two newer ones are cut in
/// the tables of their first generation, so its events are all there and must count as in the whole file.
#[test]
fn a_cut_trace_gives_the_events_before_the_cut() {
    for (name, end) in [("go1.22.10.trace", 112_528), ("go1.27.3.trace", 78_396)] {
        let data = own(name);
        let cut = trace(&data[..end]);
        let first = Limits { events: 1, ..Limits::default() };
        let whole = read_trace(data.as_slice(), &first).unwrap();
        let (cut_times, whole_times) = (cut.times.unwrap(), whole.times.unwrap());
        assert!(cut.cut && cut.generations == 0 && cut.forced == 0, "{name}: {:?}", cut.notes);
        assert_eq!(cut.max_runnable, whole.max_runnable, "{name}");
        assert_eq!(cut.proc_starts, whole.proc_starts, "{name}");
        assert_eq!(cut_times.waits, whole_times.waits, "{name}");
        assert_eq!(cut_times.states, whole_times.states, "{name}");
        assert_eq!(cut_times.bins, whole_times.bins, "{name}");
        assert_eq!(cut_times.user_waits, None, "{name}: start functions are lost");
        assert!(cut.notes.iter().any(|note| note.text == "the file ends within generation 1"));
        assert!(cut.notes.iter().any(|note| note.text.ends_with("names of functions are lost")));
        assert!(cut.notes.iter().all(|note| note.offset > 60_000 && note.offset <= end as u64));
    }
}

/// The batch of one processor ends early in this file and its next one is lost, so only the events before
/// that moment may count: with the other processor's later events there would seem to be 76 runnable.
#[test]
fn an_old_trace_that_is_cut_gives_counts_without_times() {
    let data = own("go1.19.8.trace");
    let (cut, whole) = (trace(&data[..152_724]), trace(&data));
    assert!(cut.cut && cut.times.is_none() && cut.forced == 0, "{:?}", cut.notes);
    assert_eq!(cut.gomaxprocs, 2);
    assert!(cut.events == 2_807 && cut.wait_count < whole.wait_count, "{}", cut.events);
    assert!(cut.max_runnable.goroutines <= whole.max_runnable.goroutines);
    assert!(cut.notes[0].text.starts_with("the trace is cut") && cut.notes[0].offset == 152_722);
}

#[test]
fn what_is_no_trace_is_an_error() {
    let error = |data: &[u8]| read_trace(data, &Limits::default()).unwrap_err().to_string();
    assert_eq!(error(b"go 1.26 trace"), "not a Go execution trace");
    assert!(error(b"go 1.99 trace\0\0\0").contains("unknown format 1.99"));
}
