//! What every force element must satisfy, whoever wrote it.

use crate::support::random_tree::{Style, assert_near, random_state, random_tree};
use crate::support::user_elements::{Brake, Tether, Vortex};
use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian, jacobian};
use dualbody::contact::ContactModel;
use dualbody::force::{AnyForce, ForceContext, ForceElement, ForceError, Forces};
use dualbody::system::{RigidBodySystem, State};
use dualbody::tree::{BodyIndex, RigidBodyTree, TreeError};
use dualbody::{DefaultScalar, InvalidInput, Parameters};
use nalgebra::DVector;
use num_dual::{Dual2_64, Dual64, HyperDual64};

/// Generalized forces, stored energy and conservative power of an element, as a function of a
/// displacement of the configuration, the velocity, and the parameters of the element.
struct Response<'a, E> {
    tree: &'a RigidBodyTree<f64>,
    element: &'a E,
    q: &'a [f64],
}

impl<E: ForceElement<f64> + Clone> Response<'_, E> {
    fn point(&self, v: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; v.len()];
        x.extend(v);
        self.element
            .clone()
            .visit_parameters(&mut |p| x.push(*p.value));
        x
    }

    fn respond<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, ForceError> {
        let nv = self.tree.num_velocities();
        let tree = self.tree.cast::<T>();
        let mut element = self.element.cast::<T>();
        let mut parameters = x[2 * nv..].iter();
        element.visit_parameters(&mut |p| *p.value = *parameters.next().unwrap());
        let q: Vec<T> = self.q.iter().map(|&q| T::from(q)).collect();
        let mut moved = q.clone();
        tree.integrate_exponential(&q, &x[..nv], T::one(), &mut moved)?;
        let mut workspace = tree.workspace();
        tree.set_state(&mut workspace, &moved, &x[nv..2 * nv])?;
        let mut forces = Forces::new(&tree);
        let context = ForceContext::new(&tree, &workspace);
        element.add_forces(&context, &mut forces)?;
        let mut out = DVector::zeros(nv + 3);
        out[nv] = element.potential_energy(&context)?;
        out[nv + 1] = element.conservative_power(&context)?;
        out[nv + 2] = forces.power(&context)?;
        forces.project(&tree, &mut workspace, &mut out.as_mut_slice()[..nv])?;
        Ok(out)
    }
}

impl<E: ForceElement<f64> + Clone> VectorFunction for Response<'_, E> {
    type Error = InvalidInput;
    fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        Ok(self.respond(x).unwrap())
    }
}

/// Checks the laws at one state; returns the damping matrix `−∂τ/∂v`.
pub fn check_element<E: ForceElement<f64> + Clone>(
    tree: &RigidBodyTree<f64>,
    element: &E,
    q: &[f64],
    v: &[f64],
) -> nalgebra::DMatrix<f64> {
    element.validate(tree).unwrap();
    let nv = v.len();
    let response = Response { tree, element, q };
    let x = response.point(v);
    let (value, j) = jacobian(&response, &x).unwrap();
    assert!(value.iter().chain(j.iter()).all(|x| x.is_finite()));

    // Against differences, and against another dual type along one direction.
    let checker = JacobianChecker::default().tolerance(1e-6, 1e-7);
    check_jacobian(&checker, &response, &x)
        .unwrap()
        .assert_agrees();
    let direction: Vec<f64> = (0..x.len()).map(|i| (1.7 * i as f64 + 0.3).sin()).collect();
    let along = &j * DVector::from_column_slice(&direction);
    let seconds = x.iter().zip(&direction);
    let one: Vec<Dual64> = seconds.clone().map(|(&x, &d)| Dual64::new(x, d)).collect();
    let two: Vec<Dual2_64> = (seconds.clone())
        .map(|(&x, &d)| Dual2_64::new(x, d, 0.0))
        .collect();
    let hyper: Vec<HyperDual64> = seconds
        .map(|(&x, &d)| HyperDual64::new(x, d, d, 0.0))
        .collect();
    let one = response.eval(&one).unwrap();
    let two = response.eval(&two).unwrap();
    let hyper = response.eval(&hyper).unwrap();
    let real = response.eval::<f64>(&x).unwrap();
    for i in 0..nv + 3 {
        let scale = 1e-9 * (1.0 + along[i].abs() + j.row(i).amax());
        assert!((one[i].eps - along[i]).abs() < scale);
        assert!((two[i].v1 - along[i]).abs() < scale);
        assert!((hyper[i].eps1 - along[i]).abs() < scale);
        let second = 1e-7 * (1.0 + two[i].v2.abs());
        assert!((hyper[i].eps1eps2 - two[i].v2).abs() < second);
        assert!((one[i].re - real[i]).abs() <= 1e-12 * (1.0 + real[i].abs()));
    }

    // Power is force times velocity, on bodies and on coordinates alike.
    let power: f64 = (0..nv).map(|i| value[i] * v[i]).sum();
    assert!((value[nv + 2] - power).abs() < 1e-10 * (1.0 + power.abs()));

    // Conservative power is −dU/dt along the motion.
    let rate: f64 = (0..nv).map(|i| j[(nv, i)] * v[i]).sum();
    assert!((value[nv + 1] + rate).abs() < 1e-9 * (1.0 + rate.abs()));
    for i in nv..2 * nv {
        assert_eq!(j[(nv, i)], 0.0, "stored energy depends on velocity");
    }

    let damping = -j.view((0, nv), (nv, nv)).into_owned();
    if !element.depends_on_velocity() {
        assert_eq!(damping.amax(), 0.0);
    }
    damping
}

/// Checks that all forces are internal: no resultant force, no resultant torque.
pub fn check_action_and_reaction<E: ForceElement<f64> + Clone>(
    tree: &RigidBodyTree<f64>,
    element: &E,
    q: &[f64],
    v: &[f64],
) {
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, q, v).unwrap();
    let context = ForceContext::new(tree, &workspace);
    let mut forces = Forces::new(tree);
    element.add_forces(&context, &mut forces).unwrap();
    let mut sum = dualbody::math::SpatialForce::zero();
    let mut largest: f64 = 1.0;
    for (i, force) in forces.on_bodies().iter().enumerate() {
        let origin = context.body_pose(BodyIndex::new(i)).unwrap().translation;
        largest = largest.max(force.to_vector().amax());
        sum += force.shift(&-origin);
    }
    assert!(sum.to_vector().amax() < 1e-10 * largest, "{sum:?}");
    assert!(forces.generalized().iter().all(|&tau| tau == 0.0));
}

fn tether(stiffness: f64) -> Tether<f64> {
    Tether {
        bodies: [BodyIndex::new(1), BodyIndex::new(3)],
        stiffness,
    }
}

fn vortex() -> Vortex<f64> {
    Vortex {
        body: BodyIndex::new(2),
        drag: 0.8,
        lift: -1.3,
        cubic: 0.4,
    }
}

fn brake() -> Brake<f64> {
    Brake {
        coordinate: 1,
        force: 2.0,
        speed: 0.3,
    }
}

#[test]
fn elements_of_a_user_satisfy_the_laws() {
    let mut asymmetry: f64 = 0.0;
    for seed in 0..5 {
        let tree = random_tree(seed, 5, Style::General);
        let (q, v) = random_state(&tree, seed);
        check_element(&tree, &tether(3.0), &q, &v);
        check_action_and_reaction(&tree, &tether(3.0), &q, &v);
        let damping = check_element(&tree, &vortex(), &q, &v);
        asymmetry = asymmetry.max((&damping - damping.transpose()).amax());
        let damping = check_element(&tree, &brake(), &q, &v);
        assert!(damping[(1, 1)] > 0.0);
        assert_eq!(
            check_element(&tree, &AnyForce::new(brake()), &q, &v),
            damping
        );
    }
    assert!(asymmetry > 0.1);
}

#[test]
fn the_forces_of_a_machine_add_up() {
    let tree = random_tree(3, 5, Style::General);
    let (q, v) = random_state(&tree, 3);
    let start = State::new(q.into(), v.into());
    let bare = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    let rates = |system: &RigidBodySystem<f64>| {
        let mut workspace = system.dynamics_workspace();
        let rates = system.accelerations(&mut workspace, &start, &[]);
        DVector::from_column_slice(rates.unwrap())
    };
    let elements = [
        AnyForce::new(tether(1.0)),
        AnyForce::new(vortex()),
        AnyForce::new(brake()),
    ];
    let mut expected = rates(&bare);
    for element in &elements {
        let alone = bare.clone().with_forces([element.clone()]).unwrap();
        expected += rates(&alone) - rates(&bare);
    }
    let system = bare.with_forces(elements).unwrap();
    assert_near(rates(&system).as_slice(), expected.as_slice(), 1e-12);
    let names: Vec<String> = (system.parameters().into_iter())
        .filter_map(|p| p.name.strip_prefix("force/").map(str::to_owned))
        .collect();
    assert_eq!(
        names,
        [
            "tether/stiffness",
            "vortex/drag",
            "vortex/lift",
            "vortex/cubic",
            "brake/force"
        ]
    );
}

#[test]
fn forces_on_what_does_not_exist_are_errors() {
    let tree = random_tree(1, 3, Style::General);
    let workspace = tree.workspace();
    let context = ForceContext::new(&tree, &workspace);
    let mut forces = Forces::new(&tree);
    let missing = BodyIndex::new(77);
    let zero = dualbody::math::SpatialForce::zero();
    let no_body = ForceError::Tree(TreeError::NoSuchBody {
        index: missing,
        len: tree.num_bodies(),
    });
    assert_eq!(forces.add_on_body(missing, &zero), Err(no_body.clone()));
    assert_eq!(context.body_velocity(missing), Err(no_body.clone()));
    let point = nalgebra::Vector3::zeros();
    assert_eq!(
        forces.add_at_point(&context, missing, &point, &zero),
        Err(no_body)
    );
    assert!(forces.add_generalized(usize::MAX, 1.0).is_err());
    // Forces of another tree, with as many bodies but other joints, and with other bodies.
    let (free, chain) = (random_tree(1, 3, Style::General), super::builtin::cart());
    for other in [&chain, &random_tree(2, 4, Style::General)] {
        let forces = Forces::new(other);
        let mut workspace = free.workspace();
        let mut out = vec![0.0; free.num_velocities()];
        assert!(forces.power(&ForceContext::new(&free, &workspace)).is_err());
        assert!(forces.project(&free, &mut workspace, &mut out).is_err());
    }
    let short = ForceContext::with_velocities(&tree, &workspace, &[], &[]);
    assert!(matches!(short, Err(ForceError::Invalid(_))));
    let infinite = dualbody::math::SpatialForce::new(point, point.add_scalar(f64::INFINITY));
    forces.add_on_body(BodyIndex::new(1), &infinite).unwrap();
    let mut out = vec![0.0; tree.num_velocities()];
    let mut workspace = tree.workspace();
    assert!(forces.project(&tree, &mut workspace, &mut out).is_err());
}
