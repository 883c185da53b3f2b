//! The bytes under all three binary formats: LEB128 varints from a slice, and the few number
//! conversions that the readers need, saturating instead of wrapping.

/// A position in a byte slice. Every reading method gives `None` at the end or at a malformed varint
/// and then leaves the position where it was.
#[derive(Clone, Copy)]
pub(super) struct Wire<'a> {
    data: &'a [u8],
    pos: usize,
}

impl<'a> Wire<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Wire { data, pos: 0 }
    }

    pub fn at(data: &'a [u8], pos: usize) -> Self {
        Wire { data, pos }
    }

    pub fn pos(&self) -> usize {
        self.pos
    }

    pub fn is_empty(&self) -> bool {
        self.pos >= self.data.len()
    }

    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.data.get(self.pos)?;
        self.pos += 1;
        Some(byte)
    }

    #[inline]
    pub fn uvarint(&mut self) -> Option<u64> {
        let first = *self.data.get(self.pos)?;
        if first < 0x80 {
            self.pos += 1;
            return Some(u64::from(first));
        }
        let (value, size) = long_uvarint(self.data.get(self.pos..)?)?;
        self.pos += size;
        Some(value)
    }

    pub fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let end = self.pos.checked_add(usize::try_from(count).ok()?)?;
        let taken = self.data.get(self.pos..end)?;
        self.pos = end;
        Some(taken)
    }
}

fn long_uvarint(data: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (index, &byte) in data.iter().take(10).enumerate() {
        if index == 9 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some((value, index + 1));
        }
    }
    None
}

pub(super) fn to_u64(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// The nearest double.
#[expect(clippy::as_conversions, reason = "rounding is what is wanted")]
pub(super) fn to_f64(n: u64) -> f64 {
    n as f64
}

/// Truncates towards zero; negative and NaN give 0, too large gives the maximum.
#[expect(clippy::as_conversions, reason = "the cast saturates, which is what is wanted")]
pub(super) fn truncate(x: f64) -> u64 {
    x as u64
}

/// The two's complement reading of a varint, as protobuf's int64 has it.
pub(super) fn to_i64(n: u64) -> i64 {
    i64::from_ne_bytes(n.to_ne_bytes())
}

#[cfg(test)]
mod tests {
    use super::Wire;

    #[test]
    fn varints_end_where_leb128_says() {
        let mut wire = Wire::new(&[0x00, 0x7f, 0x80, 0x01, 0xe5, 0x8e, 0x26]);
        let all: Vec<_> = std::iter::from_fn(|| wire.uvarint()).collect();
        assert_eq!(all, [0, 127, 128, 624_485]);
        let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(Wire::new(&most).uvarint(), Some(u64::MAX));
    }

    #[test]
    fn a_cut_or_overlong_varint_is_none_and_moves_nothing() {
        let mut cut = Wire::new(&[0x80, 0x80]);
        assert_eq!((cut.uvarint(), cut.pos()), (None, 0));
        let overlong = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
        assert_eq!(Wire::new(&overlong).uvarint(), None);
    }
}
