//! Cut and altered files: no reader may panic or hang, whatever the bytes.

use std::time::{Duration, Instant};

use coroner::golang::{Limits, read_goroutines, read_legacy, read_profile, read_trace, recognise};

use crate::inputs::own;

const TRACES: [&str; 4] = ["go1.21.13.trace", "go1.22.10.trace", "go1.25.5.flight.trace", "go1.27.3.flight.trace"];

/// xorshift64*, with a fixed seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % below
    }
}

fn read_all(data: &[u8]) {
    let started = Instant::now();
    recognise(data);
    let _ = read_trace(data, &Limits::default());
    if let Ok(profile) = read_profile(data) {
        profile.top(0);
        profile.labels(0);
        profile.contention();
    }
    read_legacy(data);
    read_goroutines(data);
    assert!(started.elapsed() < Duration::from_secs(60), "hangs");
}

fn inflated(name: &str) -> Vec<u8> {
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(own(name).as_slice()), &mut plain).unwrap();
    plain
}

#[test]
fn a_trace_cut_anywhere_gives_a_summary() {
    for name in TRACES {
        let data = own(name);
        let whole = read_trace(data.as_slice(), &Limits::default()).unwrap();
        for part in 1..=48 {
            let end = data.len() * part / 49;
            let summary = read_trace(&data[..end], &Limits::default()).unwrap();
            assert!(summary.events <= whole.events, "{name} cut at {end}");
            assert!(summary.cut && !summary.notes.is_empty(), "{name} cut at {end} is taken for whole");
            assert!(summary.notes.iter().all(|note| note.offset <= end as u64), "{name} cut at {end}");
        }
    }
}

#[test]
fn a_profile_cut_anywhere_gives_what_is_whole() {
    let plain = inflated("go1.27.3.cpu.pb.gz");
    for part in 1..=48 {
        let cut = &plain[..plain.len() * part / 49];
        if let Ok(profile) = read_profile(cut) {
            profile.top(profile.default_type);
        }
        let _ = read_profile(&own("go1.27.3.cpu.pb.gz")[..4084 * part / 49]);
    }
    let most = read_profile(&plain[..plain.len() - 40]).unwrap();
    assert_eq!((most.totals.as_slice(), most.notes.len()), (&[34, 340_000_000][..], 1));
}

#[test]
fn altered_traces_are_read_without_panic() {
    let mut random = Random(0x5eed);
    for name in ["go1.27.3.flight.trace", "go1.25.5.flight.trace"] {
        let data = own(name);
        for _ in 0..200 {
            read_all(&altered(&data, &mut random));
        }
    }
    for name in ["go1.21.13.trace", "go1.19.8.trace", "go1.22.10.trace"] {
        let data = own(name);
        for _ in 0..12 {
            read_all(&altered(&data, &mut random));
        }
    }
}

#[test]
fn altered_profiles_and_dumps_are_read_without_panic() {
    let mut random = Random(0xfeed);
    let dump = b"goroutine 7 [select, 3 minutes]:\nmain.f(0x1)\n\t/a.go:1 +0x1\ncreated by main.g in goroutine 1\n\n";
    let heap = b"heap profile: 1: 16 [2: 32] @ heap/1048576\n1: 16 [2: 32] @ 0x1 0x2\n#\t0x1\tmain.f+0x1\t/a.go:1\n";
    let counted = b"goroutine profile: total 2\n2 @ 0x1 0x2\n#\t0x1\tmain.f+0x1\t/a.go:1\n";
    let words: Vec<u8> =
        [0u64, 3, 0, 10_000, 0, 2, 1, 77, 0, 1, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    for data in [
        inflated("go1.27.3.cpu.pb.gz"),
        own("go1.27.3.cpu.pb.gz"),
        dump.repeat(9),
        heap.to_vec(),
        counted.to_vec(),
        words,
    ] {
        for _ in 0..2000 {
            read_all(&altered(&data, &mut random));
        }
    }
}

/// A copy with some bytes changed, and now and then with a piece cut out or doubled.
fn altered(data: &[u8], random: &mut Random) -> Vec<u8> {
    let mut data = data.to_vec();
    for _ in 0..=random.next(8) {
        let at = random.next(data.len());
        data[at] = if random.next(2) == 0 { random.next(256) as u8 } else { data[at] ^ 1 << random.next(8) };
    }
    let (from, size) = (random.next(data.len()), random.next(200));
    let to = (from + size).min(data.len());
    match random.next(6) {
        0 => drop(data.drain(from..to)),
        1 => data.extend_from_within(from..to),
        _ => {}
    }
    data
}

/// Many threads with an event that fits nowhere each: work must stay proportional.
#[test]
fn threads_that_all_wait_are_no_quadratic_work() {
    let mut data = b"go 1.22 trace\0\0\0".to_vec();
    data.extend([1, 1, 0, 1, 2, 8, 64]);
    for thread in 0..20_000u32 {
        let m = [(thread & 0x7f) as u8 | 0x80, (thread >> 7 & 0x7f) as u8 | 0x80, (thread >> 14) as u8];
        data.extend([1, 1]);
        data.extend(m);
        data.extend([1, 4, 16, 1]);
        data.extend([5, 9]);
    }
    let started = Instant::now();
    let summary = read_trace(data.as_slice(), &Limits::default()).unwrap();
    assert_eq!((summary.events, summary.forced), (20_000, 20_000));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

/// 64 MiB of zeros from 64 KiB of gzip.
#[test]
fn a_decompression_bomb_is_bounded() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &[0x0a, 4, 8, 1, 16, 2]).unwrap();
    for _ in 0..2000 {
        std::io::Write::write_all(&mut encoder, &[0; 65_536]).unwrap();
    }
    let profile = read_profile(&encoder.finish().unwrap()).unwrap();
    assert!(profile.notes[0].text.contains("larger than the reader's bound"), "{:?}", profile.notes);
}
