//! How many goroutines were runnable and running, and how many processors busy, integrated over
//! time: in bins of 100 ms, and as time spent at each number of runnable goroutines.

use super::wire::to_u64;

pub(super) const BIN_NS: u64 = 100_000_000;
/// An hour and forty minutes of bins; a trace is seconds long.
const MAX_BINS: usize = 60_000;
/// Above this many runnable goroutines the time is counted together.
const MAX_LEVEL: usize = 1 << 16;

/// One bin. Times are nanoseconds of goroutine or processor time, so they can exceed the width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    pub running_ns: u64,
    pub runnable_ns: u64,
    pub proc_busy_ns: u64,
    pub max_runnable: u64,
}

/// Bins of 100 ms, from the first event on. With a wall clock in the trace their edges lie on whole
/// multiples of 100 ms of Unix time, so the bins of several processes are the same; the first and the
/// last bin are then covered only in part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bins {
    pub width_ns: u64,
    /// Unix time of the start of the first bin in nanoseconds; `None` without a wall clock.
    pub start_unix_ns: Option<i64>,
    /// How far into the first bin the trace begins.
    pub lead_ns: u64,
    pub bins: Vec<Bin>,
}

#[derive(Default)]
pub(super) struct Levels {
    pub runnable: u64,
    pub running: u64,
    pub procs: u64,
    pub max_running: u64,
    first: u64,
    last: u64,
    lead: u64,
    bins: Vec<Bin>,
    at_level: Vec<u64>,
    pub overflowed: bool,
}

impl Levels {
    /// `lead` is how far into its first bin the time `first` lies.
    pub fn start(&mut self, first: u64, lead: u64) {
        (self.first, self.last, self.lead) = (first, first, lead);
    }

    /// Accounts for the time up to `now` at the present levels. To be called before a level changes.
    pub fn advance(&mut self, now: u64) {
        let Some(elapsed) = now.checked_sub(self.last).filter(|&ns| ns > 0) else {
            return;
        };
        let level = usize::try_from(self.runnable).unwrap_or(MAX_LEVEL).min(MAX_LEVEL);
        if self.at_level.len() <= level {
            self.at_level.resize(level + 1, 0);
        }
        if let Some(ns) = self.at_level.get_mut(level) {
            *ns = ns.saturating_add(elapsed);
        }
        let end = (now - self.first).saturating_add(self.lead);
        let mut from = (self.last - self.first).saturating_add(self.lead);
        self.last = now;
        while from < end {
            let edge = (from / BIN_NS + 1).saturating_mul(BIN_NS).min(end);
            let (runnable, running, procs) = (self.runnable, self.running, self.procs);
            let width = edge - from;
            let Some(bin) = self.bin(from) else { return };
            bin.running_ns = bin.running_ns.saturating_add(running.saturating_mul(width));
            bin.runnable_ns = bin.runnable_ns.saturating_add(runnable.saturating_mul(width));
            bin.proc_busy_ns = bin.proc_busy_ns.saturating_add(procs.saturating_mul(width));
            bin.max_runnable = bin.max_runnable.max(runnable);
            from = edge;
        }
    }

    /// Notes a level that was reached at this moment, even if only for this moment.
    pub fn reached(&mut self, now: u64) {
        self.max_running = self.max_running.max(self.running);
        let runnable = self.runnable;
        let at = now.saturating_sub(self.first).saturating_add(self.lead);
        if let Some(bin) = self.bin(at) {
            bin.max_runnable = bin.max_runnable.max(runnable);
        }
    }

    fn bin(&mut self, at: u64) -> Option<&mut Bin> {
        let index = usize::try_from(at / BIN_NS).unwrap_or(usize::MAX);
        if index >= MAX_BINS {
            self.overflowed = true;
            return None;
        }
        if self.bins.len() <= index {
            self.bins.resize(index + 1, Bin::default());
        }
        self.bins.get_mut(index)
    }

    /// Time with more than `level` goroutines runnable; levels above 65,536 count as 65,536.
    pub fn time_above(&self, level: u64) -> u64 {
        let above = usize::try_from(level).unwrap_or(MAX_LEVEL).saturating_add(1);
        self.at_level.iter().skip(above).sum()
    }

    pub fn lead(&self) -> u64 {
        self.lead
    }

    pub fn finish(self, start_unix_ns: Option<i64>) -> Bins {
        Bins { width_ns: BIN_NS, start_unix_ns, lead_ns: self.lead, bins: self.bins }
    }
}

impl Bins {
    /// The nanoseconds of the bin at `index` that a trace of this duration covers; the first and last
    /// bin are covered in part.
    pub fn covered_ns(&self, index: usize, duration_ns: u64) -> u64 {
        let start = to_u64(index).saturating_mul(self.width_ns);
        let end = start.saturating_add(self.width_ns).min(duration_ns.saturating_add(self.lead_ns));
        end.saturating_sub(start.max(self.lead_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_spread_over_the_bins_it_spans() {
        let mut levels = Levels::default();
        levels.start(1_000, 50_000_000);
        levels.runnable = 3;
        levels.reached(1_000);
        levels.advance(1_000 + 160_000_000);
        levels.runnable = 0;
        levels.advance(1_000 + 170_000_000);
        assert_eq!((levels.time_above(2), levels.time_above(3)), (160_000_000, 0));
        let bins = levels.finish(None);
        let waits: Vec<_> = bins.bins.iter().map(|bin| bin.runnable_ns).collect();
        assert_eq!(waits, [150_000_000, 300_000_000, 30_000_000]);
        assert_eq!(bins.covered_ns(0, 170_000_000), 50_000_000);
        assert_eq!(bins.covered_ns(2, 170_000_000), 20_000_000);
    }
}
