//! Bundles cut short or with flipped bytes: what was whole counts, what is lost is said, and nothing panics.

mod archives;

use archives::{Files, Seen, as_tar, as_zip, data, gz, read, read_with, sample};
use coroner::bundle::{Limits, OpenError};
use zip::CompressionMethod::{Deflated, Stored};

/// A zip as written to a pipe: sizes stand behind the content.
fn streamed(files: &Files, method: zip::CompressionMethod) -> Vec<u8> {
    use std::io::Write;
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let mut out = zip::ZipWriter::new_stream(Vec::new());
    for (name, bytes) in files {
        out.start_file(name, options).unwrap();
        out.write_all(bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}

fn every_form() -> Vec<(&'static str, Vec<u8>)> {
    let files = sample();
    vec![
        ("stored", as_zip(&files, Stored)),
        ("deflated", as_zip(&files, Deflated)),
        ("streamed", streamed(&files, Deflated)),
        ("streamed stored", streamed(&files, Stored)),
        ("tar", as_tar(&files)),
        ("tar.gz", gz(&as_tar(&files))),
        ("tar.xz", data("parts.tar.xz")),
        ("tar.zst", data("parts.tar.zst")),
        ("tar.bz2", data("parts.tar.bz2")),
    ]
}

/// What is handed on are the bundle's own files, each whole or marked as cut and said to be.
#[track_caller]
fn honest(form: &str, cut: usize, seen: &Seen, whole: &Files) {
    for (i, entry) in seen.entries.iter().enumerate() {
        if entry.path == "stdin" {
            continue;
        }
        let (path, bytes) = &whole[i];
        assert_eq!(&entry.path, path, "{form} cut at {cut}");
        assert!(bytes.starts_with(&entry.bytes), "{form} cut at {cut}: {path}");
        assert_eq!(
            entry.truncated,
            entry.bytes.len() < bytes.len(),
            "{form} cut at {cut}: {path}: {:?}",
            seen.walk.notes
        );
    }
    if seen.files() != *whole {
        assert!(!seen.walk.complete && !seen.walk.notes.is_empty(), "{form} cut at {cut}");
    }
}

#[test]
fn cut_anywhere_what_was_whole_counts() {
    for (form, bytes) in every_form() {
        let whole = read(&bytes).files();
        let mut before = 0;
        for k in 0..50 {
            let cut = bytes.len() * k / 50;
            let seen = match read_with(&bytes[..cut], &Limits::default()) {
                Ok(seen) => seen,
                Err(OpenError::Empty { .. } | OpenError::Nothing { .. }) => continue,
                Err(e) => panic!("{form} cut at {cut}: {e}"),
            };
            honest(form, cut, &seen, &whole);
            let got = seen.entries.iter().filter(|e| e.path != "stdin").map(|e| e.bytes.len()).sum();
            assert!(got >= before, "{form}: a longer piece gives less at {cut}");
            before = got;
        }
        assert!(before > 0, "{form}");
    }
}

#[test]
fn every_file_before_the_cut_of_a_tar_or_zip_is_whole() {
    let files = sample();
    let tar = as_tar(&files);
    let ends: Vec<usize> = files
        .iter()
        .scan(0, |at, (_, bytes)| {
            *at += 512 + bytes.len();
            let end = *at;
            *at = at.next_multiple_of(512);
            Some(end)
        })
        .collect();
    let zip = as_zip(&files, Stored);
    let zip_ends: Vec<usize> = files
        .iter()
        .scan(0, |at, (name, bytes)| {
            *at += 30 + name.len() + bytes.len();
            Some(*at)
        })
        .collect();
    for (form, bytes, ends) in [("tar", tar, ends), ("zip", zip, zip_ends)] {
        for (i, end) in ends.iter().enumerate() {
            let seen = read_with(&bytes[..*end], &Limits::default()).unwrap();
            assert_eq!(seen.files(), files[..=i], "{form}");
            assert!(!seen.entries[i].truncated, "{form}");
            assert!(!seen.walk.complete, "{form}");
        }
    }
}

#[test]
fn a_damaged_tar_header_costs_its_own_file() {
    let files = sample();
    let mut bytes = as_tar(&files);
    bytes[1024 + 20] ^= 0xff;
    let seen = read(&bytes);
    assert_eq!(seen.paths(), ["host/proc/loadavg", "host/cmd/sar.txt", "host/proc/uptime"]);
    seen.note("entries from there to the next readable header are lost");
    assert!(!seen.walk.complete);
}

#[test]
fn a_zip_without_its_directory_gives_all_its_files() {
    let files = sample();
    for bytes in
        [as_zip(&files, Stored), as_zip(&files, Deflated), streamed(&files, Deflated), streamed(&files, Stored)]
    {
        let directory = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
        let seen = read(&bytes[..directory]);
        assert_eq!(seen.files(), files);
        assert!(seen.entries.iter().all(|e| !e.truncated), "{:?}", seen.walk.notes);
        seen.note("files are found by their own headers");
    }
}

#[test]
fn checksums_behind_the_content_are_compared() {
    let files = vec![("a".to_owned(), b"plain text\n".to_vec()), ("b".to_owned(), b"2".to_vec())];
    let mut bytes = streamed(&files, Stored);
    let directory = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    bytes.truncate(directory);
    let at = bytes.windows(5).position(|w| w == b"plain").unwrap();
    bytes[at] ^= 1;
    let seen = read(&bytes);
    assert_eq!(seen.entries[0].bytes, b"qlain text\n");
    assert_eq!(seen.note("does not match its checksum").1, "a");
}

/// What the system's own tool packs at its defaults, larger than any first look: several zstd blocks under a window of 2 MiB, an xz
/// chunk after the other, several bzip2 blocks.
#[test]
fn large_streams_of_the_system_tools_whole_and_cut() {
    let mut state = 7;
    let text: String = (0..150_000).map(|i| format!("{i} {:x}\n", random(&mut state))).collect();
    let files = vec![("a.txt".to_owned(), text.into_bytes()), ("b.txt".to_owned(), b"behind\n".to_vec())];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.tar");
    std::fs::write(&path, as_tar(&files)).unwrap();
    for tool in ["gzip", "xz", "zstd", "bzip2"] {
        let Ok(out) = std::process::Command::new(tool).arg("-c").arg(&path).output() else {
            eprintln!("skipped: no {tool} here");
            continue;
        };
        let seen = read(&out.stdout);
        assert_eq!(seen.files(), files, "{tool}");
        assert!(seen.walk.complete && seen.walk.notes.is_empty(), "{tool}: {:?}", seen.walk.notes);
        let cut = out.stdout.len() * 3 / 4;
        let seen = read(&out.stdout[..cut]);
        honest(tool, cut, &seen, &files);
        let share = seen.entries[0].bytes.len() as f64 / files[0].1.len() as f64;
        // bzip2 yields whole blocks of 900 kB only.
        assert!((0.35..0.8).contains(&share), "{tool}: three quarters of the archive give {share} of the file");
    }
}

#[test]
fn a_cut_archive_inside_costs_only_itself() {
    let inner = gz(&as_tar(&sample()));
    let half = inner[..inner.len() / 2].to_vec();
    let outer = as_tar(&vec![("logs.tar.gz".into(), half), ("behind".into(), b"1".to_vec())]);
    let seen = read(&outer);
    assert_eq!(seen.paths().last(), Some(&"behind"));
    assert_eq!(seen.paths()[0], "logs.tar.gz/host/proc/loadavg");
    assert!(!seen.walk.complete);
}

/// xorshift64*: the same damage on every run.
fn random(state: &mut u64) -> usize {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize
}

#[test]
fn flipped_bytes_never_panic_and_are_said_where_a_checksum_tells() {
    let limits = Limits { entry_bytes: 1 << 22, total_bytes: 1 << 26, ..Limits::default() };
    for (form, bytes) in every_form() {
        let mut contents: Vec<Vec<u8>> = read(&bytes).files().into_iter().map(|(_, b)| b).collect();
        contents.sort();
        let mut state = 0x5eed_0000 + bytes.len() as u64;
        for round in 0..400 {
            let mut damaged = bytes.clone();
            for _ in 0..=round % 4 {
                let at = random(&mut state) % damaged.len();
                // Half of the damage goes to where the structure is: the first and last hundred bytes.
                let at = match random(&mut state) % 4 {
                    0 => at % 100,
                    1 => damaged.len() - 1 - at % 100,
                    _ => at,
                };
                damaged[at] ^= 1 << (random(&mut state) % 8);
            }
            if round % 5 == 0 {
                damaged.truncate(random(&mut state) % damaged.len());
            }
            let Ok(seen) = read_with(&damaged, &limits) else { continue };
            let mut got: Vec<Vec<u8>> = seen.files().into_iter().map(|(_, b)| b).collect();
            got.sort();
            // A tar has no checksum over content, and one that lost its first bytes is a file like any other.
            if form != "tar" && seen.paths() != ["stdin"] && seen.walk.notes.is_empty() {
                assert!(got == contents, "{form} round {round}: changed without a note");
            }
        }
    }
}

#[test]
fn random_bytes_behind_every_signature_end() {
    let signatures: [&[u8]; 7] =
        [b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08\0", b"\xfd7zXZ\0\0\x04", b"\x28\xb5\x2f\xfd", b"BZh91AY&SY", b""];
    let mut state = 42;
    for round in 0..700 {
        let signature = signatures[round % signatures.len()];
        let tail = (0..random(&mut state) % 4000).map(|_| random(&mut state) as u8);
        let bytes: Vec<u8> = signature.iter().copied().chain(tail).collect();
        let _ = read_with(&bytes, &Limits::default());
    }
}
