//! Horizontal bars, one below the other, each of one or more segments: what a thing is made of, or which is longer.

use crate::{
    Axis, Bar, Panel, Scale, SegmentMark,
    axis::{Room, Ruler},
    bounds,
    canvas::{Anchor, Canvas, Font, Stroke},
    number, palette, panel,
    plot::Area,
    text::{self, Weight},
};

const LABEL: Font = Font { size: 13.0, weight: Weight::Regular, fill: palette::INK };
const TOTAL: Font = Font { size: 12.0, weight: Weight::Regular, fill: palette::INK };
/// On a segment.
const INSIDE: Font = Font { size: 11.0, weight: Weight::Regular, fill: palette::GROUND };
/// From one bar to the next.
const PITCH: f64 = 24.0;
const THICKNESS: f64 = 16.0;
/// From a bar to its total.
const TO_TOTAL: f64 = 6.0;
/// Of the block of a panel, labels take no more.
const WIDEST_LABEL: f64 = 0.4;
/// Where the font is not there, another stands in, and may be wider by so much.
const OTHER_FONT: f64 = 1.15;

/// Height between the axes.
pub(crate) fn height(panel: &Panel) -> f64 {
    panel.bars.len() as f64 * PITCH + 4.0
}

/// Room that labels take on the left of a panel in a block of this width.
pub(crate) fn gutter(panel: &Panel, block: f64) -> f64 {
    let widths = panel.bars.iter().map(|bar| text::width(&label(bar, block), LABEL.size, LABEL.weight));
    widths.fold(0.0, f64::max) * OTHER_FONT + 8.0
}

fn label(bar: &Bar, block: f64) -> String {
    text::fit(&bar.label, LABEL.size, LABEL.weight, block * WIDEST_LABEL / OTHER_FONT)
}

/// A part of a bar in its place.
#[derive(Debug, PartialEq)]
struct Placed<'a> {
    /// Which of the bar's.
    index: usize,
    from: f64,
    to: f64,
    style: usize,
    value: &'a f64,
}

/// Segments that have a length.
fn lengths(bar: &Bar) -> impl Iterator<Item = (usize, usize, &f64)> {
    let all = bar.segments.iter().enumerate().map(|(index, segment)| (index, segment.style, &segment.value));
    all.filter(|&(.., &value)| value > 0.0 && bounds::has_place(Scale::Linear, value))
}

/// The length of the whole bar; `None` where nothing has a value.
fn total(bar: &Bar) -> Option<f64> {
    let known =
        bar.segments.iter().any(|segment| segment.value >= 0.0 && bounds::has_place(Scale::Linear, segment.value));
    let sum: f64 = lengths(bar).map(|(.., value)| value).sum();
    (known && bounds::has_place(Scale::Linear, sum)).then_some(sum)
}

/// The ends of its interval, the lower first.
fn interval(bar: &Bar) -> Option<(f64, f64)> {
    let (a, b) = bar.interval.filter(|(a, b)| [a, b].iter().all(|end| **end >= 0.0 && **end < f64::INFINITY))?;
    let fits = bounds::has_place(Scale::Linear, a.max(b));
    fits.then_some((a.min(b), a.max(b)))
}

/// From lengths to places: linear and from zero, whatever the axis says, since a bar's length is its value.
fn ruler(panel: &Panel, area: Area) -> Ruler {
    let axis = Axis { scale: Scale::Linear, ..panel.x.clone() };
    let mut values = vec![0.0];
    values.extend(
        panel.x.ticks.iter().flatten().chain(&panel.x.holds).filter(|&&value| bounds::has_place(axis.scale, value)),
    );
    let mut rooms = Vec::new();
    for bar in &panel.bars {
        let end = total(bar).map(|total| interval(bar).map_or(total, |(_, high)| high.max(total)));
        values.extend(end);
        let room = |beyond| Room { beyond, free: TO_TOTAL + text::width(&shown(bar), TOTAL.size, TOTAL.weight) + 2.0 };
        rooms.extend(end.map(room));
    }
    Ruler::new(&axis, &values, &rooms, area.left, area.right, 50.0)
}

fn shown(bar: &Bar) -> String {
    total(bar).map(number::short).unwrap_or_default()
}

/// Where the segments of a bar lie. They share their borders, so that no gap comes from rounding.
fn placed<'a>(bar: &'a Bar, ruler: &Ruler) -> Vec<Placed<'a>> {
    let mut sum = 0.0;
    let segments = lengths(bar).map(|(index, style, value)| {
        let from = ruler.nearest_place(sum);
        sum += value;
        Placed { index, from, to: ruler.nearest_place(sum), style, value }
    });
    segments.collect()
}

/// How far down a bar lies.
fn middle(area: Area, index: usize) -> f64 {
    area.top + 2.0 + (index as f64 + 0.5) * PITCH
}

/// Where the segments of a panel lie, which is the one of this index.
pub(crate) fn marks(shown: &Panel, area: Area, panel: usize) -> Vec<SegmentMark> {
    let ruler = ruler(shown, area);
    let of_bar = |(index, bar): (usize, &Bar)| {
        let mark = |placed: Placed<'_>| {
            let x = f64::midpoint(placed.from, placed.to);
            SegmentMark { panel, bar: index, segment: placed.index, x, y: middle(area, index) }
        };
        placed(bar, &ruler).into_iter().map(mark).collect::<Vec<_>>()
    };
    shown.bars.iter().enumerate().flat_map(of_bar).collect()
}

/// Draws the panel between its axes, and its axis; `left` is where its block begins.
pub(crate) fn draw(canvas: &mut Canvas, shown_panel: &Panel, area: Area, left: f64) {
    let ruler = ruler(shown_panel, area);
    panel::title(canvas, shown_panel, left, area.right, area.top - 9.0);
    axis(canvas, shown_panel, area, &ruler);
    for (index, bar) in shown_panel.bars.iter().enumerate() {
        let middle = middle(area, index);
        let block = area.right - left;
        canvas.text(area.left - 8.0, middle + LABEL.size * 0.36, Anchor::End, LABEL, &label(bar, block));
        let (top, bottom) = (middle - THICKNESS / 2.0, middle + THICKNESS / 2.0);
        let segments = placed(bar, &ruler);
        for &Placed { from, to, style, value, .. } in &segments {
            let corners = [(from, top), (to, top), (to, bottom), (from, bottom)];
            if bar.dashed {
                let edge = Stroke { dash: Some((5.0, 4.0)), ..Stroke::solid(palette::colour(style), 1.8) };
                canvas.line(&[corners[0], corners[1], corners[2], corners[3], corners[0]], edge);
            } else {
                canvas.area(&corners, palette::colour(style), 1.0);
            }
            let text = number::short(*value);
            // The only segment is the total, which stands beside the bar.
            if segments.len() > 1 && text::width(&text, INSIDE.size, INSIDE.weight) + 6.0 < to - from {
                let place = ((from + to) / 2.0, middle + INSIDE.size * 0.36);
                canvas.text(place.0, place.1, Anchor::Middle, Font { fill: palette::on(style), ..INSIDE }, &text);
            }
        }
        let mut end = segments.last().map_or(area.left, |last| last.to);
        if let Some((low, high)) = interval(bar).filter(|_| !segments.is_empty()) {
            let (low, high) = (ruler.nearest_place(low), ruler.nearest_place(high));
            let cap = |x: f64| [(x, middle - 3.5), (x, middle + 3.5)];
            // A rim, so that it stands out from any bar.
            for (colour, width) in [(palette::GROUND, 3.2), (palette::INK, 1.2)] {
                for line in [[(low, middle), (high, middle)], cap(low), cap(high)] {
                    canvas.line(&line, Stroke::solid(colour, width));
                }
            }
            end = end.max(high);
        }
        canvas.text_with_rim(end + TO_TOTAL, middle + TOTAL.size * 0.36, Anchor::Start, TOTAL, &shown(bar));
    }
}

/// Grid lines, labels and title of the axis, and the line that bars begin at.
fn axis(canvas: &mut Canvas, shown: &Panel, area: Area, ruler: &Ruler) {
    for tick in ruler.ticks_apart(|tick| text::width(&tick.label, panel::TICK.size, panel::TICK.weight) + 8.0) {
        let x = tick.place.floor() + 0.5;
        canvas.line(&[(x, area.top), (x, area.bottom)], Stroke::solid(palette::GRID, 1.0));
        canvas.text(tick.place, area.bottom + 17.0, Anchor::Middle, panel::TICK, &tick.label);
    }
    let base = area.left.floor() + 0.5;
    canvas.line(&[(base, area.top), (base, area.bottom)], Stroke::solid(palette::BASE, 1.0));
    panel::foot_title(canvas, &shown.x.title, area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Segment;

    const AREA: Area = Area { left: 100.0, top: 0.0, right: 500.0, bottom: 200.0 };

    fn bar(values: &[f64]) -> Bar {
        let segments = values.iter().zip(0..).map(|(&value, style)| Segment::new("part", style, value));
        Bar::new("a bar", segments.collect())
    }

    fn panel(bars: Vec<Bar>) -> Panel {
        Panel { bars, ..Panel::default() }
    }

    #[test]
    fn segments_follow_each_other_from_zero() {
        let panel = panel(vec![bar(&[10.0, 0.0, f64::NAN, -1.0, 30.0])]);
        let ruler = ruler(&panel, AREA);
        let placed = placed(&panel.bars[0], &ruler);
        let styles: Vec<usize> = placed.iter().map(|segment| segment.style).collect();
        assert_eq!(styles, [0, 4]);
        let marks = marks(&panel, AREA, 7);
        assert_eq!(
            marks.iter().map(|mark| (mark.panel, mark.bar, mark.segment)).collect::<Vec<_>>(),
            [(7, 0, 0), (7, 0, 4)]
        );
        assert!(AREA.left < marks[0].x && marks[0].x < placed[1].from && placed[1].from < marks[1].x);
        assert_eq!((placed[0].from, placed[0].to), (AREA.left, placed[1].from));
        let (first, second) = (placed[0].to - placed[0].from, placed[1].to - placed[1].from);
        assert!((second - 3.0 * first).abs() < 0.05, "{placed:?}");
    }

    #[test]
    fn the_total_of_the_longest_bar_has_room() {
        let mut panel = panel(vec![bar(&[1.0]), bar(&[123.4])]);
        let end = |panel: &Panel| ruler(panel, AREA).place(123.4).unwrap();
        let room = text::width("123", TOTAL.size, TOTAL.weight) + TO_TOTAL;
        assert!(AREA.right - end(&panel) >= room);
        panel.bars[1].interval = Some((200.0, 100.0));
        assert!(AREA.right - ruler(&panel, AREA).place(200.0).unwrap() >= room);
    }

    #[test]
    fn a_total_is_of_what_is_known() {
        assert_eq!(total(&bar(&[1.0, f64::NAN, 2.0])), Some(3.0));
        assert_eq!(total(&bar(&[0.0])), Some(0.0));
        assert_eq!(total(&bar(&[f64::INFINITY, -2.0])), None);
        assert_eq!(total(&bar(&[])), None);
        assert_eq!(total(&bar(&[9e299, 9e299])), None);
    }

    #[test]
    fn labels_leave_room_for_bars() {
        let panel = panel(vec![Bar::new("a long name ".repeat(30), Vec::new())]);
        assert!(gutter(&panel, 400.0) <= 168.0);
    }
}
