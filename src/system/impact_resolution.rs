//! Temporal resolution of an impact: steps per half period of contact.
//!
//! Bodies that meet at `n` points of stiffness `k` swing on them as a mass `m` on a spring, for half a period:
//!
//! ```text
//! T = π √(m/(n k)),     1/m = 1/m_A + 1/m_B
//! ```
//!
//! Implicit Euler damps such an oscillation as `1 − π ω δt/2` by its half period, `ω = π/T`: with N = T/δt steps a
//! bounce is lower by some `π²/(2 N)` of its speed, 5 % for [`STEPS_OF_IMPACT`], and derivatives of what follows are those
//! of the motion in continuous time to about as much. With fewer than about four steps nothing bounces.

use super::error::SystemError;
use super::rigid_body_system::RigidBodySystem;
use super::rollout::Rollout;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::contact::ContactWorkspace;
use crate::geometry::ShapeKind;
use std::f64::consts::PI;
use std::fmt;

/// Steps that resolve an impact whose bounce, or whose derivative, matters.
pub const STEPS_OF_IMPACT: f64 = 100.0;

/// The impact of a pair of geometries, as its stiffness and masses have it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Impact {
    /// The names of the geometries.
    pub geometries: [String; 2],
    /// The reduced mass of their bodies, each with what is welded to it, in kg.
    pub mass: f64,
    /// The stiffness of all points that can touch at once, in N/m.
    pub stiffness: f64,
    /// How many points these are: one of a sphere or an ellipsoid, two of a capsule, else four.
    pub points: usize,
    /// How long it lasts without dissipation, `π √(mass/stiffness)`, in s.
    pub duration: f64,
}

impl fmt::Display for Impact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.geometries;
        let each = self.stiffness / self.points as f64;
        write!(
            f,
            "an impact of {a:?} on {b:?} lasts {:.3e} s ",
            self.duration
        )?;
        write!(
            f,
            "({:.3e} kg, {} × {each:.3e} N/m)",
            self.mass, self.points
        )
    }
}

/// The longest time step for what depends on impacts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecommendedTimeStep {
    /// In s: the duration of the impact over [`STEPS_OF_IMPACT`].
    pub time_step: f64,
    /// Why: the shortest impact that the machine can have.
    pub impact: Impact,
}

impl fmt::Display for RecommendedTimeStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (time_step, impact) = (self.time_step, &self.impact);
        write!(
            f,
            "{time_step:.3e} s: {impact}, and takes {STEPS_OF_IMPACT} steps"
        )
    }
}

/// An impact in a rollout that too few steps resolve.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CoarseImpact {
    /// The step at whose start the geometries overlap, or a point of theirs does, and at whose end before they did not; the first,
    /// where they would not have overlapped at the end before, had they come with the velocities of the start.
    pub step: usize,
    /// The speed in m/s at which they approach each other there, with the velocities of now or, where they are greater, of a
    /// step before: one step may take all of the speed away.
    pub speed: f64,
    /// How many steps the impact takes, fewer than [`STEPS_OF_IMPACT`].
    pub steps: f64,
    /// What meets.
    pub impact: Impact,
}

impl fmt::Display for CoarseImpact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (step, speed, steps) = (self.step, self.speed, self.steps);
        write!(
            f,
            "step {step}, at {speed:.3e} m/s, resolved by {steps:.1} steps of {STEPS_OF_IMPACT}: {}",
            self.impact
        )
    }
}

impl RigidBodySystem<f64> {
    /// The longest time step that resolves all impacts that compliant contacts can have, for outcomes and derivatives in
    /// which bounces matter. `None` where no pair of geometries can touch compliantly.
    ///
    /// Contacts that last (standing, sliding, rolling) do not need it: compliant steps are stable at any length. If the pair
    /// that it is for only slides, [`impacts`](Self::impacts) has those of the others.
    ///
    /// ```
    /// use dualbody::prelude::*;
    ///
    /// let rubber = ContactMaterial::new(1e5, 0.1, 0.5)?;
    /// let machine = SystemBuilder::new()
    ///     .floor("floor", rubber)
    ///     .free_body("capsule", Shape::new_capsule(0.05, 0.2)?, 0.5, rubber)
    ///     .pair_material("capsule", "floor", rubber)
    ///     .build()?;
    /// let recommended = machine.recommended_time_step().expect("a capsule can touch the floor");
    /// assert_eq!(
    ///     recommended.to_string(),
    ///     "4.967e-5 s: an impact of \"capsule\" on \"floor\" lasts 4.967e-3 s (5.000e-1 kg, 2 × 1.000e5 N/m), \
    ///      and takes 100 steps"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recommended_time_step(&self) -> Option<RecommendedTimeStep> {
        let impact = self.impacts().into_iter().next()?;
        Some(RecommendedTimeStep {
            time_step: impact.duration / STEPS_OF_IMPACT,
            impact,
        })
    }

    /// The impacts that compliant contacts can have, one of each pair of geometries, the shortest first.
    pub fn impacts(&self) -> Vec<Impact> {
        let mut impacts: Vec<_> = self.impacts_of_pairs().flatten().collect();
        impacts.sort_by(|a, b| a.duration.total_cmp(&b.duration));
        impacts
    }

    /// Of every pair, if it can have one.
    fn impacts_of_pairs(&self) -> impl Iterator<Item = Option<Impact>> {
        let pairs = self.contact.pairs().enumerate();
        pairs.map(|(pair, (a, b))| self.impact_of(pair, a, b))
    }

    fn impact_of(&self, pair: usize, a: usize, b: usize) -> Option<Impact> {
        let geometries = [a, b].map(|g| &self.contact.geometries()[g]);
        let material = self.contact.material_of(pair);
        let [a, b] = geometries.map(|g| self.tree.mass_with_welded(g.body));
        let mass = 1.0 / (1.0 / a + 1.0 / b);
        if material.is_rigid() || !(mass > 0.0 && mass.is_finite()) {
            return None;
        }
        let points = geometries.map(|g| points_of(g.shape.kind()));
        let points = points[0].min(points[1]);
        let stiffness = material.stiffness * points as f64;
        Some(Impact {
            geometries: geometries.map(|g| g.name.clone()),
            mass,
            stiffness,
            points,
            duration: PI * (mass / stiffness).sqrt(),
        })
    }
}

impl TimeSteppingRigidBodySystem<f64> {
    /// The impacts of a rollout of this system that take fewer than [`STEPS_OF_IMPACT`] steps, in the order of the
    /// steps; for compliant steps only. What meets more slowly than `speed` in m/s is left out.
    ///
    /// An impact is where a pair overlaps at the start of a step and did not a step before, while it closes or closed then; at the
    /// start, and of what overlapped before, where a point overlaps by less than it closes in a step: a box that tips onto its face.
    /// Derivatives of what follows one in too few steps are exact for the steps and may say nothing of the motion.
    ///
    /// # Errors
    /// [`SystemError`] for states that are not of this system.
    pub fn coarse_impacts(
        &self,
        rollout: &Rollout<f64>,
        speed: f64,
    ) -> Result<Vec<CoarseImpact>, SystemError> {
        let (machine, mut found) = (self.system(), Vec::new());
        if !matches!(self.scheme(), super::Scheme::Compliant) {
            return Ok(found);
        }
        let impacts: Vec<_> = machine.impacts_of_pairs().collect();
        let pairs = impacts.len();
        let mut overlapped = vec![false; pairs];
        // The fastest points of each pair: of all, and of those that did not overlap a step before with the velocities of now.
        let (mut closing, mut meeting) = (vec![None; pairs], vec![None; pairs]);
        let mut kinematics = machine.tree.workspace();
        let mut before = kinematics.clone();
        let (mut memory, mut contacts) = (ContactWorkspace::new(), Vec::new());
        for (step, state) in rollout.states.iter().enumerate() {
            let (q, last) = (state.q.as_slice(), &rollout.states[step.saturating_sub(1)]);
            (machine.tree).set_state(&mut kinematics, q, state.v.as_slice())?;
            closing.fill(None);
            meeting.fill(None);
            let (contact, tree) = (&machine.contact, &machine.tree);
            contact.find(tree, &kinematics, 0.0, &mut memory, &mut contacts)?;
            if !contacts.is_empty() {
                tree.set_state(&mut before, q, last.v.as_slice())?;
            }
            for (contact, point) in contacts.iter().zip(&memory.points) {
                let [now, before] = [&kinematics, &before]
                    .map(|velocities| point.relative_velocity_in(tree, velocities));
                let (now, before) = (-now?.z, -before?.z);
                let fastest = closing[contact.pair].get_or_insert(now);
                *fastest = fastest.max(now).max(before);
                if point.penetration > now * self.time_step() {
                    overlapped[contact.pair] |= step == 0;
                } else {
                    let fastest = meeting[contact.pair].get_or_insert(now);
                    *fastest = fastest.max(now);
                }
            }
            for (pair, impact) in impacts.iter().enumerate() {
                let approach = match overlapped[pair] {
                    true => meeting[pair],
                    false => closing[pair],
                };
                if let (Some(approach), Some(impact)) = (approach, impact)
                    && approach > speed
                    && impact.duration / self.time_step() < STEPS_OF_IMPACT
                {
                    found.push(CoarseImpact {
                        step,
                        speed: approach,
                        steps: impact.duration / self.time_step(),
                        impact: impact.clone(),
                    });
                }
                overlapped[pair] = closing[pair].is_some();
            }
        }
        Ok(found)
    }
}

/// How many points of a shape can touch at once what is flat.
fn points_of(kind: ShapeKind) -> usize {
    match kind {
        ShapeKind::Sphere | ShapeKind::Ellipsoid => 1,
        ShapeKind::Capsule => 2,
        _ => 4,
    }
}
