//! What a file is, told by its first bytes. Names lie: logs are called `.gz` after rotation failed, and a pasted report is `report.txt`.

/// A compression with one stream inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Gz,
    Xz,
    Zst,
    Bz2,
}

impl Codec {
    pub fn name(self) -> &'static str {
        match self {
            Codec::Gz => "gzip",
            Codec::Xz => "xz",
            Codec::Zst => "zstd",
            Codec::Bz2 => "bzip2",
        }
    }

    /// Packed bytes that surely hold the first 4 KiB of content: one whole block of the format, and its headers.
    /// bzip2 blocks are up to 900 kB before packing, zstd blocks 128 KiB, xz chunks 64 KiB; deflate streams byte by byte.
    pub fn first_block(self) -> usize {
        match self {
            Codec::Gz => 16 * 1024,
            Codec::Xz | Codec::Zst => 192 * 1024,
            Codec::Bz2 => 1024 * 1024,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Zip,
    Tar,
    Packed(Codec),
    /// An archive format that is recognised but not read.
    Foreign(&'static str),
    Plain,
}

/// The kind of a file that begins with `head`.
///
/// Signatures: PKWARE APPNOTE 4.3.7 and 4.3.16; RFC 1952; xz format 1.2.1; RFC 8878 3.1.1; POSIX pax (ustar header and its checksum).
pub(super) fn kind(head: &[u8]) -> Kind {
    const SIGNATURES: &[(&[u8], Kind)] = &[
        (b"PK\x03\x04", Kind::Zip),
        (b"PK\x05\x06", Kind::Zip),
        (b"PK\x07\x08PK", Kind::Zip),
        (b"\x1f\x8b\x08", Kind::Packed(Codec::Gz)),
        (b"\xfd7zXZ\0", Kind::Packed(Codec::Xz)),
        (b"\x28\xb5\x2f\xfd", Kind::Packed(Codec::Zst)),
        (b"7z\xbc\xaf\x27\x1c", Kind::Foreign("7z")),
        (b"Rar!\x1a\x07", Kind::Foreign("RAR")),
        (b"\x04\x22\x4d\x18", Kind::Foreign("lz4")),
        (b"070701", Kind::Foreign("cpio")),
        (b"\x1f\x9d", Kind::Foreign("compress (.Z)")),
        (b"LZIP\x01", Kind::Foreign("lzip")),
    ];
    if let Some((_, kind)) = SIGNATURES.iter().find(|(magic, _)| head.starts_with(magic)) {
        return *kind;
    }
    if is_bzip2(head) {
        return Kind::Packed(Codec::Bz2);
    }
    if is_tar(head) { Kind::Tar } else { Kind::Plain }
}

fn is_bzip2(head: &[u8]) -> bool {
    let block = head.get(4..10);
    head.starts_with(b"BZh")
        && matches!(head.get(3), Some(b'1'..=b'9'))
        && (block == Some(b"\x31\x41\x59\x26\x53\x59") || block == Some(b"\x17\x72\x45\x38\x50\x90"))
}

/// The ustar mark, or for tars older than it a header whose checksum holds.
fn is_tar(head: &[u8]) -> bool {
    let Some(header) = head.get(..512) else { return false };
    if header.get(257..262) == Some(b"ustar") {
        return true;
    }
    let Some(field) = header.get(148..156) else { return false };
    let digits: String = field.iter().map(|b| char::from(*b)).collect();
    let Ok(stated) = u32::from_str_radix(digits.trim_matches(['\0', ' ']), 8) else { return false };
    let sum: u32 =
        header.iter().enumerate().map(|(i, b)| if (148..156).contains(&i) { 32 } else { u32::from(*b) }).sum();
    header.first() != Some(&0) && sum == stated
}

/// Whether unpacked content is text, so that a packed log is handed on unpacked and a packed profile (protobuf) is not.
/// Text has a byte order mark, or hardly any control characters in its first 4 KiB.
pub(super) fn is_text(head: &[u8]) -> bool {
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return true;
    }
    let control =
        head.iter().filter(|b| **b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x08 | 0x0c | 0x1b)).count();
    control * 33 <= head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        assert_eq!(kind(b"PK\x03\x04rest"), Kind::Zip);
        assert_eq!(kind(b"\x1f\x8b\x08\0"), Kind::Packed(Codec::Gz));
        assert_eq!(kind(b"BZh9\x31\x41\x59\x26\x53\x59"), Kind::Packed(Codec::Bz2));
        assert_eq!(kind(b"BZhello, a sentence"), Kind::Plain);
        assert_eq!(kind(b"7z\xbc\xaf\x27\x1c"), Kind::Foreign("7z"));
        assert_eq!(kind(b""), Kind::Plain);
        let mut old = [0u8; 512];
        old[..5].copy_from_slice(b"a.txt");
        assert_eq!(kind(&old), Kind::Plain);
        let sum: u32 = b"a.txt".iter().map(|b| u32::from(*b)).sum::<u32>() + 8 * 32;
        old[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        assert_eq!(kind(&old), Kind::Tar);
    }

    #[test]
    fn text_and_profiles_differ() {
        assert!(is_text(b"Dec 01 02:18:00 host kernel: eth0: link up\n"));
        assert!(is_text("t\u{e4}glich 12,50 \u{4e2d}".as_bytes()));
        assert!(is_text(b"\xff\xfeA\0B\0"));
        assert!(!is_text(b"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x12\x1a"));
    }
}
