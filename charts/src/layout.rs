//! Deals out the space of a figure: headings, panels in a grid, legend, notes.

use crate::{
    ChartError, Drawing, Figure, Mark, Panel, Width, bars, bounds,
    canvas::{Anchor, Canvas, Font},
    legend, palette,
    panel::{self, AXIS_TITLE_HEIGHT, FOOT_HEIGHT, TITLE_HEIGHT},
    plot::{self, Area, Plot},
    text::{self, Weight},
};

/// The width of a figure and its margins.
struct Sheet {
    width: f64,
    margin: f64,
}

impl Sheet {
    fn of(width: Width) -> Self {
        match width {
            Width::Wide => Self { width: 900.0, margin: 22.0 },
            Width::Narrow => Self { width: 360.0, margin: 6.0 },
        }
    }

    fn inner(&self) -> f64 {
        self.width - 2.0 * self.margin
    }
}

const BETWEEN_COLUMNS: f64 = 32.0;
const BETWEEN_ROWS: f64 = 18.0;
const MOST_COLUMNS: usize = 4;

const TITLE: Font = Font { size: 20.0, weight: Weight::Bold, fill: palette::INK };
const SUBTITLE: Font = Font { size: 13.5, weight: Weight::Regular, fill: palette::QUIET };
const NOTE: Font = Font { size: 11.5, weight: Weight::Regular, fill: palette::QUIET };

/// Draws the whole figure.
pub(crate) fn draw(figure: &Figure) -> Result<Drawing, ChartError> {
    let (mut canvas, sheet, narrow) = (Canvas::default(), Sheet::of(figure.width), figure.width == Width::Narrow);
    // Whoever shows it without headings has some of their own around it.
    let headed = !(figure.title.is_empty() && figure.subtitle.is_empty());
    let mut y = if headed { 16.0 } else { 0.0 };
    y = paragraph(&mut canvas, &sheet, &figure.title, TITLE, y, 27.0);
    y = paragraph(&mut canvas, &sheet, &figure.subtitle, SUBTITLE, y, 20.0) + if headed { 14.0 } else { 0.0 };
    let (mut marks, mut segments) = (Vec::new(), Vec::new());
    let columns = if narrow { 1 } else { figure.columns.clamp(1, MOST_COLUMNS) };
    let height = plot_height(figure.panels.len(), columns, figure.width);
    let has_lines = figure.panels.iter().any(|panel| panel.bars.is_empty());
    let end_labels =
        if columns == 1 && !narrow && has_lines { legend::end_label_width(&figure.panels, height) } else { None };
    let block = (sheet.inner() - BETWEEN_COLUMNS * (columns - 1) as f64) / columns as f64;
    let gutter = |panel: &Panel| match panel.bars.is_empty() {
        true => panel::gutter(&plot::vertical(panel, 0.0, height)).min(block / 3.0),
        false => bars::gutter(panel, block),
    };
    let gutter = figure.panels.iter().map(gutter).fold(0.0, f64::max);
    for (row_index, row) in figure.panels.chunks(columns).enumerate() {
        let title = if row.iter().any(|panel| panel.title.is_some()) { TITLE_HEIGHT } else { 0.0 };
        let lines = row.iter().any(|panel| panel.bars.is_empty());
        let top = y + title + if lines { AXIS_TITLE_HEIGHT } else { 0.0 };
        let bars = row.iter().map(bars::height).fold(0.0, f64::max);
        let height = if lines { height.max(bars) } else { bars };
        for (column, panel) in row.iter().enumerate() {
            let left = sheet.margin + column as f64 * (block + BETWEEN_COLUMNS);
            let right = left + block - end_labels.unwrap_or(0.0);
            let area = Area { left: left + gutter, top, right, bottom: top + height };
            if !panel.bars.is_empty() {
                let area = Area { bottom: top + bars::height(panel), ..area };
                bars::draw(&mut canvas, panel, area, left);
                segments.extend(bars::marks(panel, area, row_index * columns + column));
                continue;
            }
            let plot = Plot::new(panel, area);
            panel::draw(&mut canvas, &plot, left, end_labels.is_some());
            marks.extend(plot_marks(&plot, row_index * columns + column));
        }
        y = top + height + FOOT_HEIGHT + BETWEEN_ROWS;
    }
    if figure.panels.is_empty() {
        y = paragraph(&mut canvas, &sheet, "no data", SUBTITLE, y, 20.0);
    }
    if end_labels.is_none() {
        let legend = legend::draw(&mut canvas, &figure.panels, sheet.margin, y, sheet.inner());
        y += if legend > 0.0 { legend + 12.0 } else { 0.0 };
    }
    for note in figure.notes.iter().chain(&note_on_logarithm(figure)) {
        y = paragraph(&mut canvas, &sheet, note, NOTE, y, 16.5);
    }
    let height = (y + if headed { 12.0 } else { 0.0 }).ceil();
    Ok(Drawing { svg: canvas.finish(sheet.width, height, &figure.title)?, width: sheet.width, height, marks, segments })
}

/// Height between the axes of a panel.
fn plot_height(panels: usize, columns: usize, width: Width) -> f64 {
    match (width, panels, columns) {
        (Width::Narrow, ..) => 210.0,
        (Width::Wide, 0 | 1, _) => 370.0,
        (Width::Wide, _, 1) => 260.0,
        (Width::Wide, panels, columns) if panels <= columns => 260.0,
        (Width::Wide, ..) => 190.0,
    }
}

/// Sets a text in as many lines as it takes below `y`; returns where it ends.
fn paragraph(canvas: &mut Canvas, sheet: &Sheet, text: &str, font: Font, mut y: f64, line_height: f64) -> f64 {
    for line in text::wrap(text, font.size, font.weight, sheet.inner()) {
        canvas.text(sheet.margin, y + line_height * 0.5 + font.size * 0.36, Anchor::Start, font, &line);
        y += line_height;
    }
    y
}

fn plot_marks(plot: &Plot<'_>, panel: usize) -> Vec<Mark> {
    let marks = plot.lines.iter().flat_map(|line| {
        line.points().map(move |placed| Mark {
            panel,
            series: line.series,
            x: placed.x,
            y: placed.y,
            point: placed.point,
        })
    });
    marks.collect()
}

fn note_on_logarithm(figure: &Figure) -> Option<String> {
    match figure.panels.iter().map(bounds::lost_to_logarithm).sum() {
        0 => None,
        1 => Some("1 point at or below zero is not shown: a logarithmic axis has no place for it.".into()),
        n => Some(format!("{n} points at or below zero are not shown: a logarithmic axis has no place for them.")),
    }
}
