//! An axis with its length: from values to places, and where its ticks lie.

use crate::{
    Axis, Scale, bounds,
    canvas::{FINE, fine},
    number, ticks,
};
use plotters::coord::{ranged1d::Ranged, types::RangedCoordf64};

/// An axis as laid out: a coordinate of plotters, in the axis's own measure (the logarithm on a logarithmic axis:
/// the ends of plotters' `LogCoord` are values, and those of an axis from 1e-300 to 1e300 with some room overflow).
#[derive(Clone)]
pub(crate) struct Ruler {
    scale: Scale,
    coord: RangedCoordf64,
    from: f64,
    to: f64,
    ticks: Vec<Tick>,
}

/// A labelled place on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    value: f64,
    pub(crate) place: f64,
    pub(crate) label: String,
}

/// Room that must stay free between a value and the far end of the axis.
pub(crate) struct Room {
    pub(crate) beyond: f64,
    pub(crate) free: f64,
}

impl Ruler {
    /// An axis from place `from` to place `to` that holds `values`, with ticks about `spacing` apart.
    pub(crate) fn new(axis: &Axis, values: &[f64], rooms: &[Room], from: f64, to: f64, spacing: f64) -> Self {
        let scale = axis.scale;
        let (low, mut high) = bounds::range(scale, values);
        let length = (to - from).abs();
        for room in rooms.iter().filter(|room| bounds::has_place(scale, room.beyond) && room.free < length / 2.0) {
            let share = length / (length - room.free);
            high = high.max(low + (bounds::measure(scale, room.beyond) - low) * share);
        }
        let mut ruler = Self { scale, coord: (low..high).into(), from, to, ticks: Vec::new() };
        let wanted = (length / spacing) as usize + 1;
        ruler.ticks = match &axis.ticks {
            Some(values) => ruler.label(values, values.iter().map(|&value| number::format_value(value)).collect()),
            None if scale == Scale::Log10 => {
                let values = ticks::logarithmic(low, high, wanted);
                let labels = values.iter().map(|&value| number::format_value(value)).collect();
                ruler.label(&values, labels)
            }
            None => {
                let (values, step) = ticks::linear(low, high, wanted);
                let labels = number::tick_labels(&values, step);
                ruler.label(&values, labels)
            }
        };
        ruler
    }

    fn label(&self, values: &[f64], labels: Vec<String>) -> Vec<Tick> {
        let ticks = values.iter().zip(labels);
        let ticks = ticks.filter_map(|(&value, label)| Some(Tick { value, place: self.place(value)?, label }));
        let mut ticks: Vec<Tick> = ticks.collect();
        ticks.sort_by(|a, b| a.place.total_cmp(&b.place));
        ticks.dedup_by(|a, b| a.place == b.place);
        ticks
    }

    /// The place of a value, if it has one.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        if !bounds::has_place(self.scale, value) {
            return None;
        }
        let (measure, range) = (bounds::measure(self.scale, value), self.coord.range());
        let slack = (range.end - range.start) * 1e-6;
        let inside = (range.start - slack..=range.end + slack).contains(&measure);
        let ends = (fine(self.from), fine(self.to));
        inside.then(|| f64::from(self.coord.map(&measure, ends)) / FINE)
    }

    /// The place of a value, or the end of the axis that is nearest to it.
    pub(crate) fn nearest_place(&self, value: f64) -> f64 {
        self.place(value).unwrap_or_else(|| {
            let beyond =
                bounds::has_place(self.scale, value) && bounds::measure(self.scale, value) > self.coord.range().end;
            if beyond || value == f64::INFINITY { self.to } else { self.from }
        })
    }

    /// The ticks by place, all of them.
    pub(crate) fn ticks(&self) -> &[Tick] {
        &self.ticks
    }

    /// The ticks by place, without those whose labels would come too near to another. `extent` is the room that a
    /// label takes along the axis. Of ticks at equal distances every second, fifth or tenth is kept.
    pub(crate) fn ticks_apart(&self, extent: impl Fn(&Tick) -> f64) -> Vec<Tick> {
        let apart = |a: &Tick, b: &Tick| (b.place - a.place).abs() >= (extent(a) + extent(b)) / 2.0;
        let all_apart = |ticks: &[Tick]| ticks.windows(2).all(|pair| apart(&pair[0], &pair[1]));
        if all_apart(&self.ticks) {
            return self.ticks.clone();
        }
        let gaps: Vec<f64> = self.ticks.windows(2).map(|pair| pair[1].value - pair[0].value).collect();
        if gaps.iter().all(|gap| (gap - gaps[0]).abs() < 1e-6 * gaps[0].abs()) {
            // Levels 1 to 20 become 5, 10, 15, 20: begin at a multiple of the new step where there is one.
            let origin = self.ticks[0].value / gaps[0];
            for stride in [2, 5, 10, 20, 50, 100, 200, 500, 1000] {
                let whole = origin.fract() == 0.0 && origin.abs() < 1e9;
                let skip = if whole { (-origin as i64).rem_euclid(stride as i64) as usize } else { 0 };
                let some: Vec<Tick> = self.ticks.iter().skip(skip).step_by(stride).cloned().collect();
                if all_apart(&some) {
                    return some;
                }
            }
        }
        let mut kept: Vec<Tick> = Vec::new();
        for tick in self.ticks.iter().rev() {
            if kept.last().is_none_or(|last| apart(last, tick)) {
                kept.push(tick.clone());
            }
        }
        kept.reverse();
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn values_find_their_places() {
        let ruler = Ruler::new(&Axis::new("", Scale::Linear), &[2.0, 10.0], &[], 100.0, 0.0, 20.0);
        assert_eq!(ruler.place(0.0), Some(100.0));
        assert_eq!(ruler.place(5.0), Some(50.0));
        assert_eq!(ruler.place(11.0), None);
        assert_eq!(ruler.place(f64::NAN), None);
        assert_eq!(ruler.nearest_place(f64::INFINITY), 0.0);
        assert_eq!(labels(ruler.ticks()), ["10", "8", "6", "4", "2", "0"]);
    }

    #[test]
    fn room_is_left_above_a_value() {
        let rooms = [Room { beyond: 10.0, free: 20.0 }];
        let ruler = Ruler::new(&Axis::new("", Scale::Linear), &[10.0], &rooms, 100.0, 0.0, 20.0);
        assert!((ruler.place(10.0).unwrap() - 20.0).abs() < 1e-9);
    }

    #[test]
    fn crowded_levels_are_thinned_to_round_ones() {
        let axis = Axis::new("", Scale::LinearTight).with_ticks((1..=20).map(f64::from));
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        let ruler = Ruler::new(&axis, &values, &[], 0.0, 190.0, 20.0);
        assert_eq!(ruler.ticks_apart(|_| 10.0).len(), 20);
        assert_eq!(labels(&ruler.ticks_apart(|_| 20.0)), ["2", "4", "6", "8", "10", "12", "14", "16", "18", "20"]);
        let doubling = Axis::new("", Scale::Linear).with_ticks([1.0, 2.0, 4.0, 8.0, 64.0]);
        let ruler = Ruler::new(&doubling, &[64.0], &[], 0.0, 640.0, 20.0);
        assert_eq!(labels(&ruler.ticks_apart(|_| 40.0)), ["4", "8", "64"]);
    }
}
