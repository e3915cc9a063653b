//! Trees with all kinds of joints, made from a number.

use dualbody::Scalar;
use dualbody::math::{RigidTransform, SpatialForce, SpatialInertia, rotation};
use dualbody::tree::{
    BodyIndex, JointIndex, JointKind, Mimic, RigidBodyTree, RigidBodyTreeBuilder,
};
use nalgebra::{Matrix3, Vector3};
use num_dual::Dual64;

/// SplitMix64 (Steele, Lea & Flood 2014): reproducible everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Uniform between −1 and 1.
    pub fn signed(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.signed())
    }

    pub fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.signed()).collect()
    }

    pub fn rotation(&mut self) -> Matrix3<f64> {
        rotation::exp(&(self.vector() * 3.0))
    }

    pub fn forces(&mut self, n: usize) -> Vec<SpatialForce<f64>> {
        (0..n)
            .map(|_| SpatialForce::new(self.vector() * 5.0, self.vector() * 5.0))
            .collect()
    }

    fn pose(&mut self) -> RigidTransform<f64> {
        let rotation = match self.below(2) {
            0 => Matrix3::identity(),
            _ => self.rotation(),
        };
        RigidTransform::new(rotation, self.vector() * 0.5)
    }

    fn axis(&mut self) -> Vector3<f64> {
        match self.below(5) {
            0 => Vector3::x(),
            1 => -Vector3::y(),
            2 => Vector3::z() * 2.0,
            _ => self.vector() + Vector3::repeat(0.01),
        }
    }

    /// Of a body with three pairs of point masses, so physically possible.
    fn inertia(&mut self) -> SpatialInertia<f64> {
        let square = |x: f64| 0.01 + 0.1 * x * x;
        let (a, b, c) = (
            square(self.signed()),
            square(self.signed()),
            square(self.signed()),
        );
        let r = self.rotation();
        let moments = Matrix3::from_diagonal(&Vector3::new(b + c, c + a, a + b));
        SpatialInertia {
            mass: 1.5 + self.signed(),
            center_of_mass: self.vector() * 0.3,
            rotational_inertia: r * moments * r.transpose(),
        }
    }

    fn joint_kind(&mut self, with_fixed: bool) -> JointKind {
        match self.below(if with_fixed { 9 } else { 8 }) {
            0 => JointKind::Prismatic { axis: self.axis() },
            1 => {
                let r = self.rotation();
                JointKind::Planar {
                    x_axis: r.column(0).into(),
                    y_axis: r.column(1).into(),
                }
            }
            2 => JointKind::Ball,
            3 => JointKind::Floating,
            4 => JointKind::Continuous { axis: self.axis() },
            5..8 => JointKind::Revolute { axis: self.axis() },
            _ => JointKind::Fixed,
        }
    }
}

/// What a random tree may contain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Style {
    /// Every kind of joint, anywhere.
    General,
    /// As `General`, and joints that follow others.
    Mimic,
    /// Every kind of joint; nothing but floating joints at the world.
    Free,
}

/// A tree of `bodies` bodies beside the world.
pub fn random_tree(seed: u64, bodies: usize, style: Style) -> RigidBodyTree<f64> {
    let mut random = Random::new(seed);
    let mut builder = RigidBodyTreeBuilder::new();
    let gravity = random.vector() * 9.0;
    builder.set_gravity(gravity).unwrap();
    let mut single: Vec<JointIndex> = vec![];
    for i in 1..=bodies {
        let inertia = random.inertia();
        let child = builder.add_body(format!("body{i}"), inertia).unwrap();
        let parent = BodyIndex::new(random.below(i));
        let (kind, pose) = (random.joint_kind(true), random.pose());
        let kind = match style {
            Style::Free if parent == BodyIndex::WORLD => JointKind::Floating,
            _ => kind,
        };
        let joint = (builder.add_joint(format!("joint{i}"), kind, parent, pose, child)).unwrap();
        let dofs = kind.num_velocities();
        let damping: Vec<f64> = random.numbers(dofs).iter().map(|x| x.abs()).collect();
        builder.set_damping(joint, &damping).unwrap();
        let armature: Vec<f64> = damping.iter().map(|d| 0.3 * d).collect();
        if style != Style::Free {
            // Rotors have a momentum that is not that of the bodies.
            builder.set_armature(joint, &armature).unwrap();
        }
        if dofs == 1 {
            if style == Style::Mimic && !single.is_empty() && random.below(2) == 0 {
                let followed = single[random.below(single.len())];
                let (multiplier, offset) = (2.0 * random.signed(), random.signed());
                let mimic = Mimic {
                    joint: followed,
                    multiplier,
                    offset,
                };
                builder.set_mimic(joint, mimic).unwrap();
            }
            single.push(joint);
        }
    }
    for i in 0..2 {
        let (body, pose) = (BodyIndex::new(random.below(bodies + 1)), random.pose());
        builder.add_frame(format!("frame{i}"), body, pose).unwrap();
    }
    builder.finish().unwrap()
}

/// A configuration and velocities of a tree.
pub fn random_state(tree: &RigidBodyTree<f64>, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new(!seed);
    let turn = random.numbers(tree.num_velocities());
    let mut q = tree.neutral_configuration();
    // A tree of hostile numbers refuses it, and what is asked of it there.
    let _ = tree.integrate_exponential(
        tree.neutral_configuration().as_slice(),
        &turn,
        1.5,
        q.as_mut_slice(),
    );
    let v = random.numbers(tree.num_velocities());
    (q.as_slice().to_vec(), v.iter().map(|v| 2.0 * v).collect())
}

/// The state with its time derivative in the infinitesimal part: `q + ε N v`, `v + ε v̇`.
pub fn flow(
    tree: &RigidBodyTree<f64>,
    q: &[f64],
    v: &[f64],
    vdot: &[f64],
) -> (Vec<Dual64>, Vec<Dual64>) {
    let mut qdot = vec![0.0; q.len()];
    tree.map_velocity_to_qdot(q, v, &mut qdot).unwrap();
    (with_rate(q, &qdot), with_rate(v, vdot))
}

pub fn with_rate(x: &[f64], rate: &[f64]) -> Vec<Dual64> {
    x.iter()
        .zip(rate)
        .map(|(&x, &rate)| Dual64::new(x, rate))
        .collect()
}

pub fn constants<T: Scalar>(x: &[f64]) -> Vec<T> {
    x.iter().map(|&x| T::from(x)).collect()
}

/// Asserts `|a − b| ≤ tolerance · max(|b|, 1)` with the largest entry of `b`.
#[track_caller]
pub fn assert_near(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!(
            (a - b).abs() <= tolerance * scale,
            "entry {i}: {a} and {b} differ by {:e}",
            (a - b).abs()
        );
    }
}
