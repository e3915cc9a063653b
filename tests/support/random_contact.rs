//! Random contact problems of free bodies.

use super::contact_problem::{Data, Normal};
use nalgebra::{DMatrix, DVector, Vector3};

/// A small deterministic generator (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in the logarithm.
    pub fn logarithmic(&mut self, low: f64, high: f64) -> f64 {
        self.uniform(low.ln(), high.ln()).exp()
    }

    pub fn index(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.uniform(-size, size))
    }
}

/// Ranges of the random data.
#[derive(Clone, Copy)]
pub struct Ranges {
    pub mass: (f64, f64),
    pub dt: (f64, f64),
    pub stiffness: (f64, f64),
    pub dissipation: (f64, f64),
    pub mu: (f64, f64),
    pub speed: (f64, f64),
    pub penetration: (f64, f64),
}

/// Bodies of similar mass in everyday contact, as a simulator meets them.
pub const EVERYDAY: Ranges = Ranges {
    mass: (0.3, 3.0),
    dt: (1e-3, 1e-3),
    stiffness: (1e5, 1e5),
    dissipation: (0.05, 1.0),
    mu: (0.1, 1.0),
    speed: (0.01, 1.0),
    penetration: (1e-6, 1e-4),
};

/// Mass ratios to 10⁴, stiffness over five decades, steps from 0.1 to 20 ms, friction to 2.
pub const HARD: Ranges = Ranges {
    mass: (0.1, 1000.0),
    dt: (1e-4, 2e-2),
    stiffness: (1e3, 1e8),
    dissipation: (0.01, 20.0),
    mu: (0.02, 2.0),
    speed: (1e-3, 3.0),
    penetration: (1e-6, 1e-3),
};

/// `bodies` free bodies with up to four contacts each, with the ground or with each other.
pub fn problem(random: &mut Random, bodies: usize, ranges: &Ranges) -> Data<f64> {
    let nv = 6 * bodies;
    let nc = 1 + random.index(4 * bodies);
    let range = |random: &mut Random, (low, high)| random.logarithmic(low, high);
    let mut mass = DMatrix::zeros(nv, nv);
    for body in 0..bodies {
        let m = range(random, ranges.mass);
        for i in 0..3 {
            let radius = random.uniform(0.03, 0.2);
            mass[(6 * body + i, 6 * body + i)] = m * radius * radius;
            mass[(6 * body + 3 + i, 6 * body + 3 + i)] = m;
        }
    }
    let mut jn = DMatrix::zeros(nc, nv);
    let mut jt = DMatrix::zeros(2 * nc, nv);
    for c in 0..nc {
        let normal = (Vector3::z() + random.vector(0.8)).normalize();
        let first = normal.cross(&random.vector(1.0)).normalize();
        let second = normal.cross(&first);
        let a = random.index(bodies);
        let mut sides = vec![(a, 1.0)];
        if bodies > 1 && random.unit() < 0.4 {
            sides.push(((a + 1 + random.index(bodies - 1)) % bodies, -1.0));
        }
        for (body, sign) in sides {
            let p = random.vector(0.1);
            let put = |matrix: &mut DMatrix<f64>, row, axis: &Vector3<f64>| {
                let moment = p.cross(axis);
                for i in 0..3 {
                    matrix[(row, 6 * body + i)] = sign * moment[i];
                    matrix[(row, 6 * body + 3 + i)] = sign * axis[i];
                }
            };
            put(&mut jn, c, &normal);
            put(&mut jt, 2 * c, &first);
            put(&mut jt, 2 * c + 1, &second);
        }
    }
    let dt = range(random, ranges.dt);
    let speed = range(random, ranges.speed);
    let v0: Vec<f64> = (0..nv).map(|_| random.uniform(-speed, speed)).collect();
    let mut p_star = &mass * DVector::from_column_slice(&v0);
    for body in 0..bodies {
        let z = 6 * body + 5;
        p_star[z] -= 9.81 * dt * mass[(z, z)];
    }
    let stiffness = range(random, ranges.stiffness);
    let mut list = |low: f64, high: f64, (from, to)| -> Vec<f64> {
        (0..nc)
            .map(|_| random.uniform(low, high) * random.logarithmic(from, to))
            .collect()
    };
    Data {
        dt,
        normal: Normal::Compliant {
            x0: list(-0.3, 1.0, ranges.penetration),
            stiffness: list(0.3, 3.0, (stiffness, stiffness)),
            dissipation: list(0.5, 1.0, ranges.dissipation),
        },
        mu: list(0.5, 1.0, ranges.mu),
        mass,
        jn,
        jt,
        p_star: p_star.as_slice().to_vec(),
        v0,
        stiction_tolerance: 1e-4,
        relative_tolerance: 1e-2,
    }
}
