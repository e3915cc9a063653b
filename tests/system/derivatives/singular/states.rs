//! The list of singular states of the mechanism with every element.

use super::evaluate::Curve;
use crate::elements::every_element::{GROUND, HINGE_LIMITS, Machine, RADIUS, RAIL_LIMITS, REACH};
use std::f64::consts::FRAC_1_SQRT_2;

/// A state of the mechanism.
#[derive(Debug, Clone, Copy)]
pub struct Singular {
    pub name: &'static str,
    /// Positions and velocities of rail and hinge.
    joints: [[f64; 2]; 2],
    /// Quaternion and position of the ball.
    ball: ([f64; 4], [f64; 3]),
    /// Its angular velocity and velocity.
    twist: [[f64; 3]; 2],
}

const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
const TIP: [f64; 3] = [REACH, 0.0, 0.0];
const REST: [[f64; 3]; 2] = [[0.0; 3]; 2];
const STILL: [[f64; 2]; 2] = [[0.0; 2]; 2];
const BESIDE: [f64; 3] = [0.75, 1.0, 0.25];
/// The height of the ball where it touches the ground.
const TOUCHING: f64 = GROUND + RADIUS;

const fn state(
    name: &'static str,
    joints: [[f64; 2]; 2],
    ball: ([f64; 4], [f64; 3]),
    twist: [[f64; 3]; 2],
) -> Singular {
    Singular {
        name,
        joints,
        ball,
        twist,
    }
}

pub const STATES: &[Singular] = &[
    state(
        "straight limb, coincident points, no length, identity, zero wind",
        STILL,
        (UPRIGHT, TIP),
        REST,
    ),
    state("coincident centres", STILL, (UPRIGHT, [0.0; 3]), REST),
    state(
        "coincident points that move apart",
        STILL,
        (UPRIGHT, TIP),
        [[0.0, 0.5, 0.0], [0.5, 0.25, 0.0]],
    ),
    state(
        "half-turn about x",
        STILL,
        ([0.0, 1.0, 0.0, 0.0], TIP),
        REST,
    ),
    state(
        "half-turn about y",
        STILL,
        ([0.0, 0.0, 1.0, 0.0], TIP),
        REST,
    ),
    state(
        "half-turn about z",
        STILL,
        ([0.0, 0.0, 0.0, 1.0], BESIDE),
        REST,
    ),
    state(
        "gimbal lock",
        STILL,
        ([FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2, 0.0], TIP),
        REST,
    ),
    state(
        "gimbal lock the other way",
        STILL,
        ([FRAC_1_SQRT_2, 0.0, -FRAC_1_SQRT_2, 0.0], BESIDE),
        REST,
    ),
    state("no contact, all at rest", STILL, (UPRIGHT, BESIDE), REST),
    state(
        "lower limits touched at rest",
        [[RAIL_LIMITS[0], 0.0], [HINGE_LIMITS[0], 0.0]],
        (UPRIGHT, BESIDE),
        REST,
    ),
    state(
        "upper limits touched at rest",
        [[RAIL_LIMITS[1], 0.0], [HINGE_LIMITS[1], 0.0]],
        (UPRIGHT, BESIDE),
        REST,
    ),
    state(
        "upper limits met",
        [[RAIL_LIMITS[1], 0.5], [HINGE_LIMITS[1], 0.25]],
        (UPRIGHT, BESIDE),
        REST,
    ),
    state(
        "upper limits left",
        [[RAIL_LIMITS[1], -0.5], [HINGE_LIMITS[1], -0.25]],
        (UPRIGHT, BESIDE),
        REST,
    ),
    state(
        "exact touching, zero penetration rate, zero slip",
        STILL,
        (UPRIGHT, [0.0, 1.0, TOUCHING]),
        REST,
    ),
    state(
        "exact touching, falling",
        STILL,
        (UPRIGHT, [0.0, 1.0, TOUCHING]),
        [[0.0; 3], [0.0, 0.0, -0.5]],
    ),
    state(
        "exact touching, sliding",
        STILL,
        (UPRIGHT, [0.0, 1.0, TOUCHING]),
        [[0.0; 3], [0.5, 0.0, 0.0]],
    ),
    state(
        "pressed, zero slip",
        STILL,
        (UPRIGHT, [0.0, 1.0, TOUCHING - 0.0625]),
        REST,
    ),
    state(
        "pressed, rolling",
        STILL,
        (UPRIGHT, [0.0, 1.0, TOUCHING - 0.0625]),
        [[0.0, 8.0, 0.0], [0.5, 0.0, 0.0]],
    ),
    state(
        "pressed, released at the rate without force",
        STILL,
        (UPRIGHT, [0.0, 1.0, TOUCHING - 0.0625]),
        [[0.0; 3], [0.0, 0.0, 1.0]],
    ),
    // The lidar at the hub of the arm looks along x, and sees the ball as far to the side as it is thick.
    state("grazing ray", STILL, (UPRIGHT, [0.5, RADIUS, 0.0]), REST),
    state(
        "ray from inside, coincident with the centre",
        STILL,
        (UPRIGHT, [0.0, 0.0, 0.0]),
        [[0.0; 3], [0.25, 0.0, 0.0]],
    ),
];

impl Singular {
    /// Whether the ball touches the ground.
    pub fn touches(&self) -> bool {
        self.ball.1[2] <= TOUCHING
    }

    /// A curve through the state, by its number.
    pub fn curve(&self, machine: &Machine, number: usize) -> Curve {
        let mut state = machine.initial_state();
        let (quaternion, position) = self.ball;
        let [rail, hinge] = self.joints;
        let q = [rail[0], hinge[0]]
            .into_iter()
            .chain(quaternion)
            .chain(position);
        let v = [rail[1], hinge[1]]
            .into_iter()
            .chain(self.twist.into_iter().flatten());
        for (x, value) in state.q.iter_mut().zip(q) {
            *x = value;
        }
        for (x, value) in state.v.iter_mut().zip(v) {
            *x = value;
        }
        let [motion, acceleration] = match number {
            0 => [[0.7, -0.4, 0.3, 0.5, -0.2, 0.6, -0.3, 0.4], [0.0; 8]],
            1 => [[0.0; 8], [0.5, 0.8, -0.6, 0.2, 0.4, -0.3, 0.7, 0.5]],
            _ => [
                [-0.3, 0.6, 0.1, -0.4, 0.8, 0.2, 0.5, -0.7],
                [0.4, -0.2, 0.9, 0.3, -0.5, -0.6, 0.1, 0.3],
            ],
        };
        Curve {
            state,
            input: vec![0.0; machine.num_inputs()],
            motion: motion.to_vec(),
            acceleration: acceleration.to_vec(),
            rate: 0.3,
        }
    }
}

pub const CURVES: usize = 3;
