//! Goroutine dumps.

use std::fs;

use coroner::golang::{Kind, read_goroutines, recognise};
use serde_json::Value;

use crate::inputs::{number, shared, with_expectations};
use crate::pods::{SCENARIOS, scenario};

const DEBUG2: &str = "\
goroutine 1 [running]:
main.main()
\t/app/main.go:10 +0x1d

goroutine 18 [chan receive, 5 minutes]:
main.worker(0xc000012345, {0x1, 0x2})
\t/app/worker.go:40 +0x51
created by main.start in goroutine 1
\t/app/main.go:20 +0x33

goroutine 19 [chan receive, 7 minutes, locked to thread]:
main.worker(0xc000054321, {0x1, 0x3})
\t/app/worker.go:40 +0x51
created by main.start in goroutine 1
\t/app/main.go:20 +0x33

goroutine 20 [select]:
net/http.(*persistConn).writeLoop(0xc0001)
\t/go/src/net/http/transport.go:2590 +0xe7
...additional frames elided...
created by net/http.(*Transport).dialConn
";

#[test]
fn goroutines_with_one_stack_and_state_are_one_group() {
    assert_eq!(recognise(DEBUG2.as_bytes()), Some(Kind::Goroutines2));
    let dump = read_goroutines(DEBUG2.as_bytes()).unwrap();
    assert_eq!((dump.debug, dump.goroutines, dump.max_wait_minutes, dump.elided), (2, 4, 7, 1));
    assert_eq!(dump.states[0], ("chan receive".to_owned(), 2));
    let group = &dump.groups[0];
    assert_eq!((group.count, group.waiting_minutes, group.locked_to_thread, group.line), (2, 2, 1, 5));
    assert_eq!((group.stack.as_slice(), group.created_by.as_str()), (&["main.worker".to_owned()][..], "main.start"));
    assert_eq!(group.examples, [18, 19]);
    assert_eq!(dump.groups[2].stack, ["net/http.(*persistConn).writeLoop"]);
}

const DEBUG1: &str = "\
goroutine profile: total 7
5 @ 0x43b0 0x44c1
# labels: {\"queue\":\"orders\"}
#\t0x44c0\tmain.(*Worker).consume+0x1c0\t/app/worker.go:77

2 @ 0x43b0
#\t0x43af\truntime.gopark+0xcf\t/go/src/runtime/proc.go:381
";

#[test]
fn a_counted_dump_has_groups_without_states() {
    assert_eq!(recognise(DEBUG1.as_bytes()), Some(Kind::Goroutines1));
    let dump = read_goroutines(DEBUG1.as_bytes()).unwrap();
    assert_eq!((dump.debug, dump.goroutines, dump.announced), (1, 7, Some(7)));
    assert_eq!((dump.groups[0].count, dump.groups[0].line), (5, 2));
    assert_eq!(dump.groups[0].stack, ["main.(*Worker).consume"]);
    assert_eq!(dump.groups[0].labels, "{\"queue\":\"orders\"}");
    assert!(dump.states.is_empty() && dump.notes.is_empty());
    let cut = read_goroutines(&DEBUG1.as_bytes()[..100]).unwrap();
    assert_eq!((cut.goroutines, cut.announced), (5, Some(7)));
    assert!(cut.notes[0].text.contains("cut"));
}

#[test]
fn text_without_goroutines_is_no_dump() {
    for text in ["", "goroutine leak in module [work]:\n", "12:00 goroutine 5 started\n"] {
        assert_eq!((read_goroutines(text.as_bytes()), recognise(text.as_bytes())), (None, None), "{text:?}");
    }
}

fn states(dump: &coroner::golang::Dump) -> Value {
    dump.states.iter().map(|(state, count)| (state.clone(), Value::from(*count))).collect()
}

#[test]
fn every_dump_of_the_corpus_is_read() {
    let Some(folder) = shared("corpus/goroutine-debug2") else { return };
    for (path, want) in with_expectations(&folder) {
        let (name, data) = (path.display(), fs::read(&path).unwrap());
        let dump = read_goroutines(&data).unwrap();
        assert_eq!(recognise(&data), Some(Kind::Goroutines2), "{name}");
        assert_eq!(dump.goroutines, number(&want["goroutines"]), "{name}");
        assert_eq!(states(&dump), want["states"], "{name}");
        assert_eq!(dump.creators, number(&want["created_by"]), "{name}");
        assert_eq!(dump.elided, number(&want["elided"]), "{name}");
        assert_eq!(dump.max_wait_minutes, want["max_wait_minutes"].as_u64().unwrap_or(0), "{name}");
    }
    let Some(folder) = shared("corpus/pprof-legacy") else { return };
    let dump = read_goroutines(&fs::read(folder.join("goroutine-debug1-1.txt")).unwrap()).unwrap();
    assert_eq!((dump.goroutines, dump.announced, dump.groups.len()), (10, Some(10), 9));
}

#[test]
fn dumps_of_all_pods_give_their_states() {
    for name in SCENARIOS {
        let Some((expected, files)) = scenario(name) else { return };
        for (pod, want) in expected["pods"].as_object().unwrap() {
            let dump = read_goroutines(&files[&format!("{pod}/goroutine.debug2.txt")]).unwrap();
            assert_eq!(states(&dump), want["goroutine_debug2_states"], "{name} {pod}");
        }
    }
}
