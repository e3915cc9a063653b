//! Line charts in SVG.

use super::Failure;
use super::output::write_whole;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq)]
pub enum Mark {
    Line,
    Dots,
    Dashes,
}

/// Points with a name.
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub mark: Mark,
    color: RGBColor,
}

/// One pair of axes.
pub struct Chart {
    title: String,
    x_label: String,
    y_label: String,
    logarithmic: bool,
    series: Vec<Series>,
}

/// Width of the legend, to the right of the axes, in pixels.
const LEGEND_WIDTH: i32 = 230;

const COLORS: [RGBColor; 6] = [
    RGBColor(0, 95, 175),
    RGBColor(214, 84, 0),
    RGBColor(0, 135, 90),
    RGBColor(150, 60, 150),
    RGBColor(110, 110, 110),
    RGBColor(180, 150, 0),
];

impl Chart {
    pub fn new(
        title: impl Into<String>,
        x_label: impl Into<String>,
        y_label: impl Into<String>,
    ) -> Self {
        Chart {
            title: title.into(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            logarithmic: false,
            series: Vec::new(),
        }
    }

    /// Makes the vertical axis logarithmic; points that are not positive are left out.
    pub fn logarithmic(mut self) -> Self {
        self.logarithmic = true;
        self
    }

    /// Adds a series in the next colour.
    pub fn with(self, name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        let used = self
            .series
            .last()
            .and_then(|s| COLORS.iter().position(|c| *c == s.color));
        let next = used.map_or(0, |last| (last + 1) % COLORS.len());
        self.with_color(COLORS[next], name.into(), mark, points)
    }

    /// Adds a series in the colour of the one before.
    pub fn beside(self, name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        let color = self.series.last().map_or(COLORS[0], |s| s.color);
        self.with_color(color, name.into(), mark, points)
    }

    fn with_color(
        mut self,
        color: RGBColor,
        name: String,
        mark: Mark,
        points: Vec<(f64, f64)>,
    ) -> Self {
        self.series.push(Series {
            name,
            points,
            mark,
            color,
        });
        self
    }

    /// The points of a series as they are drawn; with a logarithmic axis, log₁₀ of the ordinate.
    fn drawn<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = (f64, f64)> + Clone + 'a {
        (series.points.iter())
            .map(|&(x, y)| (x, if self.logarithmic { y.log10() } else { y }))
            .filter(|(x, y)| x.is_finite() && y.is_finite())
    }

    /// Smallest and largest coordinate of all points.
    fn extent(&self, coordinate: impl Fn((f64, f64)) -> f64) -> Range<f64> {
        let points = self.series.iter().flat_map(|series| self.drawn(series));
        let (low, high) = points
            .map(coordinate)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
                (l.min(x), h.max(x))
            });
        if low < high {
            low..high
        } else if low == high {
            low - 0.5..high + 0.5
        } else {
            0.0..1.0
        }
    }

    fn draw(&self, area: &Area) -> Result<(), Failure> {
        let width = area.dim_in_pixel().0 as i32;
        let (area, legend) = area.split_horizontally(width - LEGEND_WIDTH);
        self.draw_legend(&legend)?;
        let (x, y) = (self.extent(|p| p.0), self.extent(|p| p.1));
        let margin = 0.05 * (y.end - y.start);
        let mut context = ChartBuilder::on(&area)
            .caption(&self.title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(68)
            .build_cartesian_2d(x.clone(), y.start - margin..y.end + margin)?;
        context
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .x_label_formatter(&|&at| number(tick(at, &x), 6))
            .y_label_formatter(&|&at| match self.logarithmic {
                true => number(10_f64.powf(at), 2),
                false => number(tick(at, &y), 6),
            })
            .draw()?;
        for series in &self.series {
            let (points, color) = (self.drawn(series), series.color);
            match series.mark {
                Mark::Line => {
                    context.draw_series(LineSeries::new(points, color.stroke_width(2)))?
                }
                Mark::Dashes => context.draw_series(DashedLineSeries::new(
                    points,
                    7,
                    5,
                    color.stroke_width(2),
                ))?,
                Mark::Dots => {
                    let dot = |p| Circle::new(p, 3, color.mix(0.6).filled());
                    context.draw_series(points.map(dot))?
                }
            };
        }
        Ok(())
    }

    fn draw_legend(&self, area: &Area) -> Result<(), Failure> {
        for (row, series) in self.series.iter().enumerate() {
            let y = 48 + 20 * row as i32;
            match series.mark {
                Mark::Line | Mark::Dashes => {
                    let line = Rectangle::new([(4, y - 1), (24, y + 1)], series.color.filled());
                    area.draw(&line)?;
                }
                Mark::Dots => {
                    area.draw(&Circle::new((14, y), 3, series.color.mix(0.6).filled()))?
                }
            }
            area.draw(&Text::new(
                series.name.clone(),
                (32, y - 7),
                ("sans-serif", 13),
            ))?;
        }
        Ok(())
    }
}

/// A tick of an axis; what round-off leaves of zero is zero.
fn tick(at: f64, axis: &Range<f64>) -> f64 {
    if at.abs() < 1e-9 * (axis.end - axis.start) {
        0.0
    } else {
        at
    }
}

/// A number for a reader, to so many significant digits.
fn number(x: f64, digits: usize) -> String {
    let rounded: f64 = format!("{x:.*e}", digits - 1).parse().unwrap_or(x);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        1e-4..1e6 => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Writes charts below each other to an SVG file.
pub fn write_charts(path: &Path, charts: &[Chart]) -> Result<(), Failure> {
    let mut svg = String::new();
    {
        let size = (960, 340 * charts.len() as u32);
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        for (area, chart) in root.split_evenly((charts.len(), 1)).iter().zip(charts) {
            chart.draw(area)?;
        }
        root.present()?;
    }
    write_whole(path, &svg)?;
    Ok(())
}
