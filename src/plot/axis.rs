//! Axes with round numbers.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// One axis, linear or logarithmic.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    /// From the extent of what is drawn, which is widened by a part of it where it has no width.
    pub fn new(extent: Option<(f64, f64)>, logarithmic: bool, margin: f64) -> Self {
        let (low, high) = extent.unwrap_or((1.0, 1.0));
        let axis = Axis {
            low,
            high,
            logarithmic,
        };
        let (a, b) = (axis.position(low), axis.position(high));
        let width = match (b - a, logarithmic) {
            (0.0, true) => 1.0,
            (0.0, false) => 0.1 * a.abs() + f64::from(a == 0.0),
            (width, _) => 2.0 * margin * width,
        };
        Axis {
            low: axis.value(a - 0.5 * width),
            high: axis.value(b + 0.5 * width),
            logarithmic,
        }
    }

    fn position(&self, value: f64) -> f64 {
        if self.logarithmic {
            value.log10()
        } else {
            value
        }
    }

    fn value(&self, position: f64) -> f64 {
        if self.logarithmic {
            10_f64.powf(position)
        } else {
            position
        }
    }

    /// Round numbers on the axis, at most `count`: multiples of 1, 2 or 5 times a power of ten; on a
    /// logarithmic axis powers of ten, with 2 and 5 between them where there is room.
    pub fn ticks(&self, count: usize) -> Vec<f64> {
        let count = count.max(2);
        if self.logarithmic {
            let (low, high) = (self.low.log10(), self.high.log10());
            let decades = high - low;
            if decades >= 1.0 {
                let stride = (decades / count as f64).ceil().max(1.0);
                let mantissas: &[f64] = match 3.0 * decades <= count as f64 {
                    true => &[1.0, 2.0, 5.0],
                    false => &[1.0],
                };
                let first = (low / stride).floor() as i32;
                let powers = (first..).map(|k| f64::from(k) * stride);
                return powers
                    .take_while(|&power| power <= high)
                    .flat_map(|power| mantissas.iter().map(move |m| power_of_ten(*m, power)))
                    .filter(|tick| (self.low..=self.high).contains(tick))
                    .collect();
            }
        }
        let rough = (self.high - self.low) / count as f64;
        let power = rough.log10().floor();
        let steps = [1.0, 2.0, 5.0, 10.0].map(|m| power_of_ten(m, power));
        let step = steps.into_iter().find(|step| *step >= rough * (1.0 - 1e-9));
        let step = step.unwrap_or(rough);
        let (first, last) = ((self.low / step).ceil(), (self.high / step).floor());
        let multiples = (0..=(last - first).max(0.0) as usize).map(|k| first + k as f64);
        multiples.map(|k| rounded(k * step)).collect()
    }
}

/// `mantissa · 10^power`, as the decimal number is read.
fn power_of_ten(mantissa: f64, power: f64) -> f64 {
    rounded(mantissa * 10_f64.powf(power))
}

/// To twelve digits, so that 3 × 0.1 is 0.3.
fn rounded(x: f64) -> f64 {
    format!("{x:.11e}").parse().unwrap_or(x)
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let (low, high) = (self.position(self.low), self.position(self.high));
        let part = (self.position(*value) - low) / (high - low);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.ticks(hint.max_num_points().min(9))
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        label(value)
    }
}

/// What stands beside a tick.
pub fn label(value: &f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        1e-3..1e5 => value.to_string().replace('-', "−"),
        _ => format!("{value:e}").replace('-', "−"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let ticks = |low: f64, high: f64, log| Axis::new(Some((low, high)), log, 0.0).ticks(8);
        assert_eq!(ticks(0.0, 1.0, false), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(
            ticks(-0.31, 0.32, false),
            [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]
        );
        assert_eq!(ticks(1e-3, 10.0, true), [1e-3, 1e-2, 0.1, 1.0, 10.0]);
        assert_eq!(ticks(3.0, 90.0, true), [5.0, 10.0, 20.0, 50.0]);
        assert_eq!(ticks(2.0, 3.0, true), [2.0, 2.2, 2.4, 2.6, 2.8, 3.0]);
        assert_eq!(ticks(1e-12, 1e12, true).len(), 9);
        for (low, high) in [(5.0, 5.0), (0.0, 0.0), (-1e-9, 1e-9), (1e8, 1e8 + 1.0)] {
            for log in [false, true] {
                if log && low <= 0.0 {
                    continue;
                }
                let axis = Axis::new(Some((low, high)), log, 0.05);
                let found = axis.ticks(8);
                assert!((1..=9).contains(&found.len()), "{axis:?}: {found:?}");
                assert!(
                    found.iter().all(|t| (axis.low..=axis.high).contains(t)),
                    "{axis:?}"
                );
            }
        }
    }
}
