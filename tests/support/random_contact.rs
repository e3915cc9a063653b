//! Random contact problems of free bodies.

use super::contact_problem::{Data, Normal};
use nalgebra::{DMatrix, DVector, Vector3};

/// Random numbers of several kinds.
pub struct Random(dualbody::Random);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(dualbody::Random::new(seed))
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.uniform()
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
    let mass = DMatrix::from_diagonal(&DVector::from_vec(inertias(random, bodies, ranges.mass)));
    let mut jn = DMatrix::zeros(nc, nv);
    let mut jt = DMatrix::zeros(2 * nc, nv);
    for c in 0..nc {
        let normal = (Vector3::z() + random.vector(0.8)).normalize();
        write_contact(random, bodies, normal, c, &mut jn, &mut jt);
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
        stribeck: Vec::new(),
        friction_only: Vec::new(),
        mass,
        jn,
        jt,
        p_star: p_star.as_slice().to_vec(),
        v0,
        stiction_tolerance: 1e-4,
        relative_tolerance: 1e-2,
    }
}

/// Anything that a user may pass: 1 to 8 bodies of 10 g to 100 kg, coupled by a dense mass matrix in
/// a third of the problems, μ to 2, stiffness over six decades, dissipation to 20 s/m, steps from
/// 0.1 to 20 ms, speeds to 30 m/s, normals of every direction, contacts that repeat others or act on
/// nothing, and given normal forces in an eighth.
pub fn any_problem(random: &mut Random) -> Data<f64> {
    let bodies = 1 + random.index(8);
    let nv = 6 * bodies;
    let nc = 1 + random.index(4 * bodies);
    let inertia = DVector::from_vec(inertias(random, bodies, (1e-2, 1e2)));
    let mass = if random.unit() < 1.0 / 3.0 {
        let mix = DMatrix::from_fn(nv, nv, |_, _| random.uniform(-1.0, 1.0));
        let own = random.logarithmic(1e-3, 1.0);
        let coupling = &mix * mix.transpose() / nv as f64;
        let root = DMatrix::from_diagonal(&inertia.map(f64::sqrt));
        &root * (coupling + DMatrix::identity(nv, nv) * own) * &root
    } else {
        DMatrix::from_diagonal(&inertia)
    };
    let mass = (&mass + mass.transpose()) * 0.5;
    let mut jn = DMatrix::zeros(nc, nv);
    let mut jt = DMatrix::zeros(2 * nc, nv);
    for c in 0..nc {
        let kind = random.unit();
        if c > 0 && kind < 0.1 {
            let other = random.index(c);
            jn.set_row(c, &jn.row(other).into_owned());
            for t in 0..2 {
                jt.set_row(2 * c + t, &jt.row(2 * other + t).into_owned());
            }
        } else if kind > 0.02 {
            let normal = random.vector(1.0).normalize();
            write_contact(random, bodies, normal, c, &mut jn, &mut jt);
        }
    }
    let dt = random.logarithmic(1e-4, 2e-2);
    let speed = random.logarithmic(1e-3, 30.0);
    let v0 = DVector::from_fn(nv, |_, _| random.uniform(-speed, speed));
    let mut p_star = &mass * &v0;
    for body in 0..bodies {
        for i in 0..6 {
            let k = 6 * body + i;
            p_star[k] += dt * inertia[k] * random.uniform(-20.0, 20.0);
        }
    }
    let (stiffness, overlap) = (random.logarithmic(1e2, 1e8), random.logarithmic(1e-6, 1e-2));
    let spread = random.unit() < 0.5;
    let mut list = |draw: &mut dyn FnMut(&mut Random) -> f64| -> Vec<f64> {
        (0..nc).map(|_| draw(random)).collect()
    };
    let mu = list(&mut |r| {
        if r.unit() < 0.1 {
            0.0
        } else {
            r.uniform(0.0, 2.0)
        }
    });
    let x0 = list(&mut |r| overlap * r.uniform(-0.3, 1.0));
    let stiffness = list(&mut |r| {
        let stiffness = if spread {
            r.logarithmic(1e2, 1e8)
        } else {
            stiffness
        };
        stiffness * r.uniform(0.5, 1.0)
    });
    let dissipation = list(&mut |r| {
        if r.unit() < 0.1 {
            0.0
        } else {
            r.uniform(0.0, 20.0)
        }
    });
    let given = random.unit() < 0.125;
    let normal = if given {
        let size = random.logarithmic(1e-1, 1e4);
        Normal::Given(
            (0..nc)
                .map(|_| size * random.uniform(-0.2, 1.0).max(0.0))
                .collect(),
        )
    } else {
        Normal::Compliant {
            x0,
            stiffness,
            dissipation,
        }
    };
    Data {
        dt,
        normal,
        mu,
        stribeck: Vec::new(),
        friction_only: Vec::new(),
        mass,
        jn,
        jt,
        p_star: p_star.as_slice().to_vec(),
        v0: v0.as_slice().to_vec(),
        stiction_tolerance: 1e-4,
        relative_tolerance: 1e-2,
    }
}

/// Lets contacts of a problem resist spinning, rolling or both, with coefficients from 10⁻⁵ to 0.1 m.
pub fn add_rotational_friction(data: &mut Data<f64>, random: &mut Random) {
    let (nc, nv) = data.jn.shape();
    data.friction_only = vec![false; nc];
    for c in 0..nc {
        for spins in [true, false] {
            if random.unit() < 0.3 {
                continue;
            }
            // Angular velocities along the axes whose velocities are rows of the contact.
            let angular = |row: DVector<f64>| {
                DVector::from_fn(nv, |j, _| if j % 6 < 3 { row[j + 3] } else { 0.0 })
            };
            let axes = match spins {
                true => [angular(data.jn.row(c).transpose()), DVector::zeros(nv)],
                false => [0, 1].map(|t| angular(data.jt.row(2 * c + t).transpose())),
            };
            let (n, m) = (data.jn.nrows(), data.jt.nrows());
            let normal = data.jn.row(c).into_owned();
            data.jn = data.jn.clone().insert_row(n, 0.0);
            data.jt = data.jt.clone().insert_rows(m, 2, 0.0);
            for (t, axis) in axes.iter().enumerate() {
                data.jt.set_row(m + t, &axis.transpose());
            }
            data.mu.push(random.logarithmic(1e-5, 0.1));
            match &mut data.normal {
                // A force that is given has no row to act along.
                Normal::Given(forces) => {
                    forces.push(forces[c]);
                    data.friction_only.clear();
                }
                Normal::Compliant {
                    x0,
                    stiffness,
                    dissipation,
                } => {
                    data.jn.set_row(n, &normal);
                    for values in [x0, stiffness, dissipation] {
                        values.push(values[c]);
                    }
                    data.friction_only.push(true);
                }
            }
        }
    }
}

/// Moments of inertia and masses of free bodies, the diagonal of their mass matrix.
fn inertias(random: &mut Random, bodies: usize, (low, high): (f64, f64)) -> Vec<f64> {
    let mut diagonal = Vec::with_capacity(6 * bodies);
    for _ in 0..bodies {
        let m = random.logarithmic(low, high);
        for _ in 0..3 {
            let radius = random.uniform(0.03, 0.2);
            diagonal.push(m * radius * radius);
        }
        diagonal.extend([m; 3]);
    }
    diagonal
}

/// A contact of a random body with the ground or with another body.
fn write_contact(
    random: &mut Random,
    bodies: usize,
    normal: Vector3<f64>,
    c: usize,
    jn: &mut DMatrix<f64>,
    jt: &mut DMatrix<f64>,
) {
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
        put(jn, c, &normal);
        put(jt, 2 * c, &first);
        put(jt, 2 * c + 1, &second);
    }
}
