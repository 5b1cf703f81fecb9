//! Where everything is drawn: a list of plotters' elements, which its `SVGBackend` turns into a picture at the end.
//!
//! The backend counts in whole numbers, and a whole pixel is too coarse for series a few pixels apart. So it draws
//! at [`FINE`] times the size, stroke widths and font sizes too; `svg` brings the picture back to the units that the
//! rest of the crate counts in.

use crate::{ChartError, palette, svg, text::Weight};
use plotters::{
    coord::Shift,
    drawing::DrawingAreaErrorKind,
    element::DashedPathElement,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use std::{io, vec};

/// Units of the backend for each unit of the picture: a hundredth of a pixel is finer than any screen.
pub(crate) const FINE: f64 = 100.0;

/// The font of every text, and what to take where it is missing.
const FAMILIES: &str = "Noto Sans, sans-serif";
/// How far below the place of a text, in font sizes, `SVGBackend` puts the base line of one anchored at its top.
const ASCENT: f64 = 0.76;
/// `SVGBackend` takes a font size for the height of a line, and letters for this much smaller.
const LINE_HEIGHT: f64 = 1.24;
/// How far the white rim of a text reaches out.
pub(crate) const RIM: f64 = 1.6;

type Place = (i32, i32);

/// A picture in the making.
#[derive(Default)]
pub(crate) struct Canvas {
    elements: Vec<Element>,
}

enum Element {
    Line(PathElement<Place>),
    Dashes(DashedPathElement<vec::IntoIter<Place>, i32>),
    Area(Polygon<Place>),
    Circle(Circle<Place, i32>),
    Text(Text<'static, Place, String>),
    /// The text again in the colour of the ground; `svg` widens it.
    Rim(Text<'static, Place, String>),
}

/// How a text is set.
#[derive(Clone, Copy)]
pub(crate) struct Font {
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) fill: &'static str,
}

/// Which part of a text lies at its place.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a line is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Stroke {
    pub(crate) colour: &'static str,
    pub(crate) width: f64,
    /// Lengths of dash and gap.
    pub(crate) dash: Option<(f64, f64)>,
    pub(crate) opacity: f64,
}

impl Stroke {
    pub(crate) fn solid(colour: &'static str, width: f64) -> Self {
        Self { colour, width, dash: None, opacity: 1.0 }
    }

    fn style(&self) -> ShapeStyle {
        rgb(self.colour).mix(self.opacity).stroke_width(fine(self.width).unsigned_abs())
    }
}

impl Canvas {
    /// A line through all places.
    pub(crate) fn line(&mut self, places: &[(f64, f64)], stroke: Stroke) {
        let (path, style) = (path(places), stroke.style());
        self.elements.push(match stroke.dash {
            None => Element::Line(PathElement::new(path, style)),
            Some((dash, gap)) => Element::Dashes(DashedPathElement::new(path, fine(dash), fine(gap), style)),
        });
    }

    /// A pale area.
    pub(crate) fn area(&mut self, corners: &[(f64, f64)], fill: &str, opacity: f64) {
        let style = rgb(fill).mix(opacity).filled();
        self.elements.push(Element::Area(Polygon::new(path(corners), style)));
    }

    /// A filled polygon with an edge.
    pub(crate) fn shape(&mut self, corners: &[(f64, f64)], fill: &str, edge: &'static str, width: f64) {
        self.area(corners, fill, 1.0);
        // Beyond the first corner, so that it gets a join rather than two ends.
        let around = corners.iter().chain(corners.iter().take(2));
        let around: Vec<_> = around.copied().collect();
        self.line(&around, Stroke::solid(edge, width));
    }

    /// A filled circle with an edge.
    pub(crate) fn circle(&mut self, place: (f64, f64), radius: f64, fill: &str, edge: &'static str, width: f64) {
        for style in [rgb(fill).filled(), Stroke::solid(edge, width).style()] {
            let (place, radius) = (fine_place(place), fine(radius));
            self.elements.push(Element::Circle(Circle::new(place, radius, style)));
        }
    }

    /// A text on its base line.
    pub(crate) fn text(&mut self, x: f64, y: f64, anchor: Anchor, font: Font, text: &str) {
        self.elements.extend(set(x, y, anchor, font, text).map(Element::Text));
    }

    /// A text with a white rim, for places where lines may pass behind it.
    pub(crate) fn text_with_rim(&mut self, x: f64, y: f64, anchor: Anchor, font: Font, text: &str) {
        let white = Font { fill: palette::GROUND, ..font };
        self.elements.extend(set(x, y, anchor, white, text).map(Element::Rim));
        self.text(x, y, anchor, font, text);
    }

    /// The whole document. The title is for screen readers.
    pub(crate) fn finish(self, width: f64, height: f64, title: &str) -> Result<String, ChartError> {
        let mut drawn = String::new();
        let size = fine_place((width, height));
        let size = (size.0.unsigned_abs(), size.1.unsigned_abs());
        self.draw(SVGBackend::with_string(&mut drawn, size).into_drawing_area())
            .map_err(|error| ChartError::Draw(error.into()))?;
        let texts = self.elements.iter().filter_map(|element| match element {
            Element::Text(_) => Some(svg::Text::Plain),
            Element::Rim(_) => Some(svg::Text::Rim),
            _ => None,
        });
        Ok(svg::document(&drawn, texts, width, height, title))
    }

    fn draw(&self, ground: DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), DrawingAreaErrorKind<io::Error>> {
        ground.fill(&rgb(palette::GROUND))?;
        for element in &self.elements {
            match element {
                Element::Line(line) => ground.draw(line)?,
                Element::Dashes(dashes) => ground.draw(dashes)?,
                Element::Area(area) => ground.draw(area)?,
                Element::Circle(circle) => ground.draw(circle)?,
                Element::Text(text) | Element::Rim(text) => ground.draw(text)?,
            }
        }
        ground.present()
    }
}

/// A text as plotters takes it; an empty one is none.
fn set(x: f64, y: f64, anchor: Anchor, font: Font, text: &str) -> Option<Text<'static, Place, String>> {
    if text.is_empty() {
        return None;
    }
    let style = match font.weight {
        Weight::Regular => FontStyle::Normal,
        Weight::Bold => FontStyle::Bold,
    };
    let anchor = match anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let size = f64::from(fine(font.size)) * LINE_HEIGHT;
    let style =
        FontDesc::new(FontFamily::Name(FAMILIES), size, style).color(&rgb(font.fill)).pos(Pos::new(anchor, VPos::Top));
    let place = fine_place((x, y - ASCENT * font.size));
    let text = text.chars().map(svg::printable).collect();
    Some(Text::new(text, place, style))
}

/// A length in units of the backend.
pub(crate) fn fine(length: f64) -> i32 {
    (length * FINE).round() as i32
}

fn fine_place((x, y): (f64, f64)) -> Place {
    (fine(x), fine(y))
}

fn path(places: &[(f64, f64)]) -> Vec<Place> {
    places.iter().copied().map(fine_place).collect()
}

/// The colour of a `#RRGGBB`.
fn rgb(hex: &str) -> RGBColor {
    let number = u32::from_str_radix(hex.trim_start_matches('#'), 16).unwrap_or(0);
    let [_, red, green, blue] = number.to_be_bytes();
    RGBColor(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [1.0, 0.125, -0.001, 33.333333, 1e3].map(fine);
        assert_eq!(shown, [100, 13, 0, 3333, 100_000]);
    }

    #[test]
    fn colours_are_read() {
        assert_eq!(rgb("#0B4F94"), RGBColor(0x0B, 0x4F, 0x94));
    }

    #[test]
    fn font_sizes_come_out_as_they_went_in() {
        for size in [11.5, 12.0, 12.5, 13.0, 13.5, 14.0, 20.0] {
            let font = Font { size, weight: Weight::Regular, fill: palette::INK };
            let mut canvas = Canvas::default();
            canvas.text(0.0, 20.0, Anchor::Start, font, "a");
            let svg = canvas.finish(9.0, 9.0, "").unwrap();
            let wanted = format!("font-size=\"{}\"", size * FINE);
            assert!(svg.contains(&wanted), "{wanted} in {svg}");
        }
    }
}
