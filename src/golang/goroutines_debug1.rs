//! `goroutine?debug=1`: `COUNT @ addresses`, then a line with labels, then a line for each frame.

use super::goroutines::{Dump, Group, Groups, MAX_FRAMES, lines};
use super::pprof_legacy::symbol;

const HEADER: &str = "goroutine profile: total ";

pub(super) fn is_header(line: &str) -> bool {
    line.strip_prefix(HEADER).is_some_and(|total| total.trim().parse::<u64>().is_ok())
}

pub(super) fn read(data: &[u8]) -> Option<Dump> {
    let mut lines = lines(data);
    let (_, header) = lines.by_ref().take(100).find(|(_, line)| is_header(line.trim_start()))?;
    let mut groups = Groups::default();
    groups.dump.announced = header.trim_start().strip_prefix(HEADER)?.trim().parse().ok();
    let mut open: Option<Group> = None;
    for (number, line) in lines {
        let line = line.trim_start();
        if let Some(comment) = line.strip_prefix('#') {
            let Some(group) = &mut open else { continue };
            if let Some(labels) = comment.trim_start().strip_prefix("labels:") {
                group.labels = labels.trim().to_owned();
            } else if let Some(function) = symbol(comment)
                && group.stack.len() < MAX_FRAMES
            {
                group.stack.push(function.to_owned());
            }
        } else if let Some((count, _)) = line.split_once(" @") {
            open.take().into_iter().for_each(|group| groups.add(group));
            match count.trim().parse() {
                Ok(count) => open = Some(Group { count, line: number, ..Group::default() }),
                Err(_) => groups.note(number, "no count of goroutines before the @"),
            }
        } else if !line.is_empty() {
            groups.note(number, "neither a stack nor a frame");
        }
    }
    open.into_iter().for_each(|group| groups.add(group));
    if groups.dump.announced.is_some_and(|announced| announced > groups.dump.goroutines) {
        groups.note(0, "fewer goroutines than the header announces: the dump is cut");
    }
    groups.finish(1)
}
