//! Markers: one shape for each style, all of about the same weight to the eye.

use crate::{canvas::Canvas, palette};
use std::f64::consts::PI;

/// Radius of a circle with the area that markers have.
pub(crate) const RADIUS: f64 = 3.4;

/// A circle for none, else the corners around the centre in units of [`RADIUS`].
fn corners(shape: usize) -> Option<Vec<(f64, f64)>> {
    Some(match shape % 8 {
        0 => return None,
        1 => ring(4, 1.28, PI / 4.0),
        2 => ring(3, 1.45, 0.0).into_iter().map(|(x, y)| (x, y + 0.2)).collect(),
        3 => ring(4, 1.38, 0.0),
        4 => ring(3, 1.45, PI).into_iter().map(|(x, y)| (x, y - 0.2)).collect(),
        5 => cross(PI / 4.0),
        6 => star(),
        _ => cross(0.0),
    })
}

/// The corners of a regular polygon, beginning at the top turned by `turn`.
fn ring(n: u32, radius: f64, turn: f64) -> Vec<(f64, f64)> {
    (0..n).map(|k| polar(radius, turn + 2.0 * PI * f64::from(k) / f64::from(n))).collect()
}

fn polar(radius: f64, turn: f64) -> (f64, f64) {
    (radius * turn.sin(), -radius * turn.cos())
}

fn star() -> Vec<(f64, f64)> {
    (0..10).map(|k| polar(if k % 2 == 0 { 1.6 } else { 0.7 }, PI * f64::from(k) / 5.0)).collect()
}

/// A plus sign with thick bars.
fn cross(turn: f64) -> Vec<(f64, f64)> {
    let (long, thick) = (1.4, 0.45);
    let arm = [(-thick, -long), (thick, -long), (thick, -thick)];
    (0..4).flat_map(|quarter| arm.map(|(x, y)| rotate(x, y, turn + PI / 2.0 * f64::from(quarter)))).collect()
}

fn rotate(x: f64, y: f64, by: f64) -> (f64, f64) {
    (x * by.cos() - y * by.sin(), x * by.sin() + y * by.cos())
}

/// Draws the marker of a style, with a thin white edge so that neighbours stay apart. Styles of the second round of
/// colours have other shapes than those of the first, and are hollow.
pub(crate) fn draw(canvas: &mut Canvas, style: usize, x: f64, y: f64) {
    let round = style / palette::STYLES;
    let colour = palette::colour(style);
    let (fill, edge, width) =
        if round.is_multiple_of(2) { (colour, palette::GROUND, 0.8) } else { (palette::GROUND, colour, 1.4) };
    match corners(style.wrapping_add(round)) {
        None => canvas.circle((x, y), RADIUS, fill, edge, width),
        Some(corners) => {
            let places: Vec<_> = corners.iter().map(|(dx, dy)| (x + dx * RADIUS, y + dy * RADIUS)).collect();
            canvas.shape(&places, fill, edge, width);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_differ_and_stay_near_their_place() {
        let shapes: Vec<_> = (0..8).map(corners).collect();
        for (i, shape) in shapes.iter().enumerate() {
            assert!(!shapes[..i].contains(shape), "shape {i} occurs twice");
            for (x, y) in shape.iter().flatten() {
                assert!(x.hypot(*y) < 1.8, "shape {i} reaches out to {x}, {y}");
            }
        }
    }

    #[test]
    fn any_style_number_has_a_marker() {
        for style in [0, 7, 8, 15, 16, 1_000_003, usize::MAX] {
            let mut canvas = Canvas::default();
            draw(&mut canvas, style, 1.0, 1.0);
            assert!(canvas.finish(9.0, 9.0, "").unwrap().len() > 150, "style {style}");
        }
    }
}
