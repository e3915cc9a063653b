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
}

/// One pair of axes.
pub struct Chart {
    title: String,
    x_label: String,
    y_label: String,
    logarithmic: bool,
    series: Vec<Series>,
}

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

    /// Adds a series.
    pub fn with(mut self, name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        self.series.push(Series {
            name: name.into(),
            points,
            mark,
        });
        self
    }

    /// Adds a horizontal or vertical extent that the axes must show, without drawing anything.
    fn extent(&self, coordinate: impl Fn(&(f64, f64)) -> f64) -> Range<f64> {
        let values = (self.series.iter())
            .flat_map(|s| &s.points)
            .filter(|p| p.0.is_finite() && p.1.is_finite() && (!self.logarithmic || p.1 > 0.0))
            .map(coordinate);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
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

    fn draw(&self, area: &DrawingArea<SVGBackend, plotters::coord::Shift>) -> Result<(), Failure> {
        let (x, y) = (self.extent(|p| p.0), self.extent(|p| p.1));
        let margin = 0.05 * (y.end - y.start);
        let mut builder = ChartBuilder::on(area);
        builder
            .caption(&self.title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(68);
        if self.logarithmic {
            let bottom = 10_f64.powf(y.start.max(f64::MIN_POSITIVE).log10() - 0.1);
            let top = 10_f64.powf(y.end.log10() + 0.1);
            let mut context = builder.build_cartesian_2d(x, (bottom..top).log_scale())?;
            context
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .x_desc(&self.x_label)
                .y_desc(&self.y_label)
                .draw()?;
            self.draw_series(&mut context)
        } else {
            let mut context = builder.build_cartesian_2d(x, y.start - margin..y.end + margin)?;
            context
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .x_desc(&self.x_label)
                .y_desc(&self.y_label)
                .draw()?;
            self.draw_series(&mut context)
        }
    }

    fn draw_series<'a, Y>(
        &self,
        context: &mut ChartContext<
            'a,
            SVGBackend<'a>,
            Cartesian2d<plotters::coord::types::RangedCoordf64, Y>,
        >,
    ) -> Result<(), Failure>
    where
        Y: Ranged<ValueType = f64>,
    {
        for (series, color) in self.series.iter().zip(COLORS.iter().cycle()) {
            let color = *color;
            let points = (series.points.iter().copied())
                .filter(|p| p.0.is_finite() && p.1.is_finite() && (!self.logarithmic || p.1 > 0.0));
            let drawn = match series.mark {
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
                    context.draw_series(points.map(|p| Circle::new(p, 2, color.filled())))?
                }
            };
            drawn.label(&series.name).legend(move |(x, y)| {
                Rectangle::new([(x, y - 2), (x + 16, y + 2)], color.filled())
            });
        }
        context
            .configure_series_labels()
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.2))
            .label_font(("sans-serif", 13))
            .draw()?;
        Ok(())
    }
}

/// Writes charts below each other to an SVG file.
pub fn write_charts(path: &Path, charts: &[Chart]) -> Result<(), Failure> {
    let mut svg = String::new();
    {
        let size = (840, 340 * charts.len() as u32);
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
