//! Drawing charts.

use super::axis::{Axis, label};
use super::chart::{Chart, Content, Mark, Series, extent};
use crate::io::write_whole;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::io::Write;
use std::path::Path;

/// A chart cannot be drawn or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The drawing library refuses.
    #[error("cannot draw the chart: {0}")]
    Drawing(String),
    /// The file system refuses.
    #[error(transparent)]
    File(#[from] std::io::Error),
}

/// Colours that are told apart also by those who see few (Wong 2011, *Nature Methods* 8, 441).
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(150, 70, 150),
    RGBColor(86, 150, 200),
    RGBColor(190, 140, 0),
    RGBColor(110, 110, 110),
];
const INK: RGBColor = RGBColor(40, 44, 52);
const GRID: RGBColor = RGBColor(228, 230, 235);
const SIZE: (u32, u32) = (880, 330);
/// Width of a letter of the legend, and of the line before a name, in pixels.
const LETTER: f64 = 7.2;
const KEY: f64 = 34.0;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Charts below each other, as the text of an SVG file.
///
/// # Errors
/// [`PlotError::Drawing`].
pub fn svg(charts: &[Chart]) -> Result<String, PlotError> {
    let mut text = String::new();
    draw(charts, &mut text).map_err(|error| PlotError::Drawing(error.to_string()))?;
    Ok(text)
}

/// Writes charts below each other into an SVG file, whole or not at all.
///
/// # Errors
/// As [`svg`], and those of the file system.
pub fn save_svg(path: impl AsRef<Path>, charts: &[Chart]) -> Result<(), PlotError> {
    let text = svg(charts)?;
    Ok(write_whole(path.as_ref(), |file| {
        file.write_all(text.as_bytes())
    })?)
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(charts: &[Chart], text: &mut String) -> Drawn {
    let size = (SIZE.0, SIZE.1 * charts.len().max(1) as u32);
    let root = SVGBackend::with_string(text, size).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, chart) in root
        .split_evenly((charts.len().max(1), 1))
        .iter()
        .zip(charts)
    {
        draw_chart(chart, area)?;
    }
    Ok(root.present()?)
}

fn color(series: &Series) -> RGBColor {
    PALETTE[series.color % PALETTE.len()]
}

/// Where each name of the legend goes, in rows as wide as the axes, and how many rows there are.
fn legend(chart: &Chart, width: f64) -> (Vec<(f64, i32)>, i32) {
    let (mut x, mut row) = (0.0, 0);
    let places = (chart.series.iter())
        .map(|series| {
            let needed = KEY + LETTER * series.name.chars().count() as f64 + 16.0;
            if x > 0.0 && x + needed > width {
                (x, row) = (0.0, row + 1);
            }
            let place = (x, row);
            x += needed;
            place
        })
        .collect();
    (places, row + 1)
}

fn draw_chart(chart: &Chart, area: &Area) -> Drawn {
    let left = 74;
    let (places, rows) = legend(chart, f64::from(SIZE.0) - f64::from(left) - 20.0);
    let title = ("sans-serif", 16).into_font().style(FontStyle::Bold);
    area.draw(&Text::new(
        chart.title.clone(),
        (left, 10),
        title.color(&INK),
    ))?;
    let (header, body) = area.split_vertically(34 + 19 * rows);
    for (series, (x, row)) in chart.series.iter().zip(&places) {
        draw_key(series, (left + *x as i32, 42 + 19 * row), &header)?;
    }
    let drawn = |(x, y): &(f64, f64)| {
        let positive = |value: f64, axis: usize| !chart.logarithmic[axis] || value > 0.0;
        x.is_finite() && y.is_finite() && positive(*x, 0) && positive(*y, 1)
    };
    let points = || chart.series.iter().flat_map(Series::points).filter(drawn);
    let x = Axis::new(extent(points().map(|p| p.0)), chart.logarithmic[0], 0.0);
    let y = Axis::new(extent(points().map(|p| p.1)), chart.logarithmic[1], 0.05);
    let mut context = ChartBuilder::on(&body)
        .margin_right(20)
        .margin_top(6)
        .margin_bottom(8)
        .x_label_area_size(40)
        .y_label_area_size(left as u32)
        .build_cartesian_2d(x, y)?;
    let style = ("sans-serif", 13).into_font().color(&INK);
    context
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK.mix(0.5))
        .label_style(style.clone())
        .axis_desc_style(style)
        .x_desc(&chart.x_label)
        .y_desc(&chart.y_label)
        .y_label_formatter(&|y| match chart.has_ordinates {
            true => label(y),
            false => String::new(),
        })
        .draw()?;
    // Bands lie below everything else.
    let (bands, marks): (Vec<_>, Vec<_>) =
        (chart.series.iter()).partition(|s| matches!(s.content, Content::Band(_)));
    for series in bands.into_iter().chain(marks) {
        let color = color(series);
        match &series.content {
            Content::Band(band) => {
                let edges = band.iter().map(|&(x, low, high)| ((x, low), (x, high)));
                let edges: Vec<_> = edges.filter(|(a, b)| drawn(a) && drawn(b)).collect();
                let back = edges.iter().rev().map(|edge| edge.1);
                let outline: Vec<_> = edges.iter().map(|edge| edge.0).chain(back).collect();
                if outline.len() > 2 {
                    context.draw_series([Polygon::new(outline, color.mix(0.18).filled())])?;
                }
            }
            Content::Points(mark, points) => {
                let points = points.iter().copied().filter(drawn);
                let line = color.stroke_width(2);
                match mark {
                    Mark::Line => context.draw_series(LineSeries::new(points, line))?,
                    Mark::Dashes => {
                        context.draw_series(DashedLineSeries::new(points, 7, 5, line))?
                    }
                    Mark::Dots => {
                        let dot = |p| Circle::new(p, 3, color.mix(0.65).filled());
                        context.draw_series(points.map(dot))?
                    }
                };
            }
        }
    }
    Ok(())
}

fn draw_key(series: &Series, (x, y): (i32, i32), area: &Area) -> Drawn {
    let color = color(series);
    match &series.content {
        Content::Points(Mark::Dots, _) => {
            area.draw(&Circle::new((x + 12, y), 3, color.mix(0.65).filled()))?
        }
        Content::Points(mark, _) => {
            let dashes: &[(i32, i32)] = match mark {
                Mark::Dashes => &[(0, 7), (16, 23)],
                _ => &[(0, 24)],
            };
            for (from, to) in dashes {
                let line = [(x + from, y), (x + to, y)];
                area.draw(&PathElement::new(line, color.stroke_width(2)))?;
            }
        }
        Content::Band(_) => {
            let patch = [(x, y - 5), (x + 24, y + 5)];
            area.draw(&Rectangle::new(patch, color.mix(0.18).filled()))?;
        }
    }
    let name = ("sans-serif", 13).into_font().color(&INK);
    area.draw(&Text::new(series.name.clone(), (x + 30, y - 7), name))?;
    Ok(())
}
