//! `goroutine?debug=2`, and the same text in a crash or after SIGQUIT: a header
//! `goroutine 7 [chan receive, 3 minutes, locked to thread]:` for each, then two lines a frame.

use super::goroutines::{Dump, Group, Groups, MAX_FRAMES, lines};

pub(super) fn read(data: &[u8]) -> Option<Dump> {
    let mut groups = Groups::default();
    let mut open: Option<Group> = None;
    let mut in_ancestor = false;
    for (number, line) in lines(data) {
        if let Some(group) = header(&line, number) {
            open.replace(group).into_iter().for_each(|group| groups.add(group));
            in_ancestor = false;
            continue;
        }
        if line.find("goroutine ").and_then(|at| header(line.get(at..)?, number)).is_some() {
            groups.note(number, "a goroutine that begins in the middle of a line is not read");
            open.take().into_iter().for_each(|group| groups.add(group));
        }
        let Some(group) = &mut open else { continue };
        if line.is_empty() || line.starts_with('\t') || line.starts_with(' ') {
            continue;
        }
        if line.starts_with("[originating from goroutine ") {
            in_ancestor = true;
        } else if let Some(creator) = line.strip_prefix("created by ") {
            groups.dump.creators += 1;
            if !in_ancestor {
                let creator = creator.rsplit_once(" in goroutine ").map_or(creator, |(function, _)| function);
                group.created_by = creator.to_owned();
            }
        } else if line.contains("additional frames elided") {
            groups.dump.elided += 1;
        } else if let Some(function) = frame(&line).filter(|_| !in_ancestor)
            && group.stack.len() < MAX_FRAMES
        {
            group.stack.push(function.to_owned());
        }
    }
    open.into_iter().for_each(|group| groups.add(group));
    groups.finish(2)
}

/// The function of a frame line, `main.work(0x1, ...)`.
fn frame(line: &str) -> Option<&str> {
    let arguments = line.strip_suffix(')')?;
    let mut depth = 1u32;
    for (at, byte) in arguments.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return line.get(..at).filter(|function| !function.is_empty() && !function.contains(' '));
        }
    }
    None
}

/// Reads a header, which begins its line.
pub(super) fn header(line: &str, number: u64) -> Option<Group> {
    let inside = line.strip_suffix(':')?.strip_suffix(']')?;
    let (before, brackets) = inside.strip_prefix("goroutine ")?.rsplit_once(" [")?;
    let mut words = before.split(' ');
    let id = words.next()?.parse().ok()?;
    if !words.all(|word| word.contains('=') || word.parse::<u64>().is_ok()) {
        return None;
    }
    let mut group = Group { count: 1, examples: vec![id], line: number, ..Group::default() };
    let mut parts = brackets.split(", ");
    group.state = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if let Some(minutes) = part.strip_suffix(" minutes").and_then(|minutes| minutes.parse().ok()) {
            group.max_wait_minutes = minutes;
            group.waiting_minutes = u64::from(minutes > 0);
        } else if part == "locked to thread" {
            group.locked_to_thread = 1;
        }
    }
    Some(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Headers as `runtime.goroutineheader` prints them, plain and with the pointers of a crash.
    #[test]
    fn headers_tell_state_and_wait() {
        let group = header("goroutine 7 [select, 12 minutes, locked to thread]:", 1).unwrap();
        assert_eq!((group.state.as_str(), group.max_wait_minutes, group.locked_to_thread), ("select", 12, 1));
        let group = header("goroutine 34 gp=0xc000102c40 m=nil [chan receive (nil chan)]:", 1).unwrap();
        assert_eq!((group.state.as_str(), group.examples[0]), ("chan receive (nil chan)", 34));
        assert_eq!(header("goroutine work took [5]:", 1), None);
    }

    #[test]
    fn a_method_with_a_receiver_is_one_name() {
        assert_eq!(frame("net/http.(*conn).serve(0xc0001, {0x7a, 0x1})"), Some("net/http.(*conn).serve"));
        assert_eq!(frame("main.f.func1()"), Some("main.f.func1"));
        assert_eq!(frame("exit status 2 (killed)"), None);
    }
}
