//! A body on three bushings, eighteen constants of which motions determine twelve.

use crate::common::Normal;
use dualbody::Scalar;
use dualbody::identification::{
    Experiment, Fit, LevenbergMarquardt, Noise, Problem, Status, Unknown, Verdict,
};
use std::convert::Infallible;

const NOISE: f64 = 1e-3;
const SAMPLES: usize = 150;
/// Where the bushings are along the row, in m.
const ALONG: [f64; 3] = [-1.0, 0.2, 0.9];
/// Stiffness in N/m and damping in N s/m of each bushing along x (the row), y and z.
const TRUTH: [[f64; 6]; 3] = [
    [120.0, 90.0, 150.0, 2.0, 3.0, 1.5],
    [80.0, 140.0, 60.0, 1.0, 2.0, 2.5],
    [100.0, 70.0, 110.0, 3.0, 1.5, 2.0],
];

/// A body of 1 kg and 0.3 kg m² that is released, of which displacements along x, y, z and angles about z and y are measured.
struct Release {
    /// How far the middle bushing is beside the row, in m.
    beside: f64,
    measured: Vec<f64>,
}

impl Release {
    fn new(beside: f64, seed: u64) -> Self {
        let mut release = Release {
            beside,
            measured: vec![0.0; 5 * SAMPLES],
        };
        let mut motion = vec![0.0; 5 * SAMPLES];
        release.residuals(&TRUTH.concat(), &mut motion).unwrap();
        let mut random = Normal::new(seed);
        release.measured = motion.iter().map(|r| NOISE * (r + random.draw())).collect();
        release
    }
}

impl Experiment for Release {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        5 * SAMPLES
    }

    fn residuals<T: Scalar>(&self, constants: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        let mut u = [1.0, 0.8, -0.9, 0.5, -0.7].map(T::from);
        let mut rate = [T::zero(); 5];
        for (sample, r) in residuals.chunks_exact_mut(5).enumerate() {
            for (k, r) in r.iter_mut().enumerate() {
                *r = (u[k] - self.measured[5 * sample + k]) / T::from(NOISE);
            }
            let mut force = [T::zero(); 5];
            for (i, c) in constants.chunks_exact(6).enumerate() {
                let (p, e) = (ALONG[i], if i == 1 { self.beside } else { 0.0 });
                let at = |u: &[T; 5]| [u[0] - u[3] * e, u[1] + u[3] * p, u[2] - u[4] * p];
                let (way, speed) = (at(&u), at(&rate));
                let f: [T; 3] = std::array::from_fn(|k| -(c[k] * way[k] + c[3 + k] * speed[k]));
                (0..3).for_each(|k| force[k] += f[k]);
                force[3] += f[1] * p - f[0] * e;
                force[4] -= f[2] * p;
            }
            for k in 0..5 {
                let inertia = if k < 3 { 1.0 } else { 0.3 };
                rate[k] += force[k] * (0.01 / inertia);
                u[k] += rate[k] * 0.01;
            }
        }
        Ok(())
    }
}

fn fit(beside: f64, seed: u64) -> Fit {
    let releases = [Release::new(beside, seed)];
    let unknowns = (0..18).map(|i| {
        let (bushing, k) = (["left", "middle", "right"][i / 6], i % 6);
        let (kind, unit) = [("stiffness", "N/m"), ("damping", "N s/m")][k / 3];
        let name = format!("{bushing}/{kind}/{}", ["x", "y", "z"][k % 3]);
        let off = if i % 2 == 0 { 0.7 } else { 1.3 };
        let unknown = Unknown::new(name, unit, off * TRUTH[i / 6][k]).unwrap();
        unknown.bounds(1e-6, 1e6).unwrap().logarithmic().unwrap()
    });
    let unknowns: Vec<Unknown> = unknowns.collect();
    let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
    let optimiser = optimiser.noise_tolerance(1e-3).unwrap();
    optimiser
        .fit(&Problem::new(unknowns, &releases).unwrap())
        .unwrap()
}

/// Along the row only the sums of stiffness and of damping count: two of three combinations of each are open. One of them each
/// has an error bar without end where the middle bushing is beside the row by so little that noise hides it.
#[test]
fn what_is_open_along_the_row_leaves_the_other_constants_their_standard_errors() {
    let mut squares = 0.0;
    let seeds = 0..20;
    for seed in seeds.clone() {
        for beside in [0.0, 1e-6] {
            let found = fit(beside, seed);
            assert!(found.stop.is_converged(), "{found}");
            assert!(found.iterations.len() < 40, "{found}");
            let text = found.to_string();
            for (i, estimate) in found.estimates.iter().enumerate() {
                let is_along = i % 3 == 0;
                let place = format!("{beside}, {seed}, {}: {text}", estimate.name);
                let is_open = estimate.status == Status::Undetermined;
                if is_along && !is_open {
                    // The least information is some: it says that the constant may be anything.
                    assert!(beside > 0.0 && i / 6 == 1, "{place}");
                    assert!(estimate.relative_standard_error.unwrap() > 100.0, "{place}");
                } else if is_along {
                    assert_eq!(estimate.standard_error, None, "{place}");
                    let verdict = found.verdict(i).unwrap();
                    assert!(matches!(verdict, Verdict::NotDetermined { .. }), "{place}");
                    let changes = verdict.directions().iter().flatten();
                    assert!(changes.clone().count() > 0, "{place}");
                    assert!(
                        changes.clone().all(|c| c.unknown.ends_with("/x")),
                        "{place}"
                    );
                    assert!(changes.clone().all(|c| c.relative.is_some()), "{place}");
                } else {
                    assert_eq!(estimate.status, Status::Determined, "{place}");
                    let error = estimate.value - TRUTH[i / 6][i % 6];
                    let z = error / estimate.standard_error.expect(&place);
                    assert!(z.abs() < 5.0, "{z}, {place}");
                    squares += z * z;
                }
            }
            let open = found.determinability.undetermined.len();
            assert_eq!(open, if beside == 0.0 { 4 } else { 2 }, "{text}");
            // By name and in relative change, and what to do about it.
            assert!(
                text.contains("left/stiffness/x") && text.contains('%'),
                "{text}"
            );
            assert!(text.contains("fix"), "{text}");
        }
    }
    // 480 errors, those of the two rows nearly the same.
    let mean = squares / (2 * 12 * seeds.count()) as f64;
    assert!((0.6..1.4).contains(&mean), "{mean}");
}
