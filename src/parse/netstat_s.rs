//! `netstat -s`: the counters of snmp as English sentences. Wording differs between versions (misspelt words included),
//! so sentences are known by their telling words, inside their protocol's block.

use super::table::count;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::SNMP;

pub static PARSER: Parser =
    Parser { kind: "netstat-s", names: &["netstat -s*", "netstat *-s*"], sniff, parse, binary: false };

/// Block, words that must stand in the line in this order, counter (names of /proc/net/snmp and netstat; net-tools statistics.c).
const SENTENCES: &[(&str, &[&str], &str)] = &[
    ("Ip", &["total packets received"], "Ip.InReceives"),
    ("Ip", &["incoming packets discarded"], "Ip.InDiscards"),
    ("Ip", &["incoming packets delivered"], "Ip.InDelivers"),
    ("Ip", &["requests sent out"], "Ip.OutRequests"),
    ("Ip", &["outgoing packets dropped"], "Ip.OutDiscards"),
    ("Ip", &["dropped because of missing route"], "Ip.OutNoRoutes"),
    ("Ip", &["packet reassembles failed"], "Ip.ReasmFails"),
    ("Ip", &["reassemblies required"], "Ip.ReasmReqds"),
    ("Tcp", &["active connection"], "Tcp.ActiveOpens"),
    ("Tcp", &["passive connection"], "Tcp.PassiveOpens"),
    ("Tcp", &["failed connection attempts"], "Tcp.AttemptFails"),
    ("Tcp", &["connection resets received"], "Tcp.EstabResets"),
    ("Tcp", &["connections established"], "Tcp.CurrEstab"),
    ("Tcp", &["segments received"], "Tcp.InSegs"),
    ("Tcp", &["segments sen", "out"], "Tcp.OutSegs"),
    ("Tcp", &["segments retransmit"], "Tcp.RetransSegs"),
    ("Tcp", &["bad segments received"], "Tcp.InErrs"),
    ("Tcp", &["resets sent"], "Tcp.OutRsts"),
    ("Udp", &["packets received"], "Udp.InDatagrams"),
    ("Udp", &["packets to unknown port"], "Udp.NoPorts"),
    ("Udp", &["packet receive errors"], "Udp.InErrors"),
    ("Udp", &["packets sent"], "Udp.OutDatagrams"),
    ("Udp", &["receive buffer errors"], "Udp.RcvbufErrors"),
    ("Udp", &["send buffer errors"], "Udp.SndbufErrors"),
    ("TcpExt", &["times the listen queue of a socket overflow"], "TcpExt.ListenOverflows"),
    ("TcpExt", &["SYNs to LISTEN sockets"], "TcpExt.ListenDrops"),
    ("TcpExt", &["other TCP timeouts"], "TcpExt.TCPTimeouts"),
    ("TcpExt", &["SYN cookies sent"], "TcpExt.SyncookiesSent"),
    ("TcpExt", &["SYN cookies received"], "TcpExt.SyncookiesRecv"),
    ("TcpExt", &["invalid SYN cookies received"], "TcpExt.SyncookiesFailed"),
    ("TcpExt", &["resets received for embryonic"], "TcpExt.EmbryonicRsts"),
    ("TcpExt", &["packets pruned from receive queue because of socket buffer overrun"], "TcpExt.PruneCalled"),
    ("TcpExt", &["packets dropped from out-of-order queue because of socket buffer overrun"], "TcpExt.OfoPruned"),
    ("TcpExt", &["packets collapsed in receive queue"], "TcpExt.TCPRcvCollapsed"),
    ("TcpExt", &["fast retransmits"], "TcpExt.TCPFastRetrans"),
    ("TcpExt", &["retransmits in slow start"], "TcpExt.TCPSlowStartRetrans"),
    ("TcpExt", &["connections aborted due to timeout"], "TcpExt.TCPAbortOnTimeout"),
    ("TcpExt", &["connections aborted due to memory pressure"], "TcpExt.TCPAbortOnMemory"),
    ("TcpExt", &["connections reset due to unexpected data"], "TcpExt.TCPAbortOnData"),
    ("TcpExt", &["connections reset due to early user close"], "TcpExt.TCPAbortOnClose"),
];
/// Blocks, as their headings.
const BLOCKS: [&str; 13] = [
    "Ip", "Icmp", "IcmpMsg", "Tcp", "Udp", "UdpLite", "TcpExt", "IpExt", "Ip6", "Icmp6", "Udp6", "UdpLite6", "MPTcpExt",
];

/// Sentences that are long enough to be known without their block.
fn sentence(block: Option<&str>, text: &str) -> Option<&'static str> {
    let fits = |words: &[&str]| {
        let mut rest = text;
        words.iter().all(|word| match rest.split_once(word) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        })
    };
    SENTENCES
        .iter()
        .filter(|(own, words, _)| match block {
            Some(block) => *own == block,
            None => *own == "TcpExt" && words.iter().any(|word| word.len() > 14),
        })
        .filter(|(_, words, _)| fits(words))
        // `bad segments received` also holds `segments received`: the longest match is meant.
        .max_by_key(|(_, words, _)| words.iter().map(|word| word.len()).sum::<usize>())
        .map(|(_, _, name)| *name)
}

fn block(line: &str) -> Option<&'static str> {
    let name = line.strip_suffix(':')?;
    BLOCKS.iter().copied().find(|have| have.eq_ignore_ascii_case(name))
}

/// The number that a sentence starts with, and the rest; also in `Quick ack mode was activated 12 times`.
fn leading(line: &str) -> Option<(f64, &str)> {
    let line = line.trim();
    let (first, rest) = line.split_once(' ')?;
    Some((count(first)?, rest))
}

fn sniff(doc: &Doc) -> Looks {
    let (mut blocks, mut sentences, mut known) = (0, 0, 0);
    for line in doc.head() {
        blocks += usize::from(block(line.trim_end()).is_some());
        if let Some((_, text)) = leading(line) {
            sentences += 1;
            known += usize::from(sentence(None, text).is_some());
        }
    }
    if (blocks >= 1 && sentences >= 2) || known >= 1 {
        Looks::Yes
    } else if blocks >= 1 {
        Looks::Maybe
    } else {
        Looks::No
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut current = None;
    let mut seen: Vec<&str> = Vec::new();
    for (number, line) in doc.lines() {
        if !line.starts_with([' ', '\t']) && line.trim_end().ends_with(':') {
            current = block(line.trim_end()).or(Some(""));
            continue;
        }
        if let Some((value, text)) = leading(line) {
            if let Some(name) = sentence(current, text)
                && !seen.contains(&name)
            {
                seen.push(name);
                out.sample(&SNMP, "", name, value, number);
            }
        } else if let (Some(group @ ("TcpExt" | "IpExt" | "MPTcpExt")), Some((name, value))) =
            (current, line.trim().split_once(": "))
            && let Some(value) = count(value.trim())
            && name.bytes().all(|b| b.is_ascii_alphanumeric())
        {
            out.sample(&SNMP, "", &format!("{group}.{name}"), value, number);
        }
    }
}
