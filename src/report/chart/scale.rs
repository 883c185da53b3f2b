//! Axes: round upper ends, tick values and the time axis.

/// A value axis from `low` to `high`, both round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    pub low: f64,
    pub high: f64,
}

impl Scale {
    /// Covers `low..=high` from zero where possible. A share below one gets the whole as its end when it
    /// fills about half of it: an axis that ends at 60 % makes 60 % look like all.
    pub fn cover(low: f64, high: f64, unit: &str) -> Scale {
        let low = if low < 0.0 { -round_up(-low, unit) } else { 0.0 };
        let high = if unit == "share" && (0.45..=1.0).contains(&high) { 1.0 } else { round_up(high.max(0.0), unit) };
        if high > low { Scale { low, high } } else { Scale { low, high: low + 1.0 } }
    }

    /// Where `value` lies, 0..=1.
    pub fn part(self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Level 0..=7 of `value`, for colours.
    pub fn level(self, value: f64) -> u8 {
        let steps = (self.part(value) * 8.0).floor();
        if steps >= 7.0 { 7 } else { steps as u8 }
    }

    /// Five values from low to high.
    pub fn ticks(self) -> [f64; 5] {
        [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| self.low + (self.high - self.low) * part)
    }
}

/// The next of 1, 2, 4, 5, 8 x 10^n (x 2^10n for bytes, so that ticks are whole KiB or GiB).
fn round_up(value: f64, unit: &str) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 0.0;
    }
    let (factor, mut power) = if unit.starts_with("bytes") { (1024.0_f64, 0) } else { (1000.0, -4) };
    while power < 100 && value > factor.powi(power + 1) {
        power += 1;
    }
    let base = factor.powi(power);
    let steps = [1.0, 2.0, 4.0, 5.0, 8.0, 10.0, 20.0, 40.0, 50.0, 80.0, 100.0, 200.0, 400.0, 500.0, 800.0];
    steps.iter().map(|step| step * base).find(|end| *end >= value * 0.999_999).unwrap_or(base * factor)
}

/// Sample times as equal slots: which column each sample fills, where nothing was sampled.
#[derive(Debug, PartialEq)]
pub struct Slots {
    pub from: f64,
    pub step: f64,
    pub count: usize,
    /// First slot and one past the last slot of each sample.
    pub spans: Vec<(usize, usize)>,
}

/// A pause longer than this many usual steps is a gap.
const GAP_STEPS: f64 = 2.5;
/// More slots than this are merged at once, whatever the times say.
const SLOTS_MAX: f64 = 4_096.0;

impl Slots {
    /// `at` in seconds. Times that do not rise are taken as evenly spaced.
    pub fn of(at: &[f64]) -> Slots {
        let rises = at.windows(2).all(|pair| pair[1] > pair[0]) && at.iter().all(|time| time.is_finite());
        let step = usual_step(at);
        if !rises || at.len() < 2 || step <= 0.0 {
            let from = at.first().copied().filter(|time| time.is_finite()).unwrap_or(0.0);
            let spans = (0..at.len()).map(|index| (index, index + 1)).collect();
            return Slots { from, step: if step > 0.0 { step } else { 1.0 }, count: at.len(), spans };
        }
        let from = at[0];
        let length = (at[at.len() - 1] - from) / step + 1.0;
        let step = if length > SLOTS_MAX { step * length / SLOTS_MAX } else { step };
        let slot = |time: f64| (((time - from) / step).round() as usize).min(SLOTS_MAX as usize);
        let mut spans: Vec<(usize, usize)> = Vec::with_capacity(at.len());
        for (index, time) in at.iter().enumerate() {
            let start = slot(*time);
            let end = match at.get(index + 1) {
                Some(next) if (next - time) <= GAP_STEPS * step => slot(*next).max(start + 1),
                _ => start + 1,
            };
            spans.push((start, end));
        }
        let count = spans.last().map_or(0, |span| span.1);
        Slots { from, step, count, spans }
    }

    /// Where `time` lies on the axis, 0..=1.
    pub fn part(&self, time: f64) -> f64 {
        let length = self.step * self.count.max(1) as f64;
        ((time - self.from) / length).clamp(0.0, 1.0)
    }

    /// Up to `most` moments to label, from the first on.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let every = self.count.div_ceil(most.max(1)).max(1);
        (0..self.count).step_by(every).map(|slot| self.from + self.step * slot as f64).collect()
    }
}

/// The median distance of neighbours.
pub fn usual_step(at: &[f64]) -> f64 {
    let mut steps: Vec<f64> = at.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(0.0)
}

/// True when the pause between two samples is a gap.
pub fn is_gap(pause: f64, step: f64) -> bool {
    step > 0.0 && pause > GAP_STEPS * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_round() {
        assert_eq!(Scale::cover(0.0, 0.51, "share"), Scale { low: 0.0, high: 1.0 });
        assert_eq!(Scale::cover(0.0, 0.031, "share").high, 0.04);
        assert_eq!(Scale::cover(0.0, 3300.0, "per_second").high, 4000.0);
        assert_eq!(Scale::cover(0.0, 3.0 * 1024.0 * 1024.0, "bytes").high, 4.0 * 1024.0 * 1024.0);
        assert_eq!(Scale::cover(0.0, 0.0, "count"), Scale { low: 0.0, high: 1.0 });
        let share = Scale { low: 0.0, high: 1.0 };
        assert_eq!([0.0, 0.124, 0.5, 0.99, 1.0, 3.0].map(|value| share.level(value)), [0, 0, 4, 7, 7, 7]);
    }

    #[test]
    fn a_pause_is_a_gap() {
        let slots = Slots::of(&[0.0, 1.0, 2.0, 7.0, 8.0]);
        assert_eq!(slots.count, 9);
        assert_eq!(slots.spans, [(0, 1), (1, 2), (2, 3), (7, 8), (8, 9)]);
        let jitter = Slots::of(&[0.0, 1.0, 2.6, 3.6, 4.6]);
        assert_eq!(jitter.spans, [(0, 1), (1, 3), (3, 4), (4, 5), (5, 6)]);
        assert_eq!(Slots::of(&[5.0, 5.0]).count, 2);
        assert_eq!(Slots::of(&[0.0, 1.0, f64::NAN]).count, 3);
        assert!(Slots::of(&[0.0, 1.0, 2.0, 1e12]).count <= 4_097);
    }
}
