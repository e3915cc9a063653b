//! Bristle friction: contact of a point or a ball with a plane that sticks by a spring.

use super::element::Actuator;
use super::entries;
use crate::contact::ContactMaterial;
use crate::erased::casts_by_list;
use crate::force::{Attachment, BodyPoint, ForceContext, ForceError, Forces};
use crate::kink::unsigned;
use crate::math::SpatialForce;
use crate::tree::RigidBodyTree;
use crate::{ElementKink, InvalidInput, Scalar, constants};
use nalgebra::{Matrix3, Vector3};
use std::fmt;

/// A point of a body, or a ball around it, on a plane, which sticks by a spring and slides at Coulomb's limit.
///
/// The plane is the xy plane of a frame, of the world or of a body, and is touched from the side of +z. It has no
/// inputs. Its state is the deflection z of the spring in m along the x and y axes of that frame, zero where it is
/// not strained.
///
/// Where the [contact model](crate::contact) creeps and brakes, this point holds still and rebounds: for single
/// corners that hit, and what must not creep. The stored energy is `½ k x₊² + ½ kₜ z²`. Its force is that of an
/// actuator: it is not among the contacts of a step. On a slope, stiff springs that are not damped swing: `cₜ`, and
/// steps of a compliant system, take that away.
///
/// # Why a spring
/// Regularised Coulomb friction, the law of the [contact model](crate::contact), answers a slip velocity: what holds
/// a load creeps, and what hits obliquely is braked, but not thrown back. A surface that gives way along the normal
/// gives way across it, too. Between the point and the place where it sticks lies a spring (Cundall & Strack 1979,
/// *Géotechnique* 29(1), 47–65; the bristles of Dahl and of Canudas de Wit et al. 1995, *IEEE Transactions on
/// Automatic Control* 40(3), 419–425), whose deflection z is a state: it remembers.
///
/// # The law
/// With the penetration x, the separation velocity vₙ, and the slip velocity vₜ of the point in the plane,
///
/// ```text
/// fₙ = k (1 − d vₙ)₊ x₊
/// fₜ = −(kₜ z + cₜ vₜ),  shortened to the length μ(‖vₜ‖) fₙ where it is longer
/// ż  = vₜ − (‖z‖ − μ fₙ/kₜ)₊ ẑ/T   while it touches,  −z/T  while it does not
/// ```
///
/// While the spring holds, the point is elastic: at rest under a load it does not creep, as `vₜ = 0` leaves z as it
/// is. Beyond the limit friction is Coulomb's, and the deflection that the load cannot hold decays with the relaxation
/// time T, so that sliding at the speed v drags `v T` along, which a reversal has to give back first. T is to be short
/// against all else, and the decay in continuous time is as stiff as T is short. The power of the point, `fₜ·vₜ`, less
/// the rate of `½ kₜ z²`, is `−cₜ vₜ²` while the spring holds.
///
/// Steps are the limit of a short T: they bring z over by the velocities at their end and then back to what the load
/// holds, `z⁺ = P(z + δt vₜ)` with the nearest point P of the disk of the radius `μ fₙ/kₜ`. A compliant step takes
/// penetration and deflection at its end, `x − δt vₙ` and `z + δt vₜ`, so that stiff springs do not limit its length. As
/// P does not expand distances, the energy of the springs falls by at least the work that they do, at any length of step
/// and whatever the normal force was before:
///
/// ```text
/// ½ kₜ ‖z‖² − ½ kₜ ‖z⁺‖² ≥ kₜ z⁺·(z − z⁺) = kₜ z⁺·(z + δt vₜ − z⁺) − δt kₜ z⁺·vₜ ≥ −δt kₜ z⁺·vₜ
/// ```
///
/// and likewise along the normal, but for the way of points on arcs, for which steps in which bodies turn far are made in
/// [substeps](crate::system#substeps).
///
/// # Use
/// Parameters: those of the [material](ContactMaterial::visit_parameters), `name/tangential_stiffness` (N/m),
/// `name/tangential_damping` (N s/m), `name/relaxation_time` (s), `name/point/{x,y,z}` (m), `name/radius` (m, of the
/// ball, 0 of a point).
///
/// ```
/// use dualbody::actuator::{Actuator, BristleContact};
/// use dualbody::contact::ContactMaterial;
/// use dualbody::force::BodyPoint;
/// use dualbody::math::SpatialInertia;
/// use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
/// use nalgebra::Vector3;
///
/// let mut tree = RigidBodyTreeBuilder::<f64>::new();
/// let cube = tree.add_body("cube", SpatialInertia::solid_box(1.0, &Vector3::repeat(0.1)))?;
/// let tree = tree.finish()?;
/// let corner = BodyPoint::new(cube, Vector3::repeat(-0.05));
/// let material = ContactMaterial::new(1e5, 0.0, 0.6)?;
/// // Elastic spheres are 2 (1 − ν)/(2 − ν) times as stiff across the normal as along it (Mindlin 1949).
/// let contact = BristleContact::new("corner", &tree, corner, BodyIndex::WORLD, material, [8e4, 10.0], 1e-5)?;
/// assert_eq!(Actuator::<f64>::num_states(&contact), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct BristleContact<T> {
    name: String,
    point: BodyPoint<T>,
    plane: Attachment,
    material: ContactMaterial<T>,
    tangential_stiffness: T,
    tangential_damping: T,
    relaxation_time: T,
    #[cfg_attr(feature = "serde", serde(default = "T::zero"))]
    radius: T,
}

/// The point, or the lowest of the ball, at the plane.
struct Touch<T> {
    /// `R_WP` of the plane.
    frame: Matrix3<T>,
    /// `p_WQ` of that point.
    position: Vector3<T>,
    penetration: T,
    /// Of the body at that point relative to the plane, in its axes.
    velocity: Vector3<T>,
    normal_force: T,
}

impl<T: Scalar> Touch<T> {
    /// The deflection that a spring comes to from z over a step, if all of it is held.
    fn deflection(&self, z: [T; 2], dt: T) -> [T; 2] {
        [0, 1].map(|i| z[i] + dt * self.velocity[i])
    }
}

impl<T: Scalar> BristleContact<T> {
    /// Of a point with a plane, by the compliance and friction of the pair, a tangential stiffness and damping
    /// `[k_t, c_t]` (N/m and N s/m), and a relaxation time T in s.
    ///
    /// # Errors
    /// [`ForceError`] when the tree does not have the point's body or the frame, the material is rigid or resists
    /// turning, which a point does not, the tangential stiffness or the relaxation time is not positive, or the
    /// damping is negative.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        point: BodyPoint<T>,
        plane: impl Into<Attachment>,
        material: ContactMaterial<T>,
        [tangential_stiffness, tangential_damping]: [T; 2],
        relaxation_time: T,
    ) -> Result<Self, ForceError> {
        BristleContact {
            name: name.into(),
            point,
            plane: plane.into(),
            material,
            tangential_stiffness,
            tangential_damping,
            relaxation_time,
            radius: T::zero(),
        }
        .validated(tree)
    }

    /// Puts a ball of this radius in m around the point: the end of a capsule, a rounded corner. It touches at its
    /// lowest point, which slips by the velocity of the body there, so that it may roll.
    ///
    /// # Errors
    /// [`ForceError`] for a radius that is negative or not finite.
    pub fn with_radius(mut self, radius: T) -> Result<Self, ForceError> {
        InvalidInput::check_range("radius", &[radius], "zero or positive", |r| {
            r >= 0.0 && r.is_finite()
        })
        .map_err(ForceError::invalid(&self.name))?;
        self.radius = radius;
        Ok(self)
    }

    fn check_material(&self, _: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let turning =
            (self.material.rotational).map_or([T::zero(); 2], |r| [r.torsional, r.rolling]);
        InvalidInput::check_finite("stiffness", &[self.material.stiffness])
            .and_then(|()| {
                let quantity = "torsional and rolling friction";
                InvalidInput::check_range(quantity, &turning, "zero, of a point", |x| x == 0.0)
            })
            .map_err(ForceError::invalid(&self.name))
    }

    fn touch(&self, context: &ForceContext<'_, T>) -> Result<Touch<T>, ForceError> {
        let plane = self.plane.pose(context)?;
        let lowest = plane.rotation.column(2) * -self.radius;
        let position = self.point.position_in_world(context)? + lowest;
        let offset = position - plane.translation;
        let under = self.plane.velocity(context)?.shift(&offset).linear;
        let turning = context.body_velocity(self.point.body)?.angular;
        let own = self.point.velocity(context)? + turning.cross(&lowest);
        let velocity = plane.rotation.tr_mul(&(own - under));
        InvalidInput::check_finite("velocity of the point", velocity.as_slice())
            .map_err(ForceError::invalid(&self.name))?;
        let penetration = -plane.rotation.column(2).dot(&offset);
        let normal = self.material.normal_law(penetration);
        Ok(Touch {
            frame: plane.rotation,
            position,
            penetration,
            velocity,
            normal_force: normal.force(context.time_step(), velocity.z),
        })
    }

    /// μ fₙ.
    fn limit(&self, touch: &Touch<T>) -> T {
        let slip = [touch.velocity.x, touch.velocity.y];
        self.material.friction_at(slip) * touch.normal_force
    }

    /// The force of the spring, with the deflection that it comes to, and of the damper along the axes of the plane,
    /// if they could hold any load.
    fn hold(&self, touch: &Touch<T>, end: [T; 2]) -> [T; 2] {
        [0, 1].map(|i| {
            -(self.tangential_stiffness * end[i] + self.tangential_damping * touch.velocity[i])
        })
    }

    /// How much of a deflection is more than the load can hold, relative to its length; `None` if nothing is.
    fn excess(&self, touch: &Touch<T>, z: [T; 2]) -> Option<T> {
        let limit = self.limit(touch);
        if z[0].re() == 0.0 && z[1].re() == 0.0 {
            // A small deflection is held, or none is.
            return (limit.re() <= 0.0).then(T::one);
        }
        let pulled = self.tangential_stiffness * T::norm_lifted(&z);
        let held = limit.div_lifted(pulled);
        (held.re() < 1.0).then(|| -held + 1.0)
    }
}

impl<T: Scalar> Actuator<T> for BristleContact<T> {
    casts_by_list! {}
    constants! { Actuator for BristleContact, checked by check_material {
        name;
        material: nested;
        tangential_stiffness: positive("N/m");
        tangential_damping: not_negative("N s/m");
        relaxation_time: positive("s");
        point: any("m") in_tree;
        radius: not_negative("m");
        plane: in_tree;
    } }

    fn num_inputs(&self) -> usize {
        0
    }

    fn visit_input_names(&self, _: &mut dyn FnMut(fmt::Arguments<'_>)) {}

    fn num_states(&self) -> usize {
        2
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let (touch, dt) = (self.touch(context)?, context.time_step());
        if touch.normal_force.re() <= 0.0 {
            return Ok(());
        }
        let mut hold = self.hold(&touch, touch.deflection(entries("state", state)?, dt));
        let (size, limit) = (T::norm_lifted(&hold), self.limit(&touch));
        if size.re() > limit.re() {
            hold = hold.map(|f| (f * limit).div_lifted(size));
        }
        let force = touch.frame * Vector3::new(hold[0], hold[1], touch.normal_force);
        let force = SpatialForce::new(Vector3::zeros(), force);
        let plane = self.plane.body(context.tree())?;
        forces.add_between(context, [self.point.body, plane], &touch.position, &force)
    }

    fn state_derivative(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        rate: &mut [T],
    ) -> Result<(), ForceError> {
        let z: [T; 2] = entries("state", state)?;
        InvalidInput::check_size("rates", rate.len(), 2)?;
        let touch = self.touch(context)?;
        let excess = self.excess(&touch, z).unwrap_or(T::zero());
        for i in 0..2 {
            rate[i] = -(z[i] * excess).div_lifted(self.relaxation_time);
            if touch.normal_force.re() > 0.0 {
                rate[i] += touch.velocity[i];
            }
        }
        Ok(())
    }

    fn advance(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        let mut z: [T; 2] = entries("state", state)?;
        let touch = self.touch(context)?;
        if touch.normal_force.re() > 0.0 {
            z = touch.deflection(z, dt);
        }
        if let Some(excess) = self.excess(&touch, z) {
            z = z.map(|z| z - z * excess);
        }
        state.copy_from_slice(&z);
        Ok(())
    }

    fn potential_energy(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        let [a, b] = entries("state", state)?;
        let x = self.touch(context)?.penetration.max_lifted(T::zero());
        Ok((self.material.stiffness * x * x + self.tangential_stiffness * (a * a + b * b)) * 0.5)
    }

    fn conservative_power(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
    ) -> Result<T, ForceError> {
        let touch = self.touch(context)?;
        let x = touch.penetration.max_lifted(T::zero());
        Ok(self.material.stiffness * x * touch.velocity.z)
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let z: [T; 2] = entries("state", state)?;
        let (touch, dt) = (self.touch(context)?, context.time_step());
        let mut kink = |change, distance: T, unit| {
            visit(ElementKink {
                element: &self.name,
                change,
                distance: unsigned(distance),
                unit,
                order: 1,
            });
        };
        let law = self.material.normal_law(touch.penetration);
        let (damping, depth) = law.factors(dt, touch.velocity.z);
        if damping.re() >= 0.0 {
            kink("touching", depth, "m");
        }
        if depth.re() >= 0.0 && law.dissipation.re() > 0.0 {
            kink("clamping", damping / law.dissipation, "m/s");
        }
        if touch.normal_force.re() > 0.0 && self.limit(&touch).re() > 0.0 {
            let (stiffness, end) = (self.tangential_stiffness, touch.deflection(z, dt));
            let held = self.limit(&touch) / stiffness;
            let hold = T::norm_lifted(&self.hold(&touch, end)) / stiffness;
            kink("limit of friction", hold - held, "m");
            kink("limit of deflection", T::norm_lifted(&end) - held, "m");
        }
        Ok(())
    }

    fn may_touch(&self, context: &ForceContext<'_, T>) -> Result<bool, ForceError> {
        let (touch, dt) = (self.touch(context)?, context.time_step().re());
        let fall = context.tree().gravity().norm_squared().re().sqrt() * dt;
        let speed = touch.velocity.norm_squared().re().sqrt() + fall;
        Ok(touch.penetration.re() + 2.0 * dt * speed >= 0.0)
    }
}
