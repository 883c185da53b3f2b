//! Several commands in one file: pasted terminal sessions and `==> name <==` headings.

/// A part of a text that one command printed.
#[derive(Debug, PartialEq)]
pub struct Section<'a> {
    /// The command of the prompt, empty when there was none.
    pub command: String,
    pub text: &'a str,
    pub first_line: u32,
}

/// Commands whose output Coroner reads; a prompt is only a prompt before one of these.
const COMMANDS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "grep",
    "zcat",
    "mpstat",
    "vmstat",
    "iostat",
    "sar",
    "sadf",
    "pidstat",
    "top",
    "ps",
    "free",
    "df",
    "uptime",
    "sysctl",
    "numastat",
    "numactl",
    "lscpu",
    "lsblk",
    "findmnt",
    "mount",
    "ethtool",
    "ip",
    "ss",
    "netstat",
    "nstat",
    "tc",
    "nvme",
    "perf",
    "dmesg",
    "journalctl",
    "kubectl",
    "docker",
    "crictl",
    "rabbitmqctl",
    "rabbitmq-diagnostics",
    "curl",
    "uname",
    "hostname",
    "nproc",
    "lspci",
    "cgget",
    "systemctl",
    "taskset",
    "ifconfig",
    "irqbalance",
    "w",
    "date",
    "kafka-consumer-groups",
    "kafka-consumer-groups.sh",
    "celery",
    "swapon",
    "getconf",
    "mount",
    "aws",
    "crm",
    "slabtop",
    "chronyc",
    "timedatectl",
    "iotop",
    "dstat",
    "atop",
    "ls",
    "echo",
    "lsof",
];

/// The command of a prompt line (`[root@host ~]# ethtool -S eth0`, `$ free -m`), if it is one.
pub fn prompt(line: &str) -> Option<&str> {
    if line.len() > 400 {
        return None;
    }
    if let Some(path) = line.strip_prefix("==> ").and_then(|rest| rest.strip_suffix(" <==")) {
        return Some(path.trim_start_matches('/'));
    }
    if memchr::memchr3(b'$', b'#', b'>', line.as_bytes()).is_none() && !line.contains('%') {
        return None;
    }
    for (at, c) in line.char_indices() {
        if !matches!(c, '$' | '#' | '%' | '>') {
            continue;
        }
        let (before, rest) = line.split_at(at);
        let command = rest.get(c.len_utf8()..).unwrap_or_default().trim_start();
        let command = command.strip_prefix("sudo ").unwrap_or(command);
        let mut words = command.split_whitespace();
        let word = words.next().map(|word| word.rsplit('/').next().unwrap_or(word)).unwrap_or_default();
        let known = COMMANDS.contains(&word);
        let spaced = rest.get(c.len_utf8()..).is_some_and(|rest| rest.starts_with(' '));
        let prompt_like = before.is_empty()
            || before.contains('@')
            || before.ends_with(']')
            || before.trim_end().ends_with(['~', ':', '/'])
            || (before.starts_with(|c: char| c.is_ascii_alphabetic())
                && before.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
        if known && prompt_like && (spaced || before.contains('@')) && before.len() < 120 {
            return Some(command.trim_end());
        }
    }
    None
}

/// True when some line is a prompt.
pub fn has_prompt(text: &str) -> bool {
    text.lines().take(400).any(|line| prompt(line).is_some())
}

/// Splits at prompts, and where one ethtool output ends and the next begins. Text without either is one section.
pub fn split(text: &str) -> Vec<Section<'_>> {
    let mut found = Vec::new();
    for section in split_at_prompts(text) {
        match ethtool_parts(&section) {
            Some(parts) => found.extend(parts),
            None => found.push(section),
        }
    }
    found
}

/// Headings of ethtool's outputs, with the options that print them.
const ETHTOOL: [(&str, &str); 8] = [
    ("Channel parameters for ", "-l"),
    ("Ring parameters for ", "-g"),
    ("Features for ", "-k"),
    ("RX flow hash indirection table for ", "-x"),
    ("Coalesce parameters for ", "-c"),
    ("Pause parameters for ", "-a"),
    ("Settings for ", ""),
    ("driver: ", "-i"),
];

/// Option and interface of a heading; `driver:` names no interface.
fn ethtool_heading(line: &str) -> Option<(&'static str, Option<&str>)> {
    let (heading, option) = ETHTOOL.iter().find(|(heading, _)| line.starts_with(heading))?;
    if *option == "-i" {
        return Some((option, None));
    }
    let name = line.strip_prefix(heading)?.split_whitespace().next()?;
    Some((option, Some(name.trim_end_matches(':'))))
}

/// Several of ethtool's outputs one behind the other without prompts. Where the first is `driver: ...`, each such part
/// belongs to the interface of the heading that follows it.
fn ethtool_parts<'a>(section: &Section<'a>) -> Option<Vec<Section<'a>>> {
    if !ETHTOOL.iter().any(|(heading, _)| section.text.contains(heading)) {
        return None;
    }
    let mut starts: Vec<(usize, u32, &str, Option<&str>)> = Vec::new();
    let (mut offset, mut number) = (0, section.first_line);
    for line in section.text.split_inclusive('\n') {
        if let Some((option, name)) = ethtool_heading(line) {
            starts.push((offset, number, option, name));
        }
        offset += line.len();
        number = number.saturating_add(1);
    }
    let first = *starts.first()?;
    if starts.iter().all(|(_, _, option, _)| *option == first.2) {
        return None;
    }
    let mut parts = Vec::new();
    for (at, (start, line, option, name)) in starts.iter().enumerate() {
        // What stands before the first heading (warnings) stays with it.
        let (start, line) = if at == 0 { (0, section.first_line) } else { (*start, *line) };
        let end = starts.get(at + 1).map_or(section.text.len(), |next| next.0);
        let next = || starts.get(at + 1).and_then(|next| next.3).filter(|_| first.2 == "-i");
        let name = name.or_else(next).unwrap_or_default();
        let command = format!("ethtool {option} {name}").trim_end().to_owned();
        parts.push(Section { command, text: section.text.get(start..end)?, first_line: line });
    }
    Some(parts)
}

fn split_at_prompts(text: &str) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    let mut start = 0;
    let mut first_line = 1u32;
    let mut command = String::new();
    let mut offset = 0;
    let mut number = 1u32;
    for line in text.split_inclusive('\n') {
        if let Some(next) = prompt(line.trim_end()) {
            let body = text.get(start..offset).unwrap_or_default();
            if !body.trim().is_empty() {
                sections.push(Section { command: std::mem::take(&mut command), text: body, first_line });
            }
            next.strip_prefix("cat /").unwrap_or(next).clone_into(&mut command);
            start = offset + line.len();
            first_line = number + 1;
        }
        offset += line.len();
        number = number.saturating_add(1);
    }
    let body = text.get(start..).unwrap_or_default();
    if !body.trim().is_empty() || sections.is_empty() {
        sections.push(Section { command, text: body, first_line });
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ethtool_outputs_without_prompts() {
        let text = "driver: a\nversion: 1\nRing parameters for eth0:\nRX: 1\n\ndriver: b\nRing parameters for eth1:\n";
        let parts = split(text);
        let commands: Vec<(&str, u32)> = parts.iter().map(|part| (part.command.as_str(), part.first_line)).collect();
        let want = [("ethtool -i eth0", 1), ("ethtool -g eth0", 3), ("ethtool -i eth1", 6), ("ethtool -g eth1", 7)];
        assert_eq!(commands, want);
        assert_eq!(split("Ring parameters for a:\nRing parameters for b:\n").len(), 1);
    }

    #[test]
    fn prompts_of_pasted_sessions() {
        for (line, command) in [
            ("$ free -m", Some("free -m")),
            ("[root@db1 ~]# ethtool -S eth0", Some("ethtool -S eth0")),
            ("root@db1:~# sudo cat /proc/stat", Some("cat /proc/stat")),
            ("user@h:/tmp$ mpstat -P ALL 1 3", Some("mpstat -P ALL 1 3")),
            ("# ip -s link", Some("ip -s link")),
            ("==> /proc/net/softnet_stat <==", Some("proc/net/softnet_stat")),
            ("# HELP go_goroutines number", None),
            ("cpu  1 2 3", None),
            ("100 % top of the list", None),
        ] {
            assert_eq!(prompt(line), command, "{line}");
        }
        let two = split("$ free -m\n a\n$ uptime\n b\n");
        assert_eq!(two.len(), 2);
        assert_eq!((two[1].command.as_str(), two[1].first_line, two[1].text), ("uptime", 4, " b\n"));
    }
}
