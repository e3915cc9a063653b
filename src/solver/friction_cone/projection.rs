//! The natural map `F(f)` (forces less their projections, Alart–Curnier) and its generalized Jacobian.

use super::scaled::Scaled;
use super::solution::ConeState;
use nalgebra::{DMatrix, DVector, Matrix2, Vector2};

/// Forces lose so much of the residual that they may have to round-off.
const ROUND_OFF: f64 = 1e-4;

/// `F` at forces, with what it was evaluated by: projections of `f − ρ w`, whose roots are the same for all `ρ > 0`.
#[derive(Debug, Clone)]
pub(super) struct Projection {
    /// `ρ`.
    pub weight: f64,
    /// `A f + b`.
    pub rates: DVector<f64>,
    /// `f − ρ w`.
    target: DVector<f64>,
    pub difference: DVector<f64>,
    pub contacts: Vec<ConeState>,
    /// Whether inequalities act.
    pub active: Vec<bool>,
}

impl Projection {
    pub fn at(scaled: &Scaled, f: &DVector<f64>, weight: f64) -> Self {
        let rates = scaled.rates(f);
        let mut difference = &rates * weight;
        let target = f - &difference;
        let mut contacts = Vec::with_capacity(scaled.mu.len());
        for (contact, &mu) in scaled.mu.iter().enumerate() {
            let i = scaled.normal(contact);
            let pressed = target[i];
            let force = Vector2::new(f[i + 1], f[i + 2]);
            let tangents = target.fixed_rows::<2>(i + 1).into_owned();
            let (radius, size) = (mu * pressed, tangents.norm());
            let state = match () {
                () if pressed <= 0.0 => ConeState::Open,
                () if size <= radius && mu > 0.0 => ConeState::Sticking,
                () => ConeState::Sliding,
            };
            let projected = match state {
                ConeState::Open => Vector2::zeros(),
                ConeState::Sliding if size > 0.0 => tangents * (radius / size),
                ConeState::Sticking | ConeState::Sliding => tangents,
            };
            difference[i] = f[i] - pressed.max(0.0);
            let tangential = force - projected;
            (difference[i + 1], difference[i + 2]) = (tangential.x, tangential.y);
            contacts.push(state);
        }
        let mut active = Vec::new();
        for i in scaled.inequalities()..f.len() {
            active.push(target[i] > 0.0);
            difference[i] = f[i] - target[i].max(0.0);
        }
        Projection {
            weight,
            rates,
            target,
            difference,
            contacts,
            active,
        }
    }

    /// The largest entry of `F`, relative to the largest motion without forces, or to what of forces is nearly round-off.
    pub fn residual(&self, f: &DVector<f64>, scaled: &Scaled) -> f64 {
        let size = scaled.vector.amax().max(ROUND_OFF * f.amax());
        match self.difference.amax() {
            0.0 => 0.0,
            difference => difference / size,
        }
    }

    /// An element of the generalized derivative `∂F/∂f`.
    pub fn jacobian(&self, scaled: &Scaled) -> DMatrix<f64> {
        let products = &scaled.matrix * self.weight;
        let mut jacobian = products.clone();
        let identity = |jacobian: &mut DMatrix<f64>, i: usize| {
            jacobian.row_mut(i).fill(0.0);
            jacobian[(i, i)] = 1.0;
        };
        for (contact, (&state, &mu)) in self.contacts.iter().zip(&scaled.mu).enumerate() {
            let i = scaled.normal(contact);
            match state {
                ConeState::Open => (i..i + 3).for_each(|i| identity(&mut jacobian, i)),
                ConeState::Sticking => {}
                ConeState::Sliding if mu == 0.0 => {
                    (i + 1..i + 3).for_each(|i| identity(&mut jacobian, i));
                }
                ConeState::Sliding => {
                    let target = self.target.fixed_rows::<2>(i + 1).into_owned();
                    let size = target.norm();
                    let direction = target / size;
                    // df_T − μ d dξ_N − μ ξ_N (1 − d dᵀ)/‖ξ_T‖ dξ_T, of ξ = f − ρ (A f + b).
                    let across = (Matrix2::identity() - direction * direction.transpose())
                        * (mu * self.target[i] / size);
                    let normal = products.row(i);
                    let tangents = products.fixed_rows::<2>(i + 1);
                    let mut rows = across * tangents + direction * normal * mu;
                    let mut own = rows.fixed_columns_mut::<2>(i + 1);
                    own += Matrix2::identity() - across;
                    let mut column = rows.column_mut(i);
                    column -= direction * mu;
                    jacobian.fixed_rows_mut::<2>(i + 1).copy_from(&rows);
                }
            }
        }
        let first = scaled.inequalities();
        for (k, &active) in self.active.iter().enumerate() {
            if !active {
                identity(&mut jacobian, first + k);
            }
        }
        jacobian
    }
}
