//! Derivatives of active constraint forces by the implicit function theorem.
//!
//! The active forces and slips are the root of the rows that determine them, which one solution with
//! the inertia evaluates, whatever their number:
//!
//! ```text
//! J M⁻¹ (b + Ĵᵀ f) + k + γ f + E λ = 0,      μ f_N − Eᵀ (f₊ + f₋) + γE λ = 0
//! ```

use super::decision::Decision;
use super::delassus::{generalized_force, multiply};
use super::derivative_rows::DerivativeRows;
use super::error::ConstraintError;
use super::operators::ConstraintOperators;
use super::variable::Variable;
use super::view::View;
use crate::Scalar;
use crate::autodiff::implicit_step;

/// Memory of [`differentiate`].
#[derive(Debug, Clone)]
pub(super) struct DerivativeMemory<T> {
    rows: DerivativeRows,
    /// Of the variables, and of those that are determined by their rows.
    z: Vec<T>,
    root: Vec<T>,
    residual: Vec<T>,
    motion: Vec<T>,
    part: Vec<T>,
    rates: Vec<T>,
}

impl<T> DerivativeMemory<T> {
    pub fn new() -> Self {
        DerivativeMemory {
            rows: DerivativeRows::new(),
            z: Vec::new(),
            root: Vec::new(),
            residual: Vec::new(),
            motion: Vec::new(),
            part: Vec::new(),
            rates: Vec::new(),
        }
    }
}

/// Gives packed forces, whose real parts are decided, their derivatives.
pub(super) fn differentiate<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    view: &View<T>,
    decision: &Decision,
    packed: &mut [T],
    memory: &mut DerivativeMemory<T>,
) -> Result<(), ConstraintError> {
    if T::NDERIV == 0 {
        return Ok(());
    }
    memory.rows.choose(decision);
    let (basic, lu) = memory.rows.basis(decision);
    let sticks = &memory.rows.sticks;
    let variables = &decision.variables;
    let (friction, places) = (view.layout.friction(), decision.places());
    let cone_of = |k: usize| (view.cones.iter()).position(|c| c.directions.contains(&k));
    let real = &decision.lcp.last().z;
    let DerivativeMemory {
        z,
        root,
        residual,
        motion,
        part,
        rates,
        ..
    } = memory;
    z.clear();
    z.extend(real.iter().map(|&z| T::from(z)));
    for (_, cone) in (sticks.iter().zip(&view.cones)).filter(|(sticks, _)| **sticks) {
        for [along, against] in cone.directions.clone().map(|k| places.edges(k)) {
            z[along] = T::from(real[along] - real[against]);
            z[against] = T::zero();
        }
    }
    root.clear();
    root.extend(basic.iter().map(|&i| z[i]));
    for (vector, size) in [
        (&mut *residual, root.len()),
        (&mut *motion, view.right_hand_side.len()),
        (&mut *rates, view.layout.size()),
    ] {
        vector.clear();
        vector.resize(size, T::zero());
    }
    let has_slips = places.free < variables.len();
    implicit_step(lu, root, residual, |root, residual| {
        for (&i, &root) in basic.iter().zip(root) {
            z[i] = root;
        }
        pack(variables, z, packed);
        generalized_force(operators, view, packed, motion, part)?;
        for (x, &b) in motion.iter_mut().zip(&view.right_hand_side) {
            *x += b;
        }
        operators.solve_inertia(motion)?;
        multiply(operators, view, motion, rates)?;
        for (residual, &i) in residual.iter_mut().zip(basic) {
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
    for (&i, &root) in basic.iter().zip(&*root) {
        z[i] = root;
    }
    pack(variables, z, packed);
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
