//! A record that the example makes itself: a mass swings above a base on stops, and on springs that creep.

use crate::record::Record;
use crate::support::Failure;
use nalgebra::Vector3;

const RATE: f64 = 100.0;
const SECONDS: f64 = 30.0;
const WEIGHT: f64 = 730.0;
const HEIGHT: f64 = 0.9;
/// In roll and pitch: what holds, and what yields in pitch, N·m/rad.
const STIFFNESS: [f64; 2] = [3e4, 1.5e4];
const YIELDING: f64 = 1e4;
const TIME_CONSTANT: f64 = 0.8;
/// Between the stops in roll, rad.
const GAP: f64 = 3e-4;
/// Of what yields, from the centre, m.
const LEVER: f64 = 0.4;
/// Where the arm is, m.
const ARM: [f64; 2] = [0.1, -0.4];
/// Markers about the plate's origin, m.
const MARKERS: [[f64; 3]; 3] = [[0.2, 0.1, 0.31], [-0.2, 0.07, 0.31], [0.0, -0.17, 0.31]];

/// Thirty seconds of it, with noise of 0.02 mm on the markers and of 0.3 N and 0.3 N·m on the wrench.
///
/// # Errors
/// None that a user can cause.
pub fn record() -> Result<Record, Failure> {
    let plate = Vector3::new(0.9, 0.45, 0.0);
    let mut noise = Noise(0x2545_F491_4F6C_DD1D);
    let mut crept = 0.0;
    let (mut markers, mut wrench) = (Vec::new(), Vec::new());
    for i in 0..(SECONDS * RATE) as usize {
        let mut load = load(i as f64 / RATE);
        // The stop that the torque holds, and implicit Euler of k θ + c (θ − s) = load, τ ṡ = θ − s.
        let roll = load[3] / STIFFNESS[0] + 0.5 * GAP * (load[3] / 0.5).tanh();
        let a = 1.0 / (1.0 + TIME_CONSTANT * RATE);
        let remaining = YIELDING * (1.0 - a);
        let pitch = (load[4] + remaining * crept) / (STIFFNESS[1] + remaining);
        crept += a * (pitch - crept);
        load[2] += YIELDING * LEVER * (pitch - crept);
        let turn = Vector3::new(roll, pitch, 0.0);
        markers.push(MARKERS.map(|m| {
            let m = Vector3::from(m);
            plate + m + turn.cross(&m) + Vector3::from_fn(|_, _| 2e-5 * noise.next())
        }));
        wrench.push(load.map(|w| w + 0.3 * noise.next()));
    }
    Ok(Record {
        rate: RATE,
        markers,
        wrench,
    })
}

/// The wrench at a time in s, but for the vertical force of what yields: the mass is at rest for 4 s, then swings.
fn load(t: f64) -> [f64; 6] {
    // Position, and acceleration, of a swing that grows to its size within two seconds.
    let swing = |amplitude: f64, rate: f64| {
        let s = ((t - 4.0) / 2.0).clamp(0.0, 1.0);
        let size = amplitude * s * s * (3.0 - 2.0 * s);
        let angle = rate * (t - 4.0);
        (size * angle.sin(), -size * rate * rate * angle.sin())
    };
    // Two rates tell a spring that creeps from one that does not.
    let ((slow, slow_acceleration), (fast, fast_acceleration)) =
        (swing(0.02, 0.6), swing(0.015, 2.1));
    let (cx, ax) = (slow + fast, slow_acceleration + fast_acceleration);
    let (cy, ay) = swing(0.02, 1.5);
    let mass = WEIGHT / 9.81;
    let (fx, fy) = (-mass * ax, -mass * ay);
    [
        fx,
        fy,
        -WEIGHT,
        -WEIGHT * cy - HEIGHT * fy,
        WEIGHT * cx + HEIGHT * fx,
        ARM[0] * fy - ARM[1] * fx,
    ]
}

/// Numbers of about a normal distribution, always the same ones (xorshift, sums of twelve).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        let mut sum = -6.0;
        for _ in 0..12 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            sum += (self.0 >> 11) as f64 / (1u64 << 53) as f64;
        }
        sum
    }
}
