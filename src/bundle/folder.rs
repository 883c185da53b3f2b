//! Walks a folder in the order of its names. Links are not followed, and pipes, sockets and devices are never opened: opening them can
//! hang or act.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use walkdir::WalkDir;

use super::ledger::{Found, Ledger};
use super::{NoteKind, open};

/// Walks what lies in `root`; paths are relative to it, under `prefix`.
pub(super) fn walk(ledger: &mut Ledger, root: &Path, prefix: &str) {
    for item in WalkDir::new(root).follow_links(false).sort_by_file_name().min_depth(1) {
        if ledger.stopped {
            return;
        }
        let item = match item {
            Ok(item) => item,
            Err(e) => {
                let at = e.path().and_then(|p| p.strip_prefix(root).ok()).map(|p| p.to_string_lossy().into_owned());
                let why = e.io_error().map_or_else(|| e.to_string(), |e| e.to_string());
                ledger.note("unreadable", NoteKind::Lost, &at.unwrap_or_default(), format!("cannot be read: {why}"));
                continue;
            }
        };
        let raw = item.path().strip_prefix(root).unwrap_or(item.path());
        if item.file_type().is_dir() {
            ledger.pass_over(prefix);
        } else if let Some(path) = ledger.admit(prefix, raw.as_os_str().as_encoded_bytes(), cfg!(windows)) {
            one(ledger, item.path(), item.file_type(), prefix, path);
        }
    }
}

/// The file at `at`, told to the caller as `path`.
pub(super) fn one(ledger: &mut Ledger, at: &Path, kind: FileType, prefix: &str, path: String) {
    if kind.is_symlink() {
        let target = std::fs::read_link(at).unwrap_or_default();
        return ledger.link(prefix, path, target.as_os_str().as_encoded_bytes(), false);
    }
    if !kind.is_file() {
        return ledger.note("device", NoteKind::Odd, &path, "is a device, a pipe or a socket and is not read");
    }
    if !ledger.is_first(&path) {
        return;
    }
    match regular(at) {
        Ok((file, meta)) => {
            ledger.budget.feed(meta.len());
            let mut src = ledger.metered(file);
            let found = Found { path, size: Some(meta.len()), exact: false, mtime: mtime(&meta) };
            open::file(ledger, found, &mut src, 1);
        }
        Err(e) => ledger.note("unreadable", NoteKind::Lost, &path, format!("cannot be read: {e}")),
    }
}

/// Opens a regular file, never waiting for what a pipe put in its place or a kernel file such as `trace_pipe` may yield.
pub(super) fn regular(at: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        const O_NONBLOCK: i32 = 0o4000;
        options.custom_flags(O_NONBLOCK);
    }
    let file = options.open(at)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok((file, meta))
}

pub(super) fn mtime(meta: &Metadata) -> Option<i64> {
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// Bytes of `src` up to `max`; an error where there are more.
pub(super) fn read_bounded(src: impl Read, max: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    src.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|b| super::guard::len64(b.len()) <= max))
}
