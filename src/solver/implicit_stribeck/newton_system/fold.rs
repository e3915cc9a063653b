//! Distance of a solution from a fold (turning point), where two solutions meet and vanish.
//!
//! Friction that falls with the slip speed pulls the less, the faster a contact slips. Where that outweighs the inertia, a
//! step has several solutions, and the velocity jumps from one to another where two of them meet: there the Jacobian
//! `∂r/∂v` is singular. In the direction φ in which it is weakest, by inverse iteration from what friction moves, the
//! balance is a function of one number,
//!
//! ```text
//! ρ(α) = φ·r(v + α φ),     ρ(0) = 0,     ρ'(0) = φ·∂r/∂v φ > 0
//! ```
//!
//! and the fold is about where ρ ceases to rise. Where it falls to zero again beyond, there are other solutions: an unstable
//! one there, and one beyond it. With φ scaled so that the fastest of the slips that it changes does so at
//! the rate 1, the distance is a slip speed. Nothing is searched where `φ·M φ` outweighs the steepest fall that the curves
//! of friction have, `μ' = −(3√3/8) (μ_s − μ_d)/v_S`.

use super::NewtonSystem;

/// Inverse iterations for the weakest direction.
const ITERATIONS: usize = 3;
/// Samples to either side, from this part of the stiction tolerance to this multiple of the speeds that there are.
const SAMPLES: usize = 64;
const FIRST: f64 = 1e-3;
const LAST: f64 = 8.0;
/// How far samples are from each other at least, relative to their distance.
const DISTINCT: f64 = 1e-6;
/// Halvings of the interval in which ρ ceases to rise.
const HALVINGS: usize = 30;

impl NewtonSystem {
    fn falling(&self, contact: usize) -> Option<Falling> {
        let curve = self.contacts[contact].stribeck?;
        let excess = curve.static_friction - self.contacts[contact].mu;
        let presses = self.contact_forces[contact][0] > 0.0;
        (excess > 0.0 && presses).then(|| Falling {
            contact,
            steepest: 0.375 * 3f64.sqrt() * excess / curve.velocity,
            velocity: curve.velocity,
        })
    }

    /// Whether friction of a contact that presses falls with the slip speed.
    pub fn friction_falls(&self) -> bool {
        (0..self.contacts.len()).any(|contact| self.falling(contact).is_some())
    }

    /// What is to either side of the solution, near the speeds at which friction falls. Folds are those along the direction that
    /// the memory holds then. Far from a fold, where what holds is stiff, that is another one; friction itself moves along
    /// the first iterate, along which other solutions are looked for, too.
    pub fn find_folds(&mut self, memory: &mut FoldMemory) -> Option<Folds> {
        let FoldMemory {
            falling,
            direction,
            momentum,
            changes,
        } = memory;
        falling.clear();
        falling.extend((0..self.contacts.len()).filter_map(|c| self.falling(c)));
        if falling.is_empty() {
            return None;
        }
        direction.clear();
        direction.resize(self.nv(), 0.0);
        for &Falling { contact: c, .. } in &*falling {
            let [_, vt0, vt1] = self.contact_velocities[c];
            let speed = vt0.hypot(vt1);
            let along = match speed > 0.0 {
                true => [vt0 / speed, vt1 / speed],
                false => [1.0, 0.0],
            };
            let force = self.contact_forces[c][0];
            for (i, column) in self.jacobian(c) {
                direction[i] += force * (column[1] * along[0] + column[2] * along[1]);
            }
        }
        self.factor().ok()?;
        let mut along_friction = None;
        for iteration in 0..ITERATIONS {
            if iteration > 0 {
                momentum.clear();
                momentum.resize(direction.len(), 0.0);
                self.add_product(direction, momentum);
                std::mem::swap(direction, momentum);
            }
            self.lu.solve_in_place(direction);
            let slips = (falling.iter())
                .map(|falling| slip(self.contact_velocity(falling.contact, direction)));
            let largest = slips.fold(0.0, f64::max);
            if largest <= 0.0 || !largest.is_finite() {
                return along_friction;
            }
            direction.iter_mut().for_each(|x| *x /= largest);
            if iteration == 0 {
                let folds = self.folds_along(direction, falling, changes);
                along_friction = folds.map(|folds| Folds {
                    nearest: [None; 2],
                    ..folds
                });
            }
        }
        let Some(mut folds) = self.folds_along(direction, falling, changes) else {
            return along_friction;
        };
        let other = along_friction.and_then(|folds| folds.other);
        folds.other = [folds.other, other].into_iter().flatten().reduce(f64::min);
        Some(folds)
    }

    fn folds_along(
        &self,
        direction: &[f64],
        falling: &[Falling],
        changes: &mut Vec<[f64; 3]>,
    ) -> Option<Folds> {
        changes.clear();
        changes.extend((0..self.contacts.len()).map(|c| self.contact_velocity(c, direction)));
        let (balance, inertia) = self.momentum_along(direction);
        let (mut fall, mut fastest, mut most) = (0.0, self.laws.stiction_tolerance, (0, 0.0));
        for falling in falling {
            let c = falling.contact;
            let change = slip(changes[c]);
            let force = self.contact_forces[c][0];
            fall += self.laws.dt * force * falling.steepest * change * change;
            fastest = fastest
                .max(falling.velocity)
                .max(slip(self.contact_velocities[c]));
            if change > most.1 {
                most = (c, change);
            }
        }
        if fall < inertia {
            return None;
        }
        let rho = |alpha: f64| {
            let powers = (0..changes.len()).map(|c| self.power_along(c, alpha, changes[c]));
            balance + inertia * alpha - self.laws.dt * powers.sum::<f64>()
        };
        let first = FIRST * self.laws.stiction_tolerance;
        let ratio = (LAST * fastest / first).powf(1.0 / SAMPLES as f64);
        // Where the slip of the contact that changes most is least.
        let ([_, vt0, vt1], [_, change0, change1]) =
            (self.contact_velocities[most.0], changes[most.0]);
        let rest = -(vt0 * change0 + vt1 * change1) / (most.1 * most.1);
        let ceases = |sign: f64| {
            // From here on, and towards that.
            let mut samples = [f64::INFINITY; 2 * SAMPLES];
            for k in 0..SAMPLES {
                let way = first * ratio.powi(k as i32 + 1);
                samples[k] = way;
                if sign * rest > way {
                    samples[SAMPLES + k] = sign * rest - way;
                }
            }
            samples.sort_unstable_by(f64::total_cmp);
            let (mut before, mut last, mut last_value) = (0.0, 0.0, rho(0.0));
            let (mut fold, mut other) = (None, None);
            for way in samples.into_iter().take_while(|way| way.is_finite()) {
                // What is nearer to the last than that differs by round-off.
                if way - last < DISTINCT * way {
                    continue;
                }
                let value = rho(sign * way);
                if fold.is_none() && sign * (value - last_value) <= 0.0 {
                    // Between the sample before the last and this one ρ is extreme.
                    let alpha = extreme(&|way| sign * rho(sign * way), before, way);
                    fold = Some((alpha, rho(sign * alpha)));
                }
                if fold.is_some() && sign * value <= 0.0 {
                    other = Some(way);
                    break;
                }
                (before, last, last_value) = (last, way, value);
            }
            (fold, other)
        };
        let [(right, right_other), (left, left_other)] = [1.0, -1.0].map(ceases);
        let others = [right_other, left_other].into_iter().flatten();
        Some(Folds {
            contact: most.0,
            nearest: [right, left],
            other: others.reduce(f64::min),
        })
    }
}

/// What is to either side of a solution along a direction.
#[derive(Debug, Clone, Copy)]
pub(in crate::solver::implicit_stribeck) struct Folds {
    /// The contact whose slip changes most along it.
    pub contact: usize,
    /// To each side |α|, in m/s, where ρ ceases to rise, or to fall, and ρ there.
    pub nearest: [Option<(f64, f64)>; 2],
    /// The least |α| from which on ρ has the other sign beyond a fold: there are other solutions.
    pub other: Option<f64>,
}

/// A fold along a direction φ, given by its entries and their indices.
#[derive(Debug, Clone)]
pub(crate) struct FoldAlong {
    /// The contact whose slip changes most along it.
    pub contact: usize,
    /// `ρ` there, in N s, by which the momentum would have to change.
    pub lacking: f64,
    pub direction: Vec<(usize, f64)>,
}

/// What the search for a fold works with.
#[derive(Debug, Clone, Default)]
pub(in crate::solver::implicit_stribeck) struct FoldMemory {
    falling: Vec<Falling>,
    /// φ, and `M φ`.
    pub direction: Vec<f64>,
    momentum: Vec<f64>,
    /// The velocities of contacts along φ.
    changes: Vec<[f64; 3]>,
}

/// A contact that presses, where friction falls with the slip speed.
#[derive(Debug, Clone, Copy)]
struct Falling {
    contact: usize,
    /// The largest `−μ'`, and the Stribeck velocity.
    steepest: f64,
    velocity: f64,
}

/// The speed of slip of a contact velocity.
fn slip([_, vt0, vt1]: [f64; 3]) -> f64 {
    vt0.hypot(vt1)
}

/// The largest value of a function that has one between two numbers, by golden sections.
fn extreme(f: &dyn Fn(f64) -> f64, mut a: f64, mut b: f64) -> f64 {
    let section = 0.5 * (5f64.sqrt() - 1.0);
    for _ in 0..HALVINGS {
        let (c, d) = (b - section * (b - a), a + section * (b - a));
        if f(c) > f(d) {
            b = d;
        } else {
            a = c;
        }
    }
    0.5 * (a + b)
}
