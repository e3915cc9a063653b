//! The contents of a chart: series, axes, marks.

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A line through the points.
    Line,
    /// A dashed line through the points.
    Dashes,
    /// A dot at each point.
    Dots,
}

/// What is drawn of a series.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Points(Mark, Vec<(f64, f64)>),
    /// The area between a lower and an upper ordinate.
    Band(Vec<(f64, f64, f64)>),
}

/// One name in the legend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    pub name: String,
    pub content: Content,
    /// Position in the palette.
    pub color: usize,
}

/// One pair of axes with series of points.
///
/// ```
/// use dualbody::plot::{Chart, Mark};
///
/// let fit: Vec<_> = (0..50).map(|i| (0.1 * i as f64, (-0.1 * i as f64).exp())).collect();
/// let errors: Vec<_> = fit.iter().map(|&(_, y)| Some(0.05 * y)).collect();
/// let chart = Chart::new("Decay", "time [s]", "amplitude [m]")
///     .with("fitted", Mark::Line, fit)
///     .with_standard_errors(&errors)
///     .logarithmic();
/// let svg = dualbody::plot::svg(&[chart])?;
/// assert!(svg.starts_with("<svg") && svg.contains("Decay"));
/// # Ok::<(), dualbody::plot::PlotError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) logarithmic: [bool; 2],
    pub(crate) has_ordinates: bool,
    pub(crate) series: Vec<Series>,
}

impl Chart {
    /// Axes without series; labels say quantity and unit, `"time [s]"`.
    pub fn new(
        title: impl Into<String>,
        x_label: impl Into<String>,
        y_label: impl Into<String>,
    ) -> Self {
        Chart {
            title: title.into(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            logarithmic: [false; 2],
            has_ordinates: true,
            series: Vec::new(),
        }
    }

    /// Makes the vertical axis logarithmic; points that are not positive are left out.
    pub fn logarithmic(mut self) -> Self {
        self.logarithmic[1] = true;
        self
    }

    /// Makes the horizontal axis logarithmic.
    pub fn logarithmic_abscissa(mut self) -> Self {
        self.logarithmic[0] = true;
        self
    }

    /// Leaves out the numbers of the vertical axis: rows of a schedule have none.
    pub fn without_ordinates(mut self) -> Self {
        self.has_ordinates = false;
        self
    }

    /// Adds a series in the next colour. Points that are not finite are left out.
    pub fn with(self, name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        let color = self.series.last().map_or(0, |s| s.color + 1);
        self.add(name, Content::Points(mark, points), color)
    }

    /// Adds a series in the colour of the one before: measurements beside what is fitted to them.
    pub fn beside(self, name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        let color = self.series.last().map_or(0, |s| s.color);
        self.add(name, Content::Points(mark, points), color)
    }

    /// Adds an area from lower to upper ordinates, given as `(x, lower, upper)`, in the colour of the
    /// series before.
    pub fn with_band(self, name: impl Into<String>, band: Vec<(f64, f64, f64)>) -> Self {
        let color = self.series.last().map_or(0, |s| s.color);
        self.add(name, Content::Band(band), color)
    }

    /// Adds the band of ± 2 standard errors about the points of the series before, in which 95 % of normal
    /// quantities lie. Points without a standard error are left out; if none has one, so is the band.
    pub fn with_standard_errors(self, errors: &[Option<f64>]) -> Self {
        let points = match self.series.last().map(|series| &series.content) {
            Some(Content::Points(_, points)) => points.as_slice(),
            _ => &[],
        };
        let band: Vec<_> = (points.iter().zip(errors))
            .filter_map(|(&(x, y), error)| error.map(|e| (x, y - 2.0 * e, y + 2.0 * e)))
            .collect();
        match band.is_empty() {
            true => self,
            false => self.with_band("± 2 standard errors", band),
        }
    }

    /// Differences of measured and computed values in units of their standard deviation `sigma`, with a
    /// band of ± 2 in which 95 % of normal ones lie.
    pub fn of_residuals(
        title: impl Into<String>,
        x_label: impl Into<String>,
        residuals: &[(f64, f64)],
        sigma: f64,
    ) -> Self {
        let scaled: Vec<_> = residuals.iter().map(|&(x, r)| (x, r / sigma)).collect();
        let (low, high) = extent(scaled.iter().map(|p| p.0)).unwrap_or((0.0, 1.0));
        let band = vec![(low, -2.0, 2.0), (high, -2.0, 2.0)];
        Chart::new(title, x_label, "residual / σ")
            .with("residuals", Mark::Dots, scaled)
            .with_band("± 2 σ", band)
    }

    /// Whether dots are beside a line of their colour: what was measured over what was computed.
    #[cfg(feature = "scene")]
    pub(crate) fn compares(&self) -> bool {
        let has = |series: &Series, wanted| matches!(&series.content, Content::Points(mark, _) if *mark == wanted);
        let dots = self.series.iter().filter(|s| has(s, Mark::Dots));
        dots.into_iter().any(|dots| {
            let mut lines = self.series.iter().filter(|s| has(s, Mark::Line));
            lines.any(|line| line.color == dots.color)
        })
    }

    fn add(mut self, name: impl Into<String>, content: Content, color: usize) -> Self {
        let name = name.into();
        self.series.push(Series {
            name,
            content,
            color,
        });
        self
    }
}

impl Series {
    /// All points, of a band both edges.
    pub fn points(&self) -> Box<dyn Iterator<Item = (f64, f64)> + '_> {
        match &self.content {
            Content::Points(_, points) => Box::new(points.iter().copied()),
            Content::Band(band) => {
                Box::new((band.iter()).flat_map(|&(x, low, high)| [(x, low), (x, high)]))
            }
        }
    }
}

/// The smallest and the largest of the finite values.
pub(crate) fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    (values.filter(|x| x.is_finite())).fold(None, |range, x| {
        let (low, high) = range.unwrap_or((x, x));
        Some((low.min(x), high.max(x)))
    })
}
