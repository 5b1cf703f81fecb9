//! Draws samples of what this crate is for, into the folder given: `cargo run -p charts --example sample -- DIR`.
//! The numbers are made up.

use charts::{Axis, Bar, Figure, Panel, Point, Reference, Scale, Segment, Series, Width};
use std::{error::Error, fs, path::Path};

const SERVERS: [&str; 8] = [
    "event-loop",
    "thread-per-request",
    "worker-pool",
    "worker-array",
    "wasm-worker",
    "multi-event-loop",
    "reuse-port",
    "spawn-blocking",
];

fn main() -> Result<(), Box<dyn Error>> {
    let Some(folder) = std::env::args().nth(1) else {
        return Err("which folder? cargo run -p charts --example sample -- DIR".into());
    };
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let figures = [
        ("throughput", throughput(&SERVERS, &levels())),
        ("throughput-narrow", Figure { width: Width::Narrow, ..throughput(&SERVERS, &levels()) }),
        ("resources-narrow", Figure { width: Width::Narrow, ..resources(&levels()) }),
        ("latency", latency()),
        ("resources", resources(&levels())),
        ("three-series", throughput(&SERVERS[..3], &levels())),
        ("one-level", throughput(&SERVERS, &[8])),
        ("one-level-resources", resources(&[8])),
        ("doubled-levels", resources(&[1, 2, 4, 8, 16, 32, 64])),
        ("long-names", long_names()),
        ("log-scale", log_scale()),
        ("many-series", many_series()),
        ("no-data", throughput(&[], &[])),
        ("stacked-bars", stacked_bars()),
        ("bars", bars()),
    ];
    for (name, figure) in figures {
        fs::write(folder.join(format!("{name}.svg")), figure.to_svg()?)?;
        fs::write(folder.join(format!("{name}.png")), figure.to_png(2.0)?)?;
    }
    Ok(())
}

fn levels() -> Vec<u32> {
    (1..=20).collect()
}

/// Noise between -1 and 1, the same in each run.
fn noise(server: usize, level: u32) -> f64 {
    let mixed = (server as u64 * 31 + u64::from(level) + 7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 40) as f64 / f64::from(1 << 23) - 1.0
}

fn rate(server: usize, level: u32) -> f64 {
    let noise = noise(server, level);
    let ragged = |loss: f64| 6.5 - loss / f64::from(level) * (1.2 + noise) + 0.04 * noise;
    match (server, level) {
        (0, _) => 3.3 + 0.02 * noise,
        (4, 1) => 2.95,
        (4, _) => 5.8 + 0.05 * noise,
        (_, 1) => 3.28 + 0.03 * noise,
        (5, _) => ragged(1.2),
        (6, _) => ragged(3.4),
        _ => 6.5 + 0.07 * noise,
    }
}

fn series(name: &str, style: usize, levels: &[u32], value: impl Fn(u32) -> f64, spread: f64) -> Series {
    let point = |&level: &u32| {
        let y = value(level);
        let point = Point::new(f64::from(level), y);
        if spread > 0.0 { point.with_interval(y * (1.0 - spread), y * (1.0 + spread)) } else { point }
    };
    Series::new(name, style, levels.iter().map(point).collect())
}

fn clients(levels: &[u32]) -> Axis {
    Axis::new("concurrent clients", Scale::LinearTight).with_ticks(levels.iter().map(|&level| level.into()))
}

fn throughput(servers: &[&str], levels: &[u32]) -> Figure {
    let series = servers.iter().enumerate().map(|(i, name)| series(name, i, levels, |level| rate(i, level), 0.012));
    let x = Axis::new("concurrent clients", Scale::LinearTight).with_ticks(levels.iter().map(|&level| level.into()));
    Figure {
        title: "fib(40): throughput over concurrency".into(),
        subtitle: "2 CPUs · 2 workers · 2026-11-30 · median of 3 trials".into(),
        notes: vec!["Band: lowest and highest trial. Lines are moved apart sideways by a few pixels.".into()],
        panels: vec![Panel {
            x,
            y: Axis::new("requests/s", Scale::Linear),
            series: series.collect(),
            references: vec![Reference::new("ceiling, 1 CPU", 3.38), Reference::new("ceiling, 2 CPUs", 6.72)],
            ..Panel::default()
        }],
        ..Figure::default()
    }
}

fn latency() -> Figure {
    let panel = |title: &str, stretch: f64| {
        let latency = |i: usize, level: u32| stretch * (f64::from(level) / rate(i, level)).max(1.0 / 3.3);
        let series =
            SERVERS.iter().enumerate().map(|(i, name)| series(name, i, &levels(), |level| latency(i, level), 0.0));
        Panel {
            title: Some(title.into()),
            x: clients(&levels()),
            y: Axis::new("seconds", Scale::Linear),
            series: series.collect(),
            ..Panel::default()
        }
    };
    Figure {
        title: "fib(40): latency over concurrency".into(),
        subtitle: "2 CPUs · 2 workers · 2026-11-30 · median of 3 trials".into(),
        panels: vec![panel("Median", 1.0), panel("Slowest", 1.3)],
        columns: 1,
        ..Figure::default()
    }
}

fn resources(levels: &[u32]) -> Figure {
    let panel = |title: &str, unit: &str, value: &dyn Fn(usize, u32) -> f64| Panel {
        title: Some(title.into()),
        x: clients(levels),
        y: Axis::new(unit, Scale::Linear),
        series: (0..8).map(|i| series(SERVERS[i], i, levels, |level| value(i, level), 0.0)).collect(),
        ..Panel::default()
    };
    let mut panels = vec![
        panel("CPU", "CPUs used", &|i, level| rate(i, level) / 3.36),
        panel("Memory", "MB, peak resident", &|i, level| {
            let each = if i == 1 { 0.09 } else { 0.02 };
            7.0 + i as f64 * 0.3 + each * f64::from(level) + if i == 4 { 21.0 } else { 0.0 }
        }),
        panel("Threads", "threads", &|i, level| match i {
            0 => 1.0,
            1 => 1.0 + f64::from(level),
            5 => 4.0,
            7 => 2.0 + f64::from(level),
            _ => 3.0,
        }),
        panel("Context switches", "switches/s", &|i, level| 900.0 + 60.0 * i as f64 * f64::from(level)),
    ];
    panels[0].references = vec![Reference::new("2 CPUs", 2.0)];
    Figure {
        title: "fib(40): what the servers used".into(),
        subtitle: "2 CPUs · 2 workers · 2026-11-30 · median of 3 trials".into(),
        panels,
        columns: 2,
        ..Figure::default()
    }
}

fn long_names() -> Figure {
    let names = SERVERS.map(|name| format!("{name} on a runtime with a very long name, keep-alive, 2 workers"));
    let mut figure = throughput(&names.each_ref().map(String::as_str), &levels());
    let long = "a title that goes on for so long that nobody would ever want to read it in a single line of a README";
    figure.title = format!("fib(40): {long}");
    figure.subtitle = format!("2 CPUs · 2026-11-30 · {long} · {long}");
    figure.notes.push(format!("Note: {long}. And {long}."));
    figure.panels[0].references[1].label = "the most that two CPUs could give with no server in the way".into();
    figure
}

fn log_scale() -> Figure {
    let sizes = [15u32, 18, 20, 22, 25, 28, 30, 32, 35, 38, 40];
    let time = |i: usize, n: u32| 3e-9 * 1.618f64.powi(n as i32) + [2e-5, 6e-5, 3e-5][i];
    let series = (0..3).map(|i| series(SERVERS[i], i, &sizes, |n| if n == 18 { 0.0 } else { time(i, n) }, 0.2));
    Figure {
        title: "Response time over the size of the job".into(),
        subtitle: "2 CPUs · 1 client · 2026-11-30".into(),
        panels: vec![Panel {
            x: Axis::new("n of fib(n)", Scale::LinearTight).with_ticks(sizes.map(f64::from)),
            y: Axis::new("seconds", Scale::Log10),
            series: series.collect(),
            references: vec![Reference::new("1 ms", 1e-3)],
            ..Panel::default()
        }],
        ..Figure::default()
    }
}

fn many_series() -> Figure {
    let names: Vec<String> = (0..24).map(|i| format!("{} x{}", SERVERS[i % 8], i / 8 + 1)).collect();
    let mut figure = throughput(&names.iter().map(String::as_str).collect::<Vec<_>>(), &levels());
    for (i, series) in figure.panels[0].series.iter_mut().enumerate() {
        series
            .points
            .iter_mut()
            .for_each(|point| *point = Point::new(point.x, point.y * (1.0 + 0.15 * (i / 8) as f64)));
        series.dashed = i >= 16;
    }
    figure
}

fn stacked_bars() -> Figure {
    let parts = [("queue", 6), ("decode", 5), ("compute", 1), ("encode", 3), ("transport", 2)];
    let panel = |title: &str, queue: f64| {
        let bar = |(i, name): (usize, &&str)| {
            let values = [queue * rate(i, 8), 14.0, 20.0 + 4.0 * i as f64, 9.5, 0.4 + queue];
            let segments = parts.iter().zip(values).map(|(&(key, style), value)| Segment::new(key, style, value));
            Bar::new(*name, segments.collect())
        };
        let bars = SERVERS.iter().enumerate().map(bar).collect();
        Panel { title: Some(title.into()), x: Axis::new("milliseconds", Scale::Linear), bars, ..Panel::default() }
    };
    Figure {
        title: "7x7 Gaussian: where the time of a request goes".into(),
        subtitle: "2 CPUs · 2 workers · 2026-11-30".into(),
        notes: vec!["Means.".into()],
        panels: vec![panel("1 client", 0.0), panel("20 clients", 30.0)],
        columns: 2,
        ..Figure::default()
    }
}

fn bars() -> Figure {
    let bar = |(i, name): (usize, &&str)| {
        let bar = Bar::new(*name, vec![Segment::new(*name, i, rate(i, 8))]);
        Bar { interval: Some((rate(i, 8) * 0.95, rate(i, 8) * 1.05)), ..bar }
    };
    let bars = SERVERS.iter().enumerate().map(bar).collect();
    Figure {
        title: "fib(40): highest throughput".into(),
        panels: vec![Panel { x: Axis::new("requests/s", Scale::Linear), bars, ..Panel::default() }],
        ..Figure::default()
    }
}
