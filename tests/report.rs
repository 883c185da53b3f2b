//! Renderers against hand-made models: hostile text stays text, pages stay small and equal, links land.

mod samples;

use std::collections::BTreeSet;

use coroner::report::{html, json, markdown, outline, redact, terminal, walk};
use regex::Regex;

fn all(pattern: &str, text: &str) -> Vec<String> {
    let regex = Regex::new(pattern).expect("pattern");
    regex.captures_iter(text).map(|found| found.get(1).or(found.get(0)).expect("group").as_str().to_owned()).collect()
}

/// Characters that a terminal, a bidi renderer or an eye would be misled by.
fn acting(text: &str) -> Vec<char> {
    let odd = |c: &char| {
        (c.is_control() && *c != '\n' && *c != '\t')
            || matches!(*c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().filter(odd).collect()
}

#[test]
fn hostile_text_stays_text_in_html() {
    let page = html::render(&samples::hostile::model());
    assert_eq!(acting(&page), Vec::<char>::new());
    // Tags of the page are those that the templates and charts use, and no others.
    let tags: BTreeSet<String> = all(r"<([A-Za-z!/][A-Za-z0-9]*)", &page).into_iter().collect();
    for tag in ["script", "img", "iframe", "object", "svg/onload", "div onclick"] {
        assert!(!tags.contains(tag), "<{tag}");
    }
    let bare = Regex::new(r#""[^"]*""#).expect("pattern").replace_all(&page, "");
    assert_eq!(all(r"(?i)<[a-z][^>]*\son[a-z]+\s*=", &bare), Vec::<String>::new(), "event handlers");
    assert_eq!(page.matches("<style").count(), 1);
    assert_eq!(page.matches("</style").count(), 1);
    assert_eq!(page.matches("<title").count(), 1 + page.matches("<svg").count());
    for href in all(r#"href="([^"]*)""#, &page) {
        let fine =
            href.starts_with('#') || href == "data:," || href.starts_with("https://") || href.starts_with("http://");
        assert!(fine, "{href}");
    }
    assert!(page.contains("{{ 7*7 }}"), "shown, not evaluated");
}

#[test]
fn hostile_text_stays_text_in_markdown() {
    let text = markdown::render(&samples::hostile::model());
    assert_eq!(acting(&text), Vec::<char>::new());
    let mut fence: Option<String> = None;
    let mut outside = String::new();
    for line in text.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if ticks.len() >= open.len() && line.trim_end() == ticks => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 && !line[ticks.len()..].contains('`') => fence = Some(ticks),
            None => outside.push_str(&format!("{line}\n")),
        }
    }
    assert_eq!(fence, None, "a block is left open");
    // What a Markdown reader makes of the text outside code blocks: no raw HTML, no image, no odd link.
    let options = pulldown_cmark::Options::ENABLE_TABLES;
    for event in pulldown_cmark::Parser::new_ext(&text, options) {
        use pulldown_cmark::{Event, Tag};
        match event {
            Event::Html(raw) | Event::InlineHtml(raw) => panic!("raw HTML: {raw}"),
            Event::Start(Tag::Image { dest_url, .. }) => panic!("image: {dest_url}"),
            Event::Start(Tag::Link { dest_url, .. }) => assert!(dest_url.starts_with("http"), "{dest_url}"),
            _ => {}
        }
    }
    assert!(!outside.contains("<script"), "{outside}");
}

#[test]
fn markdown_tables_keep_their_columns() {
    for (name, model) in samples::named() {
        let text = markdown::render(&model);
        let mut columns = None;
        for line in text.lines() {
            if !line.starts_with("| ") {
                columns = None;
                continue;
            }
            let count = line.replace("\\|", "").matches('|').count();
            if !line.contains("<b>x</b>") {
                assert_eq!(*columns.get_or_insert(count), count, "{name}: {line}");
            }
        }
    }
}

#[test]
fn no_escape_sequence_reaches_the_terminal() {
    let ours = Regex::new("\u{1b}\\[[0-9;]*m").expect("pattern");
    for (name, model) in samples::named() {
        for width in [20, 72, 100, 300] {
            let plain = terminal::render(&model, width, false);
            assert_eq!(acting(&plain), Vec::<char>::new(), "{name}");
            assert!(plain.lines().count() <= 40, "{name}: {} lines", plain.lines().count());
            let widest = plain.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(widest <= width.clamp(40, 120), "{name}: {widest} of {width} columns");
            let color = terminal::render(&model, width, true);
            assert_eq!(ours.replace_all(&color, ""), plain, "{name}: colour changes nothing but colour");
        }
    }
}

#[test]
fn every_internal_link_lands() {
    for (name, model) in samples::named() {
        let page = html::render(&model);
        let ids = all(r#"\sid="([^"]*)""#, &page);
        let unique: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len(), "{name}: an id is used twice");
        for target in all(r##"href="#([^"]*)""##, &page) {
            assert!(unique.contains(&target), "{name}: #{target}");
        }
        for targets in all(r#"aria-labelledby="([^"]*)""#, &page) {
            assert!(targets.split(' ').all(|target| unique.contains(&target.to_owned())), "{name}: {targets}");
        }
    }
}

#[test]
fn each_source_of_each_reading_is_quoted_and_linked() {
    let model = samples::rich::model();
    let page = html::render(&model);
    let text = markdown::render(&model);
    let escaped =
        |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('/', "&#x2f;");
    for source in model.findings.iter().flat_map(|finding| &finding.evidence).flat_map(|row| &row.sources) {
        let place = escaped(&format!("{}:{}", source.path, source.line));
        let unmarked = page.replace("<mark>", "").replace("</mark>", "");
        assert!(unmarked.contains(&escaped(&source.quote)), "{}", source.quote);
        assert!(text.contains(&source.quote), "{}", source.quote);
        assert!(text.contains(&format!("{}:{}", source.path, source.line)));
        assert!(page.contains(&place) || page.contains(&escaped(&source.path)), "{place}");
    }
    assert!(page.contains("<mark>91.24</mark>"), "the decisive number is marked");
}

#[test]
fn same_model_same_bytes_and_small() {
    for (name, model) in samples::named() {
        assert_eq!(html::render(&model), html::render(&model.clone()), "{name}");
        assert_eq!(markdown::render(&model), markdown::render(&model.clone()), "{name}");
        assert_eq!(json::render(&model), json::render(&model.clone()), "{name}");
    }
    let (typical, huge) = (html::render(&samples::rich::model()).len(), html::render(&samples::huge()).len());
    assert!(typical < 500_000, "{typical} bytes");
    assert!(huge < 2_000_000, "{huge} bytes");
    assert!(markdown::render(&samples::huge()).len() < 500_000);
}

#[test]
fn json_keeps_the_contract() {
    let value: serde_json::Value = serde_json::from_str(&json::render(&samples::rich::model())).expect("JSON");
    assert_eq!(value["schema"], "coroner.report/1");
    let finding = &value["findings"][0];
    assert_eq!(finding["verdict"], "confirmed");
    assert_eq!(finding["explained_by"], serde_json::Value::Null);
    assert_eq!(finding["fix_now"].as_array().expect("a list").len(), 4, "text, commands, risk, undo");
    assert_eq!(finding["evidence"][0]["sources"][0]["line"], 48);
    for (_, model) in samples::named() {
        let _: serde_json::Value = serde_json::from_str(&json::render(&model)).expect("JSON");
    }
}

#[test]
fn symptoms_stand_under_their_cause() {
    let model = samples::rich::model();
    let forest = outline::forest(&model.findings);
    let shape: Vec<(usize, usize)> = forest.iter().map(|node| (node.number, node.symptoms.len())).collect();
    assert_eq!(shape, [(1, 2), (4, 0)]);
    // Two findings that explain each other are no reason to lose both.
    let mut model = samples::rich::model();
    model.findings[0].explained_by = Some("nic-ring-drops".into());
    let count = outline::forest(&model.findings).iter().map(|node| 1 + node.symptoms.len()).sum::<usize>();
    assert_eq!(count, model.findings.len());
}

#[test]
fn gaps_come_by_the_command_that_settles_most() {
    let model = samples::rich::model();
    let gaps = outline::gaps(&model.cannot_tell);
    let shape: Vec<(&str, usize)> = gaps.iter().map(|gap| (gap.collect, gap.rules)).collect();
    assert_eq!(shape, [("iostat -xzt 1 30", 3), ("conntrack -S", 1), ("", 1)]);
    assert_eq!(gaps[0].items[1].also, ["curl -s http://169.254.169.254/latest/meta-data/"]);
}

#[test]
fn redaction_reaches_every_format() {
    let mut model = samples::rich::model();
    let secrets = [
        "web-7.contoso.example",
        "web-7",
        "10.20.30.40",
        "fe80::5054:ff:fe12:3456",
        "52:54:00:12:34:56",
        "alice",
        "Initech",
    ];
    let line = "login by alice@web-7 from 10.20.30.40 (fe80::5054:ff:fe12:3456, 52:54:00:12:34:56) to /home/alice/x for Initech";
    let mut visited = 0;
    walk::strings(&mut model, &mut |_, text| {
        visited += 1;
        *text = format!("{text} {line}");
    });
    assert!(visited > 200, "{visited}");
    redact::redact(&mut model, &["initech".to_owned()]);
    for text in
        [html::render(&model), markdown::render(&model), json::render(&model), terminal::render(&model, 120, false)]
    {
        for secret in secrets {
            assert!(!text.contains(secret), "{secret}");
        }
    }
    let tokens: BTreeSet<String> = all(r"\bIP4-\d+", &json::render(&model)).into_iter().collect();
    assert_eq!(tokens.len(), 2, "one address and the metadata service: {tokens:?}");
}

/// Writes the sample pages where `CORONER_SAMPLE_REPORTS` says, for the browser test.
#[test]
fn sample_pages() {
    let Some(dir) = std::env::var_os("CORONER_SAMPLE_REPORTS").map(std::path::PathBuf::from) else { return };
    std::fs::create_dir_all(&dir).expect("the folder can be made");
    for (name, model) in samples::named() {
        let write = |format: &str, text: String| {
            std::fs::write(dir.join(format!("{name}.report.{format}")), text).expect("the file can be written");
        };
        write("html", html::render(&model));
        write("md", markdown::render(&model));
        write("json", json::render(&model));
        write("txt", terminal::render(&model, 100, false));
    }
}
