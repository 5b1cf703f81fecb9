//! Rasterises an SVG with the embedded fonts, and nothing from the system.

use crate::{ChartError, text::FAMILY, text::Weight};
use resvg::{tiny_skia, usvg};
use std::sync::{Arc, LazyLock};

/// The longest side of a PNG, in pixels.
const LONGEST: u64 = 16_384;

static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = usvg::fontdb::Database::new();
    for weight in [Weight::Regular, Weight::Bold] {
        fonts.load_font_source(usvg::fontdb::Source::Binary(Arc::new(weight.font())));
    }
    fonts.set_sans_serif_family(FAMILY);
    Arc::new(fonts)
});

/// The SVG as a PNG, `scale` pixels for each SVG unit.
pub(crate) fn rasterise(svg: &str, scale: f32) -> Result<Vec<u8>, ChartError> {
    if !(scale.is_finite() && scale > 0.0) {
        return Err(ChartError::BadScale(scale));
    }
    let options = usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options)?;
    let pixels = |length: f32| (f64::from(length) * f64::from(scale)).round().max(1.0) as u64;
    let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
    let too_large = ChartError::TooLarge { width, height };
    if width.max(height) > LONGEST {
        return Err(too_large);
    }
    let mut image = tiny_skia::Pixmap::new(width as u32, height as u32).ok_or(too_large)?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut image.as_mut());
    image.encode_png().map_err(|error| ChartError::Encode(error.to_string()))
}
