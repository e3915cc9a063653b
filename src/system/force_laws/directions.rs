//! Force directions of laws, `∂φ/∂v`, with derivatives by third-order jets.
//!
//! `∂φ/∂vₙ`, or `∂φ/∂qₙ N(q)` of rows that do not depend on velocities, is a derivative; its derivatives by what `T`
//! varies are of higher order. Every part of `T` is a derivative along curves: with a number `t` on a curve and a number
//! `s` along a velocity coordinate, a third-order jet of one variable, t = τ and s = ±τ, gives the mixed derivatives by
//! polarization:
//!
//! ```text
//! φ_ts = (φ''₊ − φ''₋)/4,     φ_tts = ((φ'''₊ − φ'''₋)/2 − φ_sss)/3
//! ```
//!
//! No scalar carries the fourth order of `φ_ttts`: it is the difference of the exact `φ_ttt` at moved `s`, extrapolated to no
//! move, to a part of 1e-8 of it or an error.

use crate::autodiff::{CHUNK, ChunkDual, HESSIAN_CHUNK, HessianDual, extrapolated_derivative};
use crate::constraint::{
    ConstraintError, ConstraintForceLaw, ForceLawRow, ForceLaws, InstantMotion, StepMotion,
};
use crate::error::{check_element, derivative_part};
use crate::force::ForceContext;
use crate::math::{SpatialAcceleration, reset_matrix};
use crate::parameter::{Parameter, Parameters};
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector, SMatrix, SVector};
use num_dual::{Dual2_64, Dual3_64, Dual64, HyperDual64};
use std::any::{Any, TypeId};
use std::borrow::Cow;

type Jet = Dual3_64;

/// A number along a curve, with its derivatives.
type Curve<'a, T> = &'a dyn Fn(&T) -> Jet;

/// To what part of it, or of `φ_ttt`, `φ_ttts` is found at least.
const ACCURACY: f64 = 1e-8;

type TreeAndLaws<'a> = (Cow<'a, RigidBodyTree<Jet>>, Cow<'a, ForceLaws<Jet>>);

/// A tree and its laws in jets, and their parameters in `T`, those of the tree first, if one has derivative parts.
#[derive(Debug, Clone)]
pub(super) struct JetModel<T: Scalar> {
    tree: RigidBodyTree<Jet>,
    laws: ForceLaws<Jet>,
    parameters: Vec<T>,
}

impl<T: Scalar> JetModel<T> {
    pub fn new(system: &RigidBodySystem<T>) -> Self {
        let mut parameters = Vec::new();
        if T::NDERIV > 0 {
            let mut take = |parameter: Parameter<'_, T>| parameters.push(*parameter.value);
            system.tree.clone().visit_parameters(&mut take);
            system.force_laws.clone().visit_parameters(&mut take);
        }
        let varies = |x: &T| derivative_part(x, |part| part != 0.0).is_some();
        if !parameters.iter().any(varies) {
            parameters.clear();
        }
        JetModel {
            tree: system.tree.cast(),
            laws: system.force_laws.cast(),
            parameters,
        }
    }

    /// The tree and the laws with parameters on a curve.
    fn on_curve(&self, on_curve: &dyn Fn(&T) -> Jet) -> Result<TreeAndLaws<'_>, SystemError> {
        if self.parameters.is_empty() {
            return Ok((Cow::Borrowed(&self.tree), Cow::Borrowed(&self.laws)));
        }
        let (mut tree, mut laws) = (self.tree.clone(), self.laws.clone());
        let mut values = self.parameters.iter().map(on_curve);
        let mut set = |parameter: Parameter<'_, Jet>| {
            if let Some(value) = values.next() {
                *parameter.value = value;
            }
        };
        tree.visit_parameters(&mut set);
        laws.visit_parameters(&mut set);
        tree.parameters_changed()?;
        Ok((Cow::Owned(tree), Cow::Owned(laws)))
    }
}

/// Evaluates the directions of forces; a workspace.
#[derive(Debug, Clone)]
pub(in crate::system) struct Directions<T: Scalar> {
    start: TreeWorkspace<Jet>,
    end: TreeWorkspace<Jet>,
    accelerations: Vec<SpatialAcceleration<Jet>>,
    /// Rows × nv.
    pub matrix: DMatrix<T>,
}

impl<T: Scalar> Directions<T> {
    pub fn new(model: &JetModel<T>) -> Self {
        let (tree, laws) = (&model.tree, &model.laws);
        Directions {
            start: tree.workspace(),
            end: tree.workspace(),
            accelerations: vec![SpatialAcceleration::zero(); tree.num_bodies()],
            matrix: DMatrix::zeros(laws.num_rows(), tree.num_velocities()),
        }
    }

    /// Writes the directions of all laws at a state, over the step of the context.
    pub fn evaluate(
        &mut self,
        model: &JetModel<T>,
        laws: &ForceLaws<T>,
        context: &ForceContext<'_, T>,
    ) -> Result<(), SystemError> {
        let (mut first, nv) = (0, self.matrix.ncols());
        // Their number may depend on parameters.
        reset_matrix(&mut self.matrix, laws.num_rows(), nv);
        for (number, law) in laws.iter().enumerate() {
            let rows = law.num_rows();
            let mut own = DMatrix::zeros(rows, nv);
            let is_own = law.force_directions(context, &mut own);
            let is_own = is_own.map_err(|error| error.in_law(law.name()))?;
            if !is_own {
                self.follow_from_rows(model, (number, law.name()), context, &mut own)?;
            }
            InvalidInput::check_size("rows of directions of forces", own.nrows(), rows)
                .and_then(|()| {
                    InvalidInput::check_size("columns of directions of forces", own.ncols(), nv)
                })
                .map_err(|error| ConstraintError::from(error).in_law(law.name()))?;
            let of_row = |i: usize| match is_own {
                true => format!("the direction of the force of row {}", i % rows),
                false => format!("row {} by velocities", i % rows),
            };
            let checked = check_element(own.as_slice(), || law.label(), of_row);
            checked.map_err(|mut error| {
                error.is_derivative |= !is_own;
                ConstraintError::from(error)
            })?;
            self.matrix.rows_mut(first, rows).copy_from(&own);
            first += rows;
        }
        Ok(())
    }

    fn follow_from_rows(
        &mut self,
        model: &JetModel<T>,
        (number, name): (usize, &str),
        context: &ForceContext<'_, T>,
        out: &mut DMatrix<T>,
    ) -> Result<(), SystemError> {
        let (rows, nv) = out.shape();
        let real = |x: &T| Jet::from_re(x.re());
        let columns = (0..nv)
            .map(|j| self.jets(model, (number, rows), context, (j, along(1.0)), &real))
            .collect::<Result<Vec<_>, _>>()?;
        // A row that depends on a velocity is taken by velocities, whatever others of them do to it here.
        let places: Vec<usize> = (0..rows)
            .map(|i| {
                let depends = |column: &Vec<[Jet; 2]>| {
                    let by_velocity = column[i][0];
                    let slopes = [by_velocity.v1, by_velocity.v2, by_velocity.v3];
                    slopes.iter().any(|slope| *slope != 0.0)
                };
                usize::from(!columns.iter().any(depends))
            })
            .collect();
        if T::NDERIV == 0 {
            *out = DMatrix::from_fn(rows, nv, |i, j| T::from(columns[j][i][places[i]].v1));
            return Ok(());
        }
        for (j, alone) in columns.iter().enumerate() {
            let mut slopes = |curve: Curve<'_, T>| {
                self.slopes_along(model, (number, &places, alone), context, (j, curve))
            };
            let Some(column) = assemble(rows, &mut slopes)? else {
                let name = name.to_owned();
                return Err(ConstraintError::DirectionsNeeded { name }.into());
            };
            for (i, entry) in column.into_iter().enumerate() {
                out[(i, j)] = entry;
            }
        }
        Ok(())
    }

    /// `φ_s` of each row along a curve in `T`, for a velocity coordinate; the places say of each row whether it is
    /// taken by velocities, 0, or by positions, 1. With the rows along the coordinate alone.
    fn slopes_along(
        &mut self,
        model: &JetModel<T>,
        (number, places, alone): (usize, &[usize], &[[Jet; 2]]),
        context: &ForceContext<'_, T>,
        (coordinate, curve): (usize, Curve<'_, T>),
    ) -> Result<Vec<Jet>, SystemError> {
        let mut with = |s: Jet| {
            let of_law = (number, places.len());
            self.jets(model, of_law, context, (coordinate, s), curve)
        };
        let (plus, minus) = (with(along(1.0))?, with(along(-1.0))?);
        let slopes = |(i, &k): (usize, &usize)| {
            let (alone, plus, minus) = (alone[i][k], plus[i][k], minus[i][k]);
            let second = ((plus.v3 - minus.v3) / 2.0 - alone.v3) / 3.0;
            Jet::new(alone.v1, (plus.v2 - minus.v2) / 4.0, second, 0.0)
        };
        let mut found: Vec<Jet> = places.iter().enumerate().map(slopes).collect();
        if TypeId::of::<T>() == TypeId::of::<Jet>() {
            let third = |rows: Vec<[Jet; 2]>| {
                let of_places = rows.iter().zip(places).map(|(row, &k)| row[k].v3);
                DVector::from_iterator(places.len(), of_places)
            };
            let slopes = extrapolated_derivative(|s| with(Jet::from_re(s)).map(third))?;
            for (found, slope) in found.iter_mut().zip(slopes) {
                if slope.error > ACCURACY * slope.value.abs().max(slope.center.abs()) {
                    let name = model.laws[number].name().to_owned();
                    return Err(ConstraintError::DirectionsNeeded { name }.into());
                }
                found.v3 = slope.value;
            }
        }
        Ok(found)
    }

    /// The rows on curves, once with `s` in the velocities at the end, once in the positions there; at an instant, of no
    /// length, with `s` in the accelerations where the law describes instants, and of a law that describes nothing else.
    fn jets(
        &mut self,
        model: &JetModel<T>,
        (number, rows): (usize, usize),
        context: &ForceContext<'_, T>,
        (coordinate, s): (usize, Jet),
        on_curve: &dyn Fn(&T) -> Jet,
    ) -> Result<Vec<[Jet; 2]>, SystemError> {
        let (tree, laws) = model.on_curve(on_curve)?;
        let q: Vec<Jet> = context.q().iter().map(on_curve).collect();
        let v: Vec<Jet> = context.v().iter().map(on_curve).collect();
        let (time, time_step) = (on_curve(&context.time()), on_curve(&context.time_step()));
        tree.set_state(&mut self.start, &q, &v)?;
        let mut found = vec![[Jet::from_re(0.0); 2]; rows];
        let mut unit = vec![Jet::from_re(0.0); v.len()];
        unit[coordinate] = s;
        for of_positions in [false, true] {
            let (mut q, mut v) = (q.clone(), v.clone());
            match of_positions {
                false => v[coordinate] += unit[coordinate],
                true => {
                    let mut qdot = vec![Jet::from_re(0.0); q.len()];
                    tree.map_velocity_to_qdot(&q, &unit, &mut qdot)?;
                    q.iter_mut().zip(qdot).for_each(|(q, qdot)| *q += qdot);
                }
            }
            tree.set_state(&mut self.end, &q, &v)?;
            let mut at = vec![ForceLawRow::unwritten(); rows];
            let forces = vec![Jet::from_re(0.0); rows];
            let law = &laws[number];
            let is_instant = time_step.re == 0.0;
            for at_instant in [is_instant, !is_instant] {
                let result = if at_instant {
                    tree.body_accelerations(&mut self.start, &unit, &mut self.accelerations)?;
                    let motion = InstantMotion {
                        state: ForceContext::new(&tree, &self.start).at_time(time),
                        vdot: &unit,
                        body_accelerations: &self.accelerations,
                    };
                    law.at_instant(&motion, &forces, &mut at)
                } else {
                    let motion = StepMotion {
                        start: ForceContext::new(&tree, &self.start).at_time(time),
                        end: ForceContext::new(&tree, &self.end).at_time(time + time_step),
                        time_step,
                    };
                    law.over_step(&motion, &forces, &mut at)
                };
                match result {
                    Err(ConstraintError::NotDescribed { .. }) if at_instant == is_instant => {}
                    result => {
                        result.map_err(|error| error.in_law(law.name()))?;
                        break;
                    }
                }
            }
            for (i, (found, row)) in found.iter_mut().zip(at).enumerate() {
                row.check_written(law.name(), i)?;
                check_element(&[row.phi.re], || law.label(), |_| format!("row {i}"))
                    .map_err(ConstraintError::from)?;
                found[usize::from(of_positions)] = row.phi;
            }
        }
        Ok(found)
    }
}

/// A number that starts at zero and grows along a curve.
fn along(slope: f64) -> Jet {
    Jet::new(0.0, slope, 0.0, 0.0)
}

/// `φ_s` of each row along a curve.
type Slopes<'a, T> = &'a mut dyn FnMut(Curve<'_, T>) -> Result<Vec<Jet>, SystemError>;

/// What the rows of a law make of a velocity coordinate, put together from curves; `None` for a scalar that is not known.
fn assemble<T: Scalar>(rows: usize, slopes: Slopes<'_, T>) -> Result<Option<Vec<T>>, SystemError> {
    // What is found in a scalar, as the scalar that it is.
    fn give<T: Scalar, S: Scalar>(found: Vec<S>) -> Option<Vec<T>> {
        let any: Box<dyn Any> = Box::new(found);
        any.downcast::<Vec<T>>().ok().map(|found| *found)
    }
    fn part<T: Scalar, S: Scalar>(x: &T) -> S {
        let any: &dyn Any = x;
        any.downcast_ref::<S>().copied().unwrap_or_else(S::zero)
    }
    let any: &dyn Any = &T::zero();
    if any.is::<f64>() {
        let found = slopes(&|x| Jet::from_re(x.re()))?;
        return Ok(give(found.iter().map(|s| s.re).collect()));
    }
    if any.is::<Dual64>() {
        let found = slopes(&|x| Jet::new(x.re(), part::<T, Dual64>(x).eps, 0.0, 0.0))?;
        return Ok(give(
            found.iter().map(|s| Dual64::new(s.re, s.v1)).collect(),
        ));
    }
    if any.is::<Dual2_64>() {
        let found = slopes(&|x| {
            let x: Dual2_64 = part(x);
            Jet::new(x.re, x.v1, x.v2, 0.0)
        })?;
        let number = |s: &Jet| Dual2_64::new(s.re, s.v1, s.v2);
        return Ok(give(found.iter().map(number).collect()));
    }
    if any.is::<Dual3_64>() {
        return Ok(give(slopes(&part::<T, Dual3_64>)?));
    }
    if any.is::<ChunkDual>() {
        let mut found = vec![ChunkDual::from_re(0.0); rows];
        for k in 0..CHUNK {
            let along = slopes(&|x| {
                let x: ChunkDual = part(x);
                Jet::new(x.re, x.eps.0.map_or(0.0, |eps| eps[k]), 0.0, 0.0)
            })?;
            for (found, s) in found.iter_mut().zip(&along) {
                found.re = s.re;
                found.eps.0.get_or_insert_with(SVector::zeros)[k] = s.v1;
            }
        }
        return Ok(give(found));
    }
    if any.is::<HyperDual64>() {
        let mut along = |a: f64, b: f64| {
            slopes(&|x| {
                let x: HyperDual64 = part(x);
                let second = 2.0 * a * b * x.eps1eps2;
                Jet::new(x.re, a * x.eps1 + b * x.eps2, second, 0.0)
            })
        };
        let (a, b, both) = (along(1.0, 0.0)?, along(0.0, 1.0)?, along(1.0, 1.0)?);
        let number = |i: usize| {
            let mixed = (both[i].v2 - a[i].v2 - b[i].v2) / 2.0;
            HyperDual64::new(a[i].re, a[i].v1, b[i].v1, mixed)
        };
        return Ok(give((0..rows).map(number).collect()));
    }
    if any.is::<HessianDual>() {
        let mut along = |a: Option<usize>, b: Option<usize>| {
            slopes(&|x| {
                let x: HessianDual = part(x);
                let first = a.map_or(0.0, |a| x.eps1.0.map_or(0.0, |eps| eps[a]))
                    + b.map_or(0.0, |b| x.eps2.0.map_or(0.0, |eps| eps[b]));
                let mixed = match (a, b) {
                    (Some(a), Some(b)) => x.eps1eps2.0.map_or(0.0, |eps| eps[(a, b)]),
                    _ => 0.0,
                };
                Jet::new(x.re, first, 2.0 * mixed, 0.0)
            })
        };
        let mut found = vec![HessianDual::from_re(0.0); rows];
        for a in 0..HESSIAN_CHUNK {
            let of_a = along(Some(a), None)?;
            for b in 0..HESSIAN_CHUNK {
                let (of_b, both) = (along(None, Some(b))?, along(Some(a), Some(b))?);
                for (i, found) in found.iter_mut().enumerate() {
                    found.re = of_a[i].re;
                    found.eps1.0.get_or_insert_with(SMatrix::zeros)[a] = of_a[i].v1;
                    found.eps2.0.get_or_insert_with(SMatrix::zeros)[b] = of_b[i].v1;
                    let mixed = (both[i].v2 - of_a[i].v2 - of_b[i].v2) / 2.0;
                    found.eps1eps2.0.get_or_insert_with(SMatrix::zeros)[(a, b)] = mixed;
                }
            }
        }
        return Ok(give(found));
    }
    Ok(None)
}
