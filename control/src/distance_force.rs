//! A force at a distance, for planning: it acts between bodies that do not touch yet.
//!
//! The normal force of compliant contact, `k (1 − d vₙ)₊ (x)₊` with the penetration x at the end of the step, is zero before
//! bodies touch, and so are all of its derivatives: a plan does not feel what it could touch. A machine makes contact by
//! itself; this element adds, with the length σ,
//!
//! ```text
//! k σ exp(min(x, 0)/σ)
//! ```
//!
//! and friction in proportion. Without dissipation the sum is the mean of the force over surfaces that are further out by what
//! an exponential distribution with the mean σ says: its slope is continuous, and positive at any distance. As σ goes to zero,
//! so does the element.
//!
//! Neither term falls while bodies approach. That matters: a step solves for contact exactly and linearises the element, and
//! against a part that falls as steeply as contact rises a light body has no balance.

use dualbody::autodiff::is_constant;
use dualbody::contact::{ContactForceLaw, ContactMaterial, PointContact};
use dualbody::force::{ForceContext, ForceElement, ForceError, Forces};
use dualbody::geometry::{GeometryError, Shape, Witness, witnesses};
use dualbody::math::{RigidTransform, SpatialForce};
use dualbody::parameter::Parameter;
use dualbody::system::RigidBodySystem;
use dualbody::tree::{BodyIndex, RigidBodyTree};
use dualbody::{DefaultScalar, InvalidInput, Parameters, Scalar};
use nalgebra::{Matrix3, Vector3};
use std::cell::RefCell;

/// Lengths σ from which on the force is less than round-off.
const REACH: f64 = 30.0;
const LENGTH: &str = "length";

/// Contact forces of pairs of geometries before they touch, and what makes the slope continuous where they do.
///
/// Parameters: `{name}/length`, σ in m; zero for no force. Shapes, poses and materials are those that the machine had when
/// the element was made. Friction is regularised at a slip speed of its own, `{name}/stiction_tolerance` in m/s, which is best
/// that of the machine.
#[derive(Debug, Clone)]
pub struct ForceAtDistance<T> {
    name: String,
    length: T,
    stiction_tolerance: T,
    pairs: Vec<Pair<T>>,
}

/// Two geometries, which do not vary.
#[derive(Debug, Clone)]
struct Pair<T> {
    first: Placed,
    second: Placed,
    /// Their shapes where derivatives are taken through poses.
    shapes: [Shape<T>; 2],
    material: ContactMaterial<f64>,
    /// The part of the way from the surface of the second to that of the first at which the contact is.
    share: f64,
}

/// A shape on a body.
#[derive(Debug, Clone)]
struct Placed {
    body: BodyIndex,
    pose: RigidTransform<f64>,
    shape: Shape<f64>,
}

/// Where two geometries are nearest, in W.
struct Nearest<T> {
    position: Vector3<T>,
    /// Two tangents and the normal, as columns.
    rotation: Matrix3<T>,
    penetration: T,
    weight: T,
}

impl ForceAtDistance<f64> {
    /// Of all pairs of geometries of a machine that can touch, with σ in m and the stiction tolerance of the machine.
    ///
    /// # Errors
    /// For a length that is negative or not finite.
    pub fn of_system(
        name: impl Into<String>,
        system: &RigidBodySystem<f64>,
        length: f64,
    ) -> Result<Self, ForceError> {
        Self::of_pairs(name, system, length, |_, _| true)
    }

    /// As [`Self::of_system`], of those pairs that `includes` says, by the names of their geometries.
    ///
    /// # Errors
    /// As there.
    pub fn of_pairs(
        name: impl Into<String>,
        system: &RigidBodySystem<f64>,
        length: f64,
        includes: impl Fn(&str, &str) -> bool,
    ) -> Result<Self, ForceError> {
        let contact = system.contact();
        let geometries = contact.geometries();
        let mut pairs = Vec::new();
        for (i, j) in contact.pairs() {
            let (a, b) = (&geometries[i], &geometries[j]);
            if !includes(&a.name, &b.name) {
                continue;
            }
            let mut material = a.material.combined_by(&b.material, contact.friction_rule());
            // A pair with a material of its own shows it among the parameters.
            let own = |constant: &str| {
                system.parameter(&format!("pair/{}|{}/{constant}", a.name, b.name))
            };
            if let (Ok(stiffness), Ok(dissipation), Ok(friction)) =
                (own("stiffness"), own("dissipation"), own("friction"))
            {
                material = ContactMaterial::new(stiffness, dissipation, friction)?;
            }
            let [first, second] = [a, b].map(|geometry| Placed {
                body: geometry.body,
                pose: geometry.pose_in_body,
                shape: geometry.shape.clone(),
            });
            pairs.push(Pair {
                shapes: [a.shape.clone(), b.shape.clone()],
                first,
                second,
                material,
                share: a.material.stiffness_share(&b.material),
            });
        }
        ForceAtDistance {
            name: name.into(),
            length,
            stiction_tolerance: system.options().contact_solver.stiction_tolerance,
            pairs,
        }
        .validated(system.tree())
    }
}

impl<T: Scalar> Nearest<T> {
    fn new(
        witness: &Witness,
        [a, b]: [&Shape<T>; 2],
        [x_wa, x_wb]: [&RigidTransform<T>; 2],
        share: f64,
    ) -> Result<Self, GeometryError> {
        let point = witness.contact_point(a, x_wa, b, x_wb)?;
        Ok(Nearest {
            position: point.p_WCb + (point.p_WCa - point.p_WCb) * T::from(share),
            rotation: frame_about(&point.nhat_BA_W),
            penetration: point.penetration,
            weight: point.weight,
        })
    }
}

impl Nearest<f64> {
    fn cast<T: Scalar>(&self) -> Nearest<T> {
        Nearest {
            position: self.position.map(T::from),
            rotation: self.rotation.map(T::from),
            penetration: self.penetration.into(),
            weight: self.weight.into(),
        }
    }
}

thread_local! {
    /// What is near each other.
    static FOUND: RefCell<Vec<Witness>> = const { RefCell::new(Vec::new()) };
}

impl<T: Scalar> ForceAtDistance<T> {
    fn add_pair(
        &self,
        pair: &Pair<T>,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
        found: &mut Vec<Witness>,
    ) -> Result<(), ForceError> {
        let Pair {
            first,
            second,
            shapes: [a, b],
            material,
            share,
        } = pair;
        let x_wa = context.body_pose(first.body)?;
        let x_wb = context.body_pose(second.body)?;
        let [real_a, real_b] = [(&x_wa, first), (&x_wb, second)].map(|(x, placed)| {
            let real = x.rotation.map(|x| x.re());
            RigidTransform::new(real, x.translation.map(|x| x.re())) * placed.pose
        });
        let margin = REACH * self.length.re();
        found.clear();
        let at = |error| self.geometry_error(error);
        witnesses(&first.shape, &real_a, &second.shape, &real_b, margin, found).map_err(at)?;
        if found.is_empty() {
            return Ok(());
        }
        let va = context.body_velocity(first.body)?;
        let vb = context.body_velocity(second.body)?;
        let is_fixed =
            |x: &RigidTransform<T>| x.rotation.iter().chain(&x.translation).all(is_constant);
        let are_fixed = is_fixed(&x_wa) && is_fixed(&x_wb);
        for witness in found.iter() {
            let nearest = if are_fixed {
                let shapes = [&first.shape, &second.shape];
                Nearest::new(witness, shapes, [&real_a, &real_b], *share).map(|x| x.cast())
            } else {
                let [x_wa, x_wb] =
                    [(&x_wa, first), (&x_wb, second)].map(|(x, placed)| *x * placed.pose.cast());
                Nearest::new(witness, [a, b], [&x_wa, &x_wb], *share)
            };
            let Nearest {
                position,
                rotation,
                penetration,
                weight,
            } = nearest.map_err(at)?;
            let mut material = material.cast();
            material.stiffness *= weight;
            material.dissipation = T::zero();
            let mut contact = PointContact {
                body_a: first.body,
                body_b: second.body,
                position,
                rotation,
                penetration,
                material,
            };
            let velocity =
                contact.relative_velocity((&va, &x_wa.translation), (&vb, &x_wb.translation));
            let dt = context.time_step();
            let end = penetration - dt * velocity.z;
            // The law takes the penetration at the start.
            contact.penetration = self.tail(end) + dt * velocity.z;
            let law = ContactForceLaw {
                time_step: dt,
                stiction_tolerance: self.stiction_tolerance,
                softening: self.stiction_tolerance * 0.01,
            };
            let force = contact.rotation * contact.force(&law, &velocity);
            let force = SpatialForce::new(Vector3::zeros(), force);
            for (body, origin, force) in [
                (first.body, x_wa.translation, force),
                (second.body, x_wb.translation, -force),
            ] {
                forces.add_on_body(body, &force.shift(&(origin - position)))?;
            }
        }
        Ok(())
    }

    /// `σ exp(min(x, 0)/σ)`.
    fn tail(&self, x: T) -> T {
        if x.re() >= 0.0 {
            return self.length;
        }
        let scaled = x.div_lifted(self.length);
        self.length * scaled.lift([scaled.re().exp(); 4])
    }

    fn geometry_error(&self, error: GeometryError) -> ForceError {
        match error {
            GeometryError::Invalid(invalid) => ForceError::invalid(&self.name)(invalid),
            // Pairs of a contact model are supported, and witnesses are those of their shapes.
            _ => ForceError::invalid(&self.name)(InvalidInput::NotFinite {
                quantity: "distance",
                index: None,
                value: f64::NAN,
            }),
        }
    }
}

/// Two tangents and the normal, as columns.
fn frame_about<T: Scalar>(normal: &Vector3<T>) -> Matrix3<T> {
    let axis = normal.map(|x| x.re().abs()).imin();
    let mut helper = Vector3::zeros();
    helper[axis] = T::one();
    let tangent = normal.cross(&helper);
    let tangent = tangent / tangent.dot(&tangent).sqrt_lifted();
    Matrix3::from_columns(&[tangent, normal.cross(&tangent), *normal])
}

impl<T: Scalar> ForceElement<T> for ForceAtDistance<T> {
    type Cast<U: DefaultScalar> = ForceAtDistance<U>;

    fn cast<U: DefaultScalar>(&self) -> ForceAtDistance<U> {
        let pair = |pair: &Pair<T>| Pair {
            first: pair.first.clone(),
            second: pair.second.clone(),
            shapes: pair.shapes.each_ref().map(Shape::cast),
            material: pair.material,
            share: pair.share,
        };
        ForceAtDistance {
            name: self.name.clone(),
            length: U::from(self.length.re()),
            stiction_tolerance: U::from(self.stiction_tolerance.re()),
            pairs: self.pairs.iter().map(pair).collect(),
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        if self.length.re() == 0.0 {
            return Ok(());
        }
        FOUND.with_borrow_mut(|found| {
            (self.pairs.iter()).try_for_each(|pair| self.add_pair(pair, context, forces, found))
        })
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        visit(Parameter {
            name: format_args!("{}/{LENGTH}", self.name),
            unit: "m",
            lower: 0.0,
            upper: f64::INFINITY,
            value: &mut self.length,
        });
        visit(Parameter {
            name: format_args!("{}/stiction_tolerance", self.name),
            unit: "m/s",
            lower: f64::MIN_POSITIVE,
            upper: f64::INFINITY,
            value: &mut self.stiction_tolerance,
        });
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let at = ForceError::invalid(&self.name);
        InvalidInput::check_range(
            LENGTH,
            &[self.length],
            "a length that is not negative",
            |x| x >= 0.0 && x.is_finite(),
        )
        .map_err(&at)?;
        let tolerance = [self.stiction_tolerance];
        InvalidInput::check_range("stiction tolerance", &tolerance, "a positive speed", |v| {
            v > 0.0 && v.is_finite()
        })
        .map_err(&at)?;
        for placed in self
            .pairs
            .iter()
            .flat_map(|pair| [&pair.first, &pair.second])
        {
            tree.body(placed.body)?;
        }
        Ok(())
    }
}
