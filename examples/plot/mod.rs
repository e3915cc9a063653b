//! Line plots for the examples, written whole into `out/`.

use plotters::prelude::*;
use std::error::Error;
use std::path::PathBuf;

/// A line: its label and its points.
pub type Line = (String, Vec<(f64, f64)>);

/// Draws lines into `out/{name}.svg`.
pub fn draw(
    name: &str,
    title: &str,
    axes: [&str; 2],
    lines: &[Line],
) -> Result<(), Box<dyn Error>> {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let range = |coordinate: fn(&(f64, f64)) -> f64| {
        let low = points().map(coordinate).fold(f64::INFINITY, f64::min);
        let high = points().map(coordinate).fold(f64::NEG_INFINITY, f64::max);
        let margin = (0.05 * (high - low)).max(1e-9);
        low - margin..high + margin
    };
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (900, 500)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 22))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(60)
            .build_cartesian_2d(range(|p| p.0), range(|p| p.1))?;
        chart
            .configure_mesh()
            .x_desc(axes[0])
            .y_desc(axes[1])
            .draw()?;
        for (i, (label, points)) in lines.iter().enumerate() {
            let color = Palette99::pick(i).to_rgba();
            chart
                .draw_series(LineSeries::new(
                    points.iter().copied(),
                    color.stroke_width(2),
                ))?
                .label(label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color));
        }
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        area.present()?;
    }
    let folder = PathBuf::from("out");
    std::fs::create_dir_all(&folder)?;
    // Written beside and renamed, so that nobody sees half a file.
    let (file, part) = (
        folder.join(format!("{name}.svg")),
        folder.join(format!("{name}.svg.part")),
    );
    std::fs::write(&part, svg)?;
    std::fs::rename(&part, &file)?;
    println!("drawn: {}", file.display());
    Ok(())
}

/// Whether the command line asks for a short run.
pub fn is_quick() -> bool {
    std::env::args().any(|argument| argument == "--quick")
}
