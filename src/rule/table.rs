//! The table of the `## Examples` section: cells with their places. Either a row per example, with facts as
//! columns, or (first cell `fact`) a column per example, with facts as rows.

use std::ops::Range;
use std::sync::Arc;

use super::page::Part;
use super::problem::{Page, Problem};

#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub text: String,
    /// Place in the page.
    pub span: Range<usize>,
}

/// One example: what it is called, and its cells as (column, value).
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    pub name: Cell,
    pub cells: Vec<(Cell, Cell)>,
}

/// Reads the table. Text around it is commentary.
pub fn read(page: &Arc<Page>, part: &Part, problems: &mut Vec<Problem>) -> Vec<Example> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut at = part.at;
    for line in part.text.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare.trim_start().starts_with('|') {
            let rule = bare.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
            if !rule {
                rows.push(cells(bare, at));
            }
        }
        at += line.len();
    }
    let span = part.at..part.at + part.text.find('\n').unwrap_or(part.text.len());
    let Some((head, body)) = rows.split_first() else {
        if !part.is_empty() {
            let problem = Problem::new(page, span, "no table of examples").label("expected a Markdown table");
            problems.push(problem.help("columns are facts and `verdict`; each row is a case"));
        }
        return Vec::new();
    };
    for row in body.iter().filter(|row| row.len() != head.len()) {
        let title = format!("{} cells in a table of {}", row.len(), head.len());
        let span = row.first().map_or(span.clone(), |cell| cell.span.start..row[row.len() - 1].span.end);
        problems.push(Problem::new(page, span, title).label("this row"));
    }
    if head[0].text == "fact" {
        return (1..head.len())
            .map(|column| Example {
                name: head[column].clone(),
                cells: body.iter().filter_map(|row| Some((row.first()?.clone(), row.get(column)?.clone()))).collect(),
            })
            .collect();
    }
    body.iter()
        .map(|row| {
            let cells: Vec<(Cell, Cell)> = head.iter().cloned().zip(row.iter().cloned()).collect();
            let named = cells.iter().find(|(column, _)| column.text == "example").map(|(_, cell)| cell.clone());
            let whole = row[0].span.start..row[row.len() - 1].span.end;
            let name = named.unwrap_or(Cell { text: String::new(), span: whole });
            Example { name, cells: cells.into_iter().filter(|(column, _)| column.text != "example").collect() }
        })
        .collect()
}

fn cells(line: &str, at: usize) -> Vec<Cell> {
    let mut list = Vec::new();
    let first = line.find('|').map_or(0, |bar| bar + 1);
    let last = line.trim_end().strip_suffix('|').unwrap_or(line).len();
    let bytes = line.as_bytes();
    let mut start = first;
    for end in first..=last {
        if end != last && (bytes[end] != b'|' || bytes[end - 1] == b'\\') {
            continue;
        }
        let raw = &line[start..end];
        let lead = raw.len() - raw.trim_start().len();
        let text = raw.trim();
        let from = at + start + lead;
        list.push(Cell { text: text.trim_matches('`').replace("\\|", "|"), span: from..from + text.len() });
        start = end + 1;
    }
    list
}
