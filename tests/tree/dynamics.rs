//! Laws of mechanics on random trees: all kinds of joints, joints that follow others, welded bodies.

use crate::support::cases::cases;
use crate::support::random_tree::{
    Random, Style, assert_near, constants, flow, random_state, random_tree, with_rate,
};
use dualbody::math::{
    Cholesky, Factorization, RigidTransform, SpatialForce, SpatialInertia, SpatialVelocity,
};
use dualbody::tree::{
    BodyIndex, JointKind, Mimic, RigidBodyTree, RigidBodyTreeBuilder, TreeWorkspace,
};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use num_dual::Dual64;
use proptest::prelude::*;

/// A tree with a state and forces.
struct Scene {
    tree: RigidBodyTree<f64>,
    ws: TreeWorkspace<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    external: Vec<SpatialForce<f64>>,
    random: Random,
}

impl Scene {
    fn new(seed: u64, bodies: usize, style: Style) -> Self {
        let tree = random_tree(seed, bodies, style);
        let (q, v) = random_state(&tree, seed);
        let mut random = Random::new(seed ^ 0x55);
        let tau = random.numbers(tree.num_velocities());
        let external = random.forces(tree.num_bodies());
        let mut ws = tree.workspace();
        tree.set_state(&mut ws, &q, &v).unwrap();
        Scene {
            tree,
            ws,
            q,
            v,
            tau,
            external,
            random,
        }
    }

    fn n(&self) -> usize {
        self.tree.num_velocities()
    }

    fn mass_matrix(&mut self) -> DMatrix<f64> {
        let mut m = DMatrix::from_element(self.n(), self.n(), f64::NAN);
        self.tree.mass_matrix(&mut self.ws, &mut m).unwrap();
        m
    }

    fn inverse_dynamics(&mut self, vdot: &[f64], external: bool) -> Vec<f64> {
        let external = external.then_some(&self.external[..]);
        let mut tau = vec![f64::NAN; self.n()];
        self.tree
            .inverse_dynamics(&mut self.ws, vdot, external, &mut tau)
            .unwrap();
        tau
    }

    fn forward_dynamics(&mut self, tau: &[f64], external: bool) -> Vec<f64> {
        let external = external.then_some(&self.external[..]);
        let mut vdot = vec![f64::NAN; self.n()];
        self.tree
            .forward_dynamics(&mut self.ws, tau, external, &mut vdot)
            .unwrap();
        vdot
    }

    /// Something of the state, with its time derivative when the velocities change at `vdot`.
    fn rate<R>(
        &self,
        vdot: &[f64],
        f: impl FnOnce(&RigidBodyTree<Dual64>, &mut TreeWorkspace<Dual64>) -> R,
    ) -> R {
        let tree = self.tree.cast::<Dual64>();
        let mut ws = tree.workspace();
        let (q, v) = flow(&self.tree, &self.q, &self.v, vdot);
        tree.set_state(&mut ws, &q, &v).unwrap();
        f(&tree, &mut ws)
    }

    fn bodies(&self) -> impl Iterator<Item = BodyIndex> + use<> {
        (0..self.tree.num_bodies()).map(BodyIndex::new)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn style() -> impl Strategy<Value = Style> {
    prop_oneof![Just(Style::General), Just(Style::Mimic), Just(Style::Free)]
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn inverse_dynamics_inverts_forward_dynamics(seed: u64, bodies in 1usize..12, style in style()) {
        let mut s = Scene::new(seed, bodies, style);
        let tau = s.tau.clone();
        let vdot = s.forward_dynamics(&tau, true);
        assert_near(&s.inverse_dynamics(&vdot, true), &tau, 1e-9);
    }

    #[test]
    fn articulated_bodies_agree_with_the_mass_matrix(seed: u64, bodies in 1usize..12, style in style()) {
        let mut s = Scene::new(seed, bodies, style);
        let (m, tau) = (s.mass_matrix(), s.tau.clone());
        let bias = s.inverse_dynamics(&vec![0.0; s.n()], true);
        let mut cholesky = Cholesky::identity(s.n());
        cholesky.factor(&m).unwrap();
        let mut expected: Vec<f64> = tau.iter().zip(&bias).map(|(tau, b)| tau - b).collect();
        cholesky.solve_in_place(&mut expected).unwrap();
        assert_near(&s.forward_dynamics(&tau, true), &expected, 1e-9);
        let mut x = tau.clone();
        s.tree.solve_mass_matrix(&mut s.ws, &mut x).unwrap();
        let product = &m * DVector::from_vec(x);
        assert_near(product.as_slice(), &tau, 1e-9);
    }

    #[test]
    fn mass_matrix_is_symmetric_positive_definite_and_that_of_the_kinetic_energy(
        seed: u64, bodies in 1usize..12, style in style()
    ) {
        let mut s = Scene::new(seed, bodies, style);
        let m = s.mass_matrix();
        prop_assert_eq!(&m, &m.transpose());
        prop_assert!(s.n() == 0 || m.symmetric_eigenvalues().min() > 0.0);
        let v = DVector::from_column_slice(&s.v);
        let energy = s.tree.kinetic_energy(&s.ws).unwrap();
        assert_near(&[energy], &[0.5 * v.dot(&(&m * &v))], 1e-12);
        let mut product = vec![f64::NAN; s.n()];
        s.tree.multiply_mass_matrix(&mut s.ws, &s.v, &mut product).unwrap();
        assert_near(&product, (&m * &v).as_slice(), 1e-12);
    }

    #[test]
    fn inverse_dynamics_is_the_sum_of_its_parts(seed: u64, bodies in 1usize..12, style in style()) {
        let mut s = Scene::new(seed, bodies, style);
        let (n, vdot) = (s.n(), s.tau.clone());
        let m = s.mass_matrix();
        let (mut bias, mut gravity, mut external) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        s.tree.bias_forces(&mut s.ws, &mut bias).unwrap();
        s.tree.gravity_forces(&mut s.ws, &mut gravity).unwrap();
        s.tree.generalized_forces(&mut s.ws, &s.external, &mut external).unwrap();
        let inertial = m * DVector::from_column_slice(&vdot);
        let sum: Vec<f64> =
            (0..n).map(|i| inertial[i] + bias[i] - gravity[i] - external[i]).collect();
        assert_near(&s.inverse_dynamics(&vdot, true), &sum, 1e-11);
    }

    #[test]
    fn jacobians_map_velocities_and_their_transposes_forces(
        seed: u64, bodies in 1usize..12, style in style()
    ) {
        let mut s = Scene::new(seed, bodies, style);
        let n = s.n();
        let u = s.random.numbers(n);
        let mut velocities = vec![SpatialVelocity::zero(); s.tree.num_bodies()];
        s.tree.body_velocities(&s.ws, &u, &mut velocities).unwrap();
        let mut expected = DVector::zeros(n);
        for body in s.bodies() {
            let point = s.random.vector();
            let mut jacobian = DMatrix::from_element(6, n, f64::NAN);
            s.tree.spatial_jacobian(&s.ws, body, &point, &mut jacobian).unwrap();
            let product = &jacobian * DVector::from_column_slice(&s.v);
            let velocity = s.tree.point_velocity(&s.ws, body, &point).unwrap();
            assert_near(product.as_slice(), velocity.to_vector().as_slice(), 1e-11);

            let mut linear = DMatrix::from_element(3, n, f64::NAN);
            s.tree.point_jacobian(&s.ws, body, &point, &mut linear).unwrap();
            prop_assert_eq!(linear, jacobian.rows(3, 3).into_owned());

            s.tree.spatial_jacobian(&s.ws, body, &Vector3::zeros(), &mut jacobian).unwrap();
            let product = &jacobian * DVector::from_column_slice(&u);
            assert_near(product.as_slice(), velocities[body.get()].to_vector().as_slice(), 1e-11);
            expected += jacobian.transpose() * s.external[body.get()].to_vector();
        }
        let mut forces = vec![f64::NAN; n];
        s.tree.generalized_forces(&mut s.ws, &s.external, &mut forces).unwrap();
        assert_near(&forces, expected.as_slice(), 1e-11);
    }

    /// Derivatives of pose, velocity and J v along the motion, by dual numbers.
    #[test]
    fn velocities_and_accelerations_are_rates(seed: u64, bodies in 1usize..12, style in style()) {
        let mut s = Scene::new(seed, bodies, style);
        let (n, vdot, point) = (s.n(), s.tau.clone(), s.random.vector());
        let mut accelerations = vec![dualbody::math::SpatialAcceleration::zero(); bodies + 1];
        s.tree.body_accelerations(&mut s.ws, &vdot, &mut accelerations).unwrap();
        for body in s.bodies() {
            let velocity = s.tree.point_velocity(&s.ws, body, &point).unwrap();
            let bias = s.tree.bias_acceleration(&s.ws, body, &point).unwrap();
            let dual_point: Vector3<Dual64> = point.map(Dual64::from);
            s.rate(&vdot, |tree, ws| {
                let pose = tree.body_pose(ws, body).unwrap();
                let rate = pose.rotation.map(|x| x.eps) * pose.rotation.map(|x| x.re).transpose();
                let w = Vector3::new(rate[(2, 1)], rate[(0, 2)], rate[(1, 0)]);
                assert_near(w.as_slice(), velocity.angular.as_slice(), 1e-11);
                let position = tree.point_position(ws, body, &dual_point).unwrap();
                assert_near(position.map(|x| x.eps).as_slice(), velocity.linear.as_slice(), 1e-11);

                let rate = tree.body_velocity(ws, body).unwrap().to_vector().map(|x| x.eps);
                let acceleration = accelerations[body.get()].to_vector();
                assert_near(rate.as_slice(), acceleration.as_slice(), 1e-10);

                let mut jacobian = DMatrix::zeros(6, n);
                tree.spatial_jacobian(ws, body, &dual_point, &mut jacobian).unwrap();
                let product = jacobian.map(|x| x.eps) * DVector::from_column_slice(&s.v);
                assert_near(product.as_slice(), bias.to_vector().as_slice(), 1e-10);
            });
        }
    }

    #[test]
    fn relative_jacobian_maps_velocities_between_bodies(
        seed: u64, bodies in 1usize..12, style in style()
    ) {
        let mut s = Scene::new(seed, bodies, style);
        let any = |s: &mut Scene| BodyIndex::new(s.random.below(bodies + 1));
        let (a, b, e, p) = (any(&mut s), any(&mut s), any(&mut s), s.random.vector());
        let mut jacobian = DMatrix::from_element(6, s.n(), f64::NAN);
        s.tree.relative_spatial_jacobian(&s.ws, b, &p, a, e, &mut jacobian).unwrap();
        let velocity = s.tree.relative_velocity(&s.ws, b, &p, a, e).unwrap();
        let product = jacobian * DVector::from_column_slice(&s.v);
        assert_near(product.as_slice(), velocity.to_vector().as_slice(), 1e-11);

        // Expressed in A, it is the rate of the point's coordinates and of the rotation in A.
        let velocity = s.tree.relative_velocity(&s.ws, b, &p, a, a).unwrap();
        let zero = vec![0.0; s.n()];
        s.rate(&zero, |tree, ws| {
            let x_ab = tree.body_pose(ws, a).unwrap().inverse() * tree.body_pose(ws, b).unwrap();
            let rate = x_ab.transform_point(&p.map(Dual64::from)).map(|x| x.eps);
            assert_near(rate.as_slice(), velocity.linear.as_slice(), 1e-11);
            let rate = x_ab.rotation.map(|x| x.eps) * x_ab.rotation.map(|x| x.re).transpose();
            let w = Vector3::new(rate[(2, 1)], rate[(0, 2)], rate[(1, 0)]);
            assert_near(w.as_slice(), velocity.angular.as_slice(), 1e-11);
        });
    }

    #[test]
    fn momentum_of_free_bodies_changes_by_gravity_alone(seed: u64, bodies in 1usize..12) {
        let mut s = Scene::new(seed, bodies, Style::Free);
        let tau: Vec<f64> = s.tree.joints().fold(s.tau.clone(), |mut tau, joint| {
            // Nothing pushes against the world.
            if joint.parent() == BodyIndex::WORLD {
                tau[joint.velocity_start()..][..joint.num_velocities()].fill(0.0);
            }
            tau
        });
        let vdot = s.forward_dynamics(&tau, false);
        let weight = s.tree.gravity() * s.tree.total_mass();
        s.rate(&vdot, |tree, ws| {
            let momentum = tree.momentum_about_center_of_mass(ws).unwrap();
            let scale = 1e-10 * (1.0 + vdot.iter().fold(0.0_f64, |m, x| m.max(x.abs())));
            assert_near(momentum.angular.map(|x| x.eps).as_slice(), &[0.0; 3], scale);
            assert_near(momentum.linear.map(|x| x.eps).as_slice(), weight.as_slice(), scale);
            let velocity = tree.center_of_mass_velocity(ws).unwrap();
            let rate = tree.center_of_mass(ws).unwrap();
            assert_near(
                rate.map(|x| x.eps).as_slice(), velocity.map(|x| x.re).as_slice(), 1e-11,
            );
        });
    }

    #[test]
    fn every_body_counts_for_the_centre_of_mass(seed: u64, bodies in 1usize..12, style in style()) {
        let s = Scene::new(seed, bodies, style);
        let center = s.tree.center_of_mass(&s.ws).unwrap();
        let mut sum = Vector3::zeros();
        for body in s.tree.bodies() {
            let index = body.index();
            let inertia = body.inertia();
            let position = s.tree.point_position(&s.ws, index, &inertia.center_of_mass).unwrap();
            sum += position * inertia.mass;
        }
        let mass = s.tree.total_mass();
        assert_near((center * mass).as_slice(), sum.as_slice(), 1e-13);
        let all = s.tree.center_of_mass_of(&s.ws, s.bodies()).unwrap();
        assert_near(all.as_slice(), center.as_slice(), 1e-13);
        let energy = s.tree.potential_energy(&s.ws).unwrap();
        assert_near(&[energy], &[-s.tree.gravity().dot(&sum)], 1e-13);
    }

    #[test]
    fn energy_changes_by_the_power_of_the_forces(seed: u64, bodies in 1usize..12, style in style()) {
        let mut s = Scene::new(seed, bodies, style);
        let mut damping = vec![f64::NAN; s.n()];
        s.tree.joint_damping_forces(&s.ws, &mut damping).unwrap();
        prop_assert!(dot(&damping, &s.v) <= 0.0);
        let tau: Vec<f64> = s.tau.iter().zip(&damping).map(|(a, b)| a + b).collect();
        let vdot = s.forward_dynamics(&tau, true);
        let mut power = dot(&tau, &s.v);
        for body in s.bodies() {
            let velocity = s.tree.body_velocity(&s.ws, body).unwrap();
            power += s.external[body.get()].power(&velocity);
        }
        s.rate(&vdot, |tree, ws| {
            let energy = tree.kinetic_energy(ws).unwrap() + tree.potential_energy(ws).unwrap();
            assert_near(&[energy.eps], &[power], 1e-9);
        });
    }

    /// `½ vᵀ Ṁ v = vᵀ C v`: without acceleration, kinetic energy changes by the bias forces alone.
    #[test]
    fn bias_forces_are_consistent_with_the_mass_matrix(seed: u64, bodies in 1usize..12, style in style()) {
        let mut s = Scene::new(seed, bodies, style);
        let mut bias = vec![f64::NAN; s.n()];
        s.tree.bias_forces(&mut s.ws, &mut bias).unwrap();
        let v: Vec<Dual64> = constants(&s.v);
        let rate = s.rate(&vec![0.0; s.n()], |tree, ws| {
            let mut m = DMatrix::zeros(v.len(), v.len());
            tree.mass_matrix(ws, &mut m).unwrap();
            let v = DVector::from_column_slice(&v);
            v.dot(&(&m * &v)).eps
        });
        assert_near(&[dot(&bias, &s.v)], &[0.5 * rate], 1e-10);
    }

    #[test]
    fn gravity_forces_are_the_slope_of_potential_energy(seed: u64, bodies in 1usize..12, style in style()) {
        let mut s = Scene::new(seed, bodies, style);
        let mut forces = vec![f64::NAN; s.n()];
        s.tree.gravity_forces(&mut s.ws, &mut forces).unwrap();
        for k in 0..s.n() {
            let mut direction = vec![0.0; s.n()];
            direction[k] = 1.0;
            let mut qdot = vec![0.0; s.q.len()];
            s.tree.map_velocity_to_qdot(&s.q, &direction, &mut qdot).unwrap();
            let tree = s.tree.cast::<Dual64>();
            let mut ws = tree.workspace();
            tree.set_positions(&mut ws, &with_rate(&s.q, &qdot)).unwrap();
            let energy = tree.potential_energy(&ws).unwrap();
            assert_near(&[forces[k]], &[-energy.eps], 1e-11);
        }
    }

    /// In a frame that moves at constant velocity nothing else happens.
    #[test]
    fn dynamics_are_galilei_invariant(seed: u64, bodies in 1usize..12) {
        let mut s = Scene::new(seed, bodies, Style::Free);
        let tau = s.tau.clone();
        let vdot = s.forward_dynamics(&tau, false);
        let (shift, drift) = (s.random.vector() * 10.0, s.random.vector() * 10.0);
        for joint in s.tree.joints().filter(|j| j.parent() == BodyIndex::WORLD) {
            let r = joint.pose_in_parent().rotation;
            for k in 0..3 {
                s.q[joint.position_start() + 4 + k] += (r.transpose() * shift)[k];
                s.v[joint.velocity_start() + 3 + k] += (r.transpose() * drift)[k];
            }
        }
        s.tree.set_state(&mut s.ws, &s.q, &s.v).unwrap();
        assert_near(&s.forward_dynamics(&tau, false), &vdot, 1e-9);
    }

    /// Turning everything turns everything: base and gravity by R, and so the base's acceleration.
    #[test]
    fn dynamics_do_not_depend_on_the_direction_of_the_world(seed: u64) {
        let mut random = Random::new(seed);
        let turn = RigidTransform::from_rotation(random.rotation());
        let build = |turn: Option<&RigidTransform<f64>>| {
            let mut builder = RigidBodyTreeBuilder::new();
            let gravity = Vector3::new(0.3, -2.0, 9.0);
            let mount = RigidTransform::from_translation(Vector3::new(0.1, 0.2, 0.3));
            builder.set_gravity(turn.map_or(gravity, |x| x.rotation * gravity)).unwrap();
            let mut parent = BodyIndex::WORLD;
            for (i, kind) in [
                JointKind::Floating,
                JointKind::Revolute { axis: Vector3::y() },
                JointKind::Ball,
                JointKind::Prismatic { axis: Vector3::new(1.0, 2.0, 2.0) },
            ].into_iter().enumerate() {
                let inertia = SpatialInertia {
                    mass: 1.0 + i as f64,
                    center_of_mass: Vector3::new(0.1, 0.2, -0.3),
                    rotational_inertia: Matrix3::from_diagonal(&Vector3::new(0.1, 0.2, 0.25)),
                };
                let body = builder.add_body(format!("{i}"), inertia).unwrap();
                // The first joint's frame on the world turns, and with it the whole tree.
                let frame = match (i, turn) {
                    (0, Some(x)) => *x * mount,
                    _ => mount,
                };
                builder.add_joint(format!("{i}"), kind, parent, frame, body).unwrap();
                parent = body;
            }
            builder.finish().unwrap()
        };
        let (original, turned) = (build(None), build(Some(&turn)));
        let (q, v) = random_state(&original, seed);
        let tau = random.numbers(original.num_velocities());
        let dynamics = |tree: &RigidBodyTree<f64>| {
            let mut ws = tree.workspace();
            tree.set_state(&mut ws, &q, &v).unwrap();
            let mut vdot = vec![f64::NAN; tau.len()];
            tree.forward_dynamics(&mut ws, &tau, None, &mut vdot).unwrap();
            (vdot, tree.center_of_mass(&ws).unwrap(), tree.momentum(&ws, &Vector3::zeros()).unwrap())
        };
        let (vdot, center, momentum) = dynamics(&original);
        let (vdot_turned, center_turned, momentum_turned) = dynamics(&turned);
        assert_near(&vdot_turned, &vdot, 1e-10);
        assert_near(center_turned.as_slice(), (turn.rotation * center).as_slice(), 1e-12);
        let expected = turn.rotation * momentum.angular;
        assert_near(momentum_turned.angular.as_slice(), expected.as_slice(), 1e-11);
    }

    /// A quaternion stands for the rotation of `q/‖q‖`.
    #[test]
    fn length_of_quaternions_does_not_matter(seed: u64, bodies in 1usize..12, style in style()) {
        let mut s = Scene::new(seed, bodies, style);
        let tau = s.tau.clone();
        let vdot = s.forward_dynamics(&tau, true);
        let joints: Vec<_> = s.tree.joints().cloned().collect();
        for joint in joints.iter().filter(|j| j.kind().has_quaternion()) {
            for x in &mut s.q[joint.position_start()..][..4] {
                *x *= 1.0004;
            }
        }
        s.tree.set_state(&mut s.ws, &s.q, &s.v).unwrap();
        assert_near(&s.forward_dynamics(&tau, true), &vdot, 1e-9);
    }
}

/// Two bodies welded together are one body with the sum of their inertias.
#[test]
fn welded_bodies_move_as_one() {
    let part = |mass: f64, x: f64| SpatialInertia {
        mass,
        center_of_mass: Vector3::new(x, 0.1, -0.2),
        rotational_inertia: Matrix3::from_diagonal(&Vector3::new(0.1, 0.12, 0.15)),
    };
    let mut random = Random::new(5);
    let weld = RigidTransform::new(random.rotation(), random.vector());
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    let at_origin = RigidTransform::identity();

    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let (a, b) = (
        builder.add_body("a", part(2.0, 0.3)).unwrap(),
        builder.add_body("b", part(1.0, -0.1)).unwrap(),
    );
    let c = builder.add_body("c", part(0.5, 0.2)).unwrap();
    builder
        .add_joint("free", JointKind::Floating, BodyIndex::WORLD, at_origin, a)
        .unwrap();
    builder
        .add_joint("weld", JointKind::Fixed, a, weld, b)
        .unwrap();
    builder.add_joint("hinge", hinge, b, at_origin, c).unwrap();
    let welded = builder.finish().unwrap();

    let sum =
        part(2.0, 0.3).combined(&part(1.0, -0.1).transformed(&weld.rotation, &weld.translation));
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let a = builder.add_body("a", sum).unwrap();
    let c = builder.add_body("c", part(0.5, 0.2)).unwrap();
    builder
        .add_joint("free", JointKind::Floating, BodyIndex::WORLD, at_origin, a)
        .unwrap();
    builder.add_joint("hinge", hinge, a, weld, c).unwrap();
    let single = builder.finish().unwrap();

    let (q, v) = random_state(&welded, 5);
    let (mut ws_welded, mut ws_single) = (welded.workspace(), single.workspace());
    welded.set_state(&mut ws_welded, &q, &v).unwrap();
    single.set_state(&mut ws_single, &q, &v).unwrap();
    let tau = random.numbers(7);
    let (mut x, mut y) = ([f64::NAN; 7], [f64::NAN; 7]);
    welded
        .forward_dynamics(&mut ws_welded, &tau, None, &mut x)
        .unwrap();
    single
        .forward_dynamics(&mut ws_single, &tau, None, &mut y)
        .unwrap();
    assert_near(&x, &y, 1e-12);
    assert_near(
        &[
            welded.kinetic_energy(&ws_welded).unwrap(),
            welded.potential_energy(&ws_welded).unwrap(),
        ],
        &[
            single.kinetic_energy(&ws_single).unwrap(),
            single.potential_energy(&ws_single).unwrap(),
        ],
        1e-12,
    );
    let pose = welded.body_pose(&ws_welded, BodyIndex::new(2)).unwrap();
    let expected = welded.body_pose(&ws_welded, BodyIndex::new(1)).unwrap() * weld;
    assert_near(
        pose.rotation.as_slice(),
        expected.rotation.as_slice(),
        1e-15,
    );
    assert_near(
        pose.translation.as_slice(),
        expected.translation.as_slice(),
        1e-15,
    );
}

/// A free body in the closed form of Euler's equations, about its origin away from the centre.
#[test]
fn free_body_obeys_newton_and_euler() {
    let mut random = Random::new(8);
    let r = random.rotation();
    let inertia = SpatialInertia {
        mass: 2.0,
        center_of_mass: Vector3::new(0.1, -0.2, 0.3),
        rotational_inertia: r
            * Matrix3::from_diagonal(&Vector3::new(0.3, 0.2, 0.4))
            * r.transpose(),
    };
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let body = builder.add_body("body", inertia).unwrap();
    let tree = builder.finish().unwrap();
    let (q, v) = random_state(&tree, 8);
    let mut ws = tree.workspace();
    tree.set_state(&mut ws, &q, &v).unwrap();
    let force = SpatialForce::new(random.vector(), random.vector());
    let mut vdot = [f64::NAN; 6];
    let external = [SpatialForce::zero(), force];
    tree.forward_dynamics(&mut ws, &[0.0; 6], Some(&external), &mut vdot)
        .unwrap();

    let r_wb = tree.body_pose(&ws, body).unwrap().rotation;
    let (w, c) = (
        Vector3::new(v[0], v[1], v[2]),
        r_wb * inertia.center_of_mass,
    );
    let j = r_wb * inertia.rotational_inertia * r_wb.transpose();
    let torque = force.torque - c.cross(&force.force);
    let alpha = j.try_inverse().unwrap() * (torque - w.cross(&(j * w)));
    let a_cm = force.force / inertia.mass + Vector3::new(0.0, 0.0, -9.81);
    let a = a_cm - alpha.cross(&c) - w.cross(&w.cross(&c));
    assert_near(&vdot[..3], alpha.as_slice(), 1e-12);
    assert_near(&vdot[3..], a.as_slice(), 1e-12);
}

/// A rotor behind a gear opposes the motion of its joint and nothing else: a massless drum with the
/// armature a, wound by a force, turns as one with the inertia a does.
#[test]
fn armature_opposes_the_motion_of_its_joint() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    builder.set_gravity(Vector3::zeros()).unwrap();
    let drum = builder.add_body("drum", SpatialInertia::zero()).unwrap();
    let load = builder
        .add_body(
            "load",
            SpatialInertia::point_mass(2.0, Vector3::new(0.5, 0.0, 0.0)),
        )
        .unwrap();
    let [z, at_origin] = [Vector3::z(), Vector3::zeros()];
    let turns = JointKind::Continuous { axis: z };
    let pose = RigidTransform::from_translation(at_origin);
    let shaft = builder
        .add_joint("shaft", turns, BodyIndex::WORLD, pose, drum)
        .unwrap();
    builder.set_armature(shaft, &[0.3]).unwrap();
    let hinge = builder.add_joint("hinge", turns, drum, pose, load).unwrap();
    let follower = builder
        .add_body("follower", SpatialInertia::zero())
        .unwrap();
    let geared = builder
        .add_joint("geared", turns, BodyIndex::WORLD, pose, follower)
        .unwrap();
    builder.set_armature(geared, &[0.01]).unwrap();
    let mimic = Mimic {
        joint: hinge,
        multiplier: -4.0,
        offset: 0.0,
    };
    builder.set_mimic(geared, mimic).unwrap();
    let tree = builder.finish().unwrap();
    let mut ws = tree.workspace();
    tree.set_state(&mut ws, &[0.2, -0.7], &[0.4, 0.9]).unwrap();
    let mut m = DMatrix::zeros(2, 2);
    tree.mass_matrix(&mut ws, &mut m).unwrap();
    // The load has 2 kg · 0.25 m² about the axis; the follower adds 16 · 0.01 to its joint.
    assert_near(m.as_slice(), &[0.8, 0.5, 0.5, 0.66], 1e-15);
    let energy = 0.5 * (0.5 * 1.3 * 1.3 + 0.3 * 0.4 * 0.4 + 0.16 * 0.9 * 0.9);
    assert!((tree.kinetic_energy(&ws).unwrap() - energy).abs() < 1e-15);
    let mut vdot = [0.0; 2];
    tree.forward_dynamics(&mut ws, &[1.0, 0.0], None, &mut vdot)
        .unwrap();
    let det = 0.8 * 0.66 - 0.25;
    assert_near(&vdot, &[0.66 / det, -0.5 / det], 1e-13);
}
