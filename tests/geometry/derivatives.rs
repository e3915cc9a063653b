//! Derivatives of contact points with respect to poses and dimensions.

use super::support::*;
use crate::cases::tier;
use dualbody::Scalar;
use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian, jacobian};
use dualbody::geometry::{
    BoxReference, ContactPoint, ConvexFeature, GeometryError, PatchSide, Shape, Witness,
    signed_distance, witnesses,
};
use dualbody::math::{RigidTransform, rotation};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::{Dual2_64, Dual3_64, Dual64, HyperDual64};

/// A contact as a function of the rotation vector and the translation by which A and then B are
/// moved, and of the dimensions of A and B.
struct Contact<'a> {
    pair: &'a Pair,
    witness: Witness,
}

fn moved<T: Scalar>(X: &Pose, x: &[T]) -> RigidTransform<T> {
    let X = X.cast::<T>();
    RigidTransform::new(
        rotation::exp(&Vector3::new(x[0], x[1], x[2])) * X.rotation,
        X.translation + Vector3::new(x[3], x[4], x[5]),
    )
}

fn with_dimensions<T: Scalar>(shape: &Shape<f64>, x: &mut impl Iterator<Item = T>) -> Shape<T> {
    let mut shape = shape.cast::<T>();
    shape.visit_parameters("", &mut |p| {
        if let Some(x) = x.next() {
            *p.value = x;
        }
    });
    shape
}

impl Contact<'_> {
    fn at_rest(&self) -> Vec<f64> {
        let mut x = vec![0.0; 12];
        for shape in [&self.pair.a, &self.pair.b] {
            (shape.clone()).visit_parameters("", &mut |p| x.push(*p.value));
        }
        x
    }

    fn contact<T: Scalar>(&self, x: &[T]) -> Result<ContactPoint<T>, GeometryError> {
        let mut dimensions = x[12..].iter().copied();
        let a = with_dimensions(&self.pair.a, &mut dimensions);
        let b = with_dimensions(&self.pair.b, &mut dimensions);
        let (X_WA, X_WB) = (
            moved(&self.pair.X_WA, &x[..6]),
            moved(&self.pair.X_WB, &x[6..12]),
        );
        self.witness.contact_point(&a, &X_WA, &b, &X_WB)
    }

    fn values<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, GeometryError> {
        let c = self.contact(x)?;
        let vectors = [c.nhat_BA_W, c.p_WCa, c.p_WCb];
        let components = vectors.iter().flat_map(|v| v.iter().copied());
        Ok(DVector::from_iterator(
            11,
            [c.penetration]
                .into_iter()
                .chain(components)
                .chain([c.weight]),
        ))
    }
}

impl VectorFunction for Contact<'_> {
    type Error = GeometryError;
    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, GeometryError> {
        self.values(x)
    }
}

/// The first derivatives along a direction, as a function of the point.
struct Slope<'a> {
    contact: &'a Contact<'a>,
    direction: &'a [f64],
}

impl Slope<'_> {
    fn eval(&self, x: &[f64]) -> Result<DVector<f64>, GeometryError> {
        let x: Vec<_> = x
            .iter()
            .zip(self.direction)
            .map(|(&x, &d)| Dual64::new(x, d))
            .collect();
        Ok(self.contact.values(&x)?.map(|y| y.eps))
    }
}

/// Calls `check` with every contact of the catalogue, in both orders, moved to a generic pose.
fn for_every_contact(check: impl FnMut(&Contact)) {
    for_every_contact_moved(&pose([0.7, -0.4, 1.1], [0.2, -0.5, 0.3]), check);
}

fn for_every_contact_moved(X: &Pose, mut check: impl FnMut(&Contact)) {
    for pair in catalogue() {
        for pair in [pair.moved(X), pair.swapped().moved(X)] {
            for witness in pair.witnesses(3.0) {
                check(&Contact {
                    pair: &pair,
                    witness,
                });
            }
        }
    }
}

/// Some direction in the space of poses and dimensions.
fn direction(n: usize) -> Vec<f64> {
    (0..n).map(|i| (1.0 + 0.7 * i as f64).sin()).collect()
}

#[test]
fn first_derivatives_agree_with_differences() {
    for_every_contact(|contact| {
        let check = check_jacobian(&JacobianChecker::default(), contact, &contact.at_rest());
        let check = check.unwrap();
        assert!(check.agrees(), "{:?}: {check}", contact.witness);
    });
}

#[test]
fn second_derivatives_agree_with_differences_and_with_each_other() {
    for_every_contact(|contact| {
        let x = contact.at_rest();
        let d = direction(x.len());
        let second: Vec<_> = (x.iter().zip(&d))
            .map(|(&x, &d)| Dual2_64::new(x, d, 0.0))
            .collect();
        let second = contact.values(&second).unwrap();
        let hyper: Vec<_> = (x.iter().zip(&d))
            .map(|(&x, &d)| HyperDual64::new(x, d, d, 0.0))
            .collect();
        let hyper = contact.values(&hyper).unwrap();
        for (y, z) in second.iter().zip(hyper.iter()) {
            let tolerance = 1e-10 * (1.0 + y.v2.abs());
            assert!(
                (y.v2 - z.eps1eps2).abs() < tolerance,
                "{:?}",
                contact.witness
            );
        }
        // Along the direction, as a function of one variable.
        let slope = Slope {
            contact,
            direction: &d,
        };
        let along = |s: &[f64]| {
            let x: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x + s[0] * d).collect();
            slope.eval(&x)
        };
        let claimed = DMatrix::from_column_slice(11, 1, second.map(|y| y.v2).as_slice());
        let check = JacobianChecker::default()
            .check(along, &[0.0], &claimed)
            .unwrap();
        assert!(check.agrees(), "{:?}: {check}", contact.witness);
    });
}

#[test]
fn third_derivatives_agree_with_differences() {
    for_every_contact(|contact| {
        let x = contact.at_rest();
        let d = direction(x.len());
        let third = |s: f64| {
            let x: Vec<_> = (x.iter().zip(&d))
                .map(|(&x, &d)| Dual3_64::new(x + s * d, d, 0.0, 0.0))
                .collect();
            contact.values(&x)
        };
        let claimed = third(0.0).unwrap().map(|y| y.v3);
        let claimed = DMatrix::from_column_slice(11, 1, claimed.as_slice());
        let along = |s: &[f64]| Ok::<_, GeometryError>(third(s[0])?.map(|y| y.v2));
        let check = JacobianChecker::default()
            .check(along, &[0.0], &claimed)
            .unwrap();
        assert!(check.agrees(), "{:?}: {check}", contact.witness);
    });
}

/// The contact of a point that does not move along its own surface to first order in depth: the
/// gradient of the penetration is the wrench of a unit normal force.
fn penetration_is_that_of_a_material_point(witness: Witness) -> bool {
    match witness {
        // On the side of the rim, the point keeps its height while the cylinder rolls over it.
        Witness::CylinderHalfSpace { quarter, .. } | Witness::HeightFieldPlane { quarter, .. } => {
            quarter % 2 == 0
        }
        Witness::HeightFieldEdge {
            corner: Some(corner),
            ..
        } => !(corner.iter()).any(|side| matches!(side, PatchSide::Reference(_))),
        // The corner slides along the incident edge or face, which is tilted.
        Witness::BoxBoxFace {
            corner, reference, ..
        } => match reference {
            BoxReference::First => corner.iter().all(|e| e.first.is_none()),
            BoxReference::Second => corner.iter().all(|e| e.second.is_none()),
            BoxReference::Both => false,
        },
        Witness::ConvexPatch {
            parts,
            on_first,
            corner,
            ..
        } => {
            let incident = parts[usize::from(on_first)];
            let slides = |side: PatchSide| matches!(side, PatchSide::Reference(_));
            !matches!(incident, ConvexFeature::Cap(_)) && !corner.into_iter().any(slides)
        }
        _ => true,
    }
}

#[test]
fn gradient_of_the_penetration_is_the_wrench_of_the_normal() {
    for_every_contact(|contact| {
        if !penetration_is_that_of_a_material_point(contact.witness) {
            return;
        }
        let x = contact.at_rest();
        let (_, jacobian) = jacobian(contact, &x).unwrap();
        let c = contact.contact(&x).unwrap();
        let block = |column| Vector3::from_fn(|i, _| jacobian[(0, column + i)]);
        let n = c.nhat_BA_W;
        let (p_AoC_W, p_BoC_W) = (
            c.p_WCa - contact.pair.X_WA.translation,
            c.p_WCa - contact.pair.X_WB.translation,
        );
        assert_close(&block(0), &-p_AoC_W.cross(&n), 1e-12);
        assert_close(&block(3), &-n, 1e-12);
        assert_close(&block(6), &p_BoC_W.cross(&n), 1e-12);
        assert_close(&block(9), &n, 1e-12);
    });
}

#[test]
fn a_common_motion_changes_no_penetration() {
    for_every_contact(|contact| {
        let x = contact.at_rest();
        let (_, jacobian) = jacobian(contact, &x).unwrap();
        let c = contact.contact(&x).unwrap();
        let (p_A, p_B) = (contact.pair.X_WA.translation, contact.pair.X_WB.translation);
        for axis in 0..3 {
            let e = Vector3::ith(axis, 1.0);
            // Translation along the axis; rotation about the axis through the world's origin.
            let mut motions = [vec![0.0; x.len()], vec![0.0; x.len()]];
            for (first, p) in [(0, p_A), (6, p_B)] {
                motions[0][first + 3 + axis] = 1.0;
                motions[1][first + axis] = 1.0;
                motions[1][first + 3..first + 6].copy_from_slice(e.cross(&p).as_slice());
            }
            let expected = [
                (Vector3::zeros(), e, e),
                (e.cross(&c.nhat_BA_W), e.cross(&c.p_WCa), e.cross(&c.p_WCb)),
            ];
            for (motion, (dn, dp_a, dp_b)) in motions.into_iter().zip(expected) {
                let change = &jacobian * DVector::from_vec(motion);
                let block = |row: usize| change.fixed_rows::<3>(row).into_owned();
                assert!(change[0].abs() < 1e-11, "{:?}", contact.witness);
                assert_close(&block(1), &dn, 1e-11);
                assert_close(&block(4), &dp_a, 1e-11);
                assert_close(&block(7), &dp_b, 1e-11);
            }
        }
    });
}

#[test]
fn real_parts_are_those_of_f64_bit_for_bit() {
    fn real_parts<T: Scalar>(contact: &Contact, x: Vec<T>) -> Vec<u64> {
        let y = contact.values(&x).unwrap();
        y.iter().map(|y| y.re().to_bits()).collect()
    }
    for i in 0..tier(1, 10) {
        let X = pose([0.3 * f64::from(i), -0.4, 1.1], [0.2, -0.5, 0.3]);
        for_every_contact_moved(&X, |contact| {
            let x = contact.at_rest();
            let expected = real_parts(contact, x.clone());
            let dual = x.iter().map(|&x| Dual64::new(x, 0.3)).collect();
            let third = x.iter().map(|&x| Dual3_64::new(x, 0.3, 0.2, 0.1)).collect();
            let hyper = x
                .iter()
                .map(|&x| HyperDual64::new(x, 0.3, 0.2, 0.1))
                .collect();
            assert_eq!(real_parts(contact, dual), expected);
            assert_eq!(real_parts(contact, third), expected);
            assert_eq!(real_parts(contact, hyper), expected);
            // Duals find the same features.
            let Pair { a, X_WA, b, X_WB } = contact.pair;
            let mut found = Vec::new();
            let (X_WA, X_WB) = (X_WA.cast::<Dual64>(), X_WB.cast());
            let (a, b) = (a.cast(), b.cast());
            witnesses(&a, &X_WA, &b, &X_WB, 3.0, &mut found).unwrap();
            assert_eq!(found, contact.pair.witnesses(3.0));
        });
    }
}

#[test]
fn signed_distance_is_differentiable_in_poses_and_dimensions() {
    struct Distance<'a>(Contact<'a>);
    impl VectorFunction for Distance<'_> {
        type Error = GeometryError;
        fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, GeometryError> {
            let pair = self.0.pair;
            let mut dimensions = x[12..].iter().copied();
            let a = with_dimensions(&pair.a, &mut dimensions);
            let b = with_dimensions(&pair.b, &mut dimensions);
            let (X_WA, X_WB) = (moved(&pair.X_WA, &x[..6]), moved(&pair.X_WB, &x[6..12]));
            let distance = dualbody::geometry::signed_distance(&a, &X_WA, &b, &X_WB)?;
            Ok(DVector::from_element(1, distance))
        }
    }
    let shifts = [0.0, 0.6];
    for pair in catalogue().into_iter().step_by(tier(4, 1)) {
        for shift in shifts {
            let mut pair = pair.clone();
            let outwards = pair.deepest(10.0).unwrap().nhat_BA_W;
            pair.X_WA.translation += outwards * shift;
            let contact = Contact {
                pair: &pair,
                witness: Witness::SphereSphere,
            };
            let x = contact.at_rest();
            let check = check_jacobian(&JacobianChecker::default(), &Distance(contact), &x);
            let check = check.unwrap();
            assert!(check.agrees(), "{pair:?} {check}");
        }
    }
}

/// Of parallel edges any point that they share is nearest: the derivative is that of the middle of these, between
/// those to both sides.
#[test]
fn parallel_edges_have_the_derivative_of_the_middle() {
    for length in [0.3, 1e-5] {
        let (a, b) = (capsule(0.1, length), cuboid(0.3, 0.3, 0.3));
        let distance = |angle: Dual64| {
            let turn = rotation::exp(&Vector3::new(angle, Dual64::from(0.0), Dual64::from(0.0)));
            let at = Vector3::new(0.35, 0.35, 0.1).map(Dual64::from);
            let X_WA = RigidTransform::new(turn, at);
            let X_WB = RigidTransform::identity();
            signed_distance(&a.cast(), &X_WA, &b.cast::<Dual64>(), &X_WB).unwrap()
        };
        let derivative = distance(Dual64::from(0.0).derivative()).eps;
        // Of the part that they share, from the origin of the capsule.
        let (low, high) = (-0.5 * length, (0.5 * length).min(0.05));
        let expected = -0.5 * (low + high) / 2f64.sqrt();
        assert!(
            (derivative - expected).abs() < 1e-12,
            "{derivative} {expected}"
        );
        let h = 1e-4 * length;
        let to = |h: f64| (distance(Dual64::from(h)).re - distance(Dual64::from(0.0)).re) / h;
        let (after, before) = (to(h), to(-h));
        assert!(
            after <= derivative && derivative <= before,
            "{after} {derivative} {before}"
        );
    }
}
