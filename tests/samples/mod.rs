//! Report models written by hand, for the renderers' tests and the browser test's sample pages. Numbers are
//! made up to look like an incident; nothing here is a measurement.
#![allow(dead_code, reason = "each user of this file needs only some of the models")]

pub mod hostile;
pub mod rich;

use coroner::report::model::*;
use serde_json::Value;

pub fn named() -> Vec<(&'static str, Model)> {
    vec![
        ("rich", rich::model()),
        ("huge", huge()),
        ("empty", empty()),
        ("pods", pods()),
        ("hostile", hostile::model()),
        ("redacted", redacted()),
    ]
}

pub fn quote(path: &str, line: u32, text: &str) -> Quote {
    Quote { path: path.into(), line, quote: text.into(), ..Quote::default() }
}

pub fn context(mut quote: Quote, before: &[(u32, &str)], after: &[(u32, &str)]) -> Quote {
    let lines =
        |of: &[(u32, &str)]| of.iter().map(|(line, text)| ContextLine { line: *line, text: (*text).into() }).collect();
    quote.before = lines(before);
    quote.after = lines(after);
    quote
}

pub fn evidence(role: &'static str, says: &str, holds: Option<bool>) -> Evidence {
    Evidence {
        says: says.into(),
        role,
        expression: String::new(),
        holds,
        fact: None,
        value: Value::Null,
        shown: String::new(),
        unit: None,
        op: None,
        threshold: Value::Null,
        threshold_shown: String::new(),
        grade: None,
        sources: vec![],
    }
}

pub fn finding(rule: &str, title: &str, verdict: Verdict, severity: &str, host: &str) -> Finding {
    Finding {
        rule: rule.into(),
        variant: None,
        verdict,
        severity: severity.into(),
        confidence: match verdict {
            Verdict::Confirmed => 0.9,
            Verdict::Likely => 0.7,
            Verdict::Possible => 0.4,
        },
        subject: SubjectName { host: host.into(), pod: None },
        entity: EntityName { kind: "host".into(), name: host.into() },
        title: title.into(),
        window: None,
        explained_by: None,
        explains: vec![],
        story: String::new(),
        evidence: vec![],
        charts: vec![],
        rule_out: String::new(),
        fix_now: String::new(),
        fix_for_good: String::new(),
        verify: String::new(),
        references: vec![],
        limits: vec![],
    }
}

/// A bundle in which nothing was found and nothing could be told.
pub fn empty() -> Model {
    Model {
        schema: SCHEMA,
        tool: Tool { name: "coroner", version: "0.1.0", catalogue_sha256: "c0".repeat(32) },
        bundle: Bundle {
            name: "empty.zip".into(),
            sha256: "b0".repeat(32),
            kind: "single".into(),
            subjects: vec![],
            window: None,
            complete: true,
            notes: vec![],
        },
        summary: String::new(),
        coverage: Coverage { rules: 58, cannot_tell: 0, not_indicated: 58, ..Coverage::default() },
        findings: vec![],
        cannot_tell: vec![],
        ruled_out: vec![],
        not_indicated: vec![],
        inventory: vec![],
    }
}

/// 480 CPUs, 512 samples, 480 queues, thousands of files and lines.
pub fn huge() -> Model {
    let mut model = rich::model();
    model.bundle.name = "db-480.tar.zst".into();
    let cpus: Vec<String> = (0..480).map(|cpu| format!("CPU {cpu}")).collect();
    let at: Vec<f64> = (0..512).map(f64::from).collect();
    let noise = |cpu: usize, sample: usize| ((cpu * 7919 + sample * 104_729) % 997) as f64 / 997.0;
    let mut values: Vec<Vec<Option<f64>>> =
        (0..480).map(|cpu| (0..512).map(|sample| Some(noise(cpu, sample) * 0.4)).collect()).collect();
    values[311].iter_mut().for_each(|value| *value = Some(0.98));
    values[17][400] = Some(1.0);
    let base = model.findings[0].charts[0].clone();
    let heat = |id: &str| Chart {
        id: id.into(),
        body: ChartBody::Heat { rows: cpus.clone(), at: at.clone(), values: values.clone() },
        held: Some((100.0, 300.0)),
        ..base.clone()
    };
    let bars = (0..480)
        .map(|queue| Bar {
            label: format!("rx-{queue}"),
            value: if queue == 311 { 91_000.0 } else { f64::from(queue % 13) * 40.0 },
            note: format!("CPU {queue}"),
            marked: queue == 311,
        })
        .collect();
    let lines = (0..40)
        .map(|line| Line {
            label: format!("nvme{line}n1"),
            values: (0..512).map(|at| Some(noise(line, at) * 0.01 + line as f64 * 1e-4)).collect(),
        })
        .collect();
    let nodes: Vec<String> = (0..24).map(|node| format!("node {node}")).collect();
    let finding = &mut model.findings[0];
    finding.charts = vec![
        heat("soft"),
        heat("irq"),
        Chart {
            id: "queues".into(),
            unit: "per_second",
            limit: None,
            held: None,
            body: ChartBody::Bars { bars },
            ..base.clone()
        },
        Chart {
            id: "disks".into(),
            unit: "seconds",
            limit: Some((0.008, "8 ms objective".into())),
            body: ChartBody::Lines { at: at.clone(), lines },
            ..base.clone()
        },
        Chart {
            id: "numa".into(),
            unit: "count",
            limit: None,
            held: None,
            body: ChartBody::Matrix {
                rows: nodes.clone(),
                columns: nodes,
                values: (0..24)
                    .map(|a: i32| (0..24).map(|b: i32| Some(f64::from(10 + (a - b).abs()))).collect())
                    .collect(),
            },
            ..base
        },
    ];
    let sources = (0..400).map(|line| {
        quote(
            "cmd/mpstat_-P_ALL_1_512.txt",
            4 + line * 482,
            "10:00:01  311  0.00  0.00  1.40  0.00  0.00  98.00  0.00  0.60",
        )
    });
    finding.evidence[0].sources = sources.collect();
    model.inventory = (0..9_000)
        .map(|file| Inventory {
            path: format!("t0/proc/irq/{file}/smp_affinity_list"),
            size: 12,
            kind: (file % 3 > 0).then(|| "irq-affinity".to_owned()),
            facts: 1,
        })
        .collect();
    model
}

/// Three pods on two hosts, one cause a pod.
pub fn pods() -> Model {
    let mut model = rich::model();
    model.bundle.name = "payments-pods.zip".into();
    let pod = |host: &str, pod: &str| SubjectName { host: host.into(), pod: Some(pod.into()) };
    let places = [pod("node-a", "payments-7f9c-x2l"), pod("node-a", "payments-7f9c-q8z"), pod("node-b", "ledger-0")];
    model.bundle.subjects = places
        .iter()
        .map(|place| Subject {
            host: place.host.clone(),
            pod: place.pod.clone(),
            header: model.bundle.subjects[0].header.clone(),
        })
        .collect();
    model.findings = places
        .iter()
        .enumerate()
        .map(|(index, place)| {
            let mut finding = finding(
                "cfs-throttling",
                &format!("{} waits for its CPU quota", place.pod.as_deref().unwrap_or("")),
                Verdict::Likely,
                "P2",
                &place.host,
            );
            finding.subject = place.clone();
            finding.entity = EntityName { kind: "cgroup".into(), name: format!("/kubepods/pod{index}") };
            finding.story =
                "The pod used up its quota in **7 of 10** periods and was stopped for the rest of each.".into();
            let mut row = evidence("when", "periods were throttled", Some(true));
            row.value = 0.71.into();
            row.shown = "71 %".into();
            row.op = Some(">=");
            row.threshold_shown = "20 %".into();
            row.sources = vec![quote(&format!("pods/{index}/cpu.stat"), 5, "nr_throttled 2130")];
            finding.evidence = vec![row];
            finding
        })
        .collect();
    let mut symptom = model.findings[1].clone();
    symptom.rule = "cpu-pressure".into();
    symptom.title = "Tasks wait for a CPU".into();
    symptom.explained_by = Some("cfs-throttling".into());
    model.findings.push(symptom);
    model.summary = "Three pods wait for their CPU quota. Likely, on two hosts.".into();
    model
}

pub fn redacted() -> Model {
    let mut model = rich::model();
    coroner::report::redact::redact(&mut model, &["Contoso".to_owned()]);
    model
}
