//! The quasi-symmetric bushing: laws, energies, singular states.

use super::laws::{check_action_and_reaction, check_element};
use crate::support::random_tree::{Random, Style, random_state, random_tree};
use dualbody::Parameters;
use dualbody::contact::ContactModel;
use dualbody::force::bushing::{BushingConstants, BushingOrientation, GIMBAL_LOCK_TOLERANCE};
use dualbody::force::{Attachment, ForceContext, ForceElement, ForceError, Forces};
use dualbody::force::{ConservativeBushing, LinearBushingRollPitchYaw};
use dualbody::math::{RollPitchYaw, SpatialForce, SpatialInertia, rotation};
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, FrameIndex, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3};
use num_dual::{Dual3_64, Dual64};

pub fn constants(random: &mut Random) -> BushingConstants<f64> {
    let mut positive = |scale: f64| random.vector().map(|x| scale * (x + 1.2));
    BushingConstants {
        torque_stiffness: positive(5.0),
        torque_damping: positive(0.5),
        force_stiffness: positive(30.0),
        force_damping: positive(2.0),
    }
}

/// Two free bodies with different inertias, without gravity.
pub fn two_bodies() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    builder.set_gravity(Vector3::zeros()).unwrap();
    for (name, mass, size) in [
        ("first", 1.5, Vector3::new(0.5, 0.7, 0.9)),
        ("second", 0.8, Vector3::new(0.6, 0.3, 0.4)),
    ] {
        let inertia = SpatialInertia::solid_box(mass, &size);
        builder.add_body(name, inertia).unwrap();
    }
    builder.finish().unwrap()
}

/// Positions of the two bodies: the second displaced by `p` and turned by the rotation vector `phi`.
pub fn placed(p: Vector3<f64>, phi: Vector3<f64>) -> Vec<f64> {
    let turn = rotation::quaternion_exp(&phi);
    vec![
        1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, turn.w, turn.i, turn.j, turn.k, p.x, p.y, p.z,
    ]
}

pub fn links() -> (Attachment, Attachment) {
    (BodyIndex::new(1).into(), BodyIndex::new(2).into())
}

#[test]
fn the_laws_hold_wherever_it_is_attached() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let tree = random_tree(seed, 5, Style::General);
        let (q, v) = random_state(&tree, seed);
        let attachments: [Attachment; 5] = [
            BodyIndex::WORLD.into(),
            BodyIndex::new(1).into(),
            BodyIndex::new(4).into(),
            FrameIndex::new(0).into(),
            FrameIndex::new(1).into(),
        ];
        let (a, c) = (random.below(5), random.below(4));
        let (a, c) = (attachments[a], attachments[(a + 1 + c) % 5]);
        let bushing =
            LinearBushingRollPitchYaw::new("bushing", a, c, constants(&mut random)).unwrap();
        assert_eq!(bushing.link0(&tree), a.body(&tree));
        assert_eq!(bushing.link1(&tree), c.body(&tree));
        let damping = check_element(&tree, &bushing, &q, &v);
        // Dampers are symmetric and never give energy.
        assert!((&damping - damping.transpose()).amax() < 1e-9);
        assert!(damping.symmetric_eigenvalues().min() > -1e-9);
        check_action_and_reaction(&tree, &bushing, &q, &v);
    }
}

/// Forces of a bushing between two bodies: on A about Ao, on C about Co, in W; energy; powers.
fn response(
    constants: BushingConstants<f64>,
    p: Vector3<f64>,
    phi: Vector3<f64>,
    v: &[f64],
) -> ([SpatialForce<f64>; 2], [f64; 3]) {
    let tree = two_bodies();
    let (a, c) = links();
    let bushing = LinearBushingRollPitchYaw::new("bushing", a, c, constants).unwrap();
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &placed(p, phi), v).unwrap();
    let context = ForceContext::new(&tree, &workspace);
    let mut forces = Forces::new(&tree);
    bushing.add_forces(&context, &mut forces).unwrap();
    let powers = [
        bushing.conservative_power(&context).unwrap(),
        bushing.nonconservative_power(&context).unwrap(),
        bushing.damping_power(&context).unwrap(),
    ];
    ([forces.on_bodies()[1], forces.on_bodies()[2]], powers)
}

#[test]
fn moments_of_the_force_about_both_origins_are_equal() {
    let mut random = Random::new(7);
    let mut constants = constants(&mut random);
    constants.torque_stiffness.fill(0.0);
    constants.torque_damping.fill(0.0);
    let (p, phi, v) = (random.vector(), random.vector(), random.numbers(12));
    let ([on_a, on_c], _) = response(constants, p, phi, &v);
    assert!((on_a.torque - on_c.torque).amax() < 1e-12 * on_a.torque.amax());
    assert!((on_a.force + on_c.force).amax() < 1e-12 * on_a.force.amax());
    assert!(on_a.torque.amax() > 1.0);
}

/// One kind of force at a time, at large angles and displacements.
#[test]
fn torque_springs_conserve_and_dampers_only_dissipate() {
    let mut random = Random::new(13);
    let zero = Vector3::zeros();
    for _ in 0..20 {
        let all = constants(&mut random);
        let none = BushingConstants {
            torque_stiffness: zero,
            torque_damping: zero,
            force_stiffness: zero,
            force_damping: zero,
        };
        let (p, phi, v) = (random.vector(), random.vector() * 1.2, random.numbers(12));
        let springs = BushingConstants {
            torque_stiffness: all.torque_stiffness,
            ..none
        };
        let (_, [conservative, other, damping]) = response(springs, p, phi, &v);
        assert!(conservative.abs() > 1e-3 && damping == 0.0);
        assert!(other.abs() < 1e-10 * conservative.abs());
        for dampers in [
            BushingConstants {
                torque_damping: all.torque_damping,
                ..none
            },
            BushingConstants {
                force_damping: all.force_damping,
                ..none
            },
        ] {
            let (_, [conservative, other, damping]) = response(dampers, p, phi, &v);
            assert!(conservative == 0.0 && damping < 0.0);
            assert!((other / damping - 1.0).abs() < 1e-10);
        }
    }
}

#[test]
fn what_is_not_conservative_is_the_damper_or_an_unequal_spring() {
    let mut random = Random::new(11);
    for _ in 0..20 {
        let unequal = constants(&mut random);
        let (p, phi, v) = (random.vector(), random.vector(), random.numbers(12));
        // Equal force stiffness: exact at any angle.
        let equal = BushingConstants {
            force_stiffness: Vector3::repeat(20.0),
            ..unequal
        };
        let (_, [_, other, damping]) = response(equal, p, phi, &v);
        assert!(damping < 0.0);
        assert!((other / damping - 1.0).abs() < 1e-9);
        // Unequal: the spurious power grows in proportion to the angle.
        let spurious = |angle: f64| {
            let (_, [_, other, damping]) = response(unequal, p, phi * angle, &v);
            (other - damping).abs()
        };
        let (coarse, fine) = (spurious(0.02), spurious(0.01));
        assert!(
            coarse > 1e-5 && (1.9..2.1).contains(&(coarse / fine)),
            "{}",
            coarse / fine
        );
    }
}

#[test]
fn the_half_way_frame_lies_half_way() {
    // A turn by 1 rad about z: the displacement along the bisector is along B's x axis.
    let constants = BushingConstants {
        torque_stiffness: Vector3::zeros(),
        torque_damping: Vector3::zeros(),
        force_stiffness: Vector3::new(10.0, 1e3, 1e3),
        force_damping: Vector3::zeros(),
    };
    let bisector = Vector3::new(0.5f64.cos(), 0.5f64.sin(), 0.0);
    let ([_, on_c], _) = response(constants, bisector * 0.3, Vector3::z(), &[0.0; 12]);
    assert!((on_c.force + bisector * 3.0).amax() < 1e-12);
    // −½ p × f = 0: the force acts along the line of the origins.
    assert!(on_c.torque.amax() < 1e-12);
}

#[test]
fn angles_lie_in_their_ranges_and_give_back_the_orientation() {
    use std::f64::consts::{FRAC_PI_2, PI};
    let tree = two_bodies();
    let (a, c) = links();
    let k2 = 3.0;
    let constants = BushingConstants {
        torque_stiffness: Vector3::new(1.0, 2.0, k2),
        torque_damping: Vector3::zeros(),
        force_stiffness: Vector3::zeros(),
        force_damping: Vector3::zeros(),
    };
    let bushing = LinearBushingRollPitchYaw::new("mount", a, c, constants).unwrap();
    let at = |phi: Vector3<f64>| {
        let mut workspace = tree.workspace();
        let q = placed(Vector3::zeros(), phi);
        tree.set_state(&mut workspace, &q, &[0.0; 12]).unwrap();
        let context = ForceContext::new(&tree, &workspace);
        let torque = bushing.spatial_force_on_frame_c(&context).unwrap().torque;
        (bushing.angles(&context).unwrap(), torque)
    };
    let mut random = Random::new(17);
    for _ in 0..200 {
        let phi = random.vector().normalize() * (PI * random.signed());
        let (angles, _) = at(phi);
        let RollPitchYaw { roll, pitch, yaw } = angles;
        assert!(roll > -PI && roll <= PI && yaw > -PI && yaw <= PI);
        assert!(pitch.abs() <= FRAC_PI_2);
        assert!((angles.to_matrix() - rotation::exp(&phi)).amax() < 1e-12);
    }
    // A yaw that passes π goes on at −π, and its torque jumps by 2 π k₂.
    for (yaw, measured) in [(PI - 1e-9, PI), (PI + 1e-9, -PI)] {
        let (angles, torque) = at(Vector3::z() * yaw);
        assert!((angles.yaw - measured).abs() < 1e-8);
        assert!((torque.z + k2 * measured).abs() < 1e-7);
    }
}

#[test]
fn constants_are_parameters_of_the_system() {
    let mut random = Random::new(19);
    let (a, c) = links();
    let bushing = LinearBushingRollPitchYaw::new("mount", a, c, constants(&mut random)).unwrap();
    let mut system = (TimeSteppingRigidBodySystem::new(two_bodies(), ContactModel::none(), 1e-3)
        .unwrap())
    .with_forces([bushing])
    .unwrap();
    let names: Vec<String> = (system.parameters().into_iter())
        .map(|p| p.name)
        .filter(|name| name.starts_with("force/mount/"))
        .collect();
    assert_eq!(names.len(), 12);
    for (index, name) in names.iter().enumerate() {
        system.set_parameter(name, index as f64).unwrap();
        assert_eq!(system.parameter(name), Ok(index as f64));
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let error = system.set_parameter(name, bad).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
    let bushing: &LinearBushingRollPitchYaw<f64> = system.forces()[0].downcast_ref().unwrap();
    let three = |i: f64| Vector3::new(i, i + 1.0, i + 2.0);
    assert_eq!(*bushing.torque_stiffness_constants(), three(0.0));
    assert_eq!(*bushing.torque_damping_constants(), three(3.0));
    assert_eq!(*bushing.force_stiffness_constants(), three(6.0));
    assert_eq!(*bushing.force_damping_constants(), three(9.0));
    // The step knows of it: a body displaced by 0.1 m along x is pulled with 6 N/m, less a damping
    // that takes below 2 %.
    let start = State::new(
        DVector::from_vec(placed(Vector3::x() * 0.1, Vector3::zeros())),
        DVector::zeros(12),
    );
    let mut workspace = system.workspace().unwrap();
    let step = system.step(&mut workspace, &start, &[]).unwrap();
    let impulse = -6.0 * 0.1 * 1e-3;
    assert!((step.state().v[9] * 0.8 / impulse - 1.0).abs() < 0.02);
}

#[test]
fn near_gimbal_lock_there_is_an_error_not_a_number() {
    let tree = two_bodies();
    let mut random = Random::new(3);
    let (a, c) = links();
    let bushing = LinearBushingRollPitchYaw::new("mount", a, c, constants(&mut random)).unwrap();
    let at = |pitch: f64| {
        let mut workspace = tree.workspace();
        let q = placed(Vector3::repeat(0.1), Vector3::y() * pitch);
        tree.set_state(&mut workspace, &q, &[0.3; 12]).unwrap();
        let context = ForceContext::new(&tree, &workspace);
        let mut forces = Forces::new(&tree);
        bushing.add_forces(&context, &mut forces).map(|()| forces)
    };
    let edge = GIMBAL_LOCK_TOLERANCE.acos();
    for sign in [1.0, -1.0] {
        for pitch in [edge + 1e-6, std::f64::consts::FRAC_PI_2] {
            match at(sign * pitch) {
                Err(ForceError::GimbalLock {
                    name,
                    pitch: reported,
                    tolerance,
                }) => {
                    assert_eq!((name.as_str(), tolerance), ("mount", GIMBAL_LOCK_TOLERANCE));
                    assert!((reported - sign * pitch).abs() < 1e-7);
                }
                other => panic!("{other:?}"),
            }
        }
        let text = at(sign * 1.57).unwrap_err().to_string();
        assert!(text.contains(&format!("{:.2}", sign * 1.57)), "{text}");
        assert!(text.contains("0.008"), "{text}");
        let forces = at(sign * (edge - 1e-6)).unwrap();
        assert!(
            forces.on_bodies()[1]
                .to_vector()
                .iter()
                .all(|x| x.is_finite())
        );
    }
}

/// What the bushing says of its deformation is that of the equations, and gives its forces.
#[test]
fn the_deformation_is_that_of_the_equations() {
    let mut random = Random::new(31);
    let tree = two_bodies();
    let (a, c) = links();
    for _ in 0..20 {
        let constants = constants(&mut random);
        let bushing = LinearBushingRollPitchYaw::new("mount", a, c, constants).unwrap();
        let (p, phi, v) = (random.vector(), random.vector(), random.numbers(12));
        let mut q = placed(p, phi);
        // Frame A turned and displaced as well.
        let turn = rotation::quaternion_exp(&random.vector());
        q[..4].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
        q[4..7].copy_from_slice(random.vector().as_slice());
        let mut workspace = tree.workspace();
        tree.set_state(&mut workspace, &q, &v).unwrap();
        let context = ForceContext::new(&tree, &workspace);
        if bushing.is_gimbal_locked(&context).unwrap() {
            continue;
        }
        let d = bushing.deformation(&context).unwrap();
        let (x_wa, x_wc) = (a.pose(&context).unwrap(), c.pose(&context).unwrap());
        let x_ac = x_wa.inverse() * x_wc;
        // B is as far from A as C from B, in position and in orientation.
        let x_bc = d.pose_of_b.inverse() * x_ac;
        assert!((x_bc.rotation - d.pose_of_b.rotation).amax() < 1e-12);
        assert!((d.pose_of_b.translation * 2.0 - x_ac.translation).amax() < 1e-12);
        let displacement = d.pose_of_b.rotation.tr_mul(&x_ac.translation);
        assert!((d.displacement - displacement).amax() < 1e-12);
        assert!((d.angles.to_matrix() - x_ac.rotation).amax() < 1e-12);
        let q = Vector3::new(d.angles.roll, d.angles.pitch, d.angles.yaw);
        let tau = -constants.torque_stiffness.component_mul(&q)
            - constants.torque_damping.component_mul(&d.angle_rates);
        assert!((d.gimbal_torque - tau).amax() < 1e-12);
        let force = -constants.force_stiffness.component_mul(&d.displacement)
            - constants.force_damping.component_mul(&d.displacement_rates);
        assert!((d.force_on_c - force).amax() < 1e-12);
        // t·w_AC = τ·q̇, and the rates are those of the angles.
        let (v_wa, v_wc) = (a.velocity(&context).unwrap(), c.velocity(&context).unwrap());
        let w_ac_a = x_wa.rotation.tr_mul(&(v_wc.angular - v_wa.angular));
        let power = d.torque_on_c.dot(&w_ac_a);
        assert!((power - tau.dot(&d.angle_rates)).abs() < 1e-9 * (1.0 + power.abs()));
        let later = x_ac.rotation + rotation::skew(&w_ac_a) * x_ac.rotation * 1e-7;
        let later = RollPitchYaw::from_matrix(&later);
        let moved = Vector3::new(later.roll, later.pitch, later.yaw) - q;
        assert!((moved / 1e-7 - d.angle_rates).amax() < 1e-4 * (1.0 + d.angle_rates.amax()));
        // On C: the force at Bo and the torque.
        let on_c = bushing.spatial_force_on_frame_c(&context).unwrap();
        let force = d.pose_of_b.rotation * d.force_on_c;
        let moment = (d.pose_of_b.translation - x_ac.translation).cross(&force);
        let torque = d.torque_on_c + moment;
        assert!((x_ac.rotation * on_c.force - force).amax() < 1e-11);
        assert!((x_ac.rotation * on_c.torque - torque).amax() < 1e-11);
    }
}

#[test]
fn gimbal_lock_can_be_asked_for() {
    let tree = two_bodies();
    let (a, c) = links();
    let constants = constants(&mut Random::new(3));
    let linear = LinearBushingRollPitchYaw::new("mount", a, c, constants).unwrap();
    let by_angles = BushingOrientation::RollPitchYaw;
    let by_vector = BushingOrientation::RotationVector;
    let [angles, vector] =
        [by_angles, by_vector].map(|o| ConservativeBushing::new("other", a, c, o, constants));
    let (angles, vector) = (angles.unwrap(), vector.unwrap());
    let edge = GIMBAL_LOCK_TOLERANCE.acos();
    for pitch in [0.0, edge - 1e-6, edge + 1e-6, -1.57] {
        let mut workspace = tree.workspace();
        let q = placed(Vector3::repeat(0.1), Vector3::y() * pitch);
        tree.set_positions(&mut workspace, &q).unwrap();
        let context = ForceContext::new(&tree, &workspace);
        let locked = linear.is_gimbal_locked(&context).unwrap();
        assert_eq!(locked, pitch.abs() > edge);
        assert_eq!(linear.deformation(&context).is_err(), locked);
        assert_eq!(angles.is_gimbal_locked(&context).unwrap(), locked);
        assert!(!vector.is_gimbal_locked(&context).unwrap());
    }
}

#[test]
fn derivatives_are_finite_where_nothing_is_deformed() {
    // Along a rotation and a displacement from the relaxed state, to third order.
    let tree = two_bodies().cast::<Dual3_64>();
    let mut random = Random::new(5);
    let constants = constants(&mut random);
    let (a, c) = links();
    let bushing = LinearBushingRollPitchYaw::new("bushing", a, c, constants).unwrap();
    let bushing = ForceElement::<f64>::cast::<Dual3_64>(&bushing);
    let t = Dual3_64::from(0.0).derivative();
    let turn = rotation::quaternion_exp(&(Vector3::<Dual3_64>::x() * t));
    let mut q: Vec<Dual3_64> = placed(Vector3::zeros(), Vector3::zeros())
        .into_iter()
        .map(Dual3_64::from)
        .collect();
    (q[7], q[8], q[12]) = (turn.w, turn.i, t);
    let mut workspace = tree.workspace();
    let v = [Dual3_64::from(0.0); 12];
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let context = ForceContext::new(&tree, &workspace);
    let mut forces = Forces::new(&tree);
    bushing.add_forces(&context, &mut forces).unwrap();
    let on_c = forces.on_bodies()[2];
    for x in on_c.to_vector().iter() {
        assert!(x.v1.is_finite() && x.v2.is_finite() && x.v3.is_finite());
    }
    // Roll t and displacement y = t: −k₀ t and −k_y t to first order.
    assert!((on_c.torque.x.v1 + constants.torque_stiffness.x).abs() < 1e-12);
    assert!((on_c.force.y.v1 + constants.force_stiffness.y).abs() < 1e-12);
}

#[test]
fn constants_are_checked_and_can_be_changed() {
    let mut random = Random::new(9);
    let good = constants(&mut random);
    let (a, c) = links();
    for (bad, index) in [(-1.0, 0), (f64::NAN, 1), (f64::INFINITY, 2)] {
        for field in 0..4 {
            let mut constants = good;
            let vector = [
                &mut constants.torque_stiffness,
                &mut constants.torque_damping,
                &mut constants.force_stiffness,
                &mut constants.force_damping,
            ];
            vector.into_iter().nth(field).unwrap()[index] = bad;
            let error = LinearBushingRollPitchYaw::new("mount", a, c, constants).unwrap_err();
            let text = error.to_string();
            let quantity = [
                "torque stiffness",
                "torque damping",
                "force stiffness",
                "force damping",
            ][field];
            assert!(text.contains("mount") && text.contains(quantity), "{text}");
            assert!(text.contains(&format!("[{index}]")), "{text}");
        }
    }
    let mut bushing = LinearBushingRollPitchYaw::new("mount", a, c, good).unwrap();
    let new = Vector3::new(1.0, 2.0, 3.0);
    bushing.set_torque_stiffness_constants(new).unwrap();
    bushing.set_torque_damping_constants(new * 2.0).unwrap();
    bushing.set_force_stiffness_constants(new * 3.0).unwrap();
    bushing.set_force_damping_constants(new * 4.0).unwrap();
    assert_eq!(*bushing.torque_stiffness_constants(), new);
    assert_eq!(*bushing.torque_damping_constants(), new * 2.0);
    assert_eq!(*bushing.force_stiffness_constants(), new * 3.0);
    assert_eq!(*bushing.force_damping_constants(), new * 4.0);
    assert!(bushing.set_force_damping_constants(-new).is_err());
    assert_eq!(*bushing.force_damping_constants(), new * 4.0);
    let mut names = Vec::new();
    bushing.visit_parameters(&mut |p| names.push(format!("{} {} {}", p.name, p.unit, p.value)));
    assert_eq!(names.len(), 12);
    assert_eq!(names[0], "mount/torque_stiffness/0 N m/rad 1");
    assert_eq!(names[5], "mount/torque_damping/2 N m s/rad 6");
    assert_eq!(names[7], "mount/force_stiffness/y N/m 6");
    assert_eq!(names[9], "mount/force_damping/x N s/m 4");
    let nowhere = BodyIndex::new(5);
    let bushing = LinearBushingRollPitchYaw::new("mount", a, nowhere, good).unwrap();
    assert!(bushing.validate(&two_bodies()).is_err());
}

#[test]
fn jacobians_of_the_exponential_are_its_derivative() {
    let mut random = Random::new(1);
    for angle in [0.0, 1e-9, 1e-3, 0.5, 1.0 - 1e-9, 1.0 + 1e-9, 3.0, 3.2, 5.0] {
        let phi: Vector3<f64> = random.vector().normalize() * angle;
        let rate = random.vector();
        let moving = Vector3::from_fn(|i, _| Dual64::new(phi[i], rate[i]));
        let r = rotation::exp(&moving);
        let spin = r.map(|x| x.eps) * r.map(|x| x.re).transpose();
        let w = Vector3::new(spin[(2, 1)], spin[(0, 2)], spin[(1, 0)]);
        assert!(
            (rotation::left_jacobian(&phi) * rate - w).amax() < 1e-13,
            "{angle}"
        );
        assert!(
            (rotation::inverse_left_jacobian(&phi) * w - rate).amax() < 1e-12,
            "{angle}"
        );
        // Third derivatives against differences of second ones.
        let along = |h: f64| {
            let t = Dual3_64::from(h).derivative();
            let phi = Vector3::from_fn(|i, _| t * rate[i] + phi[i]);
            rotation::inverse_left_jacobian(&phi) * rate.map(Dual3_64::from)
        };
        let (before, here, after) = (along(-1e-4), along(0.0), along(1e-4));
        for i in 0..3 {
            let second = (after[i].v1 - before[i].v1) / 2e-4;
            let third = (after[i].v2 - before[i].v2) / 2e-4;
            assert!((here[i].v2 - second).abs() < 1e-6 * (1.0 + second.abs()));
            assert!((here[i].v3 - third).abs() < 1e-6 * (1.0 + third.abs()));
            assert!(here[i].re.is_finite());
        }
    }
}
