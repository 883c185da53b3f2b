//! Disks from `/proc/diskstats`: rates, await and queue length between two snapshots (kernel iostats documentation).

use crate::derive::rate::{put_rate, rate};
use crate::facts::schema::keys::disk;
use crate::facts::schema::keys::family::DISKSTATS;
use crate::facts::{Change, Entity, FactDef, Facts, Missing, Reading, SubjectId, Value};

/// The kernel counts sectors of 512 bytes whatever the device's own size.
const SECTOR: f64 = 512.0;
const MILLISECOND: f64 = 1e-3;

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    for one in facts.sampled(&DISKSTATS, subject) {
        let rates: &[(&'static FactDef, &[&str], f64)] = &[
            (&disk::IOPS, &["reads", "writes", "discards", "flushes"], 1.0),
            (&disk::READ_IOPS, &["reads"], 1.0),
            (&disk::WRITE_IOPS, &["writes"], 1.0),
            (&disk::READ_BPS, &["read_sectors"], SECTOR),
            (&disk::WRITE_BPS, &["write_sectors"], SECTOR),
            (&disk::AQU_SZ, &["weighted_ms"], MILLISECOND),
            (&disk::UTIL, &["io_ms"], MILLISECOND),
        ];
        for (def, metrics, factor) in rates {
            put_rate(facts, def, &DISKSTATS, &one, metrics, *factor);
        }
        mean_time(facts, &disk::READ_AWAIT, &one, &["read_ms"], &["reads"]);
        mean_time(facts, &disk::WRITE_AWAIT, &one, &["write_ms"], &["writes"]);
        mean_time(facts, &disk::AWAIT, &one, &["read_ms", "write_ms", "discard_ms"], &["reads", "writes", "discards"]);
    }
}

/// Time per request; unknown when no request completed (a hung disk has no await, not a good one).
fn mean_time(facts: &mut Facts, def: &'static FactDef, one: &Entity, times: &[&str], counts: &[&str]) {
    let sum =
        |metrics: &[&str]| -> Result<Change, Missing> { facts.change_sum(&DISKSTATS, one, metrics.iter().copied()) };
    let result = sum(times).and_then(|time| Ok((time, sum(counts)?)));
    match result {
        Ok((time, count)) if count.delta > 0.0 => {
            let value = time.delta * MILLISECOND / count.delta;
            facts.put(def, one, Reading::new(Value::Num(value), time.grade, time.sources()));
        }
        Ok(_) => facts.put_missing(def, one, Missing::NotApplicable("no request completed in the window".into())),
        Err(Missing::TooShort) => {
            let pair = rate(facts, &DISKSTATS, one, times, MILLISECOND)
                .and_then(|time| Ok((time, rate(facts, &DISKSTATS, one, counts, 1.0)?)));
            if let Ok((time, count)) = pair
                && let (Some(t), Some(n)) = (time.number(), count.number())
                && n > 0.0
            {
                facts.put(def, one, Reading::new(Value::Num(t / n), time.grade, time.sources.iter().copied()));
            }
        }
        Err(_) => {}
    }
}
