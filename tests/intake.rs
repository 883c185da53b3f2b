//! Every form a bundle comes in reads to the same files, and what is damaged or hostile is said, never believed.

mod archives;

use archives::{as_tar, as_zip, gz, read, sample};
use coroner::bundle::Container;

fn data(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/archives/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).expect("a fixture")
}

/// The files of the fixtures `bundle.tar.*`, which the system's own tar, xz, zstd and bzip2 made.
fn fixture() -> Vec<(String, Vec<u8>)> {
    vec![
        ("bundle/cmd/vmstat_1_10.txt".into(), data("vmstat_1_10.txt")),
        ("bundle/proc/loadavg".into(), b"7.91 5.20 2.75 9/412 20711\n".to_vec()),
        ("bundle/proc/uptime".into(), b"86400.25 601200.00\n".to_vec()),
    ]
}

#[test]
fn every_container_reads_to_the_same_files() {
    let files = sample();
    let tar = as_tar(&files);
    for (bytes, container) in [
        (as_zip(&files, zip::CompressionMethod::Stored), Container::Zip),
        (as_zip(&files, zip::CompressionMethod::Deflated), Container::Zip),
        (gz(&tar), Container::TarGz),
        (tar, Container::Tar),
    ] {
        let seen = read(&bytes);
        assert_eq!(seen.walk.container, container);
        assert_eq!(seen.files(), files, "{container:?}");
        assert!(seen.walk.complete && seen.walk.notes.is_empty(), "{container:?}: {:?}", seen.walk.notes);
    }
    for (name, container) in
        [("bundle.tar.xz", Container::TarXz), ("bundle.tar.zst", Container::TarZst), ("bundle.tar.bz2", Container::TarBz2)]
    {
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
