//! The twelve constants of a bushing from the ring-down of another simulator, as the example fits them.

#[path = "../../examples/identify_bushing/data.rs"]
mod data;
#[path = "../../examples/identify_bushing/estimation.rs"]
mod estimation;
#[allow(dead_code)]
#[path = "../../examples/identify_bushing/ring_down.rs"]
mod ring_down;
#[path = "../../examples/support/mod.rs"]
mod support;

use dualbody::identification::{Fit, Status};
use estimation::{TRUTH, fit, guess, scatter};
use ring_down::{CONSTANTS, HangingBody, Motion};

/// Checks that the estimates are within three standard errors of the truth; which are determined.
fn determined(fit: &Fit) -> Vec<&'static str> {
    let mut names = Vec::new();
    for (i, ((name, _, truth), estimate)) in TRUTH.iter().zip(&fit.estimates).enumerate() {
        if estimate.status == Status::Determined {
            let sigma = estimate.standard_error.unwrap();
            let deviation = (estimate.value - truth) / sigma;
            assert!(deviation.abs() < 3.0, "{name}: {deviation} standard errors");
            names.push(*name);
        } else {
            assert_eq!(
                (estimate.value, estimate.standard_error),
                (guess()[i], None)
            );
        }
    }
    names
}

#[test]
fn a_release_in_the_plane_determines_half_of_the_constants() {
    let (model, releases) = (HangingBody::new().unwrap(), data::embedded().unwrap());
    let fitted = fit(&model, &releases[..1], Motion::Plane, &guess()).unwrap();
    assert_eq!(
        determined(&fitted),
        [
            "torque_stiffness/1",
            "torque_damping/1",
            "force_stiffness/x",
            "force_stiffness/z",
            "force_damping/x",
            "force_damping/z"
        ]
    );
}

#[test]
fn releases_in_all_directions_determine_all() {
    let (model, releases) = (HangingBody::new().unwrap(), data::embedded().unwrap());
    let fitted = fit(&model, &releases, Motion::Space, &guess()).unwrap();
    assert_eq!(determined(&fitted).len(), CONSTANTS);
    let freedom = (fitted.residual_count - fitted.unknowns.len()) as f64;
    assert!((2.0 * fitted.cost / freedom - 1.0).abs() < 4.0 * (2.0 / freedom).sqrt());
    for estimate in &fitted.estimates[..CONSTANTS] {
        assert!(estimate.relative_standard_error.unwrap() < 0.015);
    }
}

#[test]
fn errors_are_as_large_as_standard_errors_say() {
    let model = HangingBody::new().unwrap();
    let mut releases = data::embedded().unwrap().split_off(2);
    releases.iter_mut().for_each(|r| r.samples.truncate(51));
    let fitted = fit(&model, &releases, Motion::Space, &guess()).unwrap();
    assert_eq!(determined(&fitted).len(), CONSTANTS);
    // 96 errors: their root mean square scatters by 7 % if the standard errors are right.
    let ratios = scatter(&model, &releases, &fitted, 8).unwrap();
    let mean_square = ratios.iter().map(|r| r * r).sum::<f64>() / CONSTANTS as f64;
    assert!((0.75..1.25).contains(&mean_square.sqrt()), "{ratios:?}");
}
