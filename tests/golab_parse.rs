//! Captures of Go workers on a RabbitMQ queue: what the broker's files and the metrics say, against the numbers that
//! independent tools took from them (`expected.json` of each scenario).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use coroner::bundle::{Input, Limits};
use coroner::facts::schema::keys::{channel, connection, consumer, family, pod};
use coroner::facts::{Entity, Facts, Kind, SubjectId};
use coroner::parse::run::{Loaded, load};
use serde_json::Value as Json;

const SCENARIOS: &[&str] = &["a-skewed-consumers", "a3-shuffled-by-backlog", "c-fixed", "d-steady", "e-saturated"];

fn scenarios() -> Vec<(Loaded, Json)> {
    let shared = std::env::var_os("CORONER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let folder = shared.join("golab");
    if !folder.is_dir() {
        eprintln!("skipped: no {}", folder.display());
        return Vec::new();
    }
    let one = |name: &&str| {
        let bundle = folder.join(name).join("bundle.tar.gz");
        let want = std::fs::read(folder.join(name).join("expected.json")).unwrap();
        (load(&Input::Paths(vec![bundle]), &Limits::default(), None).unwrap(), serde_json::from_slice(&want).unwrap())
    };
    SCENARIOS.iter().map(one).collect()
}

/// Addresses of the pods, from the capture's list of them.
fn pods(facts: &Facts) -> BTreeMap<String, String> {
    let named = |one: &Entity| Some((facts.text(&pod::IP, one)?.to_owned(), one.name.to_string()));
    facts.all_entities(Kind::Pod).filter_map(named).collect()
}

/// Pod of each consumer, in the queue's order: consumer -> channel -> connection -> address -> pod.
fn consumers(facts: &Facts) -> Vec<String> {
    let pods = pods(facts);
    let by = |def, kind| -> BTreeMap<String, Entity> {
        facts.all_entities(kind).filter_map(|one| Some((facts.text(def, one)?.to_owned(), one.clone()))).collect()
    };
    let channels = by(&channel::PID, Kind::Channel);
    let connections = by(&connection::PID, Kind::Connection);
    let mut list: Vec<(f64, String)> = facts
        .all_entities(Kind::Consumer)
        .filter_map(|one| {
            let place = facts.number(&consumer::ORDINAL, one)?;
            let channel = channels.get(facts.text(&consumer::CHANNEL, one)?)?;
            let connection = connections.get(facts.text(&channel::CONNECTION_PID, channel)?)?;
            Some((place, pods.get(facts.text(&connection::PEER, connection)?)?.clone()))
        })
        .collect();
    list.sort_by(|a, b| a.0.total_cmp(&b.0));
    list.into_iter().map(|(_, pod)| pod).collect()
}

fn count(list: &[String]) -> BTreeMap<String, f64> {
    let mut count = BTreeMap::new();
    for pod in list {
        *count.entry(pod.clone()).or_insert(0.0) += 1.0;
    }
    count
}

fn numbers(json: &Json) -> BTreeMap<String, f64> {
    json.as_object().unwrap().iter().map(|(key, value)| (key.clone(), value.as_f64().unwrap())).collect()
}

fn consumers_keep_their_order_and_find_their_pods(scenarios: &[(Loaded, Json)]) {
    for ((loaded, want), name) in scenarios.iter().zip(SCENARIOS) {
        let list = consumers(&loaded.facts);
        assert_eq!(count(&list), numbers(&want["rabbitmq"]["consumers_per_pod"]), "{name}");
        let runs = 1 + list.windows(2).filter(|pair| pair[0] != pair[1]).count();
        if *name == "a-skewed-consumers" {
            assert_eq!((list.len(), runs), (500, 5), "pods registered one after another stay neighbours");
        }
    }
}

fn deliveries_per_pod_at_both_snapshots(scenarios: &[(Loaded, Json)]) {
    for ((loaded, want), name) in scenarios.iter().zip(SCENARIOS) {
        let facts = &loaded.facts;
        let pods = pods(facts);
        for snap in 0..2u8 {
            let mut sums: BTreeMap<String, f64> = pods.values().map(|pod| (pod.clone(), 0.0)).collect();
            for one in facts.all_entities(Kind::Channel) {
                let Some(pod) = facts.text(&channel::PEER, one).and_then(|peer| pods.get(peer)) else { continue };
                let samples = facts.samples(&family::CHANNEL_STATS, one, "deliver");
                *sums.get_mut(pod).unwrap() += samples.iter().find(|s| s.snap == Some(snap)).map_or(0.0, |s| s.value);
            }
            let want = numbers(&want["rabbitmq"]["api_deliver_total_per_pod"][format!("t{snap}")]);
            assert_eq!(sums, want, "{name} t{snap}");
        }
    }
}

fn go_metrics_change_as_the_independent_reader_says(scenarios: &[(Loaded, Json)]) {
    for ((loaded, want), name) in scenarios.iter().zip(SCENARIOS) {
        for (at, subject) in loaded.subjects.iter().enumerate().filter(|(_, one)| one.pod.is_some()) {
            let pod = subject.pod.as_deref().unwrap();
            let delta = &want["pods"][pod]["metrics_delta"];
            let process = Entity::new(SubjectId(at as u16), Kind::Go, pod);
            let change = |metric: &str| loaded.facts.change(&family::PROM, &process, metric).unwrap();
            let waits = change("go_sched_latencies_seconds_count");
            assert_eq!(Some(waits.delta), delta["sched_latency_count"].as_f64(), "{name} {pod}");
            let below = change("go_sched_latencies_seconds_bucket{le=\"0.010485759999999998\"}").delta;
            assert_eq!(Some(waits.delta - below), delta["sched_latency_count_gt_10.5ms"].as_f64(), "{name} {pod}");
            let cpu = change("process_cpu_seconds_total").delta;
            assert!((cpu - delta["cpu_seconds"].as_f64().unwrap()).abs() < 0.006, "{name} {pod} {cpu}");
            let seconds = delta["seconds"].as_f64().unwrap();
            assert!((waits.dt.unwrap() - seconds).abs() < 0.05, "{name} {pod}: {:?} for {seconds} s", waits.dt);
        }
    }
}

/// The bundles are read once for all three.
#[test]
fn broker_files_and_metrics_give_the_numbers_of_independent_readers() {
    let scenarios = scenarios();
    consumers_keep_their_order_and_find_their_pods(&scenarios);
    deliveries_per_pod_at_both_snapshots(&scenarios);
    go_metrics_change_as_the_independent_reader_says(&scenarios);
}
