//! Contact problems with arbitrary numbers among sensible ones: an error, or solutions and derivatives that are
//! finite.

use crate::support::arbitrary_number::HOSTILE;
use crate::support::cases::tier;
use crate::support::contact_problem::{Data, Normal};
use crate::support::random_contact::{Random, any_problem};
use dualbody::solver::ImplicitStribeckSolver;
use dualbody::solver::implicit_stribeck::{
    ContactProblem, OneWayCoupledProblem, TwoWayCoupledProblem,
};
use nalgebra::DVector;

/// Every number of a problem, which may be replaced.
fn numbers(data: &mut Data<f64>) -> Vec<&mut f64> {
    let (first, second, third): (&mut [f64], &mut [f64], &mut [f64]) = match &mut data.normal {
        Normal::Given(forces) => (forces, &mut [], &mut []),
        Normal::Compliant {
            x0,
            stiffness,
            dissipation,
        } => (x0, stiffness, dissipation),
    };
    let matrices = [&mut data.mass, &mut data.jn, &mut data.jt];
    let lists = [&mut data.p_star, &mut data.mu, &mut data.v0];
    (matrices.into_iter().flat_map(|m| m.iter_mut()))
        .chain(lists.into_iter().flatten())
        .chain(first)
        .chain(second)
        .chain(third)
        .chain([&mut data.dt, &mut data.stiction_tolerance])
        .collect()
}

/// Whether a problem was solved; the numbers that are not finite have a name.
fn attempt(data: &Data<f64>) -> Result<bool, &'static str> {
    let Ok(mut solver) = ImplicitStribeckSolver::new(data.parameters()) else {
        return Ok(false);
    };
    let (mass, jn, jt, p, mu) = (&data.mass, &data.jn, &data.jt, &data.p_star, &data.mu);
    let problem: ContactProblem<'_, f64> = match &data.normal {
        Normal::Given(forces) => match OneWayCoupledProblem::new(mass, jn, jt, p, forces, mu) {
            Ok(problem) => problem.into(),
            Err(_) => return Ok(false),
        },
        Normal::Compliant {
            x0,
            stiffness,
            dissipation,
        } => match TwoWayCoupledProblem::new(mass, jn, jt, p, x0, stiffness, dissipation, mu) {
            Ok(problem) => problem.into(),
            Err(_) => return Ok(false),
        },
    };
    let Ok(solution) = solver.solve(problem, data.dt, &data.v0) else {
        return Ok(false);
    };
    for (name, values) in [
        ("velocities", &solution.velocities),
        ("normal velocities", &solution.normal_velocities),
        ("tangential velocities", &solution.tangential_velocities),
        ("normal forces", &solution.normal_forces),
        ("friction forces", &solution.friction_forces),
        ("contact forces", &solution.generalized_contact_forces),
    ] {
        if !values.iter().all(|x| x.is_finite()) {
            return Err(name);
        }
    }
    let guess = solution.velocities.clone();
    let Ok(mut linear) = solver.solve_with_derivatives(problem, data.dt, guess.as_slice()) else {
        return Ok(true);
    };
    let Ok(gradient) = linear.gradient() else {
        return Ok(true);
    };
    for (name, values) in [
        ("by velocity", gradient.dv_dv0.as_slice()),
        ("by friction", gradient.dv_dmu.as_slice()),
        ("by stiffness", gradient.dv_dstiffness.as_slice()),
        ("by dissipation", gradient.dv_ddissipation.as_slice()),
        ("by forces", gradient.dv_dnormal_forces.as_slice()),
        ("by time step", gradient.dv_ddt.as_slice()),
        ("by tolerance", gradient.dv_dstiction_tolerance.as_slice()),
    ] {
        if !values.iter().all(|x| x.is_finite()) {
            return Err(name);
        }
    }
    let weights = DVector::from_element(guess.len(), 0.3);
    let Ok(gradient) = linear.adjoint(weights.as_slice()) else {
        return Ok(true);
    };
    for (name, values) in [
        ("gradient by mass", gradient.mass_matrix.as_slice()),
        ("gradient by normals", gradient.normal_jacobian.as_slice()),
        ("gradient by tangents", gradient.tangent_jacobian.as_slice()),
        ("gradient by momentum", gradient.p_star.as_slice()),
        ("gradient by friction", gradient.mu.as_slice()),
    ] {
        if !values.iter().all(|x| x.is_finite()) {
            return Err(name);
        }
    }
    Ok(true)
}

#[test]
fn problems_with_arbitrary_numbers_are_refused_or_solved() {
    let random = &mut Random::new(17);
    let mut solved = 0;
    let mut wrong = Vec::new();
    for number in 0..tier(1000, 4000) {
        let mut data = any_problem(random);
        let mut changes = Vec::new();
        for _ in 0..1 + random.index(2) {
            let mut all = numbers(&mut data);
            // Matrices have many; every other change is to something else.
            let from = match random.index(2) {
                0 => 0,
                _ => all.len().saturating_sub(2 + 6 * 8),
            };
            let at = from + random.index(all.len() - from);
            let x = HOSTILE[random.index(HOSTILE.len())];
            *all[at] = x;
            changes.push((at, x));
        }
        match attempt(&data) {
            Ok(is_solved) => solved += usize::from(is_solved),
            Err(what) => wrong.push(format!("problem {number}, {changes:?}: {what}")),
        }
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
    assert!(solved > tier(125, 500), "{solved}");
}
