//! Least squares in parameters that measurements are linear in.

use crate::common::{Normal, assert_close};
use dualbody::autodiff::VectorFunction;
use dualbody::identification::{
    BaseParameters, ConsistentInertias, EqualityConstraints, LevenbergMarquardt, LinearExperiment,
    Noise, Problem, Unknown,
};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector, Vector3, dmatrix};

/// Two links in a vertical plane, hinges about y, the second 0.4 m from the first.
fn arm() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let link = |mass, center: Vector3<f64>, size: f64| {
        let mut link = SpatialInertia::solid_box(mass, &Vector3::new(size, 0.05, 0.06));
        link.center_of_mass = center;
        link
    };
    let upper = link(3.0, Vector3::new(0.2, 0.01, 0.02), 0.4);
    let lower = link(2.0, Vector3::new(0.15, 0.0, -0.01), 0.3);
    let upper = builder.add_body("upper", upper).unwrap();
    let lower = builder.add_body("lower", lower).unwrap();
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    let elbow = RigidTransform::from_translation(Vector3::new(0.4, 0.0, 0.0));
    let shoulder = builder
        .add_joint(
            "shoulder",
            hinge,
            BodyIndex::WORLD,
            RigidTransform::identity(),
            upper,
        )
        .unwrap();
    let elbow = builder
        .add_joint("elbow", hinge, upper, elbow, lower)
        .unwrap();
    builder.set_damping(shoulder, &[0.3]).unwrap();
    builder.set_friction(shoulder, &[0.7]).unwrap();
    builder.set_armature(elbow, &[0.05]).unwrap();
    builder.finish().unwrap()
}

/// Regressors of random states, on top of each other.
fn regressor(tree: &RigidBodyTree<f64>, states: usize) -> DMatrix<f64> {
    let (n, p) = (tree.num_velocities(), tree.num_standard_parameters());
    let mut random = Normal::new(11);
    let mut rows = DMatrix::zeros(n * states, p);
    let (mut ws, mut here) = (tree.workspace(), DMatrix::zeros(n, p));
    for k in 0..states {
        let [q, v, vdot] = [2.0, 3.0, 5.0].map(|size| {
            let numbers: Vec<f64> = (0..n).map(|_| size * random.draw()).collect();
            numbers
        });
        tree.set_state(&mut ws, &q, &v).unwrap();
        tree.torque_regressor(&mut ws, &vdot, &mut here).unwrap();
        rows.rows_mut(n * k, n).copy_from(&here);
    }
    rows
}

fn names(tree: &RigidBodyTree<f64>) -> Vec<String> {
    tree.standard_parameters()
        .into_iter()
        .map(|p| p.name)
        .collect()
}

/// The textbook set of an arm with two links in a plane (Khalil & Dombre 2002, §9.4): `J₁ + m₂ l²`, `h₁ +
/// m₂ l` and the vertical moment of the first link, `J₂` and two moments of the second, and the
/// constants of the joints; the armature of the first joint acts as `J₁`.
#[test]
fn base_parameters_of_a_planar_arm() {
    let tree = arm();
    let full = regressor(&tree, 40);
    let base = BaseParameters::of(&full, names(&tree), 1e-10).unwrap();
    assert_eq!(base.count(), 6 + 5, "{:?}", base.names());
    // The mass of the upper arm, and moments across the plane, have no effect.
    assert_eq!(
        base.without_effect.len(),
        7 + 6,
        "{:?}",
        base.without_effect
    );
    let values = tree.standard_parameter_values();
    let torques = &full * &values;
    let reduced = base.regressor(&full).unwrap();
    let again = &reduced * base.values(values.as_slice()).unwrap();
    assert!((torques - again).amax() < 1e-10);
    assert!((reduced * &base.combinations - &full).amax() < 1e-10 * full.amax());
    // Whichever columns stand for them, these are combinations of base parameters, and single ones are not.
    let names = names(&tree);
    let is_determined = |terms: &[(&str, f64)]| {
        let mut row = DMatrix::zeros(1, names.len());
        for (name, weight) in terms {
            row[names.iter().position(|n| n == name).unwrap()] = *weight;
        }
        let mut rows = base.combinations.clone().insert_row(base.count(), 0.0);
        rows.set_row(base.count(), &row.row(0));
        rows.rank(1e-9) == base.count()
    };
    let mass = "body/lower/mass";
    let (inertia, armature) = (
        "body/upper/inertia_about_origin/yy",
        "joint/shoulder/armature",
    );
    assert!(is_determined(&[
        (inertia, 1.0),
        (mass, 0.16),
        (armature, 1.0)
    ]));
    assert!(is_determined(&[
        ("body/upper/first_moment/x", 1.0),
        (mass, 0.4)
    ]));
    assert!(is_determined(&[("joint/elbow/armature", 1.0)]));
    for single in [mass, inertia, armature, "body/upper/first_moment/x"] {
        assert!(!is_determined(&[(single, 1.0)]), "{single}");
    }
    let named = base.names().concat();
    for name in [mass, inertia, armature] {
        assert!(named.contains(name), "{named}");
    }
}

#[test]
fn base_parameters_refuse_what_is_not_a_regressor() {
    let names = ["a", "b"];
    assert!(BaseParameters::of(&dmatrix![1.0, f64::NAN], names, 1e-10).is_err());
    assert!(BaseParameters::of(&dmatrix![1.0, 2.0, 3.0], names, 1e-10).is_err());
    assert!(BaseParameters::of(&dmatrix![1.0, 2.0], names, 0.0).is_err());
    let zero = BaseParameters::of(&DMatrix::zeros(3, 2), names, 1e-10).unwrap();
    assert_eq!((zero.count(), zero.without_effect), (0, vec![0, 1]));
    // Round-off beside a column that counts is none, however it is scaled.
    let base = BaseParameters::of(&dmatrix![1.0, 1e-17; 2.0, -3e-17], names, 1e-10).unwrap();
    assert_eq!((base.columns, base.without_effect), (vec![0], vec![1]));
    let base = BaseParameters::of(&dmatrix![3.0, -1.0; 6.0, -2.0], names, 1e-10).unwrap();
    assert_eq!(base.names().len(), 1);
    assert!(
        ["a - 0.3333 b", "b - 3 a"].contains(&base.names()[0].as_str()),
        "{:?}",
        base.names()
    );
    assert!(base.values(&[1.0]).is_err() && base.regressor(&dmatrix![1.0]).is_err());
}

fn unit(names: &[&str]) -> Vec<Unknown> {
    names
        .iter()
        .map(|name| Unknown::new(*name, "1", 1.0).unwrap())
        .collect()
}

/// `(YᵀWY)⁻¹YᵀW y` and the roots of the diagonal of the first factor.
#[test]
fn weighted_least_squares_has_the_closed_form() {
    let mut random = Normal::new(5);
    let y = DMatrix::from_fn(30, 3, |_, _| random.draw());
    let deviations: Vec<f64> = (0..30).map(|i| 0.1 + 0.05 * i as f64).collect();
    let measured: Vec<f64> = (0..30)
        .map(|i| {
            y.row(i)
                .dot(&DVector::from_vec(vec![2.0, -3.0, 0.5]).transpose())
                + random.draw() * deviations[i]
        })
        .collect();
    let w = DMatrix::from_diagonal(&DVector::from_vec(deviations.clone()).map(|s| s.powi(-2)));
    let inverse = (y.transpose() * &w * &y).try_inverse().unwrap();
    let expected = &inverse * y.transpose() * w * DVector::from_vec(measured.clone());
    let experiments = [LinearExperiment::new(y, measured, &deviations).unwrap()];
    let problem = Problem::new(unit(&["a", "b", "c"]), &experiments).unwrap();
    let fit = LevenbergMarquardt::new()
        .noise(Noise::Unit)
        .fit(&problem)
        .unwrap();
    for (i, estimate) in fit.estimates.iter().enumerate() {
        assert_close(estimate.value, expected[i], 1e-9);
        assert_close(
            estimate.standard_error.unwrap(),
            inverse[(i, i)].sqrt(),
            1e-9,
        );
    }
}

#[test]
fn bounds_and_equalities_hold_at_the_constrained_minimum() {
    // Without constraints a = 1, b = −5, c = 4.
    let y = DMatrix::identity(3, 3);
    let experiment = LinearExperiment::new(y, vec![1.0, -5.0, 4.0], &[1.0]).unwrap();
    let mut unknowns = unit(&["a", "b", "c"]);
    unknowns[1] = unknowns[1].clone().bounds(0.0, 10.0).unwrap();
    // a + b + c = 9 by c or a; then b is at its bound, and (a, c) = (1, 4) + 2 (1, 1).
    let sum = EqualityConstraints::new(
        &unknowns,
        &dmatrix![1.0, 1.0, 1.0; 2.0, 2.0, 2.0],
        &[9.0, 18.0],
    )
    .unwrap();
    assert_eq!(sum.remaining().len(), 2);
    let remaining: Vec<Unknown> = sum
        .remaining()
        .iter()
        .map(|&j| unknowns[j].clone())
        .collect();
    let map = sum.derivatives().clone();
    let experiments = [experiment.with_parametrization(sum)];
    let problem = Problem::new(remaining, &experiments).unwrap();
    let fit = LevenbergMarquardt::new()
        .noise(Noise::Unit)
        .fit(&problem)
        .unwrap();
    let residuals = problem.residuals(0, &fit.values()).unwrap();
    let parameters = [1.0 + residuals[0], -5.0 + residuals[1], 4.0 + residuals[2]];
    for (found, expected) in parameters.into_iter().zip([3.0, 0.0, 6.0]) {
        assert!((found - expected).abs() < 1e-9, "{parameters:?}");
    }
    // With b at its bound, a and c = 9 − a share one measurement of variance ½.
    let errors = fit.standard_errors_of(&map).unwrap();
    assert_close(errors[0].unwrap(), 0.5f64.sqrt(), 1e-9);
    assert_close(errors[2].unwrap(), 0.5f64.sqrt(), 1e-9);
}

#[test]
fn equations_that_cannot_hold_are_errors() {
    let mut unknowns = unit(&["a", "b"]);
    let contradiction =
        EqualityConstraints::new(&unknowns, &dmatrix![1.0, 1.0; 2.0, 2.0], &[1.0, 3.0]);
    assert!(
        contradiction
            .unwrap_err()
            .to_string()
            .contains("contradict")
    );
    assert!(EqualityConstraints::new(&unknowns, &dmatrix![1.0], &[1.0]).is_err());
    assert!(EqualityConstraints::new(&unknowns, &dmatrix![1.0, f64::NAN], &[1.0]).is_err());
    unknowns[0] = unknowns[0].clone().bounds(0.0, 2.0).unwrap();
    let bounded = EqualityConstraints::new(&unknowns, &dmatrix![1.0, 0.0], &[1.0]);
    assert!(bounded.unwrap_err().to_string().contains("without bounds"));
    let none = EqualityConstraints::new(&unknowns, &DMatrix::zeros(0, 2), &[]).unwrap();
    assert_eq!(none.remaining(), [0, 1]);
}

/// Noisy torques make unconstrained inertias impossible; the consistent fit is a body all the same.
#[test]
fn consistent_inertias_are_those_of_bodies() {
    let tree = arm();
    let full = regressor(&tree, 30);
    let truth = tree.standard_parameter_values();
    let mut random = Normal::new(3);
    let noise = 0.05;
    let torques: Vec<f64> = (&full * &truth)
        .iter()
        .map(|t| t + noise * random.draw())
        .collect();
    let consistent = ConsistentInertias::new(vec![0, 10]).unwrap();
    let mut guesses = tree.standard_parameters();
    for guess in &mut guesses[20..] {
        guess.value = 0.0;
    }
    let unknowns = consistent.unknowns(&guesses).unwrap();
    assert_eq!(unknowns[10].name(), "body/lower/alpha");
    let torques = LinearExperiment::new(full.clone(), torques, &[noise]).unwrap();
    let experiments = [torques.with_parametrization(consistent.clone())];
    let problem = Problem::new(unknowns, &experiments).unwrap();
    let fit = LevenbergMarquardt::new()
        .noise(Noise::Unit)
        .fit(&problem)
        .unwrap();
    assert!(fit.stop.is_converged(), "{fit}");
    let mut found = vec![0.0; truth.len()];
    use dualbody::identification::Parametrization;
    consistent.parameters(&fit.values(), &mut found).unwrap();
    let mut fitted = tree.clone();
    fitted.set_standard_parameters(&found).unwrap();
    // What the torques depend on is found; the rest stays possible.
    let base = BaseParameters::of(&full, names(&tree), 1e-10).unwrap();
    let difference = base.values(&found).unwrap() - base.values(truth.as_slice()).unwrap();
    assert!(difference.amax() < 0.1, "{difference}");
    let residual = fit.residual_standard_deviation().unwrap();
    assert!((0.7..1.3).contains(&residual), "{residual}");
    assert!(ConsistentInertias::new(vec![0, 5]).is_err());
    let far = ConsistentInertias::new(vec![usize::MAX]).unwrap();
    assert!(far.unknowns(&guesses).is_err());
    assert!(consistent.unknowns(&guesses[..12]).is_err());
}

/// A spring and a damper of given elongations and rates, with a preload of 2 N.
struct Spring {
    power: i32,
}

impl VectorFunction for Spring {
    type Error = InvalidInput;

    fn eval<T: Scalar>(&self, p: &[T]) -> Result<DVector<T>, InvalidInput> {
        let motion = [(0.1, 0.0), (0.2, -1.0), (-0.1, 2.0)];
        Ok(DVector::from_iterator(
            3,
            motion.map(|(x, v)| p[0].powi(self.power) * x + p[1] * v + T::from(2.0)),
        ))
    }
}

#[test]
fn forces_that_are_linear_in_their_constants_are_fitted_by_their_derivative() {
    let measured = Spring { power: 1 }.eval(&[50.0, 3.0]).unwrap();
    let start = [10.0, 0.0];
    let experiment =
        LinearExperiment::of_function(&Spring { power: 1 }, &start, measured.as_slice(), &[0.1])
            .unwrap();
    let unknowns = vec![
        Unknown::new("stiffness", "N/m", 10.0).unwrap(),
        Unknown::new("damping", "N s/m", 0.0).unwrap(),
    ];
    let experiments = [experiment];
    let fit = LevenbergMarquardt::new()
        .fit(&Problem::new(unknowns, &experiments).unwrap())
        .unwrap();
    assert_close(fit.estimates[0].value, 50.0, 1e-9);
    assert_close(fit.estimates[1].value, 3.0, 1e-9);
    let curved =
        LinearExperiment::of_function(&Spring { power: 2 }, &start, measured.as_slice(), &[0.1]);
    assert!(curved.unwrap_err().to_string().contains("linear"));
    assert!(
        LinearExperiment::of_function(&Spring { power: 1 }, &start, vec![1.0], &[0.1]).is_err()
    );
}

#[test]
fn every_value_of_a_linear_function_is_linear() {
    struct OneLarge;
    impl VectorFunction for OneLarge {
        type Error = InvalidInput;

        fn eval<T: Scalar>(&self, p: &[T]) -> Result<DVector<T>, InvalidInput> {
            Ok(DVector::from_vec(vec![p[0] * 1e5, p[1] * p[1] * 1e-6]))
        }
    }
    let error = LinearExperiment::of_function(&OneLarge, &[1.0; 2], vec![2e5, 9e-6], &[1.0, 1e-8]);
    assert!(error.unwrap_err().to_string().contains("linear"));
}
