//! A page of a fit shows measured over computed first, and of many unknowns what belongs together.

use dualbody::Scalar;
use dualbody::identification::{Experiment, Fit, LevenbergMarquardt, Problem, Unknown};
use dualbody::plot::{Chart, Mark};
use dualbody::scene::FitReport;

/// Of each unknown a measurement, poor of the first six, and differences of neighbours.
struct Chain(usize);

impl Experiment for Chain {
    type Error = std::convert::Infallible;
    fn residual_count(&self) -> usize {
        2 * self.0 - 1
    }
    fn residuals<T: Scalar>(&self, u: &[T], r: &mut [T]) -> Result<(), Self::Error> {
        let (single, differences) = r.split_at_mut(self.0);
        for (k, (r, &u)) in single.iter_mut().zip(u).enumerate() {
            *r = (u - k as f64) * if k < 6 { 0.05 } else { 10.0 };
        }
        for (r, u) in differences.iter_mut().zip(u.windows(2)) {
            *r = u[1] - u[0] - 1.1;
        }
        Ok(())
    }
}

fn fit(count: usize) -> Fit {
    let unknown = |k| Unknown::new(format!("u{k}"), "m", 0.0).unwrap();
    let chain = [Chain(count)];
    let problem = Problem::new((0..count).map(unknown).collect::<Vec<_>>(), &chain).unwrap();
    LevenbergMarquardt::new().fit(&problem).unwrap()
}

#[test]
fn correlations_of_many_unknowns_are_strongest_pairs_and_blocks() {
    let few = FitReport::new("few", &fit(6)).html().unwrap();
    assert!(!few.contains("that belong together") && !few.contains("All correlations"));
    let page = FitReport::new("many", &fit(38)).html().unwrap();
    let place = |part: &str| page.find(part).unwrap_or_else(|| panic!("no {part}"));
    let places = [
        "<th>and</th>",
        "that belong together",
        "All correlations of 38 unknowns",
    ];
    assert!(places.map(place).is_sorted());
    let pairs = &page[place("<th>and</th>")..place("that belong together")];
    let values: Vec<f64> = pairs
        .split("<td style=")
        .skip(1)
        .map(|cell| {
            cell.split_once('>')
                .unwrap()
                .1
                .split_once('<')
                .unwrap()
                .0
                .parse()
                .unwrap()
        })
        .collect();
    assert!(!values.is_empty() && values.len() <= 20, "{values:?}");
    assert!(
        values.is_sorted_by(|a: &f64, b| a.abs() >= b.abs()),
        "{values:?}"
    );
}

#[test]
fn measured_over_computed_comes_first() {
    let compared = Chart::new("measured and computed", "time [s]", "m")
        .with("computed", Mark::Line, vec![(0.0, 1.0), (1.0, 2.0)])
        .beside("measured", Mark::Dots, vec![(0.0, 1.1), (1.0, 1.9)]);
    let other = Chart::new("something else", "time [s]", "m").with(
        "line",
        Mark::Line,
        vec![(0.0, 1.0), (1.0, 2.0)],
    );
    let fit = fit(3);
    let page = FitReport::new("order", &fit)
        .with_chart(other)
        .with_chart(compared)
        .html()
        .unwrap();
    let places = [
        "measured and computed",
        "<h2>Estimates",
        "How the cost fell",
        "something else",
    ];
    assert!(
        places
            .map(|part| page.find(part).unwrap_or_else(|| panic!("no {part}")))
            .is_sorted()
    );
}
