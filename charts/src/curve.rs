//! Draws one series: band, line, markers. They are apart, so that all bands lie below all lines.

use crate::{
    canvas::{Canvas, Stroke},
    marker, palette,
    plot::{Line, Plot},
};

/// The intervals of its points, as a pale band; of a point alone, as an upright line.
pub(crate) fn draw_band(canvas: &mut Canvas, plot: &Plot<'_>, line: &Line) {
    let colour = palette::colour(plot.panel.series[line.series].style);
    for run in &line.runs {
        for part in run.split(|placed| placed.interval.is_none()).filter(|part| !part.is_empty()) {
            let ends = part.iter().filter_map(|placed| Some((placed.x, placed.interval?)));
            if part.len() == 1 {
                for (x, (high, low)) in ends {
                    canvas.line(&[(x, high), (x, low)], Stroke { opacity: 0.5, ..Stroke::solid(colour, 1.5) });
                }
                continue;
            }
            let upper = ends.clone().map(|(x, (high, _))| (x, high));
            let lower = ends.rev().map(|(x, (_, low))| (x, low));
            canvas.area(&upper.chain(lower).collect::<Vec<_>>(), colour, 0.12);
        }
    }
}

/// The line through its points.
pub(crate) fn draw_line(canvas: &mut Canvas, plot: &Plot<'_>, line: &Line) {
    let series = &plot.panel.series[line.series];
    let dash = series.dashed.then_some((5.0, 4.0));
    let stroke = Stroke { dash, opacity: 0.9, ..Stroke::solid(palette::colour(series.style), 1.8) };
    for run in line.runs.iter().filter(|run| run.len() > 1) {
        canvas.line(&run.iter().map(|placed| (placed.x, placed.y)).collect::<Vec<_>>(), stroke);
    }
}

/// A marker at each point; where there are too many, only at those that no line passes through.
pub(crate) fn draw_markers(canvas: &mut Canvas, plot: &Plot<'_>, line: &Line) {
    let style = plot.panel.series[line.series].style;
    for run in line.runs.iter().filter(|run| !plot.crowded || run.len() == 1) {
        for placed in run {
            marker::draw(canvas, style, placed.x, placed.y);
        }
    }
}
