//! Resultants of contact forces: the rules of the calculator, laws of statics, derivatives.

use crate::support::arbitrary_number::number;
use crate::support::cases::cases;
use crate::support::random_tree::Random;
use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian};
use dualbody::contact::{ContactDetail, ContactForce, ContactResultantForceCalculator};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, rotation};
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DVector, Vector3};
use num_dual::{Dual2_64, Dual64};
use proptest::prelude::*;

/// Points, normals, forces, torques.
type Forces = Vec<[Vector3<f64>; 4]>;

fn calculator(forces: &Forces) -> ContactResultantForceCalculator<'static, f64> {
    let mut calculator = ContactResultantForceCalculator::new();
    for [p, n, f, t] in forces {
        calculator.add_force_with_torque(*p, *n, *f, *t).unwrap();
    }
    calculator
}

fn random_forces(random: &mut Random, count: usize) -> Forces {
    (0..count)
        .map(|_| {
            let normal = (random.vector() + Vector3::z() * 2.0).normalize();
            let force = normal * (2.0 + random.signed()) + random.vector() * 0.5;
            [random.vector(), normal, force, random.vector() * 0.1]
        })
        .collect()
}

fn moment_of_normals(forces: &Forces, p: &Vector3<f64>) -> Vector3<f64> {
    (forces.iter())
        .map(|[q, n, f, _]| (q - p).cross(&(n * n.dot(f))))
        .sum()
}

#[test]
fn a_single_force_is_its_own_resultant() {
    let mut random = Random::new(1);
    for normal_part in [3.0, 0.0, -1.0] {
        let mut forces = random_forces(&mut random, 1);
        let [_, n, f, _] = &mut forces[0];
        *f = *n * normal_part;
        let calculator = calculator(&forces);
        let resultant = calculator.resultant().unwrap();
        assert_eq!(resultant, calculator.forces()[0]);
        assert_eq!(calculator.kinks().unwrap().projection_gap, f64::INFINITY);
    }
}

#[test]
fn planar_contact_has_a_center_of_pressure() {
    let mut random = Random::new(2);
    for _ in 0..20 {
        let r = random.rotation();
        let normal: Vector3<f64> = r.column(2).into();
        let offset = random.vector();
        let forces: Forces = (0..5)
            .map(|_| {
                let p = r * Vector3::new(random.signed(), random.signed(), 0.0) + offset;
                let friction = normal.cross(&random.vector());
                let f = normal * (1.5 + random.signed()) + friction;
                [p, normal, f, Vector3::zeros()]
            })
            .collect();
        let resultant = calculator(&forces).resultant().unwrap();
        let p = resultant.application_point();
        assert!(((p - offset).dot(&normal)).abs() < 1e-12);
        assert!((resultant.normal() - normal).amax() < 1e-12);
        assert!(moment_of_normals(&forces, p).amax() < 1e-12);
        let total: f64 = forces.iter().map(|[_, n, f, _]| n.dot(f)).sum();
        let weighted: Vector3<f64> = forces.iter().map(|[p, n, f, _]| p * n.dot(f)).sum();
        assert!((p - weighted / total).amax() < 1e-12);
    }
}

proptest! {
    #[test]
    fn the_resultant_is_equivalent_and_its_moment_the_smallest(seed in 0u64..10_000, count in 2usize..7) {
        let mut random = Random::new(seed);
        let forces = random_forces(&mut random, count);
        let calculator = calculator(&forces);
        let resultant = calculator.resultant().unwrap();

        // Same force and same moment about any point.
        let q = random.vector() * 3.0;
        let about = calculator.resultant_about(&q).unwrap();
        let force: Vector3<f64> = forces.iter().map(|[_, _, f, _]| f).sum();
        let torque: Vector3<f64> =
            forces.iter().map(|[p, _, f, t]| t + (p - q).cross(f)).sum();
        let shifted = resultant.spatial_force_about(&q);
        prop_assert!((shifted.force - force).amax() < 1e-11);
        prop_assert!((shifted.torque - torque).amax() < 1e-11);
        prop_assert!((about.pure_torque() - torque).amax() < 1e-11);
        prop_assert_eq!(about.application_point(), &q);
        prop_assert!((about.normal() - resultant.normal()).amax() < 1e-12);

        // The moment of the normal parts is smallest there, along the normal.
        let p = resultant.application_point();
        let moment = moment_of_normals(&forces, p);
        prop_assert!(moment.cross(resultant.normal()).amax() < 1e-11);
        for _ in 0..5 {
            let elsewhere = moment_of_normals(&forces, &(p + random.vector()));
            prop_assert!(elsewhere.norm() >= moment.norm() - 1e-11);
        }

        // The farthest projection against the normal, and how much farther it is.
        let mut heights: Vec<f64> =
            forces.iter().map(|[q, ..]| (q - p).dot(resultant.normal())).collect();
        heights.sort_by(f64::total_cmp);
        prop_assert!(heights[0].abs() < 1e-11);
        let kinks = calculator.kinks().unwrap();
        prop_assert!((kinks.projection_gap - (heights[1] - heights[0])).abs() < 1e-11);

        // Friction does not move it.
        let frictionless: Forces =
            forces.iter().map(|[p, n, f, t]| [*p, *n, n * n.dot(f), *t]).collect();
        let other = self::calculator(&frictionless).resultant().unwrap();
        prop_assert!((other.application_point() - p).amax() < 1e-11);

        // The order of addition does not matter.
        let mut reversed = forces.clone();
        reversed.reverse();
        reversed.swap(0, count / 2);
        let other = self::calculator(&reversed).resultant().unwrap();
        prop_assert!((other.application_point() - p).amax() < 1e-11);
        prop_assert!((other.force() - resultant.force()).amax() < 1e-12);
        prop_assert!((other.pure_torque() - resultant.pure_torque()).amax() < 1e-11);

        // In another frame it is the same resultant.
        let (r, shift) = (random.rotation(), random.vector());
        let moved: Forces =
            forces.iter().map(|[p, n, f, t]| [r * p + shift, r * n, r * f, r * t]).collect();
        let other = self::calculator(&moved).resultant().unwrap();
        prop_assert!((other.application_point() - (r * p + shift)).amax() < 1e-10);
        prop_assert!((other.pure_torque() - r * resultant.pure_torque()).amax() < 1e-10);
    }
}

#[test]
fn forces_that_cancel_act_at_the_centroid() {
    let x = Vector3::x();
    let forces = vec![
        [Vector3::new(1.0, 2.0, 0.0), -x, -x * 3.0, Vector3::zeros()],
        [Vector3::new(0.0, 0.0, 4.0), x, x * 3.0, Vector3::z()],
    ];
    let calculator = calculator(&forces);
    let resultant = calculator.resultant().unwrap();
    assert_eq!(resultant.application_point(), &Vector3::new(0.5, 1.0, 2.0));
    assert_eq!(resultant.normal(), &x);
    assert_eq!(resultant.force(), &Vector3::zeros());
    // The couple (p₂ − p₁) × 3x, and the torque of the second.
    assert_eq!(resultant.pure_torque(), &Vector3::new(0.0, 12.0, 7.0));
    let kinks = calculator.kinks().unwrap();
    assert_eq!(
        (kinks.normal_resultant, kinks.projection_gap),
        (0.0, f64::INFINITY)
    );
    let about = calculator.resultant_about(&Vector3::zeros()).unwrap();
    assert_eq!(about.normal(), &x);
    assert_eq!(about.pure_torque(), &Vector3::new(0.0, 12.0, 7.0));
}

#[test]
fn resultants_do_not_compose() {
    let (y, z) = (Vector3::y(), Vector3::z());
    let at = |x: f64, height: f64, n: Vector3<f64>| {
        [Vector3::new(x, 0.0, height), n, n * 2.0, Vector3::zeros()]
    };
    let all = vec![
        at(0.0, 0.0, z),
        at(1.0, 0.3, (y + z).normalize()),
        at(2.0, 0.5, z),
    ];
    let whole = calculator(&all).resultant().unwrap();
    let mut parts = ContactResultantForceCalculator::new();
    parts.add_contact_force(calculator(&all[..2].to_vec()).resultant().unwrap());
    parts.add_contact_force(calculator(&all[2..].to_vec()).resultant().unwrap());
    let composed = parts.resultant().unwrap();
    // Equivalent as forces, but at another point.
    let (a, b) = (
        whole.spatial_force_about(&z),
        composed.spatial_force_about(&z),
    );
    assert!((a.torque - b.torque).amax() < 1e-12 && (a.force - b.force).amax() < 1e-12);
    assert!((whole.application_point() - composed.application_point()).amax() > 0.01);
}

/// A detail that knows a pressure and an area.
#[derive(Debug, Clone, PartialEq)]
struct Patch {
    center: Vector3<f64>,
    pressure: f64,
    area: f64,
}

impl ContactDetail<f64> for Patch {
    fn contact_force(&self) -> Result<ContactForce<f64>, InvalidInput> {
        let normal = Vector3::z();
        ContactForce::new(self.center, normal, normal * (self.pressure * self.area))
    }
}

#[test]
fn details_outlive_the_calculator() {
    let mut details: Vec<Box<dyn ContactDetail<f64>>> = Vec::new();
    let (p, n) = (Vector3::x(), Vector3::z());
    let patch = Patch {
        center: -p,
        pressure: 300.0,
        area: 0.01,
    };
    let resultant = {
        let mut calculator = ContactResultantForceCalculator::with_accumulator(&mut details);
        calculator.add_detail(Box::new(patch.clone())).unwrap();
        let force = ContactForce::new(p, n, n).unwrap();
        calculator.add_contact_force(force);
        calculator.add_force(p, n, n).unwrap();
        calculator.add_force_with_torque(p, n, n, n * 0.5).unwrap();
        let bad = Patch {
            pressure: f64::NAN,
            ..patch.clone()
        };
        assert!(calculator.add_detail(Box::new(bad)).is_err());
        assert!(calculator.add_force(p, n * 2.0, n).is_err());
        calculator.resultant().unwrap()
    };
    assert_eq!(details.len(), 4);
    assert_eq!(resultant.force(), &(n * 6.0));
    let forces = details.iter().map(|d| d.contact_force().unwrap());
    let sum: Vector3<f64> = forces.map(|f| *f.force()).sum();
    assert_eq!(sum, n * 6.0);
    assert!(format!("{:?}", details[0]).contains("Patch"));
    assert_eq!(
        details[3].contact_force().unwrap().pure_torque(),
        &(n * 0.5)
    );
}

#[test]
fn normal_and_tangential_parts_make_the_force() {
    let force = ContactForce::<f64>::new(
        Vector3::zeros(),
        Vector3::new(0.6, 0.0, 0.8),
        Vector3::new(1.0, 2.0, 3.0),
    )
    .unwrap();
    assert!((force.normal_force() - Vector3::new(1.8, 0.0, 2.4)).amax() < 1e-15);
    assert_eq!(
        force.normal_force() + force.tangential_force(),
        *force.force()
    );
    assert!(force.tangential_force().dot(force.normal()).abs() < 1e-15);
    assert_eq!(force.reaction().reaction(), force);
    assert_eq!(force.reaction().normal_force(), -force.normal_force());
}

#[test]
fn bad_input_is_named() {
    let none = ContactResultantForceCalculator::<f64>::new();
    assert!(
        none.resultant()
            .unwrap_err()
            .to_string()
            .contains("at least 1")
    );
    assert!(none.resultant_about(&Vector3::zeros()).is_err() && none.kinks().is_err());
    let (z, o) = (Vector3::z(), Vector3::zeros());
    let infinite = Vector3::new(0.0, f64::INFINITY, 0.0);
    assert!(ContactForce::new(infinite, z, z).is_err());
    assert!(ContactForce::new(o, z, infinite).is_err());
    assert!(ContactForce::with_torque(o, z, z, infinite).is_err());
    assert!(ContactForce::new(o, o, z).is_err());
    let mut one = ContactResultantForceCalculator::new();
    one.add_force(o, z, z).unwrap();
    assert!(one.resultant_about(&infinite).is_err());
    one.add_force(o, z, z * f64::MAX).unwrap();
    one.add_force(z, z, z * f64::MAX).unwrap();
    assert!(one.resultant().is_err());
}

#[test]
fn the_size_of_the_forces_does_not_matter() {
    let forces = random_forces(&mut Random::new(5), 4);
    let expected = calculator(&forces).resultant().unwrap();
    for scale in [1e-250, 1e-12, 1e12, 1e250] {
        let scaled: Forces = (forces.iter())
            .map(|[p, n, f, t]| [*p, *n, f * scale, t * scale])
            .collect();
        let resultant = calculator(&scaled).resultant().unwrap();
        let point = resultant.application_point() - expected.application_point();
        assert!(point.amax() < 1e-12);
        assert!((resultant.normal() - expected.normal()).amax() < 1e-12);
        let torque = resultant.pure_torque() / scale - expected.pure_torque();
        assert!(torque.amax() < 1e-12);
    }
    // A sum that overflows is an error, not a normal of zero.
    let mut huge = ContactResultantForceCalculator::new();
    let diagonal = Vector3::repeat(1.0 / 3f64.sqrt());
    huge.add_force(Vector3::x(), diagonal, Vector3::repeat(1.7e308))
        .unwrap();
    huge.add_force(Vector3::y(), diagonal, Vector3::repeat(-1e308))
        .unwrap();
    assert!(huge.resultant().is_err() && huge.kinks().is_err());
    assert!(huge.resultant_about(&Vector3::zeros()).is_err());
}

/// Application point, normal, force and torque of the resultant, as a function of points, of turns
/// of the normals, and of forces.
struct Resultant<'a> {
    forces: &'a Forces,
}

impl VectorFunction for Resultant<'_> {
    type Error = InvalidInput;
    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let mut calculator = ContactResultantForceCalculator::new();
        for (x, [p, n, f, t]) in x.chunks_exact(9).zip(self.forces) {
            let lift = |v: &Vector3<f64>| v.map(T::from);
            let change = |k: usize| Vector3::from_column_slice(&x[3 * k..3 * k + 3]);
            let normal = rotation::exp(&change(1)) * lift(n);
            let (point, force) = (lift(p) + change(0), lift(f) + change(2));
            calculator.add_force_with_torque(point, normal, force, lift(t))?;
        }
        let resultant = calculator.resultant()?;
        let about = calculator.resultant_about(&Vector3::from_element(T::from(0.3)))?;
        let vectors = [
            resultant.application_point(),
            resultant.normal(),
            resultant.force(),
            resultant.pure_torque(),
            about.pure_torque(),
        ];
        let values = vectors.into_iter().flat_map(|v| v.iter().copied());
        Ok(DVector::from_iterator(15, values))
    }
}

#[test]
fn derivatives_are_exact_in_every_branch() {
    let mut random = Random::new(21);
    let mut seen = 0;
    while seen < 6 {
        let forces = random_forces(&mut random, 2 + seen % 3);
        if calculator(&forces).kinks().unwrap().projection_gap < 0.05 {
            continue;
        }
        seen += 1;
        check(&forces);
    }
    check(&random_forces(&mut random, 1));
    // Forces that cancel: x is not varied here, the branch is a single point.
    let f = |p: Vector3<Dual64>, n: Vector3<Dual64>, size: f64| {
        let size = Dual64::new(size, 0.7);
        ContactForce::new(p, n, n * size).unwrap()
    };
    let mut calculator = ContactResultantForceCalculator::new();
    let moving = Vector3::new(Dual64::new(0.2, 1.0), Dual64::from(0.0), Dual64::from(1.0));
    calculator.add_contact_force(f(moving, Vector3::x(), 2.0));
    calculator.add_contact_force(f(Vector3::zeros(), -Vector3::x(), 2.0));
    let resultant = calculator.resultant().unwrap();
    assert_eq!(resultant.application_point().x, Dual64::new(0.1, 0.5));
    assert_eq!(resultant.application_point().x.eps, 0.5);
    assert_eq!(
        (resultant.normal().x.re, resultant.normal().x.eps),
        (1.0, 0.0)
    );
    assert_eq!(resultant.force().x.eps, 0.0);
}

fn check(forces: &Forces) {
    let function = Resultant { forces };
    let x = vec![0.0; 9 * forces.len()];
    let checker = JacobianChecker::default();
    check_jacobian(&checker.tolerance(1e-6, 1e-7), &function, &x)
        .unwrap()
        .assert_agrees();
    // Second derivatives along a line.
    let line = |h: f64| {
        let t = Dual2_64::from(h).derivative();
        let x: Vec<Dual2_64> = (0..x.len()).map(|i| t * (1.3 * i as f64).cos()).collect();
        function.eval(&x).unwrap()
    };
    let (before, here, after) = (line(-1e-5), line(0.0), line(1e-5));
    for i in 0..here.len() {
        let second = (after[i].v1 - before[i].v1) / 2e-5;
        assert!((here[i].v2 - second).abs() < 1e-5 * (1.0 + second.abs()));
    }
}

/// The lowest of two points gives the height of the resultant, until it is raised by the gap.
#[test]
fn the_choice_changes_where_the_gap_closes() {
    let z = Vector3::<Dual64>::z();
    let run = |rise: f64| {
        let mut calculator = ContactResultantForceCalculator::new();
        for (x, height) in [(0.0, Dual64::new(rise, 1.0)), (1.0, Dual64::from(0.25))] {
            let point = Vector3::new(Dual64::from(x), Dual64::from(0.0), height);
            calculator.add_force(point, z, z).unwrap();
        }
        let height = calculator.resultant().unwrap().application_point().z;
        (height, calculator.kinks().unwrap().projection_gap)
    };
    let (height, gap) = run(0.0);
    assert_eq!((height.re, height.eps, gap), (0.0, 1.0, 0.25));
    let (height, _) = run(gap - 1e-6);
    assert_eq!((height.re, height.eps), (0.25 - 1e-6, 1.0));
    let (height, after) = run(gap + 1e-6);
    assert_eq!((height.re, height.eps), (0.25, 0.0));
    assert!((after - 1e-6).abs() < 1e-12);
}

/// Of points at the same height, each takes its share of the height's derivative.
#[test]
fn equal_projections_get_the_mean_derivative() {
    let z = Vector3::<Dual64>::z();
    let point = |x: f64, rise: f64| {
        Vector3::new(Dual64::from(x), Dual64::from(0.0), Dual64::new(0.0, rise))
    };
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let points = [point(-1.0, 3.0), point(0.5, 0.0), point(0.5, 6.0)];
        let mut calculator = ContactResultantForceCalculator::new();
        for i in order {
            calculator.add_force(points[i], z, z).unwrap();
        }
        let height = calculator.resultant().unwrap().application_point().z;
        assert_eq!(height.re, 0.0);
        assert!((height.eps - 3.0).abs() < 1e-14);
        assert!(calculator.kinks().unwrap().projection_gap < 1e-15);
    }
}

/// A pressure on the lid of a box comes out at the lid, with the effect that it has.
#[test]
fn a_resultant_slides_onto_the_surface() {
    let mut random = Random::new(41);
    let (size, pose) = (
        Vector3::new(0.6, 0.4, 0.2),
        RigidTransform::new(random.rotation(), random.vector()),
    );
    let shape = Shape::new_box(size).unwrap();
    // Forces into the body through its bottom, −z, from points that are sunk into it unequally.
    let into = pose.rotation.column(2).into_owned();
    let mut calculator = ContactResultantForceCalculator::new();
    let mut expected = Vector3::zeros();
    let mut total = 0.0;
    for (x, y, depth, load) in [
        (0.2, 0.1, 0.01, 30.0),
        (-0.1, 0.1, 0.03, 10.0),
        (0.0, -0.15, 0.02, 5.0),
    ] {
        let at = Vector3::new(x, y, -0.1 + depth);
        let friction = pose.rotation.column(0) * 3.0;
        let point = pose.transform_point(&at);
        calculator
            .add_force(point, into, into * load + friction)
            .unwrap();
        expected += Vector3::new(x, y, -0.1) * load;
        total += load;
    }
    let resultant = calculator.resultant().unwrap();
    let slid = resultant.on_surface(&shape, &pose).unwrap().unwrap();
    let expected = pose.transform_point(&(expected / total));
    assert!((slid.application_point() - expected).amax() < 1e-12);
    assert_eq!(
        (slid.force(), slid.normal()),
        (resultant.force(), resultant.normal())
    );
    let reference = random.vector();
    let (before, after) = (
        resultant.spatial_force_about(&reference),
        slid.spatial_force_about(&reference),
    );
    assert!((before.torque - after.torque).amax() < 1e-12 * (1.0 + before.torque.amax()));
    assert!((resultant.application_point() - slid.application_point()).norm() > 0.005);
    // On the ground below, the reaction arrives at the same place.
    let ground = RigidTransform::new(
        pose.rotation,
        pose.transform_point(&Vector3::new(3.0, 1.0, -0.1)),
    );
    let reaction = resultant.reaction();
    let on_ground = reaction
        .on_surface(&Shape::HalfSpace, &ground)
        .unwrap()
        .unwrap();
    assert!((on_ground.application_point() - expected).amax() < 1e-11);
    // From under the ground no axis enters it; beside the box none hits it.
    assert!(
        resultant
            .on_surface(&Shape::HalfSpace, &ground)
            .unwrap()
            .is_none()
    );
    let beside = RigidTransform::new(
        pose.rotation,
        pose.transform_point(&Vector3::new(9.0, 0.0, 0.0)),
    );
    assert!(resultant.on_surface(&shape, &beside).unwrap().is_none());
    let points = Shape::new_points(vec![Vector3::zeros()]).unwrap();
    assert!(resultant.on_surface(&points, &pose).unwrap().is_none());
}

/// The centre of pressure on a ball, as a function of the ball, the place and the direction of a force.
struct OnBall;

impl VectorFunction for OnBall {
    type Error = InvalidInput;
    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let ball = Shape::new_sphere(x[0])?;
        let at = RigidTransform::from_translation(Vector3::new(x[1], x[2], x[3]));
        let normal = Vector3::new(x[7], x[8], T::one());
        let normal = normal / T::norm_lifted(normal.as_slice());
        let point = Vector3::new(x[4], x[5], x[6]);
        let force = normal * T::from(5.0) + Vector3::new(T::one(), T::zero(), T::zero());
        let force = ContactForce::new(point, normal, force)?;
        let on_ball = force.on_surface(&ball, &at)?.expect("the ball is hit");
        let values = (on_ball.application_point().iter()).chain(on_ball.pure_torque());
        Ok(DVector::from_vec(values.copied().collect()))
    }
}

#[test]
fn the_center_of_pressure_on_a_surface_is_differentiable() {
    let x = [0.5, 0.1, -0.2, 0.3, 0.2, -0.1, 0.0, 0.05, -0.1];
    check_jacobian(&JacobianChecker::default(), &OnBall, &x)
        .unwrap()
        .assert_agrees();
    let p = OnBall.eval(&x).unwrap();
    let from_center = Vector3::new(p[0] - 0.1, p[1] + 0.2, p[2] - 0.3);
    assert!((from_center.norm() - 0.5).abs() < 1e-12 && from_center.z < 0.0);
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn forces_of_any_numbers_are_refused_or_have_a_finite_resultant(
        count in 1usize..5,
        seed in 0u64..1000,
        x in prop::collection::vec(number(3, 2), 10),
        at in prop::collection::vec(any::<prop::sample::Index>(), 10),
        hostile in 0usize..10,
    ) {
        let mut forces = random_forces(&mut Random::new(seed), count);
        for (x, at) in x.iter().zip(&at).take(hostile) {
            let at = at.index(12 * count);
            forces[at / 12][at % 12 / 3][at % 3] = *x;
        }
        let lift = |v: &Vector3<f64>| v.map(|x| Dual64::new(x, 1.0));
        let mut calculator = ContactResultantForceCalculator::new();
        for [p, n, f, t] in &forces {
            // Directions that are not unit vectors are refused; those of any unit vector are tried.
            let length = n.norm();
            let n = if length.is_normal() { n / length } else { *n };
            let _ = calculator.add_force_with_torque(lift(p), lift(&n), lift(f), lift(t));
        }
        let p = Vector3::new(x[0], x[1], x[2]);
        let is_moderate = |x: &f64| *x == 0.0 || (1e-70..1e70).contains(&x.abs());
        let is_moderate = forces.iter().flatten().flatten().chain(&p).all(is_moderate);
        let shape = Shape::new_box(Vector3::repeat(Dual64::from(1.0))).unwrap();
        let pose = RigidTransform::from_translation(lift(&Vector3::new(0.1, 0.2, 0.3)));
        let resultants = [calculator.resultant(), calculator.resultant_about(&lift(&p))];
        for resultant in resultants {
            let Ok(resultant) = resultant else { continue };
            let mut parts = vec![resultant];
            if let Ok(Some(slid)) = resultant.on_surface(&shape, &pose) {
                parts.push(slid);
            }
            for force in parts {
                let vectors = [force.application_point(), force.normal(), force.force(), force.pure_torque()];
                let numbers = vectors.into_iter().flatten();
                let wrong = numbers.clone().find(|x| !x.re.is_finite() || (is_moderate && x.eps.is_nan()));
                prop_assert!(wrong.is_none(), "{forces:?}: {force:?}");
            }
        }
        if let Ok(kinks) = calculator.kinks() {
            prop_assert!(kinks.projection_gap >= 0.0 && kinks.normal_resultant.is_finite(), "{forces:?}: {kinks:?}");
        }
    }
}
