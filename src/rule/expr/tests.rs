//! The language on small stores of facts whose answers are worked out by hand.

use std::sync::Arc;

use super::{Ctx, Gap, Out, Scope, Trace, Type, compile};
use crate::facts::schema::keys::{cpu, host, nic, queue};
use crate::facts::{CpuSet, Entity, Facts, Grade, Kind, Missing, Reading, Series, Source, SubjectId, Value};

const S: SubjectId = SubjectId(0);

fn source(artifact: u32, line: u32) -> Source {
    Source { artifact, line }
}

fn put(facts: &mut Facts, def: &'static crate::facts::FactDef, entity: &Entity, value: Value, grade: Grade) {
    facts.put(def, entity, Reading::new(value, grade, [source(1, 1)]));
}

fn series(values: &[f64], artifact: u32) -> Value {
    let at = (0..values.len()).map(|at| at as f64).collect();
    let lines = (10..10 + values.len() as u32).collect();
    Value::Series(Arc::new(Series { at, values: values.to_vec(), artifact, lines, start: None }))
}

/// Four CPUs, the fourth without samples; a NIC with two queues on CPU 0.
fn machine() -> (Facts, Entity) {
    let mut facts = Facts::new();
    for (id, values) in [("0", [0.9, 0.95, 0.2, 0.9]), ("1", [0.1, 0.1, 0.3, 0.1]), ("2", [0.0, 0.0, 0.0, 0.1])] {
        let entity = Entity::new(S, Kind::Cpu, id);
        facts.put(&cpu::SOFT, &entity, Reading::new(series(&values, 7), Grade::Series, [source(7, 10)]));
    }
    let offline = Entity::new(S, Kind::Cpu, "3");
    facts.put_missing(&cpu::SOFT, &offline, Missing::NotApplicable("offline".into()));
    let eth = Entity::new(S, Kind::Nic, "eth0");
    put(&mut facts, &nic::DRIVER, &eth, Value::Text("virtio_net".into()), Grade::State);
    put(&mut facts, &nic::CHANNELS_NOW, &eth, Value::Num(1.0), Grade::State);
    put(&mut facts, &nic::RX_PPS, &eth, Value::Num(20_000.0), Grade::Two);
    put(&mut facts, &nic::IRQ_CPUS, &eth, Value::Cpus(CpuSet::from_ids([0])), Grade::State);
    for (name, share) in [("eth0/0", 0.97), ("eth0/1", 0.03)] {
        put(&mut facts, &queue::RX_SHARE, &Entity::new(S, Kind::Queue, name), Value::Num(share), Grade::Two);
    }
    put(&mut facts, &queue::RX_SHARE, &Entity::new(S, Kind::Queue, "eth1/0"), Value::Num(1.0), Grade::Two);
    put(&mut facts, &host::CPUS_ONLINE, &Entity::host(S), Value::Num(3.0), Grade::State);
    put(&mut facts, &host::KERNEL, &Entity::host(S), Value::Text("5.10.0-35-amd64".into()), Grade::State);
    (facts, eth)
}

fn eval(text: &str) -> Trace {
    let (facts, eth) = machine();
    let code = compile(text, &Scope::new(Kind::Nic), None).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"));
    Ctx::new(&facts, &eth, &[]).run(&code)
}

#[track_caller]
fn is(text: &str, want: Value) {
    let trace = eval(text);
    let got = trace.out.known().map(|known| known.value.clone());
    match (&got, &want) {
        (Some(Value::Num(a)), Value::Num(b)) => assert!((a - b).abs() < 1e-9, "{text}: {a} is not {b}"),
        _ => assert_eq!(got, Some(want), "{text}: {:?}", trace.out),
    }
}

#[track_caller]
fn unknown(text: &str) -> Vec<Gap> {
    match eval(text).out {
        Out::Unknown(gaps) => gaps,
        Out::Known(known) => panic!("{text} is {:?}", known.value),
    }
}

#[test]
fn values_as_worked_out_by_hand() {
    let (yes, no) = (Value::Flag(true), Value::Flag(false));
    is("nic.channels_now = 1 and nic.rx_pps >= 10k/s", yes.clone());
    is("host.cpus_online * 2 - 1", Value::Num(5.0));
    is("nic.driver in [\"ena\", \"virtio_net\"]", yes.clone());
    is("nic.driver not in [\"ena\"]", yes.clone());
    is("contains(nic.irq_cpus, 0) and size(nic.irq_cpus) = 1", yes.clone());
    is("older(host.kernel, \"5.4\")", no.clone());
    is("older(host.kernel, \"5.11\")", yes.clone());
    is("starts_with(nic.name, \"eth\")", yes.clone());
    // CPU 0 holds the maximum at every moment but the third, where CPU 1 has 0.3.
    is("mean(max(cpu, cpu.soft))", Value::Num((0.9 + 0.95 + 0.3 + 0.9) / 4.0));
    is("max(max(cpu, cpu.soft))", Value::Num(0.95));
    is("duty(max(cpu, cpu.soft), above=80%)", Value::Num(0.75));
    is("run(max(cpu, cpu.soft), above=80%)", Value::Num(2.0));
    is("sustained(max(cpu, cpu.soft), above=80%, for=2s)", yes.clone());
    is("sustained(max(cpu, cpu.soft), above=80%, for=3s)", no.clone());
    is("count(cpu, mean(cpu.soft) > 10%)", Value::Num(2.0));
    is("share(cpu, mean(cpu.soft) < 10%)", Value::Num(1.0 / 3.0));
    is("median(cpu, cpu.soft)", Value::Num(0.15));
    // Only this NIC's queues.
    is("max(queue, queue.rx_share)", Value::Num(0.97));
    is("sum(queue, queue.rx_share)", Value::Num(1.0));
    is("count(queue, queue.index >= 0 and queue.rx_share > 1%)", Value::Num(2.0));
    is("max(cpu, cpu.soft, where contains(nic.irq_cpus, cpu.id)) > 70%", yes.clone());
    is("any(cpu, cpu.soft > 10%, where cpu.id = 2)", no);
    is("known(nic.numa_node) or not known(nic.numa_node)", yes);
    is("lesser(nic.channels_now, host.cpus_online) + greater(1, 2)", Value::Num(3.0));
}

#[test]
fn unknown_is_a_value_of_its_own() {
    is("nic.numa_node = 1 and nic.channels_now > 5", Value::Flag(false));
    is("nic.numa_node = 1 or nic.channels_now = 1", Value::Flag(true));
    is("known(nic.numa_node)", Value::Flag(false));
    let gaps = unknown("nic.numa_node = 1 and nic.channels_now = 1");
    assert_eq!((gaps[0].def.path, &gaps[0].why), ("nic.numa_node", &Missing::NotCollected));
    unknown("not (nic.numa_node = 1)");
    // A capture of four seconds cannot deny a run of ten.
    let gaps = unknown("sustained(max(cpu, cpu.soft), above=99%, for=10s)");
    assert_eq!(gaps[0].why, Missing::TooShort);
    // No disk is in the bundle: nothing was collected, which is not "no disk is slow".
    let gaps = unknown("any(disk, disk.await > 10ms)");
    assert_eq!((gaps[0].def.path, &gaps[0].why), ("disk.await", &Missing::NotCollected));
    unknown("max(disk, disk.util) > 10%");
    unknown("count(disk, disk.util > 10%) = 0");
    unknown("host.cpus_online / (nic.channels_now - 1) > 3");
}

#[test]
fn a_maximum_with_unknown_members_is_a_lower_bound() {
    let (mut facts, eth) = machine();
    facts.register(&Entity::new(S, Kind::Cpu, "9"));
    let run = |text: &str| {
        let code = compile(text, &Scope::new(Kind::Nic), Some(Type::Flag)).unwrap();
        Ctx::new(&facts, &eth, &[]).run(&code).out.truth()
    };
    assert_eq!(run("max(cpu, cpu.soft) > 50%"), Some(true));
    assert_eq!(run("max(cpu, cpu.soft) > 99%"), None);
    assert_eq!(run("max(cpu, cpu.soft) < 50%"), Some(false));
    assert_eq!(run("max(cpu, cpu.soft) < 99%"), None);
    assert_eq!(run("count(cpu, cpu.soft > 50%) >= 1"), Some(true));
    assert_eq!(run("count(cpu, cpu.soft > 50%) >= 2"), None);
    assert_eq!(run("any(cpu, cpu.soft > 99%)"), None);
    assert_eq!(run("all(cpu, cpu.soft > 99%)"), Some(false));
    assert_eq!(run("sum(cpu, cpu.soft) > 50%"), None);
    assert_eq!(run("duty(max(cpu, cpu.soft), above=10%) > 50%"), Some(true));
    assert_eq!(run("sustained(max(cpu, cpu.soft), above=99%, for=2s)"), None);
}

#[test]
fn truths_rest_on_the_best_evidence_that_suffices() {
    let (mut facts, eth) = machine();
    put(&mut facts, &nic::RX_NEFF, &eth, Value::Num(1.1), Grade::SinceBoot);
    let grade = |text: &str| {
        let code = compile(text, &Scope::new(Kind::Nic), Some(Type::Flag)).unwrap();
        Ctx::new(&facts, &eth, &[]).run(&code).out.known().map(|known| known.grade)
    };
    assert_eq!(grade("nic.rx_neff < 2"), Some(Grade::SinceBoot));
    assert_eq!(grade("nic.rx_neff < 2 or nic.rx_pps > 1/s"), Some(Grade::Two));
    assert_eq!(grade("nic.rx_neff < 2 and nic.rx_pps > 1/s"), Some(Grade::SinceBoot));
    assert_eq!(grade("nic.rx_neff > 2 and nic.rx_pps < 1/s"), Some(Grade::Two));
}

#[test]
fn sources_lead_to_the_line_that_decides() {
    let trace = eval("max(max(cpu, cpu.soft)) > 90%");
    let known = trace.out.known().unwrap();
    // Second sample, line 11 of artifact 7; CPU 0 has it.
    assert_eq!(known.sources[0], source(7, 11));
    assert_eq!(known.who, Some(Entity::new(S, Kind::Cpu, "0")));
    assert_eq!(known.facts[0].0.path, "cpu.soft");
    assert_eq!(trace.decisive()[0].text.as_ref(), "max(max(cpu, cpu.soft)) > 90%");
}

#[test]
fn mistakes_are_found_before_any_bundle_is_seen() {
    let cases = [
        ("cpu.soft > 70%", "which cpu?"),
        ("nic.rx_nef < 2", "unknown fact `nic.rx_nef`"),
        ("max(cpu, cpu.soft) > 70", "the units do not match"),
        ("nic.rx_pps > 10", "the units do not match"),
        ("nic.driver > \"a\"", "text has no order"),
        ("nic.driver = 3", "these cannot be compared"),
        ("nic.rx_pps >= 0/s", "always true"),
        ("nic.channels_now < 0", "always false"),
        ("3 > 2", "this never depends on a bundle"),
        ("sustained(max(cpu, cpu.soft), above=70%)", "`sustained` is not complete"),
        ("max(nic.rx_pps)", "a series is expected, this is a rate (/s)"),
        ("any(cpus, cpu.soft > 1%)", "`any` goes over entities of a kind"),
        ("nic.channels_now and true", "a condition is expected, this is a plain number"),
        ("soft_floor > 3", "unknown name `soft_floor`"),
        ("maxi(cpu, cpu.soft) > 3%", "unknown function `maxi`"),
        ("contains(nic.irq_cpus, \"0\")", "`contains` does not take these"),
        ("mean(cpu, cpu.soft, cpu.idle) > 3%", "too many arguments for `mean`"),
    ];
    for (text, title) in cases {
        let mistakes = compile(text, &Scope::new(Kind::Nic), Some(Type::Flag)).err().unwrap_or_default();
        let titles: Vec<&str> = mistakes.iter().map(|mistake| mistake.title.as_str()).collect();
        assert!(titles.iter().any(|have| have.contains(title)), "{text}: {titles:?}");
    }
    let two = compile("nic.a > 1 and nic.b > 1", &Scope::new(Kind::Nic), Some(Type::Flag)).unwrap_err();
    assert_eq!(two.len(), 2);
}
