//! Fragmentation: the largest free blocks that are left, and the size of the block that the kernel could not get.

use crate::derive::memory::PAGE;
use crate::facts::schema::keys::family::BUDDY;
use crate::facts::schema::keys::{log, memory};
use crate::facts::{Entity, Facts, Grade, Reading, Source, SubjectId, Value};

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let this = Entity::host(subject);
    blocks(facts, &this);
    failure(facts, &this);
}

/// Over all zones but DMA, which is kept for old devices. Per-type rows (`Normal.Movable.3`) would count twice.
fn blocks(facts: &mut Facts, this: &Entity) {
    let page = facts.number(&memory::PAGE_SIZE, this).unwrap_or(PAGE);
    let (mut largest, mut bytes, mut seen, mut snaps) = (None::<(i32, Source)>, 0.0, None::<Source>, 0);
    for node in facts.sampled(&BUDDY, this.subject) {
        let Some(metrics) = facts.metrics(&BUDDY, &node) else { continue };
        for (name, samples) in metrics {
            let Some((zone, order)) = name.split_once('.') else { continue };
            let (Ok(order), Some(last)) = (order.parse::<i32>(), samples.last()) else { continue };
            if matches!(zone, "DMA" | "Device") {
                continue;
            }
            seen.get_or_insert(last.source);
            snaps = snaps.max(samples.len());
            bytes += last.value * 2f64.powi(order) * page;
            // A block in either snapshot is a block that can be had.
            let any = samples.iter().find(|sample| sample.value > 0.0);
            if let Some(sample) = any
                && largest.is_none_or(|(have, _)| order > have)
            {
                largest = Some((order, sample.source));
            }
        }
    }
    let Some(first) = seen else { return };
    let grade = if snaps > 1 { Grade::Two } else { Grade::Once };
    let (order, source) = largest.unwrap_or((0, first));
    facts.put(&memory::FREE_ORDER, this, Reading::new(Value::Num(f64::from(order)), grade, [source]));
    facts.put(&memory::BLOCKS_FREE, this, Reading::new(Value::Num(bytes), grade, [source]));
}

/// `runc:[1:CHILD]: page allocation failure: order:6, mode:0x10c0d0`.
fn failure(facts: &mut Facts, this: &Entity) {
    let Ok(reading) = facts.get(&log::PAGE_ALLOC_LINE, this).cloned() else { return };
    let Value::Text(line) = &reading.value else { return };
    let Some((head, tail)) = line.split_once(": page allocation failure") else { return };
    let sources = || reading.sources.iter().copied();
    let order = tail.split_once("order:").map(|(_, rest)| rest.trim_start());
    let digits = order.map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default());
    if let Some(order) = digits.and_then(|digits| digits.parse::<f64>().ok()) {
        facts.put(&memory::ALLOC_FAIL_ORDER, this, Reading::new(Value::Num(order), Grade::State, sources()));
    }
    let task = head.rsplit(' ').next().unwrap_or(head).trim();
    if !task.is_empty() {
        facts.put(&memory::ALLOC_FAIL_TASK, this, Reading::new(Value::Text(task.into()), Grade::State, sources()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::store::Sample;
    use crate::facts::{Kind, Missing};

    #[test]
    fn largest_block_and_the_order_that_failed() {
        let mut facts = Facts::new();
        let id = SubjectId(0);
        let this = Entity::host(id);
        let node = Entity::new(id, Kind::Node, "0");
        for (metric, count) in [("DMA.10", 3.0), ("Normal.0", 8.0), ("Normal.2", 5.0), ("Normal.3", 0.0)] {
            let sample = Sample { value: count, snap: None, at: None, source: Source { artifact: 0, line: 1 } };
            facts.add_sample(&BUDDY, &node, metric, sample);
        }
        let line = "[ 12.5] kworker/u8:2: page allocation failure: order:4, mode:0x40c0(GFP_KERNEL)";
        facts.put(&log::PAGE_ALLOC_LINE, &this, Reading::new(Value::Text(line.into()), Grade::State, []));
        derive(&mut facts, id);
        assert_eq!(facts.number(&memory::FREE_ORDER, &this), Some(2.0));
        // 8 pages and 5 blocks of 4 pages.
        assert_eq!(facts.number(&memory::BLOCKS_FREE, &this), Some(28.0 * PAGE));
        assert_eq!(facts.number(&memory::ALLOC_FAIL_ORDER, &this), Some(4.0));
        assert_eq!(facts.text(&memory::ALLOC_FAIL_TASK, &this), Some("kworker/u8:2"));
        let none = Facts::new();
        assert_eq!(none.get(&memory::FREE_ORDER, &this), Err(Missing::NotCollected));
    }
}
