//! Names of paths: the only place that knows how bundles lay out their files.
//!
//! A path becomes a [`Place`]: which root (host, pod, state) it belongs to, which snapshot, and what the
//! rest says the file is. Content decides in the end; a place only narrows the choice and names devices.

use std::collections::BTreeSet;

/// What a path says about its file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Place {
    /// Folder that holds one host's, pod's or state's files; empty for the top of the bundle.
    pub root: String,
    /// True when the path itself proves that `root` is a host root (it has `proc/`, `cmd/`, `t0/` ... below).
    pub strong: bool,
    /// Name of the pod, when the root is one.
    pub pod: Option<String>,
    /// 0 for the first snapshot (`t0/`, `snap/A`, `.t0.txt`), 1 for the second ...
    pub snap: Option<u8>,
    /// Path below root and snapshot: `proc/net/softnet_stat`, `cmd/ethtool_-S_eth0.txt`.
    pub rel: String,
    /// `rel` without folders of commands, suffix and separators: `proc net softnet_stat`, `ethtool -S eth0`.
    pub key: String,
}

/// Folders whose files are named after commands.
const COMMAND_DIRS: &[&str] =
    &["cmd", "cmds", "command", "commands", "sos_commands", "insights_commands", "host-collectors"];
/// Folders of our own layout that mark a root.
const MARKERS: &[&str] = &["irq", "series", "cloud", "logs", "rabbitmq", "sys_block", "k8s"];
/// Snapshot folder names, in order.
const SNAPS: &[(&str, u8)] = &[
    ("t0", 0),
    ("t1", 1),
    ("t2", 2),
    ("t3", 3),
    ("T0", 0),
    ("T1", 1),
    ("snap0", 0),
    ("snap1", 1),
    ("snapshot0", 0),
    ("snapshot1", 1),
    ("A", 0),
    ("B", 1),
    ("first", 0),
    ("second", 1),
];
/// File name suffixes that say nothing.
const SUFFIXES: &[&str] = &[".txt", ".out", ".log", ".json", ".xml", ".csv", ".dump", ".stdout"];

/// Reads a path of a bundle.
pub fn place(path: &str) -> Place {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let mut place = Place::default();
    let (folders, file) = match parts.split_last() {
        Some((file, folders)) => (folders, *file),
        None => return place,
    };

    let mut root_end = None;
    let mut rel_start = None;
    let mut below = None;
    let mut at = 0;
    while let Some(part) = folders.get(at).copied() {
        let next = folders.get(at + 1).copied();
        if part == "pods" && next.is_some() {
            place.pod = next.map(str::to_owned);
            root_end = Some(at + 2);
            place.strong = true;
            at += 2;
            below = Some(at);
            continue;
        }
        let snap = snapshot(part);
        if part == "snap" || part == "snaps" || part == "snapshots" {
            if let Some(number) = next.and_then(snapshot) {
                place.snap = Some(number);
                root_end = root_end.or(Some(at));
                place.strong = true;
                at += 2;
                below = Some(at);
                continue;
            }
        } else if let Some(number) = snap
            && part.len() > 1
        {
            place.snap = Some(number);
            if place.pod.is_none() {
                root_end = Some(at);
            }
            place.strong = true;
            at += 1;
            below = Some(at);
            continue;
        }
        let anchor = part == "proc" || part == "sys" || COMMAND_DIRS.contains(&part) || MARKERS.contains(&part);
        if anchor {
            if place.pod.is_none() && place.snap.is_none() {
                root_end = Some(at);
            }
            place.strong = true;
            rel_start = Some(at);
            break;
        }
        at += 1;
    }
    let root_end = root_end.unwrap_or(folders.len());
    let rel_start = rel_start.or(below).unwrap_or(folders.len());
    place.root = folders.get(..root_end).unwrap_or_default().join("/");

    let (file, infix) = snapshot_infix(file);
    if place.snap.is_none() {
        place.snap = infix;
    }
    let below = folders.get(rel_start..).unwrap_or_default();
    place.rel = below.iter().copied().chain([file.as_str()]).collect::<Vec<_>>().join("/");
    place.key = key(below, &file);
    place
}

fn snapshot(part: &str) -> Option<u8> {
    SNAPS.iter().find(|(name, _)| *name == part).map(|(_, number)| *number)
}

/// `cpu.stat.t0.txt` is `cpu.stat.txt` of snapshot 0; so are `cpu_stat_t0.txt` and `t0_cpu.stat`.
fn snapshot_infix(file: &str) -> (String, Option<u8>) {
    for (name, number) in SNAPS.iter().filter(|(name, _)| name.len() == 2 && name.starts_with('t')) {
        for separator in ['.', '_', '-'] {
            let inner = format!("{separator}{name}.");
            if let Some((before, after)) = file.split_once(&inner) {
                return (format!("{before}.{after}"), Some(*number));
            }
            if let Some(before) = file.strip_suffix(&format!("{separator}{name}")) {
                return (before.to_owned(), Some(*number));
            }
            if let Some(after) = file.strip_prefix(&format!("{name}{separator}")) {
                return (after.to_owned(), Some(*number));
            }
        }
    }
    (file.to_owned(), None)
}

/// Words of a name, without the folder of commands, with `proc`/`sys` paths kept whole.
fn key(folders: &[&str], file: &str) -> String {
    let mut stem = file;
    for suffix in SUFFIXES {
        if let Some(short) = stem.strip_suffix(suffix) {
            stem = short;
            break;
        }
    }
    let first = folders.first().copied().unwrap_or_default();
    let mut words: Vec<&str> = Vec::new();
    if !COMMAND_DIRS.contains(&first) {
        words.extend(folders);
        words.push(if first == "proc" || first == "sys" { file } else { stem });
        return words.join(" ");
    }
    let text = stem.strip_prefix("cat_").unwrap_or(stem);
    let text = text.trim_start_matches(['.', '_']);
    if text.starts_with("proc.") || text.starts_with("sys.") {
        return text.replace('.', " ");
    }
    text.replace('_', " ")
}

/// The key with every separator turned into one blank, for comparison of names.
pub fn flat(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let c = if matches!(c, '/' | '_' | ' ') { ' ' } else { c };
        if c != ' ' || !out.ends_with(' ') {
            out.push(c);
        }
    }
    out
}

/// Decides which roots are subjects of their own. Roots that no path proves belong to the nearest proven
/// root above them, or to the one below when it is alone (a paste beside the only host's folder).
pub fn subjects<'a>(places: impl Iterator<Item = &'a Place>) -> BTreeSet<String> {
    let mut roots = BTreeSet::new();
    for place in places.filter(|place| place.strong) {
        if place.pod.is_some() {
            let above = place.root.rsplit_once("pods/").map_or("", |(above, _)| above.trim_end_matches('/'));
            roots.insert(above.to_owned());
        }
        roots.insert(place.root.clone());
    }
    roots
}

/// The subject root that a file of `root` belongs to.
pub fn owner<'a>(roots: &'a BTreeSet<String>, root: &str) -> Option<&'a str> {
    let above = roots
        .iter()
        .filter(|have| have.is_empty() || root == have.as_str() || root.starts_with(&format!("{have}/")))
        .max_by_key(|have| have.len());
    above.or_else(|| if roots.len() == 1 { roots.first() } else { None }).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, root: &str, snap: Option<u8>, key: &str) {
        let place = place(path);
        assert_eq!((place.root.as_str(), place.snap, place.key.as_str()), (root, snap, key), "{path}");
    }

    #[test]
    fn paths_of_every_layout() {
        check("cmd/mpstat_-P_ALL_1_10.txt", "", None, "mpstat -P ALL 1 10");
        check("x/before/t0/proc/net/softnet_stat", "x/before", Some(0), "proc net softnet_stat");
        check("x/before/t1/ethtool_-S_eth0.txt", "x/before", Some(1), "ethtool_-S_eth0");
        check("x/snap/B/proc/stat", "x", Some(1), "proc stat");
        check("sosreport-a/sos_commands/networking/ethtool_-S_eth0", "sosreport-a", None, "ethtool -S eth0");
        check("sosreport-a/proc/meminfo", "sosreport-a", None, "proc meminfo");
        check("commands/cat_.proc.net.softnet_stat", "", None, "proc net softnet_stat");
        check("cmd/proc_cmdline.txt", "", None, "proc cmdline");
        check("bundle/pods/pod-1/cgroup/cpu.stat.t0.txt", "bundle/pods/pod-1", Some(0), "cgroup cpu.stat");
        check("bundle/node/proc_stat.t1.txt", "bundle/node", Some(1), "proc_stat");
        check("case/top_-b_1.txt", "case", None, "top_-b_1");
        check("case/sys/fs/cgroup/cpu/docker/ab/cpu.stat", "case", None, "sys fs cgroup cpu docker ab cpu.stat");
        check("paste.txt", "", None, "paste");
    }

    #[test]
    fn two_states_stay_apart_and_a_lone_paste_joins_the_host() {
        let places: Vec<Place> =
            ["a/before/cmd/x.txt", "a/after/cmd/x.txt", "a/meta.json"].iter().map(|p| place(p)).collect();
        let roots = subjects(places.iter());
        assert_eq!(roots.iter().map(String::as_str).collect::<Vec<_>>(), ["a/after", "a/before"]);
        assert_eq!(owner(&roots, "a"), None);
        let one = BTreeSet::from(["h".to_owned()]);
        assert_eq!(owner(&one, ""), Some("h"));
    }
}
