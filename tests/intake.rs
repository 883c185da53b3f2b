//! Every form a bundle comes in reads to the same files.

mod archives;

use std::path::PathBuf;

use archives::{Files, as_tar, as_zip, data, gz, read, read_input, read_with, sample};
use coroner::bundle::{Container, Input, Limits, NoteKind, OpenError, Want, walk};
use zip::CompressionMethod::{Deflated, Stored};

/// The files of the fixtures `bundle.tar.*`, which the system's own tar, xz, zstd and bzip2 made. `parts.tar.*` are the same in streams
/// of 4 KiB, one behind the other.
fn fixture() -> Files {
    vec![
        ("bundle/cmd/vmstat_1_10.txt".into(), data("vmstat_1_10.txt")),
        ("bundle/proc/loadavg".into(), b"7.91 5.20 2.75 9/412 20711\n".to_vec()),
        ("bundle/proc/uptime".into(), b"86400.25 601200.00\n".to_vec()),
    ]
}

fn folder(files: &Files) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    dir
}

#[test]
fn every_container_reads_to_the_same_files() {
    let files = sample();
    let tar = as_tar(&files);
    for (bytes, container) in [
        (as_zip(&files, Stored), Container::Zip),
        (as_zip(&files, Deflated), Container::Zip),
        (gz(&tar), Container::TarGz),
        (tar, Container::Tar),
    ] {
        let seen = read(&bytes);
        assert_eq!(seen.walk.container, container);
        assert_eq!(seen.files(), files, "{container:?}");
        assert!(seen.walk.complete && seen.walk.notes.is_empty(), "{container:?}: {:?}", seen.walk.notes);
    }
    for (name, container) in [
        ("bundle.tar.xz", Container::TarXz),
        ("bundle.tar.zst", Container::TarZst),
        ("bundle.tar.bz2", Container::TarBz2),
        ("parts.tar.xz", Container::TarXz),
        ("parts.tar.zst", Container::TarZst),
        ("parts.tar.bz2", Container::TarBz2),
    ] {
        let seen = read(&data(name));
        assert_eq!(seen.walk.container, container);
        assert_eq!(seen.files(), fixture(), "{name}");
        assert!(seen.walk.complete && seen.walk.notes.is_empty(), "{name}: {:?}", seen.walk.notes);
        assert_eq!(seen.entries[0].mtime, Some(1_700_000_000));
    }
}

#[test]
fn deflate64_reads() {
    let line = |i| format!("sample {i}\n").into_bytes();
    let once: Vec<u8> = (0..4000).flat_map(line).collect();
    assert_eq!(read(&data("deflate64.zip")).files(), [("samples.txt".to_owned(), once.repeat(2))]);
}

#[test]
fn zip64_reads() {
    use std::io::Write;
    let options = zip::write::SimpleFileOptions::default().large_file(true);
    let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    out.start_file("a.txt", options).unwrap();
    out.write_all(b"a zip64 entry\n").unwrap();
    let mut bytes = out.finish().unwrap().into_inner();
    let expected = [("a.txt".to_owned(), b"a zip64 entry\n".to_vec())];
    assert_eq!(read(&bytes).files(), expected);
    // Its local header states its sizes in the zip64 field alone.
    let directory = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    bytes.truncate(directory);
    assert_eq!(read(&bytes).files(), expected);
}

#[test]
fn a_zip_of_more_entries_than_the_short_format_counts() {
    let files: Files = (0..70_000).map(|i| (format!("{i}"), Vec::new())).collect();
    assert_eq!(read(&as_zip(&files, Stored)).entries.len(), 70_000);
}

#[test]
fn a_folder_reads_in_the_order_of_its_names() {
    let mut files = sample();
    let dir = folder(&files);
    let seen = read_input(&Input::Paths(vec![dir.path().into()]), &Limits::default()).unwrap();
    files.sort();
    assert_eq!(seen.walk.container, Container::Folder);
    assert_eq!(seen.files(), files);
    assert!(seen.entries.iter().all(|e| e.mtime.is_some()));
    let again = read_input(&Input::Paths(vec![dir.path().into()]), &Limits::default()).unwrap();
    assert_eq!(seen.walk.sha256, again.walk.sha256);
    std::fs::write(dir.path().join("host/proc/uptime"), "101.00 200.00\n").unwrap();
    let changed = read_input(&Input::Paths(vec![dir.path().into()]), &Limits::default()).unwrap();
    assert_ne!(seen.walk.sha256, changed.walk.sha256);
}

#[test]
fn a_file_on_disk_has_the_hash_of_its_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("no.extension");
    std::fs::write(&path, as_zip(&sample(), Deflated)).unwrap();
    let seen = read_input(&Input::Paths(vec![path.clone()]), &Limits::default()).unwrap();
    assert_eq!(seen.files(), sample());
    assert_eq!((seen.walk.name.as_str(), seen.walk.container), ("no.extension", Container::Zip));
    let tool = std::process::Command::new("sha256sum").arg(&path).output().unwrap();
    assert!(String::from_utf8(tool.stdout).unwrap().starts_with(&seen.walk.sha256));
    assert_eq!(seen.walk.sha256.len(), 64);
}

#[test]
fn loose_files_keep_what_tells_them_apart() {
    let dir = folder(&vec![
        ("t0/mpstat.txt".into(), b"a".to_vec()),
        ("t1/mpstat.txt".into(), b"b".to_vec()),
        ("t1/log.tar.gz".into(), gz(&as_tar(&vec![("x".into(), b"c".to_vec())]))),
    ]);
    let at = |name: &str| dir.path().join(name);
    let seen = read_input(
        &Input::Paths(vec![at("t0/mpstat.txt"), at("t1/mpstat.txt"), at("t1/log.tar.gz")]),
        &Limits::default(),
    );
    let seen = seen.unwrap();
    assert_eq!(seen.walk.container, Container::Files);
    assert_eq!(seen.paths(), ["t0/mpstat.txt", "t1/mpstat.txt", "t1/log.tar.gz/x"]);
    let both = read_input(&Input::Paths(vec![at("t1/mpstat.txt"), at("t1/log.tar.gz")]), &Limits::default()).unwrap();
    assert_eq!(both.paths(), ["mpstat.txt", "log.tar.gz/x"]);
    let one = read_input(&Input::Paths(vec![at("t0"), at("t1/mpstat.txt")]), &Limits::default()).unwrap();
    assert_eq!(one.paths(), ["t0/mpstat.txt", "t1/mpstat.txt"]);
}

#[test]
fn one_file_is_a_bundle_of_one_file() {
    let seen = read(b"22:01:01     CPU    %usr\n");
    assert_eq!(seen.walk.container, Container::Single);
    assert_eq!(seen.files(), [("stdin".to_owned(), b"22:01:01     CPU    %usr\n".to_vec())]);
    let packed = read(&gz(b"22:01:01     CPU    %usr\n"));
    assert_eq!(packed.files(), seen.files());
    assert_eq!(packed.walk.container, Container::Single);
    let random: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert_eq!(read(&random).files(), [("stdin".to_owned(), random)]);
}

#[test]
fn packed_text_is_unpacked_and_packed_profiles_are_not() {
    let profile = gz(b"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x12\x1a\x0a\x02\x08\x01\x1a\x00\x00\x01");
    let log = b"Dec  1 02:18:00 host kernel: eth0: NIC Link is Up\n".repeat(400);
    let files = vec![("var/log/messages.1.gz".to_owned(), gz(&log)), ("pprof/heap.pb.gz".to_owned(), profile.clone())];
    for bytes in [gz(&as_tar(&files)), as_zip(&files, Stored)] {
        let seen = read(&bytes);
        assert_eq!(seen.entries[0].bytes, log);
        assert_eq!(seen.entries[0].path, "var/log/messages.1.gz");
        assert_eq!(seen.entries[1].bytes, profile);
        assert!(seen.walk.notes.is_empty());
    }
}

#[test]
fn archives_inside_are_opened_to_depth_two() {
    let leaf = |n: &str| vec![(n.to_owned(), b"text\n".to_vec())];
    let three = as_zip(&leaf("deepest"), Deflated);
    let two = gz(&as_tar(&vec![("d.zip".into(), three.clone()), ("c".into(), b"text\n".to_vec())]));
    let one = as_zip(&vec![("two.tgz".into(), two), ("b".into(), b"text\n".to_vec())], Deflated);
    let top = gz(&as_tar(&vec![
        ("one.zip".into(), one),
        ("xz".into(), data("bundle.tar.xz")),
        ("a".into(), b"text\n".to_vec()),
    ]));
    let seen = read(&top);
    assert_eq!(
        seen.paths(),
        [
            "one.zip/two.tgz/d.zip",
            "one.zip/two.tgz/c",
            "one.zip/b",
            "xz/bundle/cmd/vmstat_1_10.txt",
            "xz/bundle/proc/loadavg",
            "xz/bundle/proc/uptime",
            "a"
        ]
    );
    assert_eq!(seen.entries[0].bytes, three);
    assert_eq!(seen.note("more than 2 archives deep"), (NoteKind::Refused, "one.zip/two.tgz/d.zip"));
    assert!(!seen.walk.complete);
}

#[test]
fn an_archive_in_a_folder_is_opened() {
    let dir = folder(&vec![("sos/report.tar.gz".into(), gz(&as_tar(&sample())))]);
    let seen = read_input(&Input::Paths(vec![dir.path().into()]), &Limits::default()).unwrap();
    assert_eq!(seen.paths()[0], "sos/report.tar.gz/host/proc/loadavg");
    assert_eq!(seen.entries.len(), sample().len());
}

#[test]
fn what_is_not_wanted_is_not_read() {
    let bytes = as_zip(&sample(), Deflated);
    let mut heads = Vec::new();
    let mut read = Vec::new();
    let mut want = |head: &coroner::bundle::Head| {
        heads.push((head.path.to_owned(), head.size, head.head.len()));
        match head.path {
            "host/proc/loadavg" => Want::Skip,
            "host/cmd/sar.txt" => Want::Read { max: 10 },
            _ => Want::List,
        }
    };
    let walk = walk(&Input::Stdin(bytes), &Limits::default(), &mut want, &mut |e| read.push(e)).unwrap();
    let long = sample()[2].1.clone();
    assert_eq!(heads[2], ("host/cmd/sar.txt".to_owned(), Some(long.len() as u64), 4096));
    assert_eq!(read.len(), 1);
    assert_eq!((read[0].bytes.as_slice(), read[0].size, read[0].truncated), (&long[..10], long.len() as u64, true));
    let listed: Vec<_> = walk.listed.iter().map(|l| (l.path.as_str(), l.read)).collect();
    assert_eq!(listed, [("host/cmd/empty.txt", false), ("host/cmd/sar.txt", true), ("host/proc/uptime", false)]);
    assert!(walk.complete);
}

#[test]
fn content_of_just_the_wanted_length_is_whole() {
    let files = vec![("a".to_owned(), vec![b'x'; 5000])];
    for bytes in [as_zip(&files, Deflated), gz(&as_tar(&files))] {
        let mut read = Vec::new();
        walk(&Input::Stdin(bytes), &Limits::default(), &mut |_| Want::Read { max: 5000 }, &mut |e| read.push(e))
            .unwrap();
        assert!(!read[0].truncated);
        assert_eq!(read[0].bytes.len(), 5000);
    }
}

#[test]
fn errors_say_what_and_what_to_do() {
    let of = |path: PathBuf| read_input(&Input::Paths(vec![path]), &Limits::default()).unwrap_err().to_string();
    assert_eq!(of("/no/such".into()), "/no/such: no such file or folder; check the path");
    assert_eq!(
        of("/dev/null".into()),
        "/dev/null: is not a file or a folder; to read a pipe, use `-` for standard input"
    );
    let dir = tempfile::tempdir().unwrap();
    assert!(of(dir.path().into()).contains("the folder holds no files"));
    let empty = dir.path().join("empty.zip");
    std::fs::write(&empty, "").unwrap();
    assert!(of(empty).ends_with("empty.zip: is empty; collect the bundle again"));
    assert!(matches!(read_with(b"", &Limits::default()), Err(OpenError::Empty { .. })));
    assert!(matches!(read_with(&as_zip(&vec![], Stored), &Limits::default()), Err(OpenError::Nothing { .. })));
    assert!(matches!(read_with(b"PK\x03\x04 and nothing", &Limits::default()), Err(OpenError::Nothing { .. })));
    assert!(matches!(read_input(&Input::Paths(vec![]), &Limits::default()), Err(OpenError::NoInput)));
}
