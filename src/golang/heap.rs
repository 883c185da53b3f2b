//! A binary min-heap by time whose equal elements come out in the same order as from the heaps of Go's
//! own readers, so that events with equal time stamps are put in the same order as there.

pub(super) struct Heap<T>(Vec<(u64, T)>);

impl<T> Heap<T> {
    pub fn new() -> Self {
        Heap(Vec::new())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn time(&self, at: usize) -> Option<u64> {
        self.0.get(at).map(|(time, _)| *time)
    }

    pub fn get(&self, at: usize) -> Option<&T> {
        self.0.get(at).map(|(_, item)| item)
    }

    pub fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.0.get_mut(at).map(|(_, item)| item)
    }

    pub fn insert(&mut self, time: u64, item: T) {
        self.0.push((time, item));
        self.up(self.0.len() - 1);
    }

    /// Gives the element at `at` another time.
    pub fn update(&mut self, at: usize, time: u64) {
        if let Some((old, _)) = self.0.get_mut(at) {
            *old = time;
        }
        if self.up(at) == at {
            self.down(at);
        }
    }

    pub fn remove(&mut self, mut at: usize) -> Option<T> {
        if at >= self.0.len() {
            return None;
        }
        while at > 0 {
            self.0.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
        let (_, item) = self.0.swap_remove(0);
        self.down(0);
        Some(item)
    }

    /// Makes positions follow time; the result is a heap still.
    pub fn sort(&mut self) {
        self.0.sort_by_key(|(time, _)| *time);
    }

    fn up(&mut self, mut at: usize) -> usize {
        while at > 0 && self.time((at - 1) / 2) > self.time(at) {
            self.0.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
        at
    }

    fn down(&mut self, mut at: usize) {
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if let (Some(time), Some(so_far)) = (self.time(child), self.time(least))
                    && time < so_far
                {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.0.swap(at, least);
            at = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Heap;

    #[test]
    fn elements_come_out_by_time() {
        let mut heap = Heap::new();
        let times = [50, 20, 90, 10, 70, 20, 60];
        times.iter().enumerate().for_each(|(item, &time)| heap.insert(time, item));
        heap.update(0, 80);
        let order: Vec<_> = std::iter::from_fn(|| heap.remove(0)).collect();
        assert_eq!(order.iter().map(|&item| times[item]).collect::<Vec<_>>(), [20, 20, 50, 60, 70, 10, 90]);
    }
}
