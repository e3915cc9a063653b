//! The common part of constraint problems on the acceleration and on the velocity level.

use super::accel_problem_data::ConstraintAccelProblemData;
use super::vel_problem_data::ConstraintVelProblemData;
use crate::Scalar;
use crate::math::{copy_matrix, real_parts};
use nalgebra::DMatrix;
use std::ops::Range;

/// A cone of friction forces: that of a contact which does not slide.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cone<T> {
    pub contact: usize,
    pub mu: T,
    /// Its spanning directions among those of all cones.
    pub directions: Range<usize>,
    /// Whether it is round: two directions then span it.
    pub is_round: bool,
}

/// The numbers of constraints, which say where their forces lie in the packed vector
/// `(f_N, f_F, f_L, f_G)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Layout {
    pub nc: usize,
    pub nnr: usize,
    pub nu: usize,
    pub nb: usize,
}

impl Layout {
    pub fn size(&self) -> usize {
        self.nc + self.nnr + self.nu + self.nb
    }

    pub fn normal(&self) -> Range<usize> {
        0..self.nc
    }

    pub fn friction(&self) -> Range<usize> {
        self.nc..self.nc + self.nnr
    }

    pub fn limit(&self) -> Range<usize> {
        self.nc + self.nnr..self.size() - self.nb
    }

    pub fn bilateral(&self) -> Range<usize> {
        self.size() - self.nb..self.size()
    }
}

/// A problem: its constants, in the order of the packed forces.
#[derive(Debug, Clone)]
pub(super) struct View<T> {
    pub layout: Layout,
    /// `τ`, or the momentum.
    pub right_hand_side: Vec<T>,
    /// `(kN, kF, kL, kG)`.
    pub k: Vec<T>,
    /// The part of `k` that is left out where there is no solution with it.
    pub push: Vec<T>,
    /// Distances of the data of contacts, and of unilateral constraints, from kinks of their own.
    pub gap_normal: Vec<f64>,
    pub gap_limit: Vec<f64>,
    /// By how much velocities of contacts are from where they begin or cease to rebound.
    pub rebound_margin: Vec<f64>,
    /// `(γN, γF, γL, 0)`; empty without compliance.
    pub gamma: Vec<T>,
    /// What the rates of bilateral constraints get from their forces directly (nb×nb); 0×0 if nothing.
    pub coupling: DMatrix<T>,
    /// `γE`, by cone; empty without compliance.
    pub gamma_cone: Vec<T>,
    pub cones: Vec<Cone<T>>,
    /// Coefficient of friction of each contact that slides; zero at the others.
    pub mu_sliding: Vec<T>,
    /// Whether a contact slides.
    pub slides: bool,
}

impl<T: Scalar> View<T> {
    pub fn new() -> Self {
        View {
            layout: Layout::default(),
            right_hand_side: Vec::new(),
            k: Vec::new(),
            push: Vec::new(),
            gap_normal: Vec::new(),
            gap_limit: Vec::new(),
            rebound_margin: Vec::new(),
            gamma: Vec::new(),
            coupling: DMatrix::zeros(0, 0),
            gamma_cone: Vec::new(),
            cones: Vec::new(),
            mu_sliding: Vec::new(),
            slides: false,
        }
    }

    /// Writes the real parts.
    pub fn write_real(&self, real: &mut View<f64>) {
        for (from, to) in [
            (&self.right_hand_side, &mut real.right_hand_side),
            (&self.k, &mut real.k),
            (&self.push, &mut real.push),
            (&self.gamma, &mut real.gamma),
            (&self.gamma_cone, &mut real.gamma_cone),
            (&self.mu_sliding, &mut real.mu_sliding),
        ] {
            to.clear();
            to.extend(from.iter().map(|x| x.re()));
        }
        real.layout = self.layout;
        real.gap_normal.clone_from(&self.gap_normal);
        real.gap_limit.clone_from(&self.gap_limit);
        real.rebound_margin.clone_from(&self.rebound_margin);
        real_parts(&self.coupling, &mut real.coupling);
        real.cones.clear();
        real.cones.extend(self.cones.iter().map(|c| Cone {
            contact: c.contact,
            mu: c.mu.re(),
            directions: c.directions.clone(),
            is_round: c.is_round,
        }));
        real.slides = self.slides;
    }

    /// Of valid data.
    pub fn set_accel<O>(&mut self, data: &ConstraintAccelProblemData<T, O>) {
        let nc = data.sliding_contacts.len() + data.non_sliding_contacts.len();
        self.set_common(
            nc,
            data.tau.as_slice(),
            [&data.kN, &data.kF, &data.kL, &data.kG].map(|k| k.as_slice()),
        );
        let contacts = data.non_sliding_contacts.iter().copied();
        let mu = data.mu_non_sliding.as_slice();
        self.set_cones(contacts, mu, &data.r, data.round_cones);
        self.gamma.clear();
        self.gamma_cone.clear();
        copy_matrix(&data.couplingG, &mut self.coupling);
        self.slides = !data.sliding_contacts.is_empty();
        for (&contact, &mu) in data.sliding_contacts.iter().zip(data.mu_sliding.iter()) {
            self.mu_sliding[contact] = mu;
        }
    }

    /// Of valid data.
    pub fn set_vel<O>(&mut self, data: &ConstraintVelProblemData<T, O>) {
        let nc = data.mu.len();
        self.set_common(
            nc,
            data.Mv.as_slice(),
            [&data.kN, &data.kF, &data.kL, &data.kG].map(|k| k.as_slice()),
        );
        self.set_cones(0..nc, data.mu.as_slice(), &data.r, data.round_cones);
        self.gap_normal.extend_from_slice(data.gapN.as_slice());
        self.gap_limit.extend_from_slice(data.gapL.as_slice());
        (self.rebound_margin).extend_from_slice(data.rebound_marginN.as_slice());
        self.push.resize(self.layout.size(), T::zero());
        self.push[self.layout.normal()].copy_from_slice(data.pushN.as_slice());
        self.push[self.layout.limit()].copy_from_slice(data.pushL.as_slice());
        self.push[self.layout.bilateral()].copy_from_slice(data.pushG.as_slice());
        self.gamma.clear();
        for gamma in [&data.gammaN, &data.gammaF, &data.gammaL] {
            self.gamma.extend_from_slice(gamma.as_slice());
        }
        self.gamma.resize(self.layout.size(), T::zero());
        self.gamma_cone.clear();
        self.gamma_cone.extend_from_slice(data.gammaE.as_slice());
        self.slides = false;
        self.coupling = DMatrix::zeros(0, 0);
    }

    /// The coupling of two packed forces.
    pub fn coupling(&self, row: usize, column: usize) -> T {
        let bilateral = self.layout.bilateral();
        if !self.coupling.is_empty() && bilateral.contains(&row) && bilateral.contains(&column) {
            self.coupling[(row - bilateral.start, column - bilateral.start)]
        } else {
            T::zero()
        }
    }

    /// Drops the position correction of these rows; false if there is none.
    pub fn drop_position_correction(&mut self, rows: Range<usize>) -> bool {
        let mut pushes = false;
        for (k, push) in self.k[rows.clone()].iter_mut().zip(&mut self.push[rows]) {
            pushes |= push.re() != 0.0;
            *k -= *push;
            *push = T::zero();
        }
        pushes
    }

    fn set_common(&mut self, nc: usize, right_hand_side: &[T], k: [&[T]; 4]) {
        let [_, f, l, g] = k.map(<[T]>::len);
        self.layout = Layout {
            nc,
            nnr: f,
            nu: l,
            nb: g,
        };
        self.right_hand_side.clear();
        self.right_hand_side.extend_from_slice(right_hand_side);
        self.mu_sliding.clear();
        self.mu_sliding.resize(nc, T::zero());
        self.push.clear();
        self.gap_normal.clear();
        self.gap_limit.clear();
        self.rebound_margin.clear();
        self.k.clear();
        for k in k {
            self.k.extend_from_slice(k);
        }
    }

    fn set_cones(
        &mut self,
        contacts: impl Iterator<Item = usize>,
        mu: &[T],
        r: &[usize],
        are_round: bool,
    ) {
        self.cones.clear();
        let mut start = 0;
        for ((contact, &mu), &r) in contacts.zip(mu).zip(r) {
            self.cones.push(Cone {
                contact,
                mu,
                directions: start..start + r,
                is_round: are_round && r == 2,
            });
            start += r;
        }
    }
}
