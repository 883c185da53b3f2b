//! Every pod of the captured scenarios, read from the bundle's archive: the trace numbers of each, and the
//! measures over all pods that follow from their 100 ms bins.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;

use coroner::golang::TraceSummary;
use flate2::read::GzDecoder;
use serde_json::Value;

use crate::inputs::{number, shared, trace};
use crate::trace_versions::{check, close};

pub const SCENARIOS: [&str; 5] = ["a-skewed-consumers", "a3-shuffled-by-backlog", "c-fixed", "d-steady", "e-saturated"];

/// The expectations of a scenario and the files of its pods, by `pod/file`.
pub fn scenario(name: &str) -> Option<(Value, BTreeMap<String, Vec<u8>>)> {
    let folder = shared(&format!("golab/{name}"))?;
    let expected = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(folder.join("bundle.tar.gz")).unwrap()));
    let mut files = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().to_string_lossy().into_owned();
        if let Some(("bundle/pods", rest)) = path.split_at_checked(11).map(|(a, b)| (a, &b[1..]))
            && let Some((pod, file)) = rest.split_once("/pprof/")
        {
            let mut data = Vec::new();
            entry.read_to_end(&mut data).unwrap();
            files.insert(format!("{pod}/{file}"), data);
        }
    }
    Some((expected, files))
}

#[test]
fn every_pod_gives_the_numbers_of_the_go_tools() {
    for name in SCENARIOS {
        let Some((expected, files)) = scenario(name) else {
            return;
        };
        let pods = expected["pods"].as_object().unwrap();
        let mut summaries = Vec::new();
        for (pod, want) in pods {
            let summary = trace(&files[&format!("{pod}/trace.out")]);
            check(&format!("{name} {pod}"), &summary, &want["trace"]);
            summaries.push(summary);
        }
        check_across_pods(name, &summaries, &expected["signals"]);
    }
}

/// Recomputes the signals between pods from the bins, which are aligned to the wall clock.
fn check_across_pods(name: &str, pods: &[TraceSummary], want: &Value) {
    const BIN: i64 = 100_000_000;
    let bins: Vec<_> = pods.iter().map(|pod| &pod.times.as_ref().unwrap().bins).collect();
    let first = |index: usize| bins[index].start_unix_ns.unwrap() / BIN;
    assert!(bins.iter().all(|bins| bins.start_unix_ns.unwrap() % BIN == 0), "{name}: not aligned");
    let from = (0..pods.len()).map(|pod| first(pod) + 1).max().unwrap();
    let to = (0..pods.len()).map(|pod| first(pod) + bins[pod].bins.len() as i64 - 1).min().unwrap();
    assert_eq!(to - from, number(&want["bins_common"]) as i64, "{name}");
    let (mut active, mut starved, mut idle) = (0u64, 0u64, 0f64);
    let (mut busy, mut busy_weight, mut waiting, mut waiting_weight) = (0f64, 0f64, 0f64, 0f64);
    let effective =
        |values: &[f64]| values.iter().sum::<f64>().powi(2) / values.iter().map(|value| value * value).sum::<f64>();
    for bin in from..to {
        let at = |pod: usize| bins[pod].bins[(bin - first(pod)) as usize];
        let run: Vec<_> = (0..pods.len()).map(|pod| at(pod).running_ns as f64).collect();
        let wait: Vec<_> = (0..pods.len()).map(|pod| at(pod).runnable_ns as f64).collect();
        let (total_run, total_wait) = (run.iter().sum::<f64>(), wait.iter().sum::<f64>());
        if total_run > 0.2 * 1e8 {
            active += 1;
            busy += effective(&run) * total_run;
            busy_weight += total_run;
        }
        if total_wait > 0.0 {
            waiting += effective(&wait) * total_wait;
            waiting_weight += total_wait;
        }
        let procs: Vec<_> = pods.iter().map(|pod| pod.gomaxprocs as f64).collect();
        for pod in (0..pods.len()).filter(|&pod| wait[pod] / 1e8 > 2.0 * procs[pod]) {
            starved += 1;
            let others = (0..pods.len()).filter(|&other| other != pod);
            let idle_ones = others.filter(|&o| run[o] / 1e8 / procs[o] < 0.25 && wait[o] / 1e8 < procs[o]).count();
            idle += idle_ones as f64 / (pods.len() - 1) as f64;
        }
    }
    assert_eq!(active, number(&want["bins_active"]), "{name}: active bins");
    assert_eq!(starved, number(&want["starved_pod_bins"]), "{name}: starved bins");
    close(name, "busy pods", busy / busy_weight, &want["effective_busy_pods_time_weighted"], 0.000_51);
    let key = "effective_waiting_pods_time_weighted";
    close(name, key, waiting / waiting_weight, &want[key], 0.000_51);
    if starved > 0 {
        let key = "mean_fraction_of_other_pods_idle_in_starved_bins";
        close(name, key, idle / starved as f64, &want[key], 0.000_51);
    }
}
