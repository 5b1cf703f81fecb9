//! Whole figures: the same bytes each time, the right size, and no input that breaks one.

use charts::{Axis, Bar, ChartError, Figure, Panel, Point, Reference, STYLES, Scale, Segment, Series, Width, on_dark};
use proptest::prelude::*;
use resvg::{tiny_skia::Pixmap, usvg};

fn figure(points: Vec<Point>) -> Figure {
    Figure {
        title: "Throughput <of> \"servers\" & others".into(),
        subtitle: "2 CPUs · 2026-11-30".into(),
        panels: vec![Panel {
            x: Axis::new("clients", Scale::Linear),
            y: Axis::new("requests/s", Scale::Linear),
            series: vec![Series::new("event-loop", 0, points)],
            references: vec![Reference::new("ceiling, 2 CPUs", 6.7)],
            ..Panel::default()
        }],
        ..Figure::default()
    }
}

fn some_points() -> Vec<Point> {
    vec![Point::new(1.0, 3.3), Point::new(2.0, 3.2).with_interval(3.0, 3.4), Point::new(4.0, 3.4)]
}

/// Draws the figure and reads the SVG as a renderer does.
fn size_of_svg(figure: &Figure) -> (f32, f32) {
    let drawing = figure.draw().unwrap();
    let tree = usvg::Tree::from_str(&drawing.svg, &usvg::Options::default()).unwrap();
    assert_eq!((drawing.width as f32, drawing.height as f32), (tree.size().width(), tree.size().height()));
    for number in ["NaN", "inf"] {
        assert!(!drawing.svg.contains(number), "{number} in {}", drawing.svg);
    }
    for mark in &drawing.marks {
        assert!((0.0..=drawing.width).contains(&mark.x) && (0.0..=drawing.height).contains(&mark.y), "{mark:?}");
    }
    (tree.size().width(), tree.size().height())
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    let figure = figure(some_points());
    assert_eq!(figure.to_svg().unwrap(), figure.to_svg().unwrap());
    assert_eq!(figure.to_png(1.0).unwrap(), figure.to_png(1.0).unwrap());
}

#[test]
fn a_png_has_the_size_of_the_drawing_times_the_scale() {
    let figure = figure(some_points());
    let drawing = figure.draw().unwrap();
    for scale in [0.5, 1.0, 2.0] {
        let image = Pixmap::decode_png(&figure.to_png(scale).unwrap()).unwrap();
        assert_eq!(image.width(), (900.0 * scale) as u32);
        assert_eq!(f64::from(image.height()), (drawing.height * f64::from(scale)).round());
        let ground = image.pixel(1, 1).unwrap();
        assert_eq!((ground.red(), ground.alpha()), (255, 255));
    }
}

#[test]
fn text_is_drawn_with_the_embedded_font() {
    let ink = |title: &str| {
        let figure = Figure { title: title.into(), ..figure(vec![]) };
        let image = Pixmap::decode_png(&figure.to_png(1.0).unwrap()).unwrap();
        let top = image.pixels().iter().take(900 * 45);
        top.filter(|pixel| pixel.red() < 100).count()
    };
    assert_eq!(ink(""), ink(" "));
    assert!(ink("throughput") > ink("thr") + 100 && ink("thr") > ink("") + 50);
}

#[test]
fn scales_that_make_no_sense_are_refused() {
    let figure = figure(some_points());
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(figure.to_png(scale), Err(ChartError::BadScale(_))), "{scale}");
    }
    let error = figure.to_png(1e6).unwrap_err();
    assert!(matches!(error, ChartError::TooLarge { .. }));
    assert!(error.to_string().contains("900000000 x"), "{error}");
}

#[test]
fn a_dark_page_knows_every_colour() {
    let mut figure = figure(some_points());
    figure.panels[0].series = (0..2 * STYLES).map(|i| Series::new("a", i, some_points())).collect();
    let svg = figure.to_svg().unwrap();
    let known: Vec<&str> = on_dark().map(|(colour, _)| colour).collect();
    for (at, _) in svg.match_indices("=\"#") {
        let colour = &svg[at + 2..at + 9];
        assert!(known.contains(&colour), "{colour}");
    }
}

#[test]
fn a_text_over_lines_is_there_twice_as_its_rim_and_as_itself() {
    let svg = figure(some_points()).to_svg().unwrap();
    let labels: Vec<&str> = svg.lines().filter(|line| line.contains(">ceiling, 2 CPUs<")).collect();
    let stroked: Vec<bool> = labels.iter().map(|line| line.contains(" stroke=\"#FFFFFF\"")).collect();
    assert_eq!(stroked, [true, false], "{labels:?}");
}

#[test]
fn texts_are_escaped() {
    let svg = figure(some_points()).to_svg().unwrap();
    assert!(svg.contains("Throughput &lt;of&gt; &quot;servers&quot; &amp; others"));
}

#[test]
fn marks_tell_where_points_lie() {
    let mut points = some_points();
    points.insert(1, Point::new(1.5, f64::NAN));
    let marks = figure(points).draw().unwrap().marks;
    assert_eq!(marks.iter().map(|mark| mark.point.x).collect::<Vec<_>>(), [1.0, 2.0, 4.0]);
    assert!(marks.windows(2).all(|pair| pair[0].x < pair[1].x));
    assert!(marks[1].y > marks[0].y && marks[0].y > marks[2].y, "{marks:?}");
}

#[test]
fn marks_are_in_the_units_of_the_document() {
    let drawing = figure(some_points()).draw().unwrap();
    let tree = usvg::Tree::from_str(&drawing.svg, &usvg::Options::default()).unwrap();
    let mut places = Vec::new();
    // The series has round markers: as wide as high, wherever they stand.
    collect(tree.root(), &mut places);
    for mark in &drawing.marks {
        let near = |(x, y): &(f64, f64)| (x - mark.x).abs() < 0.02 && (y - mark.y).abs() < 0.02;
        assert!(places.iter().any(near), "{mark:?} in {places:?}");
    }
}

/// The middles of all paths in the document.
fn collect(group: &usvg::Group, places: &mut Vec<(f64, f64)>) {
    for node in group.children() {
        match node {
            usvg::Node::Group(group) => collect(group, places),
            node => {
                let place = node.abs_bounding_box();
                places.push(((place.left() + place.right()) as f64 / 2.0, (place.top() + place.bottom()) as f64 / 2.0));
            }
        }
    }
}

#[test]
fn a_single_level_shows_its_values() {
    let mut figure = figure(vec![Point::new(8.0, 6.4321)]);
    figure.panels[0].series.push(Series::new("worker-pool", 1, vec![Point::new(8.0, 6.4)]));
    for scale in [Scale::Linear, Scale::LinearTight, Scale::Log10] {
        figure.panels[0].x = Axis::new("clients", scale);
        let drawing = figure.draw().unwrap();
        for value in ["6.43", "6.4", "8"] {
            assert!(drawing.svg.contains(&format!(">{value}<")), "{value} on {scale:?}");
        }
        assert!(drawing.marks[1].x - drawing.marks[0].x > 50.0, "{:?}", drawing.marks);
    }
}

#[test]
fn bars_show_their_labels_their_lengths_and_what_they_are_made_of() {
    let parts = |queue: f64, compute: f64| vec![Segment::new("queue", 6, queue), Segment::new("compute", 1, compute)];
    let bars = vec![Bar::new("event-loop", parts(0.01, 20.0)), Bar::new("worker-pool", parts(5.0, 37.0))];
    let x = Axis::new("milliseconds", Scale::Log10);
    let panel = Panel { title: Some("20 clients".into()), x, bars, ..Panel::default() };
    let mut figure = Figure { panels: vec![panel], ..Figure::default() };
    let svg = figure.to_svg().unwrap();
    // The segment of 0.01 has no room for its value.
    for text in ["event-loop", "worker-pool", "queue", "compute", "20 clients", "milliseconds", "37", "42", "20"] {
        assert!(svg.contains(&format!(">{text}<")), "{text} in {svg}");
    }
    assert!(!svg.contains(">0.01<") && !svg.contains(">no data<"));
    let (_, one_row) = size_of_svg(&figure);
    figure.panels[0].bars.truncate(1);
    assert!(size_of_svg(&figure).1 < one_row);
    figure.panels[0].bars[0].segments.truncate(1);
    assert!(!figure.to_svg().unwrap().contains(">queue<"), "a bar of one part has no legend");
}

#[test]
fn figures_without_data_say_so() {
    let empty = [Figure::default(), figure(vec![]), figure(vec![Point::new(1.0, f64::NAN)])];
    for figure in empty {
        assert!(figure.to_svg().unwrap().contains(">no data<"));
        size_of_svg(&figure);
    }
}

#[test]
fn a_zero_on_a_logarithmic_axis_is_noted() {
    let mut figure = figure(vec![Point::new(1.0, 0.0), Point::new(2.0, 3.0)]);
    assert!(!figure.to_svg().unwrap().contains("logarithmic"));
    figure.panels[0].y.scale = Scale::Log10;
    assert!(figure.to_svg().unwrap().contains("1 point at or below zero is not shown"));
}

#[test]
fn every_series_is_named_however_many() {
    for (count, columns, width) in [
        (1, 1, Width::Wide),
        (8, 1, Width::Wide),
        (40, 1, Width::Wide),
        (8, 2, Width::Wide),
        (1, 1, Width::Narrow),
        (40, 2, Width::Narrow),
    ] {
        let mut figure = figure(vec![]);
        (figure.columns, figure.width) = (columns, width);
        figure.panels[0].series = (0..count).map(|i| Series::new(format!("series-{i}"), i, some_points())).collect();
        let svg = figure.to_svg().unwrap();
        for i in 0..count {
            assert!(svg.contains(&format!(">series-{i}<")), "series {i} of {count}");
        }
    }
}

/// Numbers of every kind, the odd ones often.
fn number() -> impl Strategy<Value = f64> {
    let odd = [
        0.0,
        -0.0,
        1.0,
        2.0,
        1e-6,
        1e12,
        1e15,
        5e-324,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::MIN,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1.0 + f64::EPSILON,
        9.99e299,
        -9.99e299,
    ];
    prop_oneof![2 => 0.0..10.0, 2 => prop::sample::select(odd.to_vec()), 1 => any::<f64>()]
}

fn axis() -> impl Strategy<Value = Axis> {
    let scale = prop::sample::select(vec![Scale::Linear, Scale::LinearTight, Scale::Log10]);
    let ticks = prop::option::weighted(0.3, prop::collection::vec(number(), 0..8));
    let holds = prop::collection::vec(number(), 0..3);
    (".{0,20}", scale, ticks, holds).prop_map(|(title, scale, ticks, holds)| Axis { title, scale, ticks, holds })
}

fn point() -> impl Strategy<Value = Point> {
    (number(), number(), prop::option::of(number()), prop::option::of(number())).prop_map(|(x, y, low, high)| Point {
        x,
        y,
        low,
        high,
    })
}

fn series() -> impl Strategy<Value = Series> {
    (".{0,60}", any::<usize>(), prop::collection::vec(point(), 0..6), any::<bool>())
        .prop_map(|(key, style, points, dashed)| Series { key, style, points, dashed })
}

fn bar() -> impl Strategy<Value = Bar> {
    let segment = (".{0,20}", any::<usize>(), number()).prop_map(|(key, style, value)| Segment { key, style, value });
    let interval = prop::option::of((number(), number()));
    let parts = (".{0,60}", prop::collection::vec(segment, 0..4), interval, any::<bool>());
    parts.prop_map(|(label, segments, interval, dashed)| Bar { label, segments, interval, dashed })
}

fn panel() -> impl Strategy<Value = Panel> {
    let references = prop::collection::vec((".{0,40}", number()), 0..3);
    let bars = prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(bar(), 0..6)];
    (prop::option::of(".{0,20}"), axis(), axis(), prop::collection::vec(series(), 0..5), references, bars).prop_map(
        |(title, x, y, series, references, bars)| {
            let references = references.into_iter().map(|(label, y)| Reference { label, y }).collect();
            Panel { title, x, y, series, references, bars }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_figure_becomes_a_sound_svg(
        title in ".{0,200}",
        notes in prop::collection::vec(".{0,200}", 0..3),
        panels in prop::collection::vec(panel(), 0..4),
        columns in prop::sample::select(vec![0, 1, 2, 3, usize::MAX]),
        (width, units) in prop::sample::select(vec![(Width::Wide, 900.0), (Width::Narrow, 360.0)]),
    ) {
        let figure = Figure { subtitle: title.clone(), title, notes, panels, columns, width };
        let size = size_of_svg(&figure);
        prop_assert_eq!(size.0, units);
        prop_assert!(size.1 > 0.0 && size.1 < 5000.0);
    }
}
