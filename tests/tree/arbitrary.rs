//! Arbitrary numbers through every public function of trees: an error, or numbers that are finite.

use crate::support::arbitrary_number;
use crate::support::cases::cases;
use crate::support::random_tree::{Random, Style, random_state, random_tree};
use dualbody::Scalar;
use dualbody::math::{
    RigidTransform, SpatialAcceleration, SpatialForce, SpatialInertia, SpatialVelocity, rotation,
};
use dualbody::tree::{
    BodyIndex, FrameIndex, JointKind, Mimic, RigidBodyTree, RigidBodyTreeBuilder, TreeError,
};
use nalgebra::{DMatrix, Matrix3, Vector3};
use num_dual::Dual64;
use proptest::prelude::*;

/// Not finite, subnormal, tiny, huge.
const HOSTILE: [f64; 11] = [
    0.0,
    -1.0,
    f64::MIN_POSITIVE / 3.0,
    1e-160,
    1e80,
    -1e160,
    1e300,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// The numbers that a tree is asked with: configuration, velocity, another configuration and velocity, forces of
/// joints, forces on bodies, and a point with a time.
struct Numbers<T> {
    q: Vec<T>,
    v: Vec<T>,
    other: Vec<T>,
    u: Vec<T>,
    tau: Vec<T>,
    external: Vec<T>,
    point: Vec<T>,
}

impl Numbers<f64> {
    fn new(tree: &RigidBodyTree<f64>, seed: u64) -> Self {
        let ((q, v), (other, u)) = (random_state(tree, seed), random_state(tree, seed + 1));
        let mut random = Random::new(seed + 2);
        Numbers {
            q,
            v,
            other,
            u,
            tau: random.numbers(tree.num_velocities()),
            external: random.numbers(6 * tree.num_bodies()),
            point: random.numbers(4),
        }
    }

    fn entries(&mut self) -> Vec<&mut f64> {
        let parts = [
            &mut self.q,
            &mut self.v,
            &mut self.other,
            &mut self.u,
            &mut self.tau,
            &mut self.external,
            &mut self.point,
        ];
        parts.into_iter().flatten().collect()
    }

    /// With derivatives in the direction of ones.
    fn lifted(&self) -> Numbers<Dual64> {
        let lift = |x: &[f64]| x.iter().map(|x| Dual64::new(*x, 1.0)).collect();
        Numbers {
            q: lift(&self.q),
            v: lift(&self.v),
            other: lift(&self.other),
            u: lift(&self.u),
            tau: lift(&self.tau),
            external: lift(&self.external),
            point: lift(&self.point),
        }
    }
}

/// What answers say.
type Answers<'a, T> = &'a mut dyn FnMut(&'static str, &[T]);

fn ask<T: Scalar>(
    tree: &RigidBodyTree<T>,
    x: &Numbers<T>,
    say: Answers<T>,
) -> Result<(), TreeError> {
    let (nq, n) = (tree.num_positions(), tree.num_velocities());
    let zeros = || vec![T::zero(); n];
    let mut out = zeros();
    let mut configuration = vec![T::zero(); nq];
    let dt = x.point[3];
    let p = Vector3::new(x.point[0], x.point[1], x.point[2]);
    let external: Vec<_> = (x.external.chunks(6))
        .map(|f| {
            SpatialForce::new(
                Vector3::new(f[0], f[1], f[2]),
                Vector3::new(f[3], f[4], f[5]),
            )
        })
        .collect();
    if tree
        .map_velocity_to_qdot(&x.q, &x.v, &mut configuration)
        .is_ok()
    {
        say("qdot", &configuration);
    }
    if tree.map_qdot_to_velocity(&x.q, &x.other, &mut out).is_ok() {
        say("velocity of qdot", &out);
    }
    if tree.integrate(&x.q, &x.v, dt, &mut configuration).is_ok() {
        say("integrate", &configuration);
    }
    if tree
        .integrate_exponential(&x.q, &x.v, dt, &mut configuration)
        .is_ok()
    {
        say("integrate exponential", &configuration);
    }
    if tree.difference(&x.q, &x.other, &mut out).is_ok() {
        say("difference", &out);
    }
    let mut ws = tree.workspace();
    tree.set_state(&mut ws, &x.q, &x.v)?;
    let body = BodyIndex::new(tree.num_bodies() - 1);
    let first = BodyIndex::new(1);
    let velocity = |v: SpatialVelocity<T>| v.to_vector();
    for body in [first, body] {
        if let Ok(pose) = tree.body_pose(&ws, body) {
            say("pose", pose.rotation.as_slice());
            say("position", pose.translation.as_slice());
        }
        if let Ok(v) = tree.body_velocity(&ws, body) {
            say("body velocity", velocity(v).as_slice());
        }
        if let Ok(at) = tree.point_position(&ws, body, &p) {
            say("point position", at.as_slice());
        }
        if let Ok(v) = tree.point_velocity(&ws, body, &p) {
            say("point velocity", velocity(v).as_slice());
        }
        if let Ok(a) = tree.bias_acceleration(&ws, body, &p) {
            say("bias acceleration", a.to_vector().as_slice());
        }
        if let Ok(v) = tree.relative_velocity(&ws, body, &p, first, first) {
            say("relative velocity", velocity(v).as_slice());
        }
        let mut jacobian = DMatrix::zeros(6, n);
        if tree.spatial_jacobian(&ws, body, &p, &mut jacobian).is_ok() {
            say("spatial Jacobian", jacobian.as_slice());
        }
        if tree
            .relative_spatial_jacobian(&ws, body, &p, first, first, &mut jacobian)
            .is_ok()
        {
            say("relative Jacobian", jacobian.as_slice());
        }
        let mut jacobian = DMatrix::zeros(3, n);
        if tree.point_jacobian(&ws, body, &p, &mut jacobian).is_ok() {
            say("point Jacobian", jacobian.as_slice());
        }
    }
    for frame in 0..tree.num_frames() {
        if let Ok(pose) = tree.frame_pose(&ws, FrameIndex::new(frame)) {
            say("frame position", pose.translation.as_slice());
        }
        if let Ok(v) = tree.frame_velocity(&ws, FrameIndex::new(frame)) {
            say("frame velocity", velocity(v).as_slice());
        }
    }
    if let Ok(c) = tree.center_of_mass(&ws) {
        say("center of mass", c.as_slice());
    }
    if let Ok(c) = tree.center_of_mass_of(&ws, [first]) {
        say("center of mass of a body", c.as_slice());
    }
    if let Ok(c) = tree.center_of_mass_velocity(&ws) {
        say("velocity of the center of mass", c.as_slice());
    }
    if let Ok(e) = tree.kinetic_energy(&ws) {
        say("kinetic energy", &[e]);
    }
    if let Ok(e) = tree.potential_energy(&ws) {
        say("potential energy", &[e]);
    }
    if let Ok(h) = tree.momentum(&ws, &p) {
        say("angular momentum", h.angular.as_slice());
        say("linear momentum", h.linear.as_slice());
    }
    if let Ok(h) = tree.momentum_about_center_of_mass(&ws) {
        say("centroidal momentum", h.angular.as_slice());
    }
    let columns = tree.standard_parameter_values().len();
    for (name, rows) in [
        ("torque regressor", n),
        ("momentum regressor", 6),
        ("energy regressor", 2),
    ] {
        let mut regressor = DMatrix::zeros(rows, columns);
        let result = match rows {
            6 if name == "momentum regressor" => tree.momentum_regressor(&ws, &p, &mut regressor),
            2 if name == "energy regressor" => tree.energy_regressor(&ws, &mut regressor),
            _ => tree.torque_regressor(&mut ws, &x.u, &mut regressor),
        };
        if result.is_ok() {
            say(name, regressor.as_slice());
        }
    }
    let mut velocities = vec![SpatialVelocity::zero(); tree.num_bodies()];
    if tree.body_velocities(&ws, &x.u, &mut velocities).is_ok() {
        velocities
            .iter()
            .for_each(|v| say("body velocities", v.to_vector().as_slice()));
    }
    let mut accelerations = vec![SpatialAcceleration::zero(); tree.num_bodies()];
    if tree
        .body_accelerations(&mut ws, &x.u, &mut accelerations)
        .is_ok()
    {
        accelerations
            .iter()
            .for_each(|a| say("body accelerations", a.to_vector().as_slice()));
    }
    let mut mass = DMatrix::zeros(n, n);
    if tree.mass_matrix(&mut ws, &mut mass).is_ok() {
        say("mass matrix", mass.as_slice());
    }
    if tree.multiply_mass_matrix(&mut ws, &x.u, &mut out).is_ok() {
        say("M u", &out);
    }
    let mut b = x.tau.clone();
    if tree.solve_mass_matrix(&mut ws, &mut b).is_ok() {
        say("inverse of M times b", &b);
    }
    if tree.bias_forces(&mut ws, &mut out).is_ok() {
        say("bias forces", &out);
    }
    if tree.gravity_forces(&mut ws, &mut out).is_ok() {
        say("gravity forces", &out);
    }
    if tree.joint_damping_forces(&ws, &mut out).is_ok() {
        say("damping forces", &out);
    }
    if tree
        .generalized_forces(&mut ws, &external, &mut out)
        .is_ok()
    {
        say("generalized forces", &out);
    }
    if tree
        .inverse_dynamics(&mut ws, &x.u, Some(&external), &mut out)
        .is_ok()
    {
        say("inverse dynamics", &out);
    }
    if tree
        .forward_dynamics(&mut ws, &x.tau, Some(&external), &mut out)
        .is_ok()
    {
        say("forward dynamics", &out);
    }
    let mut derivatives = tree.new_inverse_dynamics_derivatives();
    if tree
        .inverse_dynamics_derivatives(&mut ws, &x.u, Some(&external), &mut derivatives)
        .is_ok()
    {
        for part in [
            &derivatives.dtau_dq,
            &derivatives.dtau_dv,
            &derivatives.mass_matrix,
        ] {
            say("derivatives of inverse dynamics", part.as_slice());
        }
    }
    let mut derivatives = tree.new_forward_dynamics_derivatives();
    if tree
        .forward_dynamics_derivatives(&mut ws, &x.tau, Some(&external), &mut derivatives)
        .is_ok()
    {
        for part in [
            &derivatives.dvdot_dq,
            &derivatives.dvdot_dv,
            &derivatives.inverse_mass_matrix,
        ] {
            say("derivatives of forward dynamics", part.as_slice());
        }
    }
    Ok(())
}

/// What is neither an error nor finite, by name. Where products of three numbers are within the range, no derivative is
/// NaN; beyond, slopes overflow where values do not.
fn wrong(tree: &RigidBodyTree<f64>, numbers: &mut Numbers<f64>) -> Vec<String> {
    let mut wrong = Vec::new();
    let size = |values: &[f64]| values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let entries: Vec<f64> = numbers.entries().into_iter().map(|x| *x).collect();
    let mut largest = size(tree.standard_parameter_values().as_slice()).max(size(&entries));
    let _ = ask(tree, numbers, &mut |name, values| {
        if !values.iter().all(|x| x.is_finite()) {
            wrong.push(name.to_owned());
        }
        largest = largest.max(size(values));
    });
    if largest <= 1e100 {
        let say = &mut |name, values: &[Dual64]| {
            if values.iter().any(|x| x.eps.is_nan()) {
                wrong.push(format!("{name} in duals"));
            }
        };
        let _ = ask(&tree.cast(), &numbers.lifted(), say);
    }
    wrong
}

#[test]
fn states_and_forces_of_any_size_are_refused_or_give_finite_answers() {
    let mut all = Vec::new();
    for (seed, style) in [(1, Style::General), (2, Style::Mimic), (3, Style::Free)] {
        let tree = random_tree(seed, 9, style);
        let count = Numbers::new(&tree, seed).entries().len();
        for index in 0..count {
            for hostile in HOSTILE {
                let mut numbers = Numbers::new(&tree, seed);
                *numbers.entries()[index] = hostile;
                let wrong = wrong(&tree, &mut numbers);
                if !wrong.is_empty() {
                    all.push(format!(
                        "{style:?}, entry {index} = {hostile:e}: {}",
                        wrong.join(", ")
                    ));
                }
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// A chain of joints of all kinds, with numbers for everything.
fn chain(
    kinds: &[usize],
    x: &mut impl Iterator<Item = f64>,
) -> Result<RigidBodyTree<f64>, TreeError> {
    let vector = |x: &mut dyn Iterator<Item = f64>| Vector3::from_fn(|_, _| x.next().unwrap());
    let mut builder = RigidBodyTreeBuilder::new();
    builder.set_gravity(vector(x))?;
    let (mut parent, mut leader) = (BodyIndex::WORLD, None);
    for (k, kind) in kinds.iter().enumerate() {
        let inertia = SpatialInertia {
            mass: x.next().unwrap(),
            center_of_mass: vector(x),
            // Most are possible.
            rotational_inertia: Matrix3::from_diagonal(&vector(x).add_scalar(0.8)),
        };
        let kind = match kind % 7 {
            0 => JointKind::Revolute { axis: vector(x) },
            1 => JointKind::Prismatic { axis: vector(x) },
            2 => JointKind::Planar {
                x_axis: vector(x),
                y_axis: vector(x),
            },
            3 => JointKind::Ball,
            4 => JointKind::Floating,
            5 => JointKind::Continuous { axis: vector(x) },
            _ => JointKind::Fixed,
        };
        let pose = RigidTransform::new(rotation::exp(&vector(x)), vector(x));
        let body = builder.add_body(format!("body {k}"), inertia)?;
        let joint = builder.add_joint(format!("joint {k}"), kind, parent, pose, body)?;
        builder.add_frame(
            format!("frame {k}"),
            body,
            RigidTransform::from_translation(vector(x)),
        )?;
        if let JointKind::Revolute { .. } | JointKind::Prismatic { .. } = kind {
            builder.set_damping(joint, &[x.next().unwrap()])?;
            builder.set_armature(joint, &[x.next().unwrap()])?;
            builder.set_friction(joint, &[x.next().unwrap()])?;
            builder.set_position_limits(joint, &[x.next().unwrap()], &[x.next().unwrap()])?;
            builder.set_effort_limits(joint, &[x.next().unwrap()])?;
            builder.set_velocity_limits(joint, &[x.next().unwrap()])?;
            if let Some(leader) = leader {
                let (multiplier, offset) = (x.next().unwrap(), x.next().unwrap());
                builder.set_mimic(
                    joint,
                    Mimic {
                        joint: leader,
                        multiplier,
                        offset,
                    },
                )?;
            }
            leader = leader.or(Some(joint));
        }
        parent = body;
    }
    builder.finish()
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn trees_of_any_numbers_are_refused_or_give_finite_answers(
        kinds in prop::collection::vec(0usize..7, 1..5),
        hostile in prop::collection::vec(arbitrary_number::number(3, 2), 200),
        sensible in prop::collection::vec(0.1..0.9f64, 200),
        mixed in prop::collection::vec(0usize..40, 200),
        seed in 0u64..1000,
    ) {
        let some = (0..200).map(|i| if mixed[i] == 0 { hostile[i] } else { sensible[i] });
        for mut x in [&mut hostile.iter().copied() as &mut dyn Iterator<Item = f64>, &mut some.into_iter()] {
            if let Ok(tree) = chain(&kinds, &mut x) {
                let wrong = wrong(&tree, &mut Numbers::new(&tree, seed));
                prop_assert!(wrong.is_empty(), "{wrong:?}");
            }
        }
    }

    #[test]
    fn standard_parameters_of_any_size_are_refused_or_give_finite_answers(
        seed in 0u64..1000,
        x in prop::collection::vec(arbitrary_number::number(3, 2), 3),
        at in prop::collection::vec(any::<prop::sample::Index>(), 3),
    ) {
        let mut tree = random_tree(seed, 5, Style::General);
        let mut values = tree.standard_parameter_values();
        for (x, at) in x.iter().zip(&at) {
            let index = at.index(values.len());
            values[index] = *x;
        }
        let before = tree.standard_parameter_values();
        if tree.set_standard_parameters(values.as_slice()).is_ok() {
            let wrong = wrong(&tree, &mut Numbers::new(&tree, seed));
            prop_assert!(wrong.is_empty(), "{values:?}: {wrong:?}");
        } else {
            prop_assert_eq!(tree.standard_parameter_values(), before);
        }
    }
}
