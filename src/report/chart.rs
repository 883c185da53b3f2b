//! Charts as inline SVG: no script, no style attribute (the page's CSP forbids both), colours from CSS
//! variables. Each has a title, a description and a data table, and says with text or pattern what its colours
//! say. Thinning keeps the lowest and the highest value of what it merges.

pub mod bars;
pub mod heat;
pub mod lines;
pub mod matrix;
pub mod scale;
pub mod spark;
pub mod svg;
pub mod table;
pub mod thin;

use super::model::{Chart, ChartBody};

/// A chart ready for a page.
pub struct Drawing {
    /// Empty when there is nothing to draw.
    pub svg: String,
    /// How to read it: levels, limit, gaps. Plain text.
    pub notes: Vec<String>,
    pub table: table::Table,
}

/// Draws `chart`; `id` prefixes the ids inside and must be unique in the page.
pub fn draw(chart: &Chart, id: &str) -> Drawing {
    let table = table::of(chart);
    let (body, height, mut notes) = match &chart.body {
        ChartBody::Heat { rows, at, values } => heat::draw(chart, rows, at, values, id),
        ChartBody::Lines { at, lines } => lines::draw(chart, at, lines),
        ChartBody::Bars { bars } => bars::draw(chart, bars),
        ChartBody::Matrix { rows, columns, values } => matrix::draw(chart, rows, columns, values),
    };
    if body.is_empty() {
        notes.push("No samples to draw.".to_owned());
        return Drawing { svg: String::new(), notes, table };
    }
    Drawing { svg: svg::wrap(chart, id, height, &body), notes, table }
}
