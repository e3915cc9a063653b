//! Weights of the reference faces of two convex shapes whose faces lie flat on each other.
//!
//! Each of them can be the [reference](super::convex_patch). Both say the same of shapes that are exactly parallel, but the
//! direction of the force and where it acts change otherwise with a tilt. So the reference is not whichever
//! separates the shapes more: as with [faces of boxes](super::box_box_sharing), faces whose scores
//!
//! ```text
//! σ = s + ½ t · (area of the face)/(larger area of both),   t = √(smaller area)/2000
//! ```
//!
//! differ by less than `¼ t` share the contact, with the separation `s` of the shapes along the normal of the face: the
//! height of the lowest corner of the other face above it. Shares are continuously differentiable, and where the
//! faces are parallel their wrenches are equal, so that what is divided is differentiable there although `s` is not.

use super::box_box_sharing::Sharing;
use super::convex_part::Part;
use crate::Scalar;
use nalgebra::Vector3;

/// What the half width of two boxes is to these faces, relative to the root of the smaller area.
const HALF_WIDTH: f64 = 0.5;

/// What two faces are as references of a contact.
pub(super) struct FlushFaces<T> {
    /// The separation along the normal of either.
    pub(super) separations: [T; 2],
    /// What part of the contact is whose; 1 in all.
    pub(super) shares: [T; 2],
}

impl<T: Scalar> FlushFaces<T> {
    /// `None` if one of the parts is no face.
    pub(super) fn new<U: Scalar>(a: &Part<U, T>, b: &Part<U, T>) -> Option<Self> {
        let separations = [separation(a, b)?, separation(b, a)?];
        let areas = [area(a)?, area(b)?];
        let [smaller, larger] = [areas[0].min_lifted(areas[1]), areas[0].max_lifted(areas[1])];
        let sharing = Sharing::new(smaller.sqrt_lifted() * HALF_WIDTH, larger);
        let scores = [0, 1].map(|k| sharing.face_score(separations[k], areas[k]));
        let highest = match scores[0].re() < scores[1].re() {
            true => scores[1],
            false => scores[0],
        };
        let worths = scores.map(|score| sharing.worth(score, highest));
        let sum = worths[0] + worths[1];
        Some(FlushFaces {
            separations,
            shares: worths.map(|worth| worth.div_lifted(sum)),
        })
    }
}

/// The height of the lowest corner of a part above the plane of a face.
fn separation<U: Scalar, T: Scalar>(face: &Part<U, T>, of: &Part<U, T>) -> Option<T> {
    let n = face.normal()?;
    of.normal()?;
    let foot = face.corner(0, &n)?;
    let mut lowest: Option<T> = None;
    for k in 0..of.count()? {
        let height = n.dot(&(of.corner(k, &n)? - foot));
        if lowest.is_none_or(|lowest| height.re() < lowest.re()) {
            lowest = Some(height);
        }
    }
    lowest
}

/// The area of the outline of a face.
fn area<U: Scalar, T: Scalar>(face: &Part<U, T>) -> Option<T> {
    let n = face.normal()?;
    let first = face.corner(0, &n)?;
    let mut twice = Vector3::zeros();
    for k in 1..face.count()? - 1 {
        let (p, q) = (face.corner(k, &n)?, face.corner(k + 1, &n)?);
        twice += (p - first).cross(&(q - first));
    }
    Some(T::norm_lifted(twice.as_slice()) * 0.5)
}
