//! pprof profiles: totals and the functions at the top as `go tool pprof -top` gives them.

use std::fs;

use coroner::golang::{Contention, Kind, LegacyKind, Profile, ProfileKind, read_legacy, read_profile, recognise};
use serde_json::{Value, json};

use crate::inputs::{number, own, own_expected, shared, with_expectations};
use crate::pods::{SCENARIOS, scenario};

/// Compares everything that `labstat` gives for a profile, and pprof's own first lines.
fn check(name: &str, profile: &Profile, want: &Value) {
    let types: Vec<_> = profile.sample_types.iter().map(|t| format!("{}/{}", t.kind, t.unit)).collect();
    assert_eq!(json!(types), want["sample_types"], "{name}");
    assert_eq!(json!(profile.totals), want["totals"], "{name}");
    assert_eq!(types[profile.default_type], want["ranked_by"].as_str().unwrap(), "{name}");
    for (key, got) in [
        ("sample_records", profile.samples as i64),
        ("duration_ns", profile.duration_ns),
        ("time_unix_ns", profile.time_unix_ns),
        ("period", profile.period),
        ("locations", profile.locations as i64),
        ("functions", profile.functions as i64),
    ] {
        assert_eq!(Some(got), want[key].as_i64(), "{name}: {key}");
    }
    let top = profile.top(profile.default_type);
    let first: Vec<_> = top
        .iter()
        .filter(|row| row.flat != 0)
        .take(5)
        .map(|row| json!({"function": row.name, "flat": row.flat, "cum": row.cum}))
        .collect();
    let want_first: Vec<_> = match &want["top5_flat"] {
        Value::Null => Vec::new(),
        rows => rows.as_array().unwrap().iter().filter(|row| row["flat"] != json!(0)).cloned().collect(),
    };
    assert_eq!(first, want_first, "{name}");
    assert!(profile.notes.is_empty(), "{name}: {:?}", profile.notes);
    assert!(profile.kind != ProfileKind::Cpu || check_lines(name, profile, want));
}

/// The lines of `go tool pprof -top`: `30ms 8.82% 8.82% 30ms 8.82% main.work`.
fn check_lines(name: &str, profile: &Profile, want: &Value) -> bool {
    let top = profile.top(profile.default_type);
    let lines = want["go_tool_pprof_top5"].as_array().unwrap().iter().filter_map(Value::as_str);
    for (line, row) in lines.skip(2).zip(&top) {
        let fields: Vec<_> = line.split(' ').collect();
        let milliseconds = |text: &str| {
            let (digits, scale) = text.strip_suffix("ms").map_or((text.strip_suffix('s'), 1e9), |d| (Some(d), 1e6));
            digits.map_or(0.0, |digits| digits.parse::<f64>().unwrap() * scale) as i64
        };
        assert_eq!((milliseconds(fields[0]), milliseconds(fields[3])), (row.flat, row.cum), "{name}: {line}");
        let function = fields[5..].join(" ").replace(" (inline)", "").replace(" (partial-inline)", "");
        assert_eq!(function, row.name, "{name}");
    }
    true
}

#[test]
fn own_cpu_profiles_give_the_numbers_of_pprof() {
    for (name, want) in own_expected()["profiles"].as_object().unwrap() {
        let data = own(name);
        assert_eq!(recognise(&data[..4000]), Some(Kind::Profile), "{name}");
        let profile = read_profile(&data).unwrap();
        assert_eq!(profile.kind, ProfileKind::Cpu);
        check(name, &profile, want);
    }
}

#[test]
fn profiles_of_all_pods_give_the_numbers_of_pprof() {
    for name in SCENARIOS {
        let Some((expected, files)) = scenario(name) else { return };
        for (pod, want) in expected["pods"].as_object().unwrap() {
            for (kind, file) in [
                (ProfileKind::Cpu, "profile"),
                (ProfileKind::Goroutine, "goroutine"),
                (ProfileKind::Contention, "mutex"),
                (ProfileKind::Contention, "block"),
                (ProfileKind::Heap, "heap"),
            ] {
                let profile = read_profile(&files[&format!("{pod}/{file}.pb.gz")]).unwrap();
                assert_eq!(profile.kind, kind, "{name} {pod} {file}");
                check(&format!("{name} {pod} {file}"), &profile, &want[file]);
                let told = profile.contention();
                if file == "mutex" {
                    assert_eq!(told.unwrap_or(Contention::Mutex), Contention::Mutex, "{name} {pod}");
                } else if file == "block" {
                    assert_eq!(told.unwrap_or(Contention::Block), Contention::Block, "{name} {pod}");
                }
            }
        }
    }
}

#[test]
fn every_profile_of_the_corpus_is_read() {
    let Some(folder) = shared("corpus/pprof") else { return };
    for (path, want) in with_expectations(&folder) {
        let (name, data) = (path.display().to_string(), fs::read(&path).unwrap());
        assert_eq!(recognise(&data[..data.len().min(4096)]), Some(Kind::Profile), "{name}");
        let profile = read_profile(&data).unwrap();
        let pair = |t: &coroner::golang::SampleType| json!([t.kind, t.unit]);
        let keys: Vec<_> = profile.labels(profile.default_type).into_keys().collect();
        let mut wanted_keys: Vec<_> =
            want["label_keys"].as_array().unwrap().iter().map(|k| k.as_str().unwrap().to_owned()).collect();
        wanted_keys.sort();
        assert_eq!(keys, wanted_keys, "{name}");
        assert_eq!(json!(profile.sample_types.iter().map(pair).collect::<Vec<_>>()), want["sample_types"], "{name}");
        assert_eq!(json!(profile.totals), want["totals"], "{name}");
        assert_eq!(json!(profile.gzip), want["gzip"], "{name}");
        let period_type = if want["period_type"].is_null() { json!(["", ""]) } else { want["period_type"].clone() };
        assert_eq!(pair(&profile.period_type), period_type, "{name}");
        for (key, got) in [
            ("samples", profile.samples as i64),
            ("duration_nanos", profile.duration_ns),
            ("period", profile.period),
            ("locations", profile.locations as i64),
            ("functions", profile.functions as i64),
            ("mappings", profile.mappings.len() as i64),
            ("time_nanos", profile.time_unix_ns),
        ] {
            assert_eq!(Some(got), want[key].as_i64(), "{name}: {key}");
        }
        let file = path.file_name().unwrap().to_string_lossy();
        let told = profile.contention();
        assert!(!file.starts_with("block") || told != Some(Contention::Mutex), "{name}");
        assert!(!file.starts_with("mutex") || told == Some(Contention::Mutex), "{name}");
    }
}

#[test]
fn every_legacy_profile_of_the_corpus_is_read() {
    let Some(folder) = shared("corpus/pprof-legacy") else { return };
    for (path, want) in with_expectations(&folder) {
        let data = fs::read(&path).unwrap();
        let profile = read_legacy(&data).unwrap();
        let kind = match want["kind"].as_str().unwrap() {
            "threadcreate" => LegacyKind::ThreadCreate,
            "heap" => LegacyKind::Heap,
            "goroutine" => LegacyKind::Goroutine,
            _ => LegacyKind::Cpu,
        };
        assert_eq!(profile.kind, kind);
        match kind {
            LegacyKind::Goroutine => assert_eq!(recognise(&data), Some(Kind::Goroutines1)),
            _ => assert_eq!(recognise(&data), Some(Kind::LegacyProfile(kind)), "{}", path.display()),
        }
        if kind == LegacyKind::Cpu {
            assert_eq!(profile.period.unwrap() as u64, number(&want["period_us"]));
            assert!(!profile.stacks.is_empty());
        } else {
            assert_eq!(profile.total.unwrap() as u64, number(&want["total"]), "{}", path.display());
            assert_eq!(profile.stacks.len() as u64, number(&want["stacks"]), "{}", path.display());
            assert_eq!(profile.sum(), profile.total.unwrap(), "{}", path.display());
        }
        assert!(profile.damaged.is_empty(), "{}: {:?}", path.display(), profile.damaged);
    }
}

/// After the comments in `runtime/pprof/pprof.go`: cycles first, then the count.
#[test]
fn contention_as_text_is_read() {
    let text = "--- mutex:\ncycles/second=2000000000\nsampling period=5\n\
                400 2 @ 0x46a6f1 0x49e0d0\n#\t0x46a6f0\tsync.(*Mutex).Unlock+0x30\t/go/src/sync/mutex.go:223\n\n\
                100 1 @ 0x46a6f1\n";
    assert_eq!(recognise(text.as_bytes()), Some(Kind::LegacyProfile(LegacyKind::Mutex)));
    let profile = read_legacy(text.as_bytes()).unwrap();
    assert_eq!((profile.kind, profile.sum()), (LegacyKind::Mutex, 3));
    assert_eq!((profile.cycles_per_second, profile.period), (Some(2_000_000_000), Some(5)));
    assert_eq!(profile.stacks[0].values, [2, 400]);
    assert_eq!(profile.stacks[0].functions, ["sync.(*Mutex).Unlock"]);
    assert!(profile.damaged.is_empty());
}

/// A hand-made message: `f` calls itself, `g` is inlined into `h`, `runtime.x` is to be dropped.
#[test]
fn recursion_inlining_and_dropped_frames_count_as_in_pprof() {
    fn message(number: u8, body: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, body.len() as u8], body].concat()
    }
    let mut data = Vec::new();
    data.extend(message(1, &[0x08, 1, 0x10, 2]));
    for (stack, value) in [(&[1, 1, 2][..], 10), (&[3, 2], 5), (&[4, 1], 7)] {
        data.extend(message(2, &[message(1, stack), message(2, &[value])].concat()));
    }
    for (id, functions) in [(1u8, &[1u8][..]), (2, &[2]), (3, &[3, 4]), (4, &[5])] {
        let lines: Vec<_> = functions.iter().flat_map(|&function| message(4, &[0x08, function])).collect();
        data.extend(message(4, &[&[0x08, id], lines.as_slice()].concat()));
    }
    for id in 1..=5u8 {
        data.extend(message(5, &[0x08, id, 0x10, id + 2]));
    }
    for text in ["", "samples", "count", "f", "main", "g", "h", "runtime.x", r"runtime\..*"] {
        data.extend(message(6, text.as_bytes()));
    }
    data.extend([7 << 3, 8]);
    let profile = read_profile(&data).unwrap();
    let rows: Vec<_> = profile.top(0).into_iter().map(|row| (row.name, row.flat, row.cum)).collect();
    let want = [("f", 17, 17), ("g", 5, 5), ("h", 0, 5), ("main", 0, 15)];
    assert_eq!(rows, want.map(|(name, flat, cum)| (name.to_owned(), flat, cum)));
}
