//! Exciting trajectories of a mechanism within its joint limits.
//!
//! # Mathematics
//! Each joint moves about the middle of its range in a Fourier series with the period `2π/ω` (Swevers et al.
//! 1997, *Optimal robot excitation and identification*, IEEE Trans. Robotics and Automation 13(5), 730–740),
//!
//! ```text
//! v̂(t) = Σ_l a_l cos(l ω t) + b_l sin(l ω t),      q̂(t) = Σ_l (a_l sin(l ω t) − b_l cos(l ω t))/(l ω)
//! ```
//!
//! whose coefficients are the design. With the half range `r` of a position and the limit `v` of a velocity,
//! `q = middle + q̂/s` and `v = v̂/s` where
//!
//! ```text
//! s = (Σ (q̂/r)ᵖ + (v̂/v)ᵖ)^(1/p) ≥ max(|q̂|/r, |v̂|/v),      p = 24
//! ```
//!
//! over all joints and samples: a smooth function of the design, by which every motion stays within its limits at all
//! samples and comes near one of them. Designs that differ by a factor are the same motion.

use super::experiment_design::PlannedExperiment;
use crate::parameter::Parameters;
use crate::system::SystemError;
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

/// `p`.
const POWER: i32 = 24;
const MAX_HARMONICS: f64 = 1e3;

/// Torques of the motors of a mechanism, which work against inertia, gravity and the damping of joints, along periodic motions within its joint limits, as an experiment whose design are the
/// Fourier coefficients of the motions: joint by joint `a_1 … a_n, b_1 … b_n`, in rad/s or m/s before they are scaled.
///
/// With [`Optimality::improve`](super::Optimality::improve) the motion becomes the one that tells most of the parameters.
#[derive(Debug, Clone)]
pub struct Excitation {
    tree: RigidBodyTree<f64>,
    parameters: Vec<usize>,
    deviations: Vec<f64>,
    middle: Vec<f64>,
    /// By joint, of the position about its middle and of the velocity.
    limits: Vec<[f64; 2]>,
    frequency: f64,
    harmonics: usize,
    samples: usize,
}

/// One moment of a motion: positions, velocities and accelerations.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment<T> {
    /// Time in s.
    pub time: f64,
    /// Positions (rad or m).
    pub q: Vec<T>,
    /// Velocities (rad/s or m/s).
    pub v: Vec<T>,
    /// Accelerations (rad/s² or m/s²).
    pub vdot: Vec<T>,
}

impl Excitation {
    /// Motions of the joints of a tree, with the limits that these have, of so many harmonics of the angular frequency
    /// `frequency` (rad/s). The unknowns are the parameters of the tree with these names, and
    /// `deviations` (nv) the standard deviations of measured generalized forces. A period has eight samples for each harmonic.
    ///
    /// # Errors
    /// [`SystemError`] for a parameter that is not found; [`InvalidInput`] for a joint that turns as a ball or floats, limits of position
    /// or velocity that are not finite, deviations or a frequency that are not positive, and other than 1 to 1000 harmonics.
    pub fn new(
        tree: RigidBodyTree<f64>,
        parameters: &[impl AsRef<str>],
        deviations: impl Into<Vec<f64>>,
        frequency: f64,
        harmonics: usize,
    ) -> Result<Self, SystemError> {
        let deviations = deviations.into();
        let nv = tree.num_velocities();
        InvalidInput::check_size("deviations of forces", deviations.len(), nv)?;
        InvalidInput::check_size("positions of the tree", tree.num_positions(), nv)?;
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let numbers = [
            ("deviations of forces", deviations.as_slice()),
            ("frequency", &[frequency]),
        ];
        for (quantity, values) in numbers {
            InvalidInput::check_range(quantity, values, "positive", positive)?;
        }
        let count = [harmonics as f64];
        let in_range = |n: f64| (1.0..=MAX_HARMONICS).contains(&n);
        InvalidInput::check_range("number of harmonics", &count, "from 1 to 1000", in_range)?;
        let (mut middle, mut limits) = (vec![0.0; nv], vec![[0.0; 2]; nv]);
        for joint in tree.joints() {
            let (start, bounds) = (joint.velocity_start(), joint.limits());
            for i in 0..joint.num_velocities() {
                let [lower, upper] = [&bounds.lower, &bounds.upper].map(|b| b[i]);
                middle[start + i] = 0.5 * (lower + upper);
                limits[start + i] = [0.5 * (upper - lower), bounds.velocity[i]];
            }
        }
        let all: Vec<f64> = limits.iter().flatten().copied().collect();
        let expected = "finite limits of positions and velocities";
        InvalidInput::check_range("range of a joint", &all, expected, positive)?;
        Ok(Excitation {
            parameters: tree.parameter_indices(parameters)?,
            tree,
            deviations,
            middle,
            limits,
            frequency,
            harmonics,
            samples: 8 * harmonics,
        })
    }

    /// Number of coefficients of a design.
    pub fn design_size(&self) -> usize {
        2 * self.harmonics * self.limits.len()
    }

    /// The unknown parameters as they are in the tree.
    pub fn values(&self) -> Vec<f64> {
        let all = self.tree.parameters();
        self.parameters.iter().map(|&i| all[i].value).collect()
    }

    /// A period of the motion of a design, at the samples.
    ///
    /// # Errors
    /// [`InvalidInput`] for another number of coefficients, for coefficients that are all zero or not finite, and for
    /// motions that are not finite.
    pub fn motion<T: Scalar>(&self, design: &[T]) -> Result<Vec<Moment<T>>, InvalidInput> {
        InvalidInput::check_size("design", design.len(), self.design_size())?;
        InvalidInput::check_finite("design", design)?;
        let mut moments: Vec<Moment<T>> = (0..self.samples)
            .map(|k| self.unscaled(design, k))
            .collect();
        let terms = || {
            moments.iter().flat_map(|moment| {
                let parts = moment.q.iter().zip(&moment.v).zip(&self.limits);
                parts.flat_map(|((&q, &v), limits)| [q / limits[0], v / limits[1]])
            })
        };
        let largest = terms().fold(0.0, |m: f64, x| m.max(x.re().abs()));
        let expected = "neither zero nor too large";
        InvalidInput::check_range("largest coefficient", &[largest], expected, |x| {
            x > 0.0 && x.is_finite()
        })?;
        // A constant factor does not change the sum, but keeps it from overflow.
        let sum = terms().fold(T::zero(), |sum, x| sum + (x / largest).powi(POWER));
        let scale = (sum.ln() / f64::from(POWER)).exp() * largest;
        for moment in &mut moments {
            for list in [&mut moment.q, &mut moment.v, &mut moment.vdot] {
                list.iter_mut().for_each(|x| *x = x.div_lifted(scale));
            }
            for (q, &middle) in moment.q.iter_mut().zip(&self.middle) {
                *q += middle;
            }
            let Moment { time, q, v, vdot } = &*moment;
            InvalidInput::check_finite("times of the motion", &[*time])?;
            for list in [q, v, vdot] {
                InvalidInput::check_finite("motion", list)?;
            }
        }
        Ok(moments)
    }

    fn unscaled<T: Scalar>(&self, design: &[T], sample: usize) -> Moment<T> {
        let turn = std::f64::consts::TAU * sample as f64 / self.samples as f64;
        let none = || vec![T::zero(); self.limits.len()];
        let mut moment = Moment {
            time: turn / self.frequency,
            q: none(),
            v: none(),
            vdot: none(),
        };
        for (joint, coefficients) in design.chunks_exact(2 * self.harmonics).enumerate() {
            let (a, b) = coefficients.split_at(self.harmonics);
            for (l, (&a, &b)) in a.iter().zip(b).enumerate() {
                let order = (l + 1) as f64;
                let (sin, cos) = (order * turn).sin_cos();
                let rate = order * self.frequency;
                moment.q[joint] += (a * sin - b * cos) / rate;
                moment.v[joint] += a * cos + b * sin;
                moment.vdot[joint] += (b * cos - a * sin) * rate;
            }
        }
        moment
    }
}

impl PlannedExperiment for Excitation {
    type Error = SystemError;

    fn predict<T: Scalar>(&self, unknowns: &[T], design: &[T]) -> Result<DVector<T>, SystemError> {
        InvalidInput::check_size("unknowns", unknowns.len(), self.parameters.len())?;
        let mut tree = self.tree.cast::<T>();
        let settings = self.parameters.iter().zip(unknowns);
        tree.set_parameters(&settings.map(|(&i, &p)| (i, p)).collect::<Vec<_>>())?;
        let mut workspace = tree.workspace();
        let mut tau = vec![T::zero(); tree.num_velocities()];
        let mut damping = tau.clone();
        let mut measured = Vec::with_capacity(self.samples * tau.len());
        for Moment { q, v, vdot, .. } in self.motion(design)? {
            tree.set_state(&mut workspace, &q, &v)?;
            tree.inverse_dynamics(&mut workspace, &vdot, None, &mut tau)?;
            tree.joint_damping_forces(&workspace, &mut damping)?;
            let forces = tau.iter().zip(&damping).zip(&self.deviations);
            measured.extend(forces.map(|((&f, &damping), &deviation)| (f - damping) / deviation));
        }
        InvalidInput::check_finite("predicted forces", &measured)?;
        Ok(DVector::from_vec(measured))
    }
}
