//! Draws one panel: headings, grid and axes, reference lines, and the curves between them in their order.

use crate::{
    Panel,
    canvas::{Anchor, Canvas, Font, Stroke},
    curve, legend, palette,
    plot::{Area, Plot},
    reference, single,
    text::{self, Weight},
};

const TITLE: Font = Font { size: 14.0, weight: Weight::Bold, fill: palette::INK };
const AXIS_TITLE: Font = Font { size: 12.5, weight: Weight::Regular, fill: palette::QUIET };
pub(crate) const TICK: Font = Font { size: 12.0, weight: Weight::Regular, fill: palette::QUIET };
const REFERENCE: Font = Font { size: reference::SIZE, weight: Weight::Regular, fill: palette::QUIET };
const NO_DATA: Font = Font { size: 14.0, weight: Weight::Regular, fill: palette::QUIET };

/// Height of the heading of a panel that has one.
pub(crate) const TITLE_HEIGHT: f64 = 21.0;
/// Height of the title of the vertical axis, which stands above it.
pub(crate) const AXIS_TITLE_HEIGHT: f64 = 25.0;
/// Height of tick labels and title below the horizontal axis.
pub(crate) const FOOT_HEIGHT: f64 = 44.0;

/// Room that the tick labels of the vertical axis take.
pub(crate) fn gutter(y: &crate::axis::Ruler) -> f64 {
    let widths = y.ticks().iter().map(|tick| text::width(&tick.label, TICK.size, TICK.weight));
    widths.fold(0.0, f64::max) + 8.0
}

/// Draws the panel; `left` is where its headings begin. Lines are labelled at their ends if there is room for it.
pub(crate) fn draw(canvas: &mut Canvas, plot: &Plot<'_>, left: f64, end_labels: bool) {
    headings(canvas, plot, left);
    axes(canvas, plot);
    let labels = reference_labels(plot);
    for label in &labels {
        label.block.clear(canvas);
    }
    if plot.lines.is_empty() {
        let (x, y) = ((plot.area.left + plot.area.right) / 2.0, (plot.area.top + plot.area.bottom) / 2.0);
        canvas.text_with_rim(x, y, Anchor::Middle, NO_DATA, "no data");
    }
    for line in &plot.lines {
        curve::draw_band(canvas, plot, line);
    }
    reference_lines(canvas, plot);
    if end_labels {
        legend::draw_end_labels(canvas, plot);
    }
    for line in &plot.lines {
        curve::draw_line(canvas, plot, line);
    }
    for line in &plot.lines {
        match plot.column {
            None => curve::draw_markers(canvas, plot, line),
            Some(column) => single::draw(canvas, plot, line, column),
        }
    }
    for label in labels {
        canvas.text_with_rim(label.block.left, label.block.bottom - 1.5, Anchor::Start, REFERENCE, &label.text);
    }
}

fn headings(canvas: &mut Canvas, plot: &Plot<'_>, left: f64) {
    let limit = plot.area.right - left;
    let base = plot.area.top - 13.0;
    let axis_title = text::fit(&plot.panel.y.title, AXIS_TITLE.size, AXIS_TITLE.weight, limit);
    canvas.text(left, base, Anchor::Start, AXIS_TITLE, &axis_title);
    title(canvas, plot.panel, left, plot.area.right, base - TITLE_HEIGHT + 2.0);
}

/// The heading of a panel that has one.
pub(crate) fn title(canvas: &mut Canvas, panel: &Panel, left: f64, right: f64, base: f64) {
    if let Some(title) = &panel.title {
        let title = text::fit(title, TITLE.size, TITLE.weight, right - left);
        canvas.text(left, base, Anchor::Start, TITLE, &title);
    }
}

/// The title of the horizontal axis, below its labels.
pub(crate) fn foot_title(canvas: &mut Canvas, title: &str, area: Area) {
    let title = text::fit(title, AXIS_TITLE.size, AXIS_TITLE.weight, area.width());
    let middle = (area.left + area.right) / 2.0;
    canvas.text(middle, area.bottom + 37.0, Anchor::Middle, AXIS_TITLE, &title);
}

fn axes(canvas: &mut Canvas, plot: &Plot<'_>) {
    let area = plot.area;
    for tick in plot.y.ticks_apart(|_| TICK.size * 1.15) {
        // Half a pixel off, so that a line one pixel wide fills whole pixels.
        let y = tick.place.floor() + 0.5;
        canvas.line(&[(area.left, y), (area.right, y)], Stroke::solid(palette::GRID, 1.0));
        canvas.text(area.left - 8.0, tick.place + TICK.size * 0.36, Anchor::End, TICK, &tick.label);
    }
    let bottom = area.bottom.floor() + 0.5;
    canvas.line(&[(area.left, bottom), (area.right, bottom)], Stroke::solid(palette::BASE, 1.0));
    let labelled = plot.x.ticks_apart(|tick| text::width(&tick.label, TICK.size, TICK.weight) + 8.0);
    // A tick whose label has no room (a level that was measured, say) keeps its stroke, a shorter one.
    let bare = plot.x.ticks_apart(|_| 4.0);
    let bare = bare.iter().filter(|tick| !labelled.contains(tick)).map(|tick| (tick, 2.5));
    for (tick, length) in labelled.iter().map(|tick| (tick, 4.0)).chain(bare) {
        let x = tick.place.floor() + 0.5;
        canvas.line(&[(x, bottom), (x, bottom + length)], Stroke::solid(palette::BASE, 1.0));
    }
    for tick in &labelled {
        canvas.text(tick.place, area.bottom + 18.0, Anchor::Middle, TICK, &tick.label);
    }
    foot_title(canvas, &plot.panel.x.title, area);
}

fn reference_lines(canvas: &mut Canvas, plot: &Plot<'_>) {
    let dashed = Stroke { dash: Some((6.0, 4.0)), ..Stroke::solid(palette::REFERENCE, 1.2) };
    for y in plot.panel.references.iter().filter_map(|line| plot.y.place(line.y)) {
        canvas.line(&[(plot.area.left, y), (plot.area.right, y)], dashed);
    }
}

fn reference_labels(plot: &Plot<'_>) -> Vec<reference::Label> {
    let heights: Vec<Option<f64>> = plot.panel.references.iter().map(|line| plot.y.place(line.y)).collect();
    let mut labels = Vec::new();
    for (i, line) in plot.panel.references.iter().enumerate() {
        let Some(y) = heights[i] else { continue };
        let others = heights.iter().enumerate().filter(|(other, _)| *other != i);
        let others: Vec<f64> = others.filter_map(|(_, height)| *height).collect();
        labels.push(reference::place(&line.label, y, plot.area, &plot.lines, &labels, &others));
    }
    labels
}
