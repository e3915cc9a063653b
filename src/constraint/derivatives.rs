//! Derivatives of the forces of active constraints.
//!
//! The active forces and slips are the root of the rows that determine them, which one solution with
//! the inertia evaluates, whatever their number:
//!
//! ```text
//! J M⁻¹ (b + Ĵᵀ f) + k + γ f + E λ = 0,      μ f_N − Eᵀ (f₊ + f₋) + γE λ = 0
//! ```

use super::decision::{Decision, Variable};
use super::delassus::{generalized_force, multiply};
use super::derivative_rows::DerivativeRows;
use super::error::ConstraintError;
use super::operators::ConstraintOperators;
use super::view::View;
use crate::Scalar;
use crate::autodiff::implicit_step;

/// Gives packed forces, whose real parts are decided, their derivatives.
pub(super) fn differentiate<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    view: &View<T>,
    decision: &Decision,
    packed: &mut [T],
) -> Result<(), ConstraintError> {
    if T::NDERIV == 0 {
        return Ok(());
    }
    let DerivativeRows { basic, lu, sticks } = DerivativeRows::choose(decision);
    let variables = &decision.variables;
    let (friction, places) = (view.layout.friction(), decision.places());
    let cone_of = |k: usize| (view.cones.iter()).position(|c| c.directions.contains(&k));
    let real = &decision.lcp.last().z;
    let mut z: Vec<T> = real.iter().map(|&z| T::from(z)).collect();
    for (_, cone) in (sticks.iter().zip(&view.cones)).filter(|(sticks, _)| **sticks) {
        for [along, against] in cone.directions.clone().map(|k| places.edges(k)) {
            z[along] = T::from(real[along] - real[against]);
            z[against] = T::zero();
        }
    }
    let mut root: Vec<T> = basic.iter().map(|&i| z[i]).collect();
    let mut scratch = vec![T::zero(); root.len()];
    let mut motion = vec![T::zero(); view.right_hand_side.len()];
    let mut rates = vec![T::zero(); view.layout.size()];
    let has_slips = places.free < variables.len();
    implicit_step(&*lu, &mut root, &mut scratch, |root, residual| {
        for (&i, &root) in basic.iter().zip(root) {
            z[i] = root;
        }
        pack(variables, &z, packed);
        generalized_force(operators, view, packed, &mut motion)?;
        for (x, &b) in motion.iter_mut().zip(&view.right_hand_side) {
            *x += b;
        }
        operators.solve_inertia(&mut motion)?;
        multiply(operators, view, &motion, &mut rates)?;
        for (residual, &i) in residual.iter_mut().zip(&*basic) {
            *residual = match variables[i] {
                Variable::Force { packed: p, sign } => {
                    let mut row = (rates[p] + view.k[p]) * sign;
                    if !view.coupling.is_empty() {
                        for q in view.layout.bilateral() {
                            row += view.coupling(p, q) * packed[q];
                        }
                    }
                    if let Some(&gamma) = view.gamma.get(p) {
                        row += gamma * z[i];
                    }
                    if has_slips
                        && friction.contains(&p)
                        && let Some(cone) = cone_of(p - friction.start)
                    {
                        row += z[places.slip(cone)];
                    }
                    row
                }
                Variable::Slip { cone } => {
                    let own = &view.cones[cone];
                    let mut row = own.mu * z[places.normal(own.contact)];
                    for k in own.directions.clone() {
                        let [along, against] = places.edges(k);
                        row -= z[along] + z[against];
                    }
                    if let Some(&gamma) = view.gamma_cone.get(cone) {
                        row += gamma * z[i];
                    }
                    row
                }
            };
        }
        Ok::<(), ConstraintError>(())
    })?;
    for (&i, &root) in basic.iter().zip(&root) {
        z[i] = root;
    }
    pack(variables, &z, packed);
    for (f, &real) in packed.iter_mut().zip(&decision.packed) {
        *f = f.with_real(real);
    }
    Ok(())
}

/// The packed forces of the variables.
fn pack<T: Scalar>(variables: &[Variable], z: &[T], packed: &mut [T]) {
    packed.fill(T::zero());
    for (&variable, &z) in variables.iter().zip(z) {
        if let Variable::Force { packed: p, sign } = variable {
            packed[p] += z * sign;
        }
    }
}
