//! One row of CPU time as mpstat and sar print it: percentages by column name become shares of the CPU's time.

use super::sysstat::share;
use crate::facts::FactDef;
use crate::facts::schema::keys::{cpu, host};

/// Facts of a CPU or of the host.
pub struct Defs {
    user: &'static FactDef,
    system: &'static FactDef,
    iowait: &'static FactDef,
    irq: Option<&'static FactDef>,
    soft: &'static FactDef,
    steal: &'static FactDef,
    idle: &'static FactDef,
    busy: &'static FactDef,
}

pub static OF_CPU: Defs = Defs {
    user: &cpu::USER,
    system: &cpu::SYSTEM,
    iowait: &cpu::IOWAIT,
    irq: Some(&cpu::IRQ),
    soft: &cpu::SOFT,
    steal: &cpu::STEAL,
    idle: &cpu::IDLE,
    busy: &cpu::BUSY,
};
pub static OF_HOST: Defs = Defs {
    user: &host::USER,
    system: &host::SYSTEM,
    iowait: &host::IOWAIT,
    irq: None,
    soft: &host::SOFT,
    steal: &host::STEAL,
    idle: &host::IDLE,
    busy: &host::BUSY,
};

/// Shares of a row by column name, and whether the row is that of an offline CPU (nothing but zeros). Guest time is counted as user time, as `/proc/stat` does.
pub fn shares(defs: &Defs, get: &dyn Fn(&str) -> Option<f64>) -> (Vec<(&'static FactDef, f64)>, bool) {
    const PARTS: &[&str] =
        &["usr", "user", "nice", "sys", "system", "iowait", "irq", "soft", "steal", "guest", "gnice", "idle"];
    let sum = |names: &[&str]| -> Option<f64> {
        names.iter().filter_map(|name| get(name)).fold(None, |total, value| Some(total.unwrap_or(0.0) + value))
    };
    let offline = sum(PARTS).is_none_or(|all| all == 0.0);
    let idle = get("idle");
    let busy = idle.map(|idle| 100.0 - idle - get("iowait").unwrap_or_default());
    let mut values = Vec::new();
    let wanted = [
        (Some(defs.user), sum(&["usr", "user", "nice", "guest", "gnice"])),
        (Some(defs.system), sum(&["sys", "system"])),
        (Some(defs.iowait), get("iowait")),
        (defs.irq, get("irq")),
        (Some(defs.soft), get("soft")),
        (Some(defs.steal), get("steal")),
        (Some(defs.idle), idle),
        (Some(defs.busy), busy.map(|busy| busy.max(0.0))),
    ];
    for (def, value) in wanted {
        if let (Some(def), Some(value)) = (def, value.and_then(|value| share(value, 101.0))) {
            values.push((def, value.min(1.0)));
        }
    }
    (values, offline)
}
