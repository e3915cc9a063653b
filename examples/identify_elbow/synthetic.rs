//! Tosses that the example simulates itself, with noise.

use crate::elbow::{CORRECTIONS, Elbow, corrected_state};
use crate::support::Failure;
use crate::tosses::{Row, Toss};
use dualbody::math::rotation;
use nalgebra::{Quaternion, Vector3};

const INTERVAL: f64 = 0.0068;
const ROWS: usize = 61;
const TOSSES: u64 = 12;
/// Stiffness, dissipation, friction, damping of the hinge, inertia along and across.
const TRUTH: [f64; 6] = [2e4, 0.8, 0.2, 2e-3, 1.8e-4, 4.5e-4];

/// Twelve tosses of 0.41 s, whose rows are smoothed by a filter with this standard deviation in s, with noise of
/// 0.2 mm, 2 mrad, 0.01 m/s and 0.1 rad/s.
///
/// # Errors
/// None that a user can cause.
pub fn tosses(smoothing: f64) -> Result<Vec<Toss>, Failure> {
    let trial = Elbow::new(INTERVAL, 4, smoothing, -9.81)?.trial(&TRUTH)?;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    (0..TOSSES)
        .map(|number| {
            let mut vector = |size: f64| Vector3::from_fn(|_, _| size * random.next());
            let start = Row {
                time: 0.0,
                orientation: rotation::quaternion_exp(&vector(2.0)),
                position: vector(0.05) + Vector3::new(0.0, 0.0, 0.22),
                angle: vector(1.5).x,
                angular_velocity: vector(6.0),
                velocity: vector(0.8),
                rate: vector(2.0).x,
            };
            let first = corrected_state(&start, &[0.0; CORRECTIONS]);
            let mut states = Vec::with_capacity(ROWS);
            trial.simulate(&first, ROWS, |_, state| states.push(state))?;
            let rows = (states.iter().enumerate())
                .map(|(i, x)| {
                    let q = Quaternion::new(x.q[0], x.q[1], x.q[2], x.q[3]);
                    let at = |v: &nalgebra::DVector<f64>, i| v.fixed_rows::<3>(i).into_owned();
                    Row {
                        time: i as f64 * INTERVAL,
                        orientation: (rotation::quaternion_exp(&vector(4e-3)) * q).normalize(),
                        position: at(&x.q, 4) + vector(4e-4),
                        angle: x.q[7] + vector(4e-3).x,
                        angular_velocity: at(&x.v, 0) + vector(0.2),
                        velocity: at(&x.v, 3) + vector(0.02),
                        rate: x.v[6] + vector(0.2).x,
                    }
                })
                .collect();
            Ok(Toss { number, rows })
        })
        .collect()
}

/// Numbers between −1 and 1, always the same ones (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        2.0 * (self.0 >> 11) as f64 / (1u64 << 53) as f64 - 1.0
    }
}
