//! Contact events of a flow: touching, parting, sticking, slipping, impacts.
//!
//! Between events the contacts that act are a list, whatever their gaps are: the law of motion is then smooth, also
//! a little beyond the surface on which it changes, which is what locates the event and differentiates its time
//! (see [`event`](crate::integrator::event)). After an event the list is that of a moment later.

use super::dynamics::{DynamicsWorkspace, Instant};
use super::flow::{RigidBodyFlow, parts};
use crate::constraint::{TouchingContact, TreeConstraints};
use crate::contact::{ContactForceLaw, FoundContact, PointContact};
use crate::decision::Margin;
use crate::integrator::{Crossing, EventOutcome, HybridSystem};
use crate::math::{SpatialForce, SpatialVelocity};
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::{InvalidInput, Scalar};
use nalgebra::{DVector, Vector2};

/// What happens to a contact in an event of a [`RigidBodyFlow`].
///
/// | | compliant contact | rigid contact |
/// |---|---|---|
/// | [`Touching`](Self::Touching) | its gap closes, and its force begins | its gap closes: impact |
/// | [`Leaving`](Self::Leaving) | its gap opens, and its force ends | it parts |
/// | [`Sticking`](Self::Sticking) | | its slip ends |
/// | [`Slipping`](Self::Slipping) | | its slip begins |
/// | [`Features`](Self::Features) | other features touch | other features touch |
///
/// Compliant friction is smooth to first order: it has no events. An impact of rigid bodies is one of Newton's law with friction
/// in the cones of [`SystemOptions::friction_edges`](crate::system::SystemOptions::friction_edges); each contact restores
/// what Hunt and Crossley's law restores in the limit of infinite stiffness
/// ([`ContactMaterial::restitution`](crate::contact::ContactMaterial::restitution)), up to
/// [`SystemOptions::rebound_speed`](crate::system::SystemOptions::rebound_speed) nothing. It moves constraints along, and
/// limits that are reached stop what they stop.
///
/// A contact of rigid bodies holds within 10⁻⁶ m and slips above 10⁻⁶ m/s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContactEventKind {
    /// It begins.
    Touching,
    /// It ends.
    Leaving,
    /// It ceases to slip.
    Sticking,
    /// It begins to slip.
    Slipping,
    /// Other features touch. Where the force jumps with them, the derivative is that of the side before.
    Features,
}

const KINDS: [ContactEventKind; 5] = [
    ContactEventKind::Touching,
    ContactEventKind::Leaving,
    ContactEventKind::Sticking,
    ContactEventKind::Slipping,
    ContactEventKind::Features,
];

/// An event of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContactEvent<'s> {
    /// Names of the two geometries.
    pub first: &'s str,
    /// See `first`.
    pub second: &'s str,
    /// What happens.
    pub kind: ContactEventKind,
}

/// Gaps up to this (m) are looked at.
const HORIZON: f64 = 1e-2;
/// Gap (m) up to which rigid contacts touch, and speed (m/s) up to which they neither part nor slip.
const TOUCH: f64 = 1e-6;
const SPEED: f64 = 1e-6;
/// Gap or depth (m) of the size of round-off.
const PARTING: f64 = 1e-9;
/// A moment, in s, and its least number of ticks of the clock.
const MOMENT: f64 = 1e-9;
const MOMENT_TICKS: f64 = 4096.0;

impl<T: Scalar> RigidBodyFlow<'_, T> {
    /// What the event of a guard is, by [`Event::guard`](crate::integrator::Event::guard).
    #[inline(never)]
    pub fn contact_event(&self, guard: usize) -> Option<ContactEvent<'_>> {
        let contact = self.main.contact();
        let (first, second) = contact.pairs().nth(guard / KINDS.len())?;
        let name = |geometry: usize| contact.geometries()[geometry].name.as_str();
        Some(ContactEvent {
            first: name(first),
            second: name(second),
            kind: KINDS[guard % KINDS.len()],
        })
    }

    /// Decides which contacts act a moment later, after an event or at the start.
    fn decide(&mut self, t: T, x: &[T]) -> Result<(), SystemError> {
        let x: Vec<f64> = x.iter().map(|x| x.re()).collect();
        let flow = self.flow();
        let workspace = &mut flow.memory.real.workspace;
        let (instant, _) = parts(flow.real, t.re(), &x);
        let touching = flow.real.touching_after(workspace, instant)?;
        flow.memory.set_touching(Some(&touching));
        Ok(())
    }

    /// The velocities after an impact.
    fn collide(&mut self, t: T, x: &mut [T]) -> Result<(), SystemError> {
        let flow = self.flow();
        let (instant, _) = parts(flow.main, t, x);
        let nq = instant.q.len();
        let v = (flow.main).velocities_after_impact(&mut flow.memory.main.workspace, instant)?;
        x[nq..nq + v.len()].copy_from_slice(v.as_slice());
        Ok(())
    }
}

impl<T: Scalar> HybridSystem<T> for RigidBodyFlow<'_, T> {
    fn num_guards(&self) -> usize {
        KINDS.len() * self.main.contact().pairs().len()
    }

    fn guards(&mut self, t: T, x: &[T], g: &mut [T]) -> Result<(), SystemError> {
        let flow = self.flow();
        let (instant, _) = parts(flow.main, t, x);
        (flow.main).write_contact_guards(&mut flow.memory.main.workspace, instant, g)
    }

    fn crossing(&self, _: usize) -> Crossing {
        Crossing::Falling
    }

    fn reset(&mut self, guard: usize, t: T, x: &mut [T]) -> Result<EventOutcome, SystemError> {
        let touches = KINDS[guard % KINDS.len()] == ContactEventKind::Touching;
        if touches && self.main.options().rigid_contact {
            self.collide(t, x)?;
        }
        self.decide(t, x)?;
        Ok(EventOutcome::Return)
    }

    /// Until bodies that do not touch can be half through each other.
    fn max_step(&mut self, _: T, x: &[T]) -> Result<f64, SystemError> {
        let x: Vec<f64> = x.iter().map(|x| x.re()).collect();
        let flow = self.flow();
        let (instant, _) = parts(flow.real, 0.0, &x);
        let DynamicsWorkspace {
            kinematics, search, ..
        } = &mut flow.memory.real.workspace;
        let touching = flow.memory.main.workspace.touching.as_deref();
        let touches = |pair| touching.is_some_and(|all| all.iter().any(|c| c.found.pair == pair));
        (flow.real.tree).set_state(kinematics, instant.q, instant.v)?;
        let (contact, tree) = (&flow.real.contact, &flow.real.tree);
        Ok(contact.passage_time(tree, kinematics, &mut search.0, |pair| !touches(pair))?)
    }

    /// Rigid bodies that touch and approach each other collide.
    fn start(&mut self, t: T, x: &mut [T]) -> Result<(), SystemError> {
        if self.main.options().rigid_contact {
            self.collide(t, x)?;
        }
        self.decide(t, x)
    }

    fn is_observed(&self) -> bool {
        self.main.observer.is_some()
    }

    fn show(&mut self, guard: usize, time: f64, change: &'static str, number: T) {
        let Some(stage) = self.main.stage_at(time) else {
            return;
        };
        let kind = KINDS[guard % KINDS.len()];
        let unit = match (change, kind) {
            ("grazing" | "event after the end", ContactEventKind::Touching) => "m",
            ("grazing" | "event after the end", _) => "m or m/s",
            _ => "s",
        };
        let [a, b] = self.main.contact.names_of(guard / KINDS.len());
        let place = format_args!("{a}|{b}");
        stage.show(place, change, unit, Margin::Sign(number));
    }

    fn finish(&mut self) {
        self.flow().memory.set_touching(None);
    }
}

/// The force of compliant contact, continued beyond the surface: linear in the penetration.
pub(super) fn continued_contact_force<T: Scalar>(
    point: &PointContact<T>,
    law: &ContactForceLaw<T>,
    motion: &SpatialVelocity<T>,
) -> SpatialForce<T> {
    if point.penetration.re() > 0.0 {
        return point.wrench(law, motion);
    }
    let mut mirrored = *point;
    let depth = -point.penetration;
    mirrored.penetration = depth.with_real(depth.re().max(f64::MIN_POSITIVE));
    -mirrored.wrench(law, motion)
}

impl<T: Scalar> RigidBodySystem<T> {
    /// Guards of all pairs, kind by kind: the smallest of their contacts.
    fn write_contact_guards(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        instant: Instant<'_, T>,
        g: &mut [T],
    ) -> Result<(), SystemError> {
        let DynamicsWorkspace {
            kinematics,
            contact,
            found,
            touching,
            search: (search, seen),
            ..
        } = workspace;
        let touching = touching.as_deref().unwrap_or_default();
        let rigid = self.options.rigid_contact;
        self.tree.set_state(kinematics, instant.q, instant.v)?;
        g.fill(T::one());
        let mut lower = |found: &FoundContact, kind: ContactEventKind, value: T| {
            let guard = &mut g[found.pair * KINDS.len() + kind as usize];
            if value.re() < guard.re() {
                *guard = value;
            }
        };
        (self.contact).find(&self.tree, kinematics, HORIZON, search, seen)?;
        for (found, point) in seen.iter().zip(&search.points) {
            if touching.iter().any(|contact| contact.found == *found) {
                continue;
            }
            let gap = -point.penetration;
            let parts = gap.re() < PARTING
                && point.relative_velocity_in(&self.tree, kinematics)?.z.re() >= 0.0;
            let gap = if parts { T::from(PARTING) } else { gap };
            lower(found, ContactEventKind::Touching, gap);
        }
        found.clear();
        found.extend(touching.iter().map(|contact| contact.found));
        (self.contact).evaluate_at(&self.tree, kinematics, found, contact)?;
        for (decided, point) in touching.iter().zip(&contact.points) {
            let found = &decided.found;
            if rigid {
                let v = point.relative_velocity_in(&self.tree, kinematics)?;
                lower(found, ContactEventKind::Leaving, -v.z + 2.0 * SPEED);
                let slip = match decided.slip {
                    Some(d) => (ContactEventKind::Sticking, v.x * d.x + v.y * d.y - SPEED),
                    None => {
                        let speed = T::norm_lifted(&[v.x, v.y]);
                        (ContactEventKind::Slipping, -speed + 2.0 * SPEED)
                    }
                };
                lower(found, slip.0, slip.1);
            } else {
                let closes = point.penetration.re() < PARTING
                    && point.relative_velocity_in(&self.tree, kinematics)?.z.re() < 0.0;
                let depth = if closes {
                    T::from(PARTING)
                } else {
                    point.penetration
                };
                lower(found, ContactEventKind::Leaving, depth);
            }
            if (rigid || point.penetration.re() > 0.0) && !seen.contains(found) {
                lower(found, ContactEventKind::Features, -T::one());
            }
        }
        Ok(())
    }

    /// The velocities after an impact of what touches and approaches each other.
    fn velocities_after_impact(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        instant: Instant<'_, T>,
    ) -> Result<DVector<T>, SystemError> {
        let DynamicsWorkspace {
            kinematics, solver, ..
        } = workspace;
        self.tree.set_state(kinematics, instant.q, instant.v)?;
        let mut constraints = TreeConstraints::new();
        constraints.time = instant.time;
        constraints.touch_tolerance = TOUCH;
        constraints.spanning_directions = self.options.spanning_directions();
        constraints.round_cones = self.options.round_friction_cones;
        let stabilization = self.regularization.of_constraints();
        (self.constraints.iter()).for_each(|c| constraints.add(c, stabilization));
        constraints.set_contact(&self.contact, self.regularization.of_overlaps());
        let stage = self.stage_at(instant.time.re());
        let restitution = |point: &PointContact<T>, speed: T| {
            if let Some(stage) = &stage {
                let bodies = [point.body_a, point.body_b].map(|body| self.tree.body(body));
                let [a, b] = bodies.map(|body| body.map_or("", |body| body.name()));
                let margin = Margin::Sign(speed - self.regularization.rebound_speed);
                stage.show(format_args!("{a}|{b}"), "rebounding", "m/s", margin);
            }
            if speed.re() > self.regularization.rebound_speed.re() {
                point.material.restitution_at(speed)
            } else {
                Ok::<T, InvalidInput>(T::zero())
            }
        };
        let mut problem = constraints.impact(&self.tree, kinematics, restitution)?;
        let (solution, _) = problem.solve(solver)?;
        Ok(solution.generalized_velocity)
    }
}

impl RigidBodySystem<f64> {
    /// The contacts that act a moment after an instant.
    fn touching_after(
        &self,
        workspace: &mut DynamicsWorkspace<f64>,
        Instant { time, q, v, .. }: Instant<'_, f64>,
    ) -> Result<Vec<TouchingContact>, SystemError> {
        let DynamicsWorkspace {
            kinematics, search, ..
        } = workspace;
        let (search, seen) = search;
        let moment = f64::max(MOMENT, MOMENT_TICKS * f64::EPSILON * time.abs());
        let mut later = vec![0.0; q.len()];
        self.tree.integrate(q, v, moment, &mut later)?;
        self.tree.set_state(kinematics, &later, v)?;
        (self.contact).find(&self.tree, kinematics, HORIZON, search, seen)?;
        let mut touching = Vec::new();
        for (found, point) in seen.iter().zip(&search.points) {
            let velocity = point.relative_velocity_in(&self.tree, kinematics)?;
            let slip = Vector2::new(velocity.x, velocity.y);
            // What it is about to do counts more than a gap of the size of round-off.
            let touches = if self.options.rigid_contact {
                point.penetration >= -TOUCH && velocity.z.abs() <= 1.5 * SPEED
            } else if point.penetration.abs() < PARTING {
                velocity.z < 0.0
            } else {
                point.penetration > 0.0
            };
            if touches {
                let slides = self.options.rigid_contact && slip.norm() > 1.5 * SPEED;
                touching.push(TouchingContact {
                    found: *found,
                    slip: slides.then(|| slip.normalize()),
                });
            }
        }
        Ok(touching)
    }
}
