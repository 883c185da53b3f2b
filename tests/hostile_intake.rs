//! What a bundle may claim, and what stops it: each bound of `bundle::guard`, tricks with names and links, and bombs.

mod archives;

use std::io::Write;

use archives::{Files, as_tar, as_zip, gz, read, read_input, read_with, sample};
use coroner::bundle::{Input, Limits, NoteKind};
use tar::EntryType;
use zip::CompressionMethod::{Deflated, Stored};

const MIB: usize = 1 << 20;

fn two() -> Files {
    vec![("first".into(), b"1\n".to_vec()), ("last".into(), b"2\n".to_vec())]
}

/// A tar whose first entry has the name, type and link target given, byte for byte, with [`two`] behind it.
fn odd_tar(name: &[u8], kind: EntryType, target: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.as_old_mut().linkname[..target.len()].copy_from_slice(target);
    header.set_entry_type(kind);
    header.set_size(0);
    header.set_cksum();
    [header.as_bytes().to_vec(), as_tar(&two())].concat()
}

#[test]
fn names_that_climb_out_are_refused() {
    let climbing = vec![("../../etc/x".to_owned(), b"evil".to_vec()), ("a".to_owned(), b"1".to_vec())];
    let seen = read(&as_zip(&climbing, Stored));
    assert_eq!(seen.paths(), ["a"]);
    assert_eq!(seen.note("has `..` in its name and is not read: ../../etc/x").0, NoteKind::Refused);
    assert!(!seen.walk.complete);
    let seen = read(&odd_tar(b"a/../../x", EntryType::Regular, b""));
    assert_eq!(seen.paths(), ["first", "last"]);
    seen.note("has `..` in its name");
}

#[test]
fn absolute_names_are_read_inside_the_bundle() {
    let seen = read(&odd_tar(b"/etc/hosts", EntryType::Regular, b""));
    assert_eq!(seen.paths(), ["etc/hosts", "first", "last"]);
    assert_eq!(seen.note("absolute name"), (NoteKind::Odd, "etc/hosts"));
    assert!(seen.walk.complete);
}

#[test]
fn nul_and_control_characters_in_names() {
    let seen = read(&as_zip(&vec![("a\0b".into(), vec![]), ("c\x1b[2Jd\n".into(), vec![])], Stored));
    assert_eq!(seen.paths(), ["c\u{fffd}[2Jd\u{fffd}"]);
    let (_, path) = seen.note("NUL byte in its name");
    assert_eq!(path, "");
    assert!(seen.walk.notes.iter().all(|n| !n.text.contains(char::is_control)));
}

#[test]
fn long_and_deep_names() {
    let files = vec![("n".repeat(1025), vec![]), ("d/".repeat(65) + "f", vec![]), ("ok".into(), vec![])];
    let seen = read(&as_zip(&files, Stored));
    assert_eq!(seen.paths(), ["ok"]);
    seen.note("over-long name");
    seen.note("too many folders deep");
    let seen = read(&as_tar(&vec![("long/".repeat(60) + "x", b"1".to_vec())]));
    assert_eq!(seen.paths()[0].len(), 301);
}

#[test]
fn duplicates_keep_the_first() {
    let mut files = two();
    files.push(("first".into(), b"other".to_vec()));
    let seen = read(&as_tar(&files));
    assert_eq!(seen.files(), two());
    assert_eq!(seen.note("more than once; the first one is read"), (NoteKind::Odd, "first"));
}

#[test]
fn links_are_not_followed_and_told_once() {
    let link = |from: &str, to: &str, kind| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        (header, from.to_owned(), to.to_owned())
    };
    let links = [
        link("sos/lspci", "sos_commands/pci/lspci", EntryType::Symlink),
        link("sos/d", "/sos_commands", EntryType::Symlink),
        link("sos/up", "../sos/sos_commands/pci/lspci", EntryType::Symlink),
        link("sos/hard", "sos/sos_commands/pci/lspci", EntryType::Link),
        link("sos/passwd", "/etc/passwd", EntryType::Symlink),
        link("sos/out", "../../../../etc/shadow", EntryType::Symlink),
        link("sos/self", "self", EntryType::Symlink),
    ];
    let mut out = tar::Builder::new(Vec::new());
    for (mut header, from, to) in links {
        out.append_link(&mut header, from, to).unwrap();
    }
    let mut header = tar::Header::new_gnu();
    header.set_size(2);
    out.append_data(&mut header, "sos/sos_commands/pci/lspci", &b"x\n"[..]).unwrap();
    let seen = read(&out.into_inner().unwrap());
    assert_eq!(seen.paths(), ["sos/sos_commands/pci/lspci"]);
    let [note] = seen.walk.notes.as_slice() else { panic!("{:?}", seen.walk.notes) };
    assert!(note.text.starts_with("7 links are not followed; 4 lead to files of the bundle"), "{}", note.text);
    assert!(
        note.text.contains("3 lead elsewhere or nowhere, such as sos/passwd -> /etc/passwd, sos/out"),
        "{}",
        note.text
    );
    assert!(seen.walk.complete);
}

#[test]
fn devices_are_not_read() {
    for kind in [EntryType::Char, EntryType::Block, EntryType::Fifo] {
        let seen = read(&odd_tar(b"dev/sda", kind, b""));
        assert_eq!(seen.paths(), ["first", "last"]);
        assert_eq!(seen.note("is a device or a pipe").1, "dev/sda");
    }
}

#[cfg(unix)]
#[test]
fn folders_with_pipes_sockets_and_link_loops_do_not_hang() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    std::fs::write(at("a.txt"), "1\n").unwrap();
    assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    std::os::unix::fs::symlink("..", at("up")).unwrap();
    std::os::unix::fs::symlink("loop", at("loop")).unwrap();
    std::os::unix::fs::symlink("a.txt", at("b.txt")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", at("passwd")).unwrap();
    let seen = read_input(&Input::Paths(vec![dir.path().into()]), &Limits::default()).unwrap();
    assert_eq!(seen.paths(), ["a.txt"]);
    assert_eq!(seen.walk.notes.iter().filter(|n| n.text.contains("a device, a pipe or a socket")).count(), 2);
    seen.note("4 links are not followed; 1 lead to files of the bundle");
    let pipe = read_input(&Input::Paths(vec![at("pipe")]), &Limits::default()).unwrap_err();
    assert!(pipe.to_string().contains("use `-` for standard input"));
    let several = read_input(&Input::Paths(vec![at("pipe"), at("a.txt")]), &Limits::default()).unwrap_err();
    assert!(several.to_string().contains("use `-` for standard input"));
}

#[test]
fn encrypted_entries_are_said() {
    let mut bytes = as_zip(&two(), Stored);
    // Bit 0 of the general purpose flags, in the local header and in the directory.
    bytes[6] |= 1;
    let directory = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    bytes[directory + 8] |= 1;
    let seen = read(&bytes);
    assert_eq!(seen.paths(), ["last"]);
    assert_eq!(seen.note("is encrypted"), (NoteKind::Refused, "first"));
    bytes.truncate(directory);
    let salvaged = read(&bytes);
    assert_eq!(salvaged.paths(), ["last"]);
    assert_eq!(salvaged.note("is encrypted"), (NoteKind::Refused, "first"));
}

#[test]
fn entries_that_share_bytes_are_refused() {
    // The directory lists `first` and then `last`; point the second at the first's bytes.
    let mut bytes = as_zip(&two(), Stored);
    let directory = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    let second = directory + 4 + bytes[directory + 4..].windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    bytes[second + 42..second + 46].copy_from_slice(&0u32.to_le_bytes());
    let seen = read(&bytes);
    assert_eq!(seen.entries.len(), 1);
    assert_eq!(seen.note("shares its bytes with another entry").0, NoteKind::Refused);
}

#[test]
fn wrong_sums_and_sizes_keep_the_content() {
    let bytes = as_zip(&two(), Stored);
    let directory = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    let mut sum = bytes.clone();
    sum[directory + 16] ^= 1;
    let seen = read(&sum);
    assert_eq!(seen.files(), two());
    assert_eq!(seen.note("does not match its checksum"), (NoteKind::Odd, "first"));
    for (size, text) in
        [(1u32, "is 2 bytes long where the zip says 1 bytes"), (7, "cut off: 2 bytes of 7 bytes are there")]
    {
        let mut wrong = as_zip(&two(), Deflated);
        let directory = wrong.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
        wrong[directory + 24..directory + 28].copy_from_slice(&size.to_le_bytes());
        let seen = read(&wrong);
        assert_eq!(seen.files(), two());
        assert_eq!(seen.note(text).1, "first");
        assert_eq!(seen.entries[0].truncated, size == 7);
    }
}

#[test]
fn other_methods_and_formats_say_what_to_do() {
    let mut bytes = as_zip(&two(), Stored);
    let directory = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    bytes[directory + 10] = 14;
    let seen = read(&bytes);
    assert_eq!(seen.paths(), ["last"]);
    seen.note("is packed with");
    let seen = read(b"7z\xbc\xaf\x27\x1c rest of an archive");
    assert_eq!(seen.note("is a 7z archive").0, NoteKind::Refused);
}

#[test]
fn too_many_entries_stop_the_walk() {
    let limits = Limits { entries: 1, ..Limits::default() };
    for bytes in [as_zip(&two(), Stored), as_tar(&two()), gz(&as_tar(&two()))] {
        let seen = read_with(&bytes, &limits).unwrap();
        assert_eq!(seen.paths(), ["first"]);
        assert_eq!(seen.note("more than 1 entries: the rest of the bundle is not read").0, NoteKind::Refused);
        assert!(!seen.walk.complete);
    }
    let limits = Limits { names_bytes: 8, ..Limits::default() };
    let seen = read_with(&as_tar(&two()), &limits).unwrap();
    assert_eq!(seen.paths(), ["first"]);
    seen.note("of names: the rest of the bundle is not read");
}

#[test]
fn an_entry_larger_than_its_bound_is_cut_and_said() {
    let limits = Limits { entry_bytes: 1000, ..Limits::default() };
    for bytes in [as_zip(&sample(), Deflated), gz(&as_tar(&sample()))] {
        let seen = read_with(&bytes, &limits).unwrap();
        assert_eq!(seen.paths().len(), 4);
        assert!(seen.entries[2].truncated);
        assert_eq!(seen.entries[2].bytes, sample()[2].1[..1000]);
        seen.note("only the first 1000 bytes of");
        assert!(seen.walk.complete);
    }
}

/// 64 MiB of the same byte in 64 KiB.
fn bomb() -> Vec<u8> {
    gz(&as_tar(&vec![("zeros".into(), vec![0; 64 * MIB]), ("behind".into(), b"1".to_vec())]))
}

#[test]
fn bombs_end_at_the_ratio_and_at_the_total() {
    let ratio = Limits { ratio_floor: 8 * MIB as u64, ..Limits::default() };
    let seen = read_with(&bomb(), &ratio).unwrap();
    assert_eq!(seen.paths(), ["zeros"]);
    assert!(seen.entries[0].bytes.len() <= 16 * MIB && seen.entries[0].truncated);
    assert_eq!(seen.note("of input unpack to more than").0, NoteKind::Refused);
    let total = Limits { total_bytes: 4 * MIB as u64, ..Limits::default() };
    let seen = read_with(&bomb(), &total).unwrap();
    seen.note("more than 4 MiB unpacked: the rest of the bundle is not read");
    assert!(!seen.walk.complete);
    // Wanted or not: skipping costs the same work.
    let mut none = |_: &coroner::bundle::Head| coroner::bundle::Want::List;
    let walk = coroner::bundle::walk(&Input::Stdin(bomb()), &total, &mut none, &mut |_| {}).unwrap();
    assert!(!walk.complete);
    // Below the floor a long run of one byte is a file like any other.
    let seen = read(&bomb());
    assert_eq!(seen.paths(), ["zeros", "behind"]);
    assert!(seen.walk.complete);
    let zip = as_zip(&vec![("zeros".into(), vec![0; 64 * MIB])], Deflated);
    read_with(&zip, &total).unwrap().note("more than 4 MiB unpacked");
}

#[test]
fn an_archive_in_itself_over_and_over_ends() {
    let mut bytes = as_zip(&two(), Deflated);
    for _ in 0..40 {
        bytes = as_zip(&vec![("again.zip".into(), bytes)], Deflated);
    }
    let seen = read(&bytes);
    assert_eq!(seen.paths(), ["again.zip/again.zip/again.zip"]);
    seen.note("more than 2 archives deep");
}

#[test]
fn a_large_zip_inside_is_not_held_in_memory() {
    let inner = as_zip(&two(), Stored);
    let limits = Limits { nested_zip_bytes: 100, ..Limits::default() };
    for bytes in
        [as_tar(&vec![("in.zip".into(), inner.clone())]), as_zip(&vec![("in.zip".into(), inner.clone())], Stored)]
    {
        let seen = read_with(&bytes, &limits).unwrap();
        assert_eq!(seen.files(), [("in.zip".to_owned(), inner.clone())]);
        seen.note("is a zip of more than 100 bytes inside another archive");
    }
}

#[test]
fn windows_of_xz_and_zstd_are_bounded() {
    // `xz -9` of a few bytes still asks for a dictionary of 64 MiB; `zstd --ultra --long=31` for a window of 2 GiB.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.tar");
    std::fs::write(&path, as_tar(&sample())).unwrap();
    let packed = |program: &str, args: &[&str]| {
        let input = std::fs::File::open(&path).unwrap();
        let out = std::process::Command::new(program).args(args).stdin(input).output().ok()?;
        out.status.success().then_some(out.stdout)
    };
    let narrow = Limits { window: 8 << 20, ..Limits::default() };
    for (program, args) in [("xz", vec!["-9", "-c"]), ("zstd", vec!["--ultra", "-22", "--long=31", "-c"])] {
        let Some(bytes) = packed(program, &args) else {
            eprintln!("skipped: no {program} here");
            continue;
        };
        let seen = read_with(&bytes, &narrow).unwrap();
        assert_eq!(seen.paths(), ["stdin"], "{program}");
        assert_eq!(seen.note("does not unpack: it asks for a dictionary of more than 8 MiB").0, NoteKind::Lost);
    }
    let wide = packed("xz", &["-9", "-c"]).map(|bytes| read(&bytes).files());
    assert!(wide.is_none_or(|files| files == sample()));
}

#[test]
fn an_over_long_tar_header_is_bounded() {
    // A GNU long name of 8 MiB in front of the first entry.
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(EntryType::GNULongName);
    header.set_size(8 * MIB as u64);
    header.set_cksum();
    let bytes = [header.as_bytes().to_vec(), vec![b'n'; 8 * MIB], as_tar(&two())].concat();
    let seen = read(&bytes);
    assert_eq!(seen.paths(), ["first", "last"]);
    seen.note("an entry's header is over-long");
}

#[test]
fn a_directory_too_large_is_not_read_into_memory() {
    let limits = Limits { zip_directory_bytes: 64, ..Limits::default() };
    let seen = read_with(&as_zip(&two(), Deflated), &limits).unwrap();
    assert_eq!(seen.files(), two());
    seen.note("its directory is larger than 64 bytes");
}

#[test]
fn notes_of_one_kind_are_counted_rather_than_repeated() {
    let files: Files = (0..500).map(|i| (format!("../{i}"), vec![])).chain(two()).collect();
    let seen = read(&as_zip(&files, Stored));
    assert_eq!(seen.walk.notes.len(), 11);
    seen.note("and 490 more notes of this kind");
}

#[test]
fn a_sparse_file_that_claims_exabytes_ends() {
    let mut header = tar::Header::new_gnu();
    header.set_path("sparse").unwrap();
    header.set_entry_type(EntryType::GNUSparse);
    header.set_size(0);
    let gnu = header.as_gnu_mut().unwrap();
    let field = |n: u64| {
        let mut out = [0u8; 12];
        out[0] = 0x80;
        out[4..].copy_from_slice(&n.to_be_bytes());
        out
    };
    gnu.sparse[0].offset = field(1 << 60);
    gnu.sparse[0].numbytes = field(0);
    gnu.realsize = field(1 << 60);
    header.set_cksum();
    let bytes = [header.as_bytes().to_vec(), as_tar(&two())].concat();
    let limits = Limits { entry_bytes: MIB as u64, ..Limits::default() };
    let seen = read_with(&bytes, &limits).unwrap();
    assert!(seen.paths().ends_with(&["first", "last"]), "{:?}", seen.paths());
}

#[test]
fn a_line_of_200_mb_is_read_as_far_as_wanted() {
    let mut line = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let block = vec![b'x'; MIB];
    for _ in 0..200 {
        line.write_all(&block).unwrap();
    }
    let bytes = line.finish().unwrap();
    let mut read = Vec::new();
    let mut want = |_: &coroner::bundle::Head| coroner::bundle::Want::Read { max: 4 << 20 };
    coroner::bundle::walk(&Input::Stdin(bytes), &Limits::default(), &mut want, &mut |e| read.push(e)).unwrap();
    assert_eq!((read[0].bytes.len(), read[0].truncated), (4 << 20, true));
}
