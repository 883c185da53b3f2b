//! TCP damage and the number of flows that hashing can spread.

use crate::derive::rate::put_rate;
use crate::facts::schema::keys::family::{SNMP, SOCKSTAT};
use crate::facts::schema::keys::host;
use crate::facts::{Entity, Facts, Grade, Reading, SubjectId, Value};

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let this = Entity::host(subject);
    put_rate(facts, &host::TCP_SEGMENTS, &SNMP, &this, &["Tcp.OutSegs"], 1.0);
    let retrans = facts.change(&SNMP, &this, "Tcp.RetransSegs");
    let sent = facts.change(&SNMP, &this, "Tcp.OutSegs");
    match (retrans, sent) {
        (Ok(retrans), Ok(sent)) if sent.delta > 0.0 => {
            let sources = retrans.sources().into_iter().chain(sent.sources());
            facts.put(
                &host::TCP_RETRANS,
                &this,
                Reading::new(Value::Num(retrans.delta / sent.delta), retrans.grade, sources),
            );
        }
        (Err(why), _) | (_, Err(why)) if why != crate::facts::Missing::NotCollected => {
            facts.put_missing(&host::TCP_RETRANS, &this, why);
        }
        _ => {}
    }
    let sockets: Vec<_> = ["TCP.inuse", "UDP.inuse"]
        .iter()
        .filter_map(|metric| facts.samples(&SOCKSTAT, &this, metric).last().copied())
        .collect();
    if !sockets.is_empty() {
        let value = Value::Num(sockets.iter().map(|sample| sample.value).sum());
        facts.put(&host::FLOWS, &this, Reading::new(value, Grade::State, sockets.iter().map(|sample| sample.source)));
    }
}
