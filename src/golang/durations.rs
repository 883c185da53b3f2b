//! Counts, sum and quantiles of a stream of durations in bounded memory: exact while they are few,
//! a log-linear histogram after that.

use super::wire::{to_f64, to_u64, truncate};

/// Values kept one by one, 2 MiB of them.
const EXACT: usize = 1 << 18;
/// Linear steps in each power of two of the histogram: 512, so a quantile is at most 0.2 % too high.
const STEP_BITS: u32 = 9;

/// The distribution of how long goroutines waited for a processor (Runnable to Running).
/// Durations are nanoseconds. A quantile is the element `ceil(p * count)` of the sorted list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    pub count: u64,
    pub sum_ns: u64,
    pub p50_ns: u64,
    pub p90_ns: u64,
    pub p99_ns: u64,
    pub max_ns: u64,
    pub over_100us: u64,
    pub over_1ms: u64,
    pub over_10ms: u64,
    pub over_100ms: u64,
    /// False when there were more than 262,144 waits: quantiles are then up to 0.2 % too high.
    pub exact_quantiles: bool,
}

#[derive(Default)]
pub(super) struct Durations {
    count: u64,
    sum: u64,
    max: u64,
    over: [u64; 4],
    exact: Vec<u64>,
    buckets: Vec<u64>,
}

impl Durations {
    pub fn add(&mut self, ns: u64) {
        self.count += 1;
        self.sum = self.sum.saturating_add(ns);
        self.max = self.max.max(ns);
        for (count, bound) in self.over.iter_mut().zip([100_000, 1_000_000, 10_000_000, 100_000_000]) {
            *count += u64::from(ns > bound);
        }
        if !self.buckets.is_empty() {
            bump(&mut self.buckets, ns);
        } else if self.exact.len() < EXACT {
            self.exact.push(ns);
        } else {
            self.buckets = vec![0; bucket(u64::MAX) + 1];
            for value in std::mem::take(&mut self.exact) {
                bump(&mut self.buckets, value);
            }
            bump(&mut self.buckets, ns);
        }
    }

    pub fn finish(mut self) -> Waits {
        self.exact.sort_unstable();
        let [over_100us, over_1ms, over_10ms, over_100ms] = self.over;
        Waits {
            count: self.count,
            sum_ns: self.sum,
            p50_ns: self.quantile(0.5),
            p90_ns: self.quantile(0.9),
            p99_ns: self.quantile(0.99),
            max_ns: self.max,
            over_100us,
            over_1ms,
            over_10ms,
            over_100ms,
            exact_quantiles: self.buckets.is_empty(),
        }
    }

    fn quantile(&self, p: f64) -> u64 {
        let rank = truncate((p * to_f64(self.count)).ceil()).max(1);
        if self.buckets.is_empty() {
            let index = usize::try_from(rank - 1).unwrap_or(usize::MAX);
            return self.exact.get(index).copied().unwrap_or(0);
        }
        let mut seen = 0;
        for (index, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return upper_edge(index).min(self.max);
            }
        }
        self.max
    }
}

fn bump(buckets: &mut [u64], value: u64) {
    if let Some(count) = buckets.get_mut(bucket(value)) {
        *count += 1;
    }
}

/// Values below 1024 have a bucket each; above, each power of two has 512.
fn bucket(value: u64) -> usize {
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(STEP_BITS + 1);
    let index = (u64::from(shift) << STEP_BITS) + (value >> shift);
    usize::try_from(index).unwrap_or(usize::MAX)
}

fn upper_edge(index: usize) -> u64 {
    let index = to_u64(index);
    let shift = (index >> STEP_BITS).saturating_sub(1);
    let step = index - (shift << STEP_BITS);
    ((step + 1).wrapping_shl(u32::try_from(shift).unwrap_or(0))).wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_contiguous_and_hold_their_edges() {
        for index in 0..=bucket(u64::MAX) {
            assert_eq!(bucket(upper_edge(index)), index);
            if upper_edge(index) < u64::MAX {
                assert_eq!(bucket(upper_edge(index) + 1), index + 1);
            }
        }
    }

    #[test]
    fn many_values_keep_counts_exact_and_quantiles_close() {
        let mut durations = Durations::default();
        for value in 1..=1_000_000u64 {
            durations.add(value * 1000);
        }
        let waits = durations.finish();
        assert_eq!((waits.count, waits.max_ns), (1_000_000, 1_000_000_000));
        assert_eq!(waits.sum_ns, 500_000_500_000_000);
        assert_eq!(waits.over_100ms, 900_000);
        for (got, want) in [(waits.p50_ns, 500_000_000), (waits.p99_ns, 990_000_000)] {
            assert!(got >= want && got <= want + want / 500, "{got} for {want}");
        }
    }

    #[test]
    fn few_values_are_exact() {
        let mut durations = Durations::default();
        [40, 10, 30, 20].into_iter().for_each(|value| durations.add(value));
        let waits = durations.finish();
        assert_eq!((waits.p50_ns, waits.p90_ns, waits.exact_quantiles), (20, 40, true));
    }
}
