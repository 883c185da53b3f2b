//! Units of facts and of rule literals.
//!
//! A fact without a unit is how a KiB is read as a page. Every number carries a [`Unit`] from the parser
//! to the report, and rules are checked for [`Dim`]ensions before they run.

pub mod human;
pub mod literal;

/// How a number is meant and printed. Values are always stored in the base unit named here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// A share of a whole, 0..=1 (may exceed 1 for "of one CPU"). Printed as percent.
    Share,
    /// A plain number of things, or a ratio that is no share (neff, times faster).
    Count,
    /// Things per second.
    PerSec,
    /// Bytes (never KiB, never pages).
    Bytes,
    /// Bytes per second.
    BytesPerSec,
    /// Seconds.
    Seconds,
    /// Degrees Celsius.
    Celsius,
    /// Hertz (CPU frequency).
    Hertz,
}

/// Dimension of a quantity: exponents of byte, second and degree. Shares and counts are dimensionless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Dim {
    pub bytes: i8,
    pub seconds: i8,
    pub degrees: i8,
}

impl Dim {
    pub const NONE: Dim = Dim { bytes: 0, seconds: 0, degrees: 0 };

    pub const fn new(bytes: i8, seconds: i8) -> Dim {
        Dim { bytes, seconds, degrees: 0 }
    }

    pub fn times(self, other: Dim) -> Dim {
        Dim {
            bytes: self.bytes.saturating_add(other.bytes),
            seconds: self.seconds.saturating_add(other.seconds),
            degrees: self.degrees.saturating_add(other.degrees),
        }
    }

    pub fn per(self, other: Dim) -> Dim {
        Dim {
            bytes: self.bytes.saturating_sub(other.bytes),
            seconds: self.seconds.saturating_sub(other.seconds),
            degrees: self.degrees.saturating_sub(other.degrees),
        }
    }

    /// The unit to print a computed quantity in, when one fits.
    pub fn unit(self) -> Option<Unit> {
        match (self.bytes, self.seconds, self.degrees) {
            (0, 0, 0) => Some(Unit::Count),
            (1, 0, 0) => Some(Unit::Bytes),
            (1, -1, 0) => Some(Unit::BytesPerSec),
            (0, 1, 0) => Some(Unit::Seconds),
            (0, -1, 0) => Some(Unit::PerSec),
            (0, 0, 1) => Some(Unit::Celsius),
            _ => None,
        }
    }
}

impl Unit {
    pub const fn dim(self) -> Dim {
        match self {
            Unit::Share | Unit::Count => Dim::NONE,
            Unit::PerSec | Unit::Hertz => Dim::new(0, -1),
            Unit::Bytes => Dim::new(1, 0),
            Unit::BytesPerSec => Dim::new(1, -1),
            Unit::Seconds => Dim::new(0, 1),
            Unit::Celsius => Dim { bytes: 0, seconds: 0, degrees: 1 },
        }
    }

    /// Name used in the dictionary, in JSON and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Share => "share",
            Unit::Count => "count",
            Unit::PerSec => "per_second",
            Unit::Bytes => "bytes",
            Unit::BytesPerSec => "bytes_per_second",
            Unit::Seconds => "seconds",
            Unit::Celsius => "celsius",
            Unit::Hertz => "hertz",
        }
    }
}
