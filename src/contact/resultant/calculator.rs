//! The calculator of resultants of contact forces.

use super::contact_detail::ContactDetail;
use super::contact_force::ContactForce;
use crate::math::SpatialForce;
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// Normal parts whose sum is smaller than this share of the sum of their magnitudes cancel.
const CANCELLATION: f64 = 1e-12;
/// Projections that differ by less than this share of the distances of the points are equal.
const TIE: f64 = 1e-12;

/// Adds up contact forces; see the [module](super).
#[derive(Debug, Default)]
pub struct ContactResultantForceCalculator<'a, T: Scalar> {
    forces: Vec<ContactForce<T>>,
    accumulator: Option<&'a mut Vec<Box<dyn ContactDetail<T>>>>,
}

/// How far the forces are from those at which the application point of the resultant has no
/// derivative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResultantKinks {
    /// The way along the central axis, in m, by which the second-farthest projection lies behind the
    /// farthest; infinite when there is no second one to take its place.
    pub projection_gap: f64,
    /// Magnitude of the sum of the normal parts in N. Where that of several forces is zero, the
    /// application point jumps.
    pub normal_resultant: f64,
}

/// The central axis of the normal forces: a point on it and its direction.
struct CentralAxis<T> {
    point: Vector3<T>,
    direction: Vector3<T>,
}

impl<T: Scalar> ContactResultantForceCalculator<'static, T> {
    /// A calculator without forces, which are forgotten with it.
    pub fn new() -> Self {
        ContactResultantForceCalculator {
            forces: Vec::new(),
            accumulator: None,
        }
    }
}

impl<'a, T: Scalar> ContactResultantForceCalculator<'a, T> {
    /// A calculator without forces that appends the details of all forces it is given to
    /// `accumulator`, where they outlive it.
    pub fn with_accumulator(accumulator: &'a mut Vec<Box<dyn ContactDetail<T>>>) -> Self {
        ContactResultantForceCalculator {
            forces: Vec::new(),
            accumulator: Some(accumulator),
        }
    }

    /// Adds a contact force, which is its own detail.
    pub fn add_contact_force(&mut self, force: ContactForce<T>) {
        self.forces.push(force);
        if let Some(details) = &mut self.accumulator {
            details.push(Box::new(force));
        }
    }

    /// Adds the force of a detail.
    ///
    /// # Errors
    /// Those of [`ContactDetail::contact_force`]; nothing is added then.
    pub fn add_detail(&mut self, detail: Box<dyn ContactDetail<T>>) -> Result<(), InvalidInput> {
        self.forces.push(detail.contact_force()?);
        if let Some(details) = &mut self.accumulator {
            details.push(detail);
        }
        Ok(())
    }

    /// Adds a force in N at a point in m with a unit normal.
    ///
    /// # Errors
    /// As [`ContactForce::new`].
    #[inline(never)]
    pub fn add_force(
        &mut self,
        application_point: Vector3<T>,
        normal: Vector3<T>,
        force: Vector3<T>,
    ) -> Result<(), InvalidInput> {
        self.add_contact_force(ContactForce::new(application_point, normal, force)?);
        Ok(())
    }

    /// Adds a force with a torque of its own in N m.
    ///
    /// # Errors
    /// As [`ContactForce::new`].
    #[inline(never)]
    pub fn add_force_with_torque(
        &mut self,
        application_point: Vector3<T>,
        normal: Vector3<T>,
        force: Vector3<T>,
        pure_torque: Vector3<T>,
    ) -> Result<(), InvalidInput> {
        let force = ContactForce::with_torque(application_point, normal, force, pure_torque)?;
        self.add_contact_force(force);
        Ok(())
    }

    /// The forces that have been added.
    pub fn forces(&self) -> &[ContactForce<T>] {
        &self.forces
    }

    /// The resultant at the point where the moment of the normal forces is smallest.
    ///
    /// Its pure torque is the moment of all forces about that point and their own torques; it does
    /// not contain a moment about the origin.
    ///
    /// # Errors
    /// [`InvalidInput`] when there are no forces, or they are so large that sums overflow.
    #[inline(never)]
    pub fn resultant(&self) -> Result<ContactForce<T>, InvalidInput> {
        if let [force] = self.forces.as_slice() {
            return Ok(*force);
        }
        let center = self.centroid()?;
        let (point, normal) = match self.central_axis(&center) {
            Some(axis) => (self.farthest_projection(&axis), axis.direction),
            None => (center, Vector3::x()),
        };
        self.reduced_to(point, normal)
    }

    /// The resultant at a given point: the sum of the forces there, and their moment about it.
    ///
    /// Its normal is the direction of the sum of the normal parts, +x if they cancel.
    ///
    /// # Errors
    /// As [`Self::resultant`], and when the point is not finite.
    #[inline(never)]
    pub fn resultant_about(
        &self,
        reference_point: &Vector3<T>,
    ) -> Result<ContactForce<T>, InvalidInput> {
        InvalidInput::check_finite("reference point", reference_point.as_slice())?;
        let axis = self.central_axis(&self.centroid()?);
        let normal = axis.map_or_else(Vector3::x, |axis| axis.direction);
        self.reduced_to(*reference_point, normal)
    }

    /// Where the application point of [`Self::resultant`] has no derivative.
    ///
    /// # Errors
    /// As [`Self::resultant`].
    #[inline(never)]
    pub fn kinks(&self) -> Result<ResultantKinks, InvalidInput> {
        let center = self.centroid()?;
        let normals = |f: &ContactForce<T>| f.normal_force().map(|x| x.re());
        let sum: Vector3<f64> = self.forces.iter().map(normals).sum();
        let mut projection_gap = f64::INFINITY;
        if self.forces.len() > 1
            && let Some(axis) = self.central_axis(&center)
        {
            let (mut first, mut second) = (f64::INFINITY, f64::INFINITY);
            for s in self.projections(&axis) {
                InvalidInput::check_finite("projection of an application point", &[s])?;
                if s.re() < first {
                    (first, second) = (s.re(), first);
                } else {
                    second = second.min(s.re());
                }
            }
            projection_gap = second - first;
        }
        let normal_resultant = sum.norm();
        InvalidInput::check_finite("sum of the normal parts", &[normal_resultant])?;
        Ok(ResultantKinks {
            projection_gap,
            normal_resultant,
        })
    }

    /// The mean of the application points.
    fn centroid(&self) -> Result<Vector3<T>, InvalidInput> {
        let count = self.forces.len() as f64;
        InvalidInput::check_range("number of contact forces", &[count], "at least 1", |n| {
            n >= 1.0
        })?;
        let sum = |sum: Vector3<T>, f: &ContactForce<T>| sum + f.application_point();
        let sum = self.forces.iter().fold(Vector3::zeros(), sum);
        Ok(sum.map(|x| x.div_lifted(T::from(count))))
    }

    /// `None` when the normal parts cancel.
    fn central_axis(&self, center: &Vector3<T>) -> Option<CentralAxis<T>> {
        let mut sum = Vector3::zeros();
        let mut moment = Vector3::zeros();
        let mut magnitudes = 0.0;
        for f in &self.forces {
            let normal = f.normal_force();
            sum += normal;
            moment += (f.application_point() - center).cross(&normal);
            magnitudes += normal.map(|x| x.re()).amax();
        }
        if sum.map(|x: T| x.re()).amax() <= CANCELLATION * magnitudes {
            return None;
        }
        // Of the order 1, so that the square neither overflows nor vanishes.
        let scale = T::from(magnitudes);
        (sum, moment) = (sum / scale, moment / scale);
        let square = sum.dot(&sum);
        Some(CentralAxis {
            point: center + sum.cross(&moment) / square,
            direction: sum / square.sqrt_lifted(),
        })
    }

    fn projections(&self, axis: &CentralAxis<T>) -> impl Iterator<Item = T> {
        let CentralAxis { point, direction } = *axis;
        (self.forces.iter()).map(move |f| (f.application_point() - point).dot(&direction))
    }

    /// The projection on the axis that is farthest against its direction. Where several are, its
    /// derivative is the mean of theirs.
    fn farthest_projection(&self, axis: &CentralAxis<T>) -> Vector3<T> {
        let (mut least, mut extent) = (f64::INFINITY, 0.0f64);
        for s in self.projections(axis) {
            least = least.min(s.re());
        }
        for f in &self.forces {
            extent = extent.max((f.application_point() - axis.point).map(|x| x.re()).norm());
        }
        let is_least = |s: &T| s.re() <= least + TIE * extent;
        let (mut sum, mut count) = (T::zero(), 0.0);
        for s in self.projections(axis).filter(is_least) {
            sum += s;
            count += 1.0;
        }
        axis.point + axis.direction * sum.div_lifted(T::from(count)).with_real(least)
    }

    fn reduced_to(
        &self,
        point: Vector3<T>,
        normal: Vector3<T>,
    ) -> Result<ContactForce<T>, InvalidInput> {
        let add = |sum: SpatialForce<T>, f: &ContactForce<T>| sum + f.spatial_force_about(&point);
        let sum = self.forces.iter().fold(SpatialForce::zero(), add);
        InvalidInput::check_finite("application point", point.as_slice())?;
        InvalidInput::check_finite("normal of the resultant", normal.as_slice())?;
        InvalidInput::check_finite("resultant force", sum.force.as_slice())?;
        InvalidInput::check_finite("resultant torque", sum.torque.as_slice())?;
        Ok(ContactForce::assemble(point, normal, &sum))
    }
}
