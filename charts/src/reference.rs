//! Finds a place for the label of a reference line: on the line, where it covers no data.

use crate::{
    canvas::Canvas,
    palette,
    plot::{Area, Line},
    text::{self, Weight},
};

/// Font size of the labels.
pub(crate) const SIZE: f64 = 12.0;

/// A rectangle that text takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

/// A label in its place.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) text: String,
    pub(crate) block: Block,
}

impl Block {
    /// Takes grid lines away from behind the text. Data is drawn later, so it stays.
    pub(crate) fn clear(&self, canvas: &mut Canvas) {
        let Self { left, top, right, bottom } = self.grown(2.0);
        canvas.area(&[(left, top), (right, top), (right, bottom), (left, bottom)], palette::GROUND, 1.0);
    }

    fn touches(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    /// Whether a straight line from one place to another passes through.
    fn is_crossed(&self, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> bool {
        // The part of the way, from 0 to 1, that lies between the sides.
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for (from, to, low, high) in [(x1, x2, self.left, self.right), (y1, y2, self.top, self.bottom)] {
            if from == to {
                if !(low..=high).contains(&from) {
                    return false;
                }
                continue;
            }
            let (a, b) = ((low - from) / (to - from), (high - from) / (to - from));
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        enter <= leave
    }

    fn grown(&self, by: f64) -> Self {
        Self { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }
}

/// Places the label of a line at height `y`. `taken` are labels placed before, `others` the heights of the other lines.
pub(crate) fn place(text: &str, y: f64, area: Area, lines: &[Line], taken: &[Label], others: &[f64]) -> Label {
    let text = text::fit(text, SIZE, Weight::Regular, area.width() - 16.0);
    let width = text::width(&text, SIZE, Weight::Regular);
    let span = area.width() - 16.0 - width;
    let mut best: Option<(f64, Block)> = None;
    // Above the line and at its left end by choice, then further right, then below.
    for (side, lift) in [(0.0, 4.0), (0.5, -4.0 - SIZE)] {
        for step in 0..=12 {
            let left = area.left + 8.0 + span * f64::from(step) / 12.0;
            let bottom = y - lift;
            let block = Block { left, top: bottom - SIZE, right: left + width, bottom };
            if block.bottom + 3.0 > area.bottom || block.top < area.top - 4.0 {
                continue;
            }
            let near = block.grown(4.0);
            let crossed = lines.iter().flat_map(|line| &line.runs).filter(|run| {
                run.windows(2).any(|pair| near.is_crossed((pair[0].x, pair[0].y), (pair[1].x, pair[1].y)))
                    || run.iter().any(|placed| near.is_crossed((placed.x, placed.y), (placed.x, placed.y)))
            });
            let hidden = taken.iter().filter(|label| label.block.grown(3.0).touches(&block)).count();
            let struck = others.iter().filter(|&&other| (block.top..block.bottom).contains(&other)).count();
            let cost =
                crossed.count() as f64 + 50.0 * hidden as f64 + 5.0 * struck as f64 + side + f64::from(step) * 0.01;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, block));
            }
        }
    }
    let fallback =
        Block { left: area.left + 8.0, top: y - 4.0 - SIZE, right: area.left + 8.0 + width, bottom: y - 4.0 };
    Label { text, block: best.map_or(fallback, |(_, block)| block) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Point, plot::Placed};

    const AREA: Area = Area { left: 0.0, top: 0.0, right: 400.0, bottom: 300.0 };

    fn line(places: &[(f64, f64)]) -> Line {
        let run = places.iter().map(|&(x, y)| Placed { x, y, interval: None, point: Point::default() });
        Line { series: 0, runs: vec![run.collect()] }
    }

    #[test]
    fn a_free_line_is_labelled_at_its_left_end() {
        let label = place("ceiling", 100.0, AREA, &[], &[], &[]);
        assert_eq!((label.block.left, label.block.bottom), (8.0, 96.0));
    }

    #[test]
    fn data_is_not_covered() {
        let rising = line(&[(0.0, 300.0), (40.0, 60.0), (400.0, 60.0)]);
        let label = place("ceiling", 100.0, AREA, std::slice::from_ref(&rising), &[], &[]);
        assert!(label.block.left > 40.0, "{label:?}");
        let flat = line(&[(0.0, 95.0), (400.0, 95.0)]);
        let label = place("ceiling", 100.0, AREA, &[flat], &[], &[]);
        assert!(label.block.top > 100.0, "{label:?}");
    }

    #[test]
    fn labels_do_not_cover_each_other() {
        let first = place("ceiling", 100.0, AREA, &[], &[], &[101.0]);
        let second = place("ceiling", 101.0, AREA, &[], std::slice::from_ref(&first), &[100.0]);
        assert!(!first.block.touches(&second.block), "{first:?} {second:?}");
    }
}
