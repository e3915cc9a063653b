//! A record that the example makes itself: a mass swings above a base on springs that creep.

use crate::record::Record;
use crate::support::Failure;
use nalgebra::Vector3;

const RATE: f64 = 100.0;
const SECONDS: f64 = 30.0;
const WEIGHT: f64 = 730.0;
const HEIGHT: f64 = 0.9;
/// Long-term stiffness, what yields of it, and damping, in m, rad, N and N·m about the origin.
const STIFFNESS: [f64; 6] = [2e3, 2e3, 4e4, 2e4, 1.5e4, 2e2];
const YIELDING: [f64; 6] = [2e4, 2e4, 3e4, 5e3, 1e4, 8e2];
const DAMPING: [f64; 6] = [3e2, 3e2, 1e3, 4e2, 4e2, 20.0];
const TIME_CONSTANT: f64 = 0.8;
/// Markers about the plate's origin, m.
const MARKERS: [[f64; 3]; 3] = [[0.2, 0.1, 0.31], [-0.2, 0.07, 0.31], [0.0, -0.17, 0.31]];

/// Thirty seconds of it, with noise of 0.02 mm on the markers and of 0.3 N and 0.3 N·m on the wrench.
///
/// # Errors
/// None that a user can cause.
pub fn record() -> Result<Record, Failure> {
    let plate = Vector3::new(0.9, 0.45, 0.0);
    let mut noise = Noise(0x2545_F491_4F6C_DD1D);
    let (mut x, mut crept) = ([0.0; 6], [0.0; 6]);
    let (mut markers, mut wrench) = (Vec::new(), Vec::new());
    for i in 0..(SECONDS * RATE) as usize {
        let load = load(i as f64 / RATE);
        for c in 0..6 {
            // Implicit Euler of D ẋ + K x + K' (x − s) = load, τ ṡ = x − s.
            let a = 1.0 / (1.0 + TIME_CONSTANT * RATE);
            let held = DAMPING[c] * RATE;
            let remaining = YIELDING[c] * (1.0 - a);
            x[c] =
                (load[c] + held * x[c] + remaining * crept[c]) / (held + STIFFNESS[c] + remaining);
            crept[c] += a * (x[c] - crept[c]);
        }
        let (d, turn) = (
            Vector3::from_row_slice(&x[..3]),
            Vector3::from_row_slice(&x[3..]),
        );
        markers.push(MARKERS.map(|m| {
            let m = Vector3::from(m);
            plate + m + d + turn.cross(&m) + Vector3::from_fn(|_, _| 2e-5 * noise.next())
        }));
        let mut measured = load.map(|w| w + 0.3 * noise.next());
        measured[2] -= WEIGHT;
        wrench.push(measured);
    }
    Ok(Record {
        rate: RATE,
        markers,
        wrench,
    })
}

/// The wrench at a time in s: the mass is at rest for 4 s, then swings.
fn load(t: f64) -> [f64; 6] {
    // Position, and acceleration, of a swing that grows to its size within two seconds.
    let swing = |amplitude: f64, rate: f64| {
        let s = ((t - 4.0) / 2.0).clamp(0.0, 1.0);
        let size = amplitude * s * s * (3.0 - 2.0 * s);
        let angle = rate * (t - 4.0);
        (size * angle.sin(), -size * rate * rate * angle.sin())
    };
    let (cx, ax) = swing(0.025, 1.5);
    let (cy, ay) = swing(0.02, 2.3);
    let (_, az) = swing(0.03, 1.9);
    let (_, turning) = swing(0.1, 1.1);
    let mass = WEIGHT / 9.81;
    [
        -mass * ax,
        -mass * ay,
        -mass * az,
        -WEIGHT * cy + HEIGHT * mass * ay,
        WEIGHT * cx - HEIGHT * mass * ax,
        10.0 * turning,
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
