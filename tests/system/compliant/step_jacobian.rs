//! Analytic derivatives of compliant steps against those by duals.

use crate::elements::every_element::{self, Machine};
use crate::support::random_tree::{Random, Style, random_state, random_tree};
use crate::support::scenes::{free_body, geometry};
use dualbody::constraint::{BallConstraint, HingeConstraint};
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::force::{ForceContext, ForceElement, ForceError, Forces};
use dualbody::geometry::Shape;
use dualbody::math::SpatialInertia;
use dualbody::parameter::{ParameterInfo, Parameters};
use dualbody::system::{
    Scheme, SparseStepJacobian, State, StepDifferentiator, StepGradient, StepJacobian,
    SystemOptions, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::DualSVec64;

const WIDTH: usize = 8;
type Dual = DualSVec64<WIDTH>;

fn entries<T: Scalar>(state: &State<T>) -> impl Iterator<Item = T> {
    let parts = [&state.q, &state.v, &state.actuators, &state.sensors];
    parts.into_iter().flat_map(|part| part.iter().copied())
}

/// The derivatives of a step with respect to state and inputs, by steps in duals.
pub fn by_duals(
    system: &TimeSteppingRigidBodySystem<f64>,
    state: &State<f64>,
    input: &[f64],
) -> [DMatrix<f64>; 2] {
    let dual = system.cast::<Dual>();
    let mut workspace = dual.workspace().unwrap();
    let point: Vec<f64> = entries(state).chain(input.iter().copied()).collect();
    let size = point.len() - input.len();
    let mut jacobian = DMatrix::zeros(size, point.len());
    for first in (0..point.len()).step_by(WIDTH) {
        let seed = |i: usize| match i.checked_sub(first) {
            Some(k) if k < WIDTH => Dual::from_re(point[i]).derivative(k),
            _ => Dual::from_re(point[i]),
        };
        let mut from = state.cast::<Dual>();
        let mut count = 0..;
        for part in [
            &mut from.q,
            &mut from.v,
            &mut from.actuators,
            &mut from.sensors,
        ] {
            part.iter_mut()
                .zip(&mut count)
                .for_each(|(x, i)| *x = seed(i));
        }
        let input: Vec<Dual> = (size..point.len()).map(seed).collect();
        let step = dual.step(&mut workspace, &from, &input).unwrap();
        for (row, x) in entries(step.state()).enumerate() {
            let slopes = x.eps.0.unwrap_or_default();
            for k in 0..WIDTH.min(point.len() - first) {
                jacobian[(row, first + k)] = slopes[k];
            }
        }
    }
    let (by_state, by_input) = jacobian.columns_range_pair(..size, size..);
    [by_state.into_owned(), by_input.into_owned()]
}

/// The derivatives of a step with respect to parameters, by steps in duals.
fn by_duals_of_parameters(
    system: &TimeSteppingRigidBodySystem<f64>,
    state: &State<f64>,
    input: &[f64],
    parameters: &[ParameterInfo],
) -> DMatrix<f64> {
    let size = entries(state).count();
    let mut jacobian = DMatrix::zeros(size, parameters.len());
    let constant = system.cast::<Dual>();
    let input: Vec<Dual> = input.iter().map(|&u| u.into()).collect();
    for (chunk, first) in parameters.chunks(WIDTH).zip((0..).step_by(WIDTH)) {
        let seeds: Vec<(usize, Dual)> = (chunk.iter().enumerate())
            .map(|(k, p)| {
                let index = system.parameter_index(&p.name).unwrap();
                (index, Dual::from_re(p.value).derivative(k))
            })
            .collect();
        let mut variable = constant.clone();
        variable.set_parameters(&seeds).unwrap();
        let mut workspace = variable.workspace().unwrap();
        let step = (variable.step(&mut workspace, &state.cast(), &input)).unwrap();
        for (row, x) in entries(step.state()).enumerate() {
            let slopes = x.eps.0.unwrap_or_default();
            for k in 0..chunk.len() {
                jacobian[(row, first + k)] = slopes[k];
            }
        }
    }
    jacobian
}

/// Compares derivatives with respect to all parameters with those by duals.
#[track_caller]
fn check_parameters(
    system: &TimeSteppingRigidBodySystem<f64>,
    state: &State<f64>,
    input: &[f64],
    context: &str,
) {
    let parameters = system.parameters();
    let expected = by_duals_of_parameters(system, state, input, &parameters);
    let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
    let mut differentiator = StepDifferentiator::new(system, &names).unwrap();
    let mut jacobian = StepJacobian::default();
    (differentiator.jacobian(state, input, &mut jacobian)).unwrap();
    let mut sparse = SparseStepJacobian::default();
    (differentiator.sparse_jacobian(state, input, &mut sparse)).unwrap();
    let sparse = sparse.parameters.to_dense();
    assert_eq!(sparse, jacobian.parameters, "{context}");
    for (j, name) in names.iter().enumerate() {
        let (claimed, expected) = (jacobian.parameters.column(j), expected.column(j));
        let (error, scale) = ((claimed - expected).amax(), expected.amax().max(1e-3));
        assert!(
            error <= 1e-10 * scale,
            "{context}: {name} differs by {error:e} of {scale:e}"
        );
    }
    let covector = DVector::from_fn(expected.nrows(), |i, _| (1.3 * i as f64 + 0.4).sin());
    let mut gradient = StepGradient::default();
    // Some parameters send all of their chunk through duals; those of elements do not, alone.
    let of_element = |name: &str| {
        ["force/", "actuator/"].iter().any(|f| name.starts_with(f)) || name.contains("/friction")
    };
    for (j, name) in names
        .iter()
        .enumerate()
        .filter(|(_, name)| of_element(name))
    {
        let mut alone = StepDifferentiator::new(system, &[name]).unwrap();
        (alone.jacobian(state, input, &mut jacobian)).unwrap();
        let expected = expected.column(j);
        let (error, scale) = (
            (jacobian.parameters.column(0) - expected).amax(),
            expected.amax(),
        );
        assert!(
            error <= 1e-10 * scale.max(1e-3),
            "{context}: {name} alone differs by {error:e}"
        );
        (alone.pull_back(state, input, covector.as_slice(), &mut gradient)).unwrap();
        let product = expected.dot(&covector);
        let error = (gradient.parameters[0] - product).abs();
        assert!(
            error <= 1e-9 * product.abs().max(3e-2),
            "{context}: pull-back of {name} alone differs by {error:e}"
        );
    }
    (differentiator.pull_back(state, input, covector.as_slice(), &mut gradient)).unwrap();
    let products = expected.tr_mul(&covector);
    for ((name, claimed), expected) in names.iter().zip(&gradient.parameters).zip(&products) {
        let (error, scale) = ((claimed - expected).abs(), expected.abs().max(3e-2));
        assert!(
            error <= 1e-9 * scale,
            "{context}: pull-back of {name} differs by {error:e} of {scale:e}"
        );
    }
}

/// Compares the step, its Jacobian and its pull-backs with those by duals; the number of contacts that
/// exert a force.
#[track_caller]
pub fn check(
    system: &TimeSteppingRigidBodySystem<f64>,
    state: &State<f64>,
    input: &[f64],
    context: &str,
) -> usize {
    check_parameters(system, state, input, context);
    let expected = by_duals(system, state, input);
    let mut differentiator = StepDifferentiator::new(system, &[]).unwrap();
    let mut jacobian = StepJacobian::default();
    let next = differentiator
        .jacobian(state, input, &mut jacobian)
        .unwrap()
        .clone();
    let mut workspace = system.workspace().unwrap();
    let mut step = system.step(&mut workspace, state, input).unwrap();
    assert_eq!(step.state(), &next, "{context}");
    for (claimed, expected) in [&jacobian.state, &jacobian.input]
        .into_iter()
        .zip(&expected)
    {
        for (j, (claimed, expected)) in claimed
            .column_iter()
            .zip(expected.column_iter())
            .enumerate()
        {
            let error = (claimed - expected).amax();
            let scale = expected.amax().max(1e-3);
            assert!(
                error <= 1e-10 * scale,
                "{context}: column {j} differs by {error:e} of {scale:e}"
            );
        }
    }
    let mut sparse = SparseStepJacobian::default();
    (differentiator.sparse_jacobian(state, input, &mut sparse)).unwrap();
    assert_eq!(sparse.state.to_dense(), jacobian.state, "{context}");
    assert_eq!(sparse.input.to_dense(), jacobian.input, "{context}");
    let size = jacobian.state.nrows();
    let covector = DVector::from_fn(size, |i, _| (1.3 * i as f64 + 0.4).sin());
    let mut gradient = StepGradient::default();
    let same =
        (differentiator.pull_back(state, input, covector.as_slice(), &mut gradient)).unwrap();
    assert_eq!(same, &next, "{context}");
    for (matrix, vector) in expected.iter().zip([&gradient.state, &gradient.input]) {
        let product = matrix.tr_mul(&covector);
        let (error, scale) = ((&product - vector).amax(), product.amax().max(1e-3));
        assert!(
            error <= 1e-10 * scale,
            "{context}: pull-back differs by {error:e} of {scale:e}"
        );
    }
    let contacts = step.contacts().unwrap();
    contacts.iter().filter(|c| c.force.z > 0.0).count()
}

#[test]
fn robots_on_the_ground_agree_with_duals() {
    use crate::support::reference::{number, read, vector};
    use crate::support::robot_on_ground::{layout, state, system};
    let mut forces = 0;
    for robot in ["quadruped", "humanoid"] {
        let Some(reference) = read(&format!("steps_{robot}.json")) else {
            continue;
        };
        let cases = reference["cases"].as_array().unwrap().iter();
        let cases = cases.enumerate();
        for ((index, case), keep_momentum) in cases.flat_map(|x| [(x, false), (x, true)]) {
            let system = system(&reference, number(&case["dt"]))
                .with_generalized_forces()
                .unwrap();
            let mut options = *system.options();
            options.keep_momentum = keep_momentum;
            let system = system.with_options(options).unwrap();
            let x = [vector(&case["q"]), vector(&case["v"])].concat();
            let mut start = state(&layout(system.tree(), robot), &x);
            let input: Vec<f64> = (0..start.v.len()).map(|i| (i as f64).sin()).collect();
            forces += check(&system, &start, &input, &format!("{robot}, case {index}"));
            // Sliding, at the same place.
            start.v[3] += 0.3;
            start.v[4] -= 0.2;
            forces += check(
                &system,
                &start,
                &input,
                &format!("{robot}, sliding, case {index}"),
            );
        }
    }
    assert!(forces > 20, "{forces}");
}

/// A step of a random tree whose bodies are balls of a material, over the ground, by hand and by duals; returns how many
/// contacts exert a force.
pub fn check_balls(seed: u64, material: ContactMaterial<f64>) -> usize {
    let style = [Style::General, Style::Mimic, Style::Free][seed as usize % 3];
    let tree = random_tree(seed, 6, style);
    let mut contact = ContactModelBuilder::new();
    let mut random = Random::new(seed);
    for body in tree.bodies().skip(1) {
        let shape = Shape::new_sphere(0.5 + 0.2 * random.signed()).unwrap();
        let mut ball = geometry(body.name(), body.index(), shape, material);
        ball.pose_in_body.translation = random.vector() * 0.1;
        contact.add_geometry(ball).unwrap();
    }
    let ground = ContactMaterial::new(3e3, 0.2, 0.8).unwrap();
    let mut ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, ground);
    ground.pose_in_body.rotation = random.rotation();
    contact.add_geometry(ground).unwrap();
    let contact = contact.finish(&tree).unwrap();
    let (q, v) = random_state(&tree, seed);
    let state = State::new(DVector::from_vec(q), DVector::from_vec(v));
    let input = random.numbers(tree.num_velocities());
    // Deep overlaps at high speed: a steeper ramp of friction would leave fewer digits to compare.
    let mut options = SystemOptions::default();
    options.contact_solver.stiction_tolerance = 1e-2;
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 2e-3).unwrap();
    let system = (system.with_options(options))
        .and_then(TimeSteppingRigidBodySystem::with_generalized_forces)
        .unwrap();
    check(&system, &state, &input, &format!("{style:?}, seed {seed}"))
}

/// Bodies of random trees as balls, over the ground.
#[test]
fn trees_of_all_joints_agree_with_duals() {
    let material = ContactMaterial::new(1e3, 0.3, 0.5).unwrap();
    let mut forces = 0;
    for seed in 0..24 {
        forces += check_balls(seed, material);
    }
    assert!(forces > 40, "{forces}");
}

/// Boxes on the ground, from their centres and how they are turned.
fn boxes(poses: &[([f64; 4], [f64; 3])]) -> (TimeSteppingRigidBodySystem<f64>, State<f64>) {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut contact = ContactModelBuilder::new();
    let size = Vector3::new(0.1, 0.12, 0.08);
    let mut state = State::new(DVector::zeros(0), DVector::zeros(0));
    for (i, &(quaternion, position)) in poses.iter().enumerate() {
        let name = format!("box{i}");
        let body = tree
            .add_body(&name, SpatialInertia::solid_box(0.5, &size))
            .unwrap();
        let material = ContactMaterial::new(2e4, 0.5, 0.3).unwrap();
        let shape = Shape::new_box(size).unwrap();
        contact
            .add_geometry(geometry(&name, body, shape, material))
            .unwrap();
        let own = free_body(quaternion, position, [0.2, -0.1, 0.3], [0.1, -0.2, -0.05]);
        let extend = |x: &DVector<f64>, y: &DVector<f64>| {
            DVector::from_iterator(x.len() + y.len(), x.iter().chain(y.iter()).copied())
        };
        state = State::new(extend(&state.q, &own.q), extend(&state.v, &own.v));
    }
    let tree = tree.finish().unwrap();
    let ground = ContactMaterial::rigid(0.5).unwrap();
    let ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, ground);
    contact.add_geometry(ground).unwrap();
    let contact = contact.finish(&tree).unwrap();
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 1e-3).unwrap();
    (system.with_generalized_forces().unwrap(), state)
}

#[test]
fn boxes_on_boxes_agree_with_duals() {
    let flat = [1.0, 0.0, 0.0, 0.0];
    let tilted = [1.0, 0.01, -0.02, 0.3];
    let on_edge = [0.9, 0.4, 0.1, 0.5];
    for (context, poses, least) in [
        (
            "one on another",
            vec![(flat, [0.0, 0.0, 0.0398]), (tilted, [0.02, 0.01, 0.1192])],
            6,
        ),
        (
            "an edge on a face",
            vec![(flat, [0.0, 0.0, 0.0398]), (on_edge, [0.01, 0.02, 0.1492])],
            4,
        ),
        (
            "a tower and one that stands alone",
            vec![
                (flat, [0.0, 0.0, 0.0398]),
                (flat, [1.0, 0.0, 0.0397]),
                (tilted, [0.02, 0.01, 0.1192]),
            ],
            10,
        ),
    ] {
        let (system, state) = boxes(&poses);
        let input = vec![0.1; 6 * poses.len()];
        let forces = check(&system, &state, &input, context);
        assert!(forces >= least, "{context}: {forces} forces");
    }
}

#[test]
fn bodies_that_touch_nothing_else_have_derivatives_of_their_own() {
    let flat = [1.0, 0.0, 0.0, 0.0];
    let count = |poses: &[_]| {
        let (system, state) = boxes(poses);
        let mut differentiator = StepDifferentiator::new(&system, &["box0/stiffness"]).unwrap();
        let mut jacobian = SparseStepJacobian::default();
        let input = vec![0.0; 6 * poses.len()];
        (differentiator.sparse_jacobian(&state, &input, &mut jacobian)).unwrap();
        assert!(jacobian.parameters.num_entries() > 0);
        jacobian.state.num_entries() + jacobian.input.num_entries()
    };
    let apart: Vec<_> = (0..7).map(|i| (flat, [i as f64, 0.0, 0.0398])).collect();
    let one = count(&apart[..1]);
    assert_eq!(count(&apart), 7 * one);
    let stacked = [(flat, [0.0, 0.0, 0.0398]), (flat, [0.0, 0.0, 0.1192])];
    assert_eq!(count(&stacked), 4 * one);
}

/// Where the arm and the ball of the mechanism of all elements move and nothing is singular.
fn moving(machine: &Machine, seed: u64) -> State<f64> {
    let mut random = Random::new(seed);
    let mut state = machine.initial_state();
    for (i, q) in state.q.iter_mut().enumerate() {
        *q += [0.2, 0.1][usize::from(i >= 6)] * random.signed();
    }
    let norm = state.q.rows(2, 4).norm();
    state.q.rows_mut(2, 4).unscale_mut(norm);
    state.v.iter_mut().for_each(|v| *v = random.signed());
    state
}

#[test]
fn machines_with_every_element_agree_with_duals() {
    for (what, machine) in (every_element::forces().into_iter()).chain(every_element::actuators()) {
        for seed in 0..3 {
            let state = moving(&machine, seed);
            let input: Vec<f64> = (0..machine.num_inputs())
                .map(|i| 0.2 + (i as f64).sin())
                .collect();
            let system =
                TimeSteppingRigidBodySystem::with_scheme(machine.clone(), 2e-3, Scheme::Compliant)
                    .unwrap();
            check(&system, &state, &input, &format!("{what}, seed {seed}"));
        }
    }
}

/// Constraints of all kinds, on states to which their steps have led; two that say the same of a point, and limits that act.
#[test]
fn machines_with_constraints_agree_with_duals() {
    let mut machines = every_element::constraints();
    let tip = |body| (body, Vector3::zeros());
    let along = |body| (body, Vector3::zeros(), Vector3::y());
    let [arm, ball] = [2, 3].map(BodyIndex::new);
    let twice = every_element::mechanism().0;
    let twice = twice.with_constraints([BallConstraint::new("once", tip(arm), tip(ball)).unwrap()]);
    let again = HingeConstraint::new("again", along(arm), along(ball)).unwrap();
    machines.push((
        "redundant rows",
        twice.unwrap().with_constraints([again]).unwrap(),
    ));
    for (what, machine) in machines {
        let system =
            TimeSteppingRigidBodySystem::with_scheme(machine.clone(), 2e-3, Scheme::Compliant)
                .unwrap();
        let input = vec![0.3; system.num_inputs()];
        let mut states = vec![
            every_element::lively(&machine, 1),
            every_element::lively(&machine, 2),
        ];
        for seed in 0..2 {
            let mut state = moving(&machine, seed);
            for _ in 0..5 {
                state.v.fill(0.0);
                state = system.rollout(&state, 1).unwrap().last().clone();
            }
            let mut random = Random::new(seed);
            state.v.iter_mut().for_each(|v| *v = random.signed());
            states.push(state);
        }
        let limits = what.starts_with("limits");
        for (number, state) in states.iter().enumerate().filter(|(i, _)| limits || *i >= 2) {
            check(&system, state, &input, &format!("{what}, state {number}"));
        }
    }
}

/// A viscous coupling of two coordinates, wherever bodies are.
#[derive(Debug, Clone)]
struct FluidCoupling<T> {
    coordinates: [usize; 2],
    damping: T,
}

impl<T: Scalar> ForceElement<T> for FluidCoupling<T> {
    type Cast<U: DefaultScalar> = FluidCoupling<U>;

    fn cast<U: DefaultScalar>(&self) -> FluidCoupling<U> {
        FluidCoupling {
            coordinates: self.coordinates,
            damping: U::from(self.damping.re()),
        }
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let [a, b] = self.coordinates;
        let force = self.damping * (context.v()[a] - context.v()[b]);
        forces.add_generalized(a, -force)?;
        forces.add_generalized(b, force)
    }

    fn depends_on_position(&self) -> bool {
        false
    }
}

/// The factor of the balance couples what nothing else does: the rail of the arm and the flight of the ball.
#[test]
fn couplings_by_velocities_alone_agree_with_duals() {
    let (machine, _) = every_element::mechanism::<f64>();
    let coupling = FluidCoupling {
        coordinates: [0, 6],
        damping: 300.0,
    };
    let machine = machine.with_forces([coupling]).unwrap();
    let state = moving(&machine, 1);
    let system =
        TimeSteppingRigidBodySystem::with_scheme(machine, 2e-3, Scheme::Compliant).unwrap();
    let input = vec![0.3; system.num_inputs()];
    check(&system, &state, &input, "a fluid coupling");
    let mut jacobian = SparseStepJacobian::default();
    let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
    (differentiator.sparse_jacobian(&state, &input, &mut jacobian)).unwrap();
    let (of_ball, by_rail) = (state.q.len() + 6, state.q.len());
    assert!(jacobian.state.to_dense()[(of_ball, by_rail)] > 0.1);
}
