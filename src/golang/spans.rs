//! Stretches of time with a name (a garbage collection, a stop of the world): counted and summed all,
//! listed up to a bound.

/// Spans listed one by one; the sums go on after that.
const LISTED: usize = 4096;

/// From start to end, in nanoseconds of the trace's own clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub start_ns: u64,
    pub end_ns: u64,
    /// Why, where the format says it (a stop of the world has a reason).
    pub reason: String,
}

/// All spans of one kind. One that began before the trace counts from the trace's start, one that did
/// not end counts to the trace's end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    pub count: u64,
    pub total_ns: u64,
    pub max_ns: u64,
    /// The first 4,096.
    pub list: Vec<Span>,
}

#[derive(Default)]
pub(super) struct OpenSpans {
    open: Option<(u64, String)>,
    done: Spans,
}

impl OpenSpans {
    pub fn begin(&mut self, now: u64, reason: String) {
        self.end(now);
        self.open = Some((now, reason));
    }

    pub fn end(&mut self, now: u64) {
        let Some((start_ns, reason)) = self.open.take() else {
            return;
        };
        let length = now.saturating_sub(start_ns);
        self.done.count += 1;
        self.done.total_ns = self.done.total_ns.saturating_add(length);
        self.done.max_ns = self.done.max_ns.max(length);
        if self.done.list.len() < LISTED {
            self.done.list.push(Span { start_ns, end_ns: now, reason });
        }
    }

    pub fn finish(mut self, now: u64) -> Spans {
        self.end(now);
        self.done
    }
}
