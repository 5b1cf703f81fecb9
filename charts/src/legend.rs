//! Says which line is which: at the ends of the lines, or in rows below the panels.

use crate::{
    Panel,
    canvas::{Anchor, Canvas, Font, Stroke},
    marker, palette,
    plot::Plot,
    spread::spread,
    text::{self, Weight},
};

const FONT: Font = Font { size: 13.0, weight: Weight::Regular, fill: palette::INK };
const LINE_HEIGHT: f64 = 18.0;
/// From the right edge of the plot to the marker of a label.
const LEADER: f64 = 26.0;
/// From the middle of a marker to its text.
const TO_TEXT: f64 = 11.0;
/// No label at the end of a line is wider.
const WIDEST: f64 = 250.0;

/// Room that labels at the ends of lines take on the right; `None` if they do not fit into this height.
pub(crate) fn end_label_width(panels: &[Panel], height: f64) -> Option<f64> {
    if panels.iter().any(|panel| panel.series.len() as f64 * LINE_HEIGHT > height) {
        return None;
    }
    let keys = panels.iter().flat_map(|panel| &panel.series).map(|series| series.key.as_str());
    let widest = keys.map(|key| text::width(&text::fit(key, FONT.size, FONT.weight, WIDEST), FONT.size, FONT.weight));
    Some(widest.max_by(f64::total_cmp).map_or(0.0, |widest| LEADER + TO_TEXT + widest))
}

/// Labels each line at its right end, with a thin leader to it where it has an end of its own.
pub(crate) fn draw_end_labels(canvas: &mut Canvas, plot: &Plot<'_>) {
    let wanted: Vec<f64> = plot.lines.iter().map(|line| line.end().1).collect();
    let Some(places) = spread(&wanted, LINE_HEIGHT, plot.area.top - 4.0, plot.area.bottom + 4.0) else {
        return;
    };
    let at = plot.area.right + LEADER;
    for (line, &y) in plot.lines.iter().zip(&places).filter(|_| plot.column.is_none()) {
        let style = plot.panel.series[line.series].style;
        let (x_end, y_end) = line.end();
        let leader = Stroke { opacity: 0.55, ..Stroke::solid(palette::colour(style), 0.9) };
        let start = x_end + marker::RADIUS + 2.0;
        canvas.line(&[(start, y_end), (at - 7.0, y)], leader);
    }
    for (line, &y) in plot.lines.iter().zip(&places) {
        let series = &plot.panel.series[line.series];
        marker::draw(canvas, series.style, at, y);
        let key = text::fit(&series.key, FONT.size, FONT.weight, WIDEST);
        canvas.text(at + TO_TEXT, y + FONT.size * 0.36, Anchor::Start, FONT, &key);
    }
}

/// An entry of the legend.
#[derive(Clone, Debug, PartialEq)]
struct Entry<'a> {
    key: &'a str,
    style: usize,
    dashed: bool,
    /// A part of a bar, not a line.
    filled: bool,
}

/// A series without a name needs none: it is the only one.
fn entries(panels: &[Panel]) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    for panel in panels {
        let lines = panel.series.iter().filter(|_| panel.bars.is_empty());
        let lines =
            lines.map(|series| Entry { key: &series.key, style: series.style, dashed: series.dashed, filled: false });
        // A bar of one part has its label.
        let stacked = panel.bars.iter().any(|bar| bar.segments.len() > 1);
        let segments = panel.bars.iter().filter(|_| stacked).flat_map(|bar| &bar.segments);
        let segments = segments.map(|part| Entry { key: &part.key, style: part.style, dashed: false, filled: true });
        for entry in lines.chain(segments) {
            if !entry.key.is_empty() && !entries.contains(&entry) {
                entries.push(entry);
            }
        }
    }
    entries
}

/// Half the length of the line in an entry of the legend.
const SAMPLE: f64 = 13.0;
const BETWEEN: f64 = 28.0;

/// Draws the legend that all panels share, in columns, from `top` on; returns its height.
pub(crate) fn draw(canvas: &mut Canvas, panels: &[Panel], left: f64, top: f64, width: f64) -> f64 {
    let entries = entries(panels);
    let limit = width - 2.0 * SAMPLE - 7.0;
    let keys: Vec<String> = entries.iter().map(|entry| text::fit(entry.key, FONT.size, FONT.weight, limit)).collect();
    let widths = keys.iter().map(|key| text::width(key, FONT.size, FONT.weight));
    let Some(widest) = widths.max_by(f64::total_cmp) else {
        return 0.0;
    };
    let cell = 2.0 * SAMPLE + 7.0 + widest + BETWEEN;
    let most = (((width + BETWEEN) / cell) as usize).clamp(1, entries.len());
    let rows = entries.len().div_ceil(most);
    // Even rows: 8 entries become 4 + 4 rather than 5 + 3.
    let columns = entries.len().div_ceil(rows);
    let pitch = cell.max((width + BETWEEN) / columns as f64).min(cell * 1.25);
    for (i, (entry, key)) in entries.iter().zip(&keys).enumerate() {
        let x = left + (i % columns) as f64 * pitch;
        let y = top + ((i / columns) as f64 + 0.5) * LINE_HEIGHT * 1.1;
        if entry.filled {
            let (left, right, top, bottom) = (x + SAMPLE, x + 2.0 * SAMPLE, y - SAMPLE / 2.0, y + SAMPLE / 2.0);
            let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
            canvas.area(&corners, palette::colour(entry.style), 1.0);
        } else {
            let stroke =
                Stroke { dash: entry.dashed.then_some((5.0, 4.0)), ..Stroke::solid(palette::colour(entry.style), 1.8) };
            canvas.line(&[(x, y), (x + 2.0 * SAMPLE, y)], stroke);
            marker::draw(canvas, entry.style, x + SAMPLE, y);
        }
        canvas.text(x + 2.0 * SAMPLE + 7.0, y + FONT.size * 0.36, Anchor::Start, FONT, key);
    }
    rows as f64 * LINE_HEIGHT * 1.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bar, Segment, Series};

    fn panel(keys: &[&str]) -> Panel {
        let series = keys.iter().enumerate().map(|(i, key)| Series::new(*key, i, vec![])).collect();
        Panel { series, ..Panel::default() }
    }

    #[test]
    fn panels_share_entries() {
        let panels = [panel(&["a", "b"]), panel(&["a", "b", "c"])];
        assert_eq!(entries(&panels).iter().map(|entry| entry.key).collect::<String>(), "abc");
        assert!(entries(&[panel(&[""])]).is_empty());
    }

    #[test]
    fn bars_have_entries_where_they_are_stacked() {
        let bar = |keys: &[&str]| Bar::new("a", keys.iter().map(|key| Segment::new(*key, 0, 1.0)).collect());
        let panel = |bars: Vec<Bar>| Panel { bars, ..panel(&["hidden"]) };
        assert_eq!(entries(&[panel(vec![bar(&["a"]), bar(&["b"])])]), []);
        let entries = panel(vec![bar(&["a"]), bar(&["a", "b"])]);
        let entries = super::entries(std::slice::from_ref(&entries)).iter().map(|entry| entry.key).collect::<String>();
        assert_eq!(entries, "ab");
    }

    #[test]
    fn labels_that_do_not_fit_are_refused() {
        assert!(end_label_width(&[panel(&["a"; 10])], 200.0).is_some());
        assert!(end_label_width(&[panel(&["a"; 12])], 200.0).is_none());
        let long = "a name ".repeat(100);
        assert!(end_label_width(&[panel(&[&long])], 200.0).unwrap() < 300.0);
    }

    #[test]
    fn rows_are_even() {
        let mut canvas = Canvas::default();
        let eight = [panel(&["event-loop"; 8].map(|key| key))];
        assert!((draw(&mut canvas, &eight, 0.0, 0.0, 640.0) - 2.0 * LINE_HEIGHT * 1.1).abs() < 1e-9);
        assert_eq!(draw(&mut canvas, &[], 0.0, 0.0, 640.0), 0.0);
    }
}
