//! Contact detection in a configuration.

use super::broad_phase::{BroadPhase, Reach};
use super::error::ContactError;
use super::model::{ContactModel, GeometryPair};
use super::point_contact::{FoundContact, GeometryKink, PointContact};
use crate::Scalar;
use crate::geometry::{GeometryError, Witness, witnesses};
use crate::math::{RigidTransform, SpatialVelocity};
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use nalgebra::Vector3;

/// Which pairs count as contacts of a time step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub enum Detection {
    /// Those that overlap, and those that are so near that they may touch during the step.
    ///
    /// The step is then a continuous function of the state: a contact that is about to be made
    /// exerts no force until it is made, and the derivative of a step knows of it.
    #[doc(alias = "speculative contact")]
    #[default]
    Anticipating,
    /// Those that overlap at the start of the step, as Drake does. The step jumps where a contact
    /// begins to overlap, which no derivative shows.
    Overlapping,
}

/// Number of times that a step looks for contacts again, with the velocities that it has come to.
pub(crate) const MAX_DETECTIONS: usize = 4;

/// Reusable memory for finding and evaluating contacts.
#[derive(Debug, Clone)]
pub(crate) struct ContactWorkspace<T> {
    /// Pose in W of each geometry.
    pub(super) poses: Vec<RigidTransform<T>>,
    /// Position in W of its origin relative to that of its body.
    pub(super) offsets: Vec<Vector3<T>>,
    /// Whether the pose of each geometry is that of the contacts which are evaluated.
    is_placed: Vec<bool>,
    witnesses: Vec<Witness>,
    /// Of the bodies.
    velocities: Vec<SpatialVelocity<T>>,
    broad_phase: BroadPhase,
    /// How far each geometry reaches, and the largest speed of its points that was anticipated.
    reaches: Vec<Reach>,
    speeds: Vec<f64>,
    /// Pairs that may be near each other, and the speeds at which their surfaces approach each other at most.
    near: Vec<usize>,
    approach_speeds: Vec<f64>,
    /// The same, the contacts and their points before they were looked for again.
    before: Before<T>,
    /// The contacts, evaluated.
    pub points: Vec<PointContact<T>>,
    /// The pair nearest to a change of features, of those that were last searched for.
    pub kink: Option<GeometryKink>,
}

impl<T: Scalar> ContactWorkspace<T> {
    #[inline(never)]
    pub fn new() -> Self {
        ContactWorkspace {
            poses: Vec::new(),
            offsets: Vec::new(),
            is_placed: Vec::new(),
            witnesses: Vec::new(),
            velocities: Vec::new(),
            broad_phase: BroadPhase::default(),
            reaches: Vec::new(),
            speeds: Vec::new(),
            near: Vec::new(),
            approach_speeds: Vec::new(),
            before: Before::default(),
            points: Vec::new(),
            kink: None,
        }
    }
}

/// What a search for contacts had come to.
#[derive(Debug, Clone)]
struct Before<T> {
    near: Vec<usize>,
    approach_speeds: Vec<f64>,
    found: Vec<FoundContact>,
    points: Vec<PointContact<T>>,
}

impl<T> Default for Before<T> {
    fn default() -> Self {
        Before {
            near: Vec::new(),
            approach_speeds: Vec::new(),
            found: Vec::new(),
            points: Vec::new(),
        }
    }
}

impl<T: Scalar> ContactModel<T> {
    /// All points that overlap, or are nearer to each other than `margin` (in metres), at the
    /// state of the workspace.
    ///
    /// # Errors
    /// [`ContactError`] when a pose or a dimension is not finite, the margin is negative or NaN, the
    /// tree lacks a body of the model, or the workspace does not belong to the tree.
    #[inline(never)]
    pub fn contacts(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        margin: f64,
    ) -> Result<Vec<PointContact<T>>, ContactError> {
        let mut memory = ContactWorkspace::new();
        self.find(tree, workspace, margin, &mut memory, &mut Vec::new())?;
        Ok(memory.points)
    }

    /// The pair nearest to a change of the features that touch, among pairs that have points which
    /// overlap, or are nearer to each other than `margin`, at the state of the workspace; `None` if no
    /// pair can come to one.
    ///
    /// # Errors
    /// As [`ContactModel::contacts`].
    #[inline(never)]
    pub fn nearest_geometry_kink(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        margin: f64,
    ) -> Result<Option<GeometryKink>, ContactError> {
        let mut memory = ContactWorkspace::new();
        self.find(tree, workspace, margin, &mut memory, &mut Vec::new())?;
        Ok(memory.kink)
    }

    /// Finds all points that overlap, or are nearer to each other than `margin`, at the state of the
    /// workspace, and evaluates them.
    pub(crate) fn find(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        margin: f64,
        memory: &mut ContactWorkspace<T>,
        found: &mut Vec<FoundContact>,
    ) -> Result<(), ContactError> {
        self.place(tree, workspace, memory)?;
        memory.speeds.clear();
        // A margin that makes no sense is an error of the pairs.
        let way = if margin >= 0.0 { margin } else { f64::INFINITY };
        self.find_near(&|_| way, memory);
        self.find_where(|_, _| margin, memory, found)
    }

    /// Finds the contacts of a step of length `dt` from the positions of the workspace, and evaluates
    /// them.
    ///
    /// `velocities` are velocity coordinates that bound the motion over the step, such as those at its
    /// start and those that it has come to. A pair is looked for contacts within twice the way that its
    /// surfaces approach each other at the fastest of these, and that gravity gives them. Forces of the
    /// step can bring others together: see [`Self::outreaches`].
    pub(crate) fn detect(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        (detection, dt): (Detection, f64),
        velocities: &[&[T]],
        memory: &mut ContactWorkspace<T>,
        found: &mut Vec<FoundContact>,
    ) -> Result<(), ContactError> {
        if detection == Detection::Overlapping {
            return self.find(tree, workspace, 0.0, memory, found);
        }
        self.place(tree, workspace, memory)?;
        let fallen = length(tree.gravity()) * dt;
        memory.speeds.clear();
        memory.speeds.resize(self.geometries().len(), fallen);
        (memory.velocities).resize(tree.num_bodies(), SpatialVelocity::zero());
        for v in velocities {
            tree.body_velocities(workspace, v, &mut memory.velocities)?;
            for g in 0..memory.speeds.len() {
                let speed = self.surface_speed(g, memory);
                memory.speeds[g] = memory.speeds[g].max(speed);
            }
        }
        let speeds = std::mem::take(&mut memory.speeds);
        self.find_near(&|g| 2.0 * dt * speeds[g], memory);
        memory.speeds = speeds;
        memory.approach_speeds.clear();
        memory.approach_speeds.resize(memory.near.len(), fallen);
        for v in velocities {
            if velocities.len() > 1 {
                tree.body_velocities(workspace, v, &mut memory.velocities)?;
            }
            for k in 0..memory.near.len() {
                let speed = self.approach_speed(memory.near[k], memory);
                memory.approach_speeds[k] = memory.approach_speeds[k].max(speed);
            }
        }
        let reach = |k: usize, memory: &ContactWorkspace<T>| 2.0 * dt * memory.approach_speeds[k];
        self.find_where(reach, memory, found)
    }

    /// Whether velocities bring a pair together faster than [`Self::detect`] has anticipated, so that a
    /// contact can have been missed: look again with these velocities too.
    pub(crate) fn outreaches(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        v: &[T],
        memory: &mut ContactWorkspace<T>,
    ) -> Result<bool, ContactError> {
        if memory.speeds.is_empty() || memory.speeds.len() != self.geometries().len() {
            return Ok(false);
        }
        tree.body_velocities(workspace, v, &mut memory.velocities)?;
        let mut geometries = memory.speeds.iter().enumerate();
        let mut near = memory.near.iter().zip(&memory.approach_speeds);
        Ok(
            geometries.any(|(g, &speed)| self.surface_speed(g, memory) > 2.0 * speed)
                || near.any(|(&pair, &speed)| self.approach_speed(pair, memory) > 2.0 * speed),
        )
    }

    /// Looks again for contacts of the step of length `dt` for which [`Self::detect`] has looked, now that velocities
    /// are known which it comes to. Only pairs that these bring together faster than was anticipated are
    /// looked at; their contacts take the place of those that they had. Returns whether there are any such pairs.
    pub(crate) fn detect_again(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        dt: f64,
        v: &[T],
        memory: &mut ContactWorkspace<T>,
        found: &mut Vec<FoundContact>,
    ) -> Result<bool, ContactError> {
        if !self.outreaches(tree, workspace, v, memory)? {
            return Ok(false);
        }
        let mut before = std::mem::take(&mut memory.before);
        (before.approach_speeds).clone_from(&memory.approach_speeds);
        std::mem::swap(&mut before.points, &mut memory.points);
        std::mem::swap(&mut before.found, found);
        before.near.clone_from(&memory.near);
        let mut outreach = false;
        for g in 0..memory.speeds.len() {
            let speed = self.surface_speed(g, memory);
            if speed > 2.0 * memory.speeds[g] {
                (memory.speeds[g], outreach) = (speed, true);
            }
        }
        if outreach {
            let speeds = std::mem::take(&mut memory.speeds);
            self.find_near(&|g| 2.0 * dt * speeds[g], memory);
            memory.speeds = speeds;
        }
        found.clear();
        memory.points.clear();
        memory.approach_speeds.clear();
        let fallen = length(tree.gravity()) * dt;
        let (mut last, mut contact) = (0, 0);
        for k in 0..memory.near.len() {
            let pair = memory.near[k];
            while before.near.get(last).is_some_and(|&near| near < pair) {
                last += 1;
            }
            let anticipated = match before.near.get(last) {
                Some(&near) if near == pair => Some(before.approach_speeds[last]),
                _ => None,
            };
            let first = contact;
            while (before.found.get(contact)).is_some_and(|contact| contact.pair == pair) {
                contact += 1;
            }
            let speed = self.approach_speed(pair, memory).max(fallen);
            match anticipated {
                Some(anticipated) if speed <= 2.0 * anticipated => {
                    memory.approach_speeds.push(anticipated);
                    found.extend_from_slice(&before.found[first..contact]);
                    (memory.points).extend_from_slice(&before.points[first..contact]);
                }
                _ => {
                    memory.approach_speeds.push(speed);
                    let first = found.len();
                    self.find_pair(pair, 2.0 * dt * speed, memory, found)?;
                    for contact in &found[first..] {
                        let point = self.evaluate(contact, &memory.poses)?;
                        memory.points.push(point);
                    }
                }
            }
        }
        memory.before = before;
        Ok(true)
    }

    /// Writes the pairs that may be near each other where geometries go twice as far as [`Self::detect`] has anticipated.
    pub(crate) fn find_further(
        &self,
        dt: f64,
        memory: &mut ContactWorkspace<T>,
        further: &mut Vec<usize>,
    ) {
        std::mem::swap(&mut memory.near, further);
        let speeds = std::mem::take(&mut memory.speeds);
        self.find_near(
            &|g| speeds.get(g).map_or(0.0, |speed| 4.0 * dt * speed),
            memory,
        );
        memory.speeds = speeds;
        std::mem::swap(&mut memory.near, further);
    }

    /// Finds the pairs that may be near each other, where every geometry may move by a way of its own.
    fn find_near(&self, way: &dyn Fn(usize) -> f64, memory: &mut ContactWorkspace<T>) {
        memory.reaches.clear();
        let geometries = self.geometries().iter().zip(&memory.poses).enumerate();
        memory
            .reaches
            .extend(geometries.map(|(g, (geometry, pose))| Reach {
                center: pose.translation.map(|x| x.re()),
                radius: geometry.shape.extent() + way(g),
            }));
        (memory.broad_phase).find(self, &memory.reaches, &mut memory.near);
    }

    /// Finds and evaluates all points that overlap, or are nearer to each other than the margin of their pair,
    /// of the pairs that may be near each other.
    fn find_where(
        &self,
        margin: impl Fn(usize, &ContactWorkspace<T>) -> f64,
        memory: &mut ContactWorkspace<T>,
        found: &mut Vec<FoundContact>,
    ) -> Result<(), ContactError> {
        found.clear();
        memory.kink = None;
        for k in 0..memory.near.len() {
            let margin = margin(k, memory);
            self.find_pair(memory.near[k], margin, memory, found)?;
        }
        self.evaluate_all(found, memory)
    }

    /// Evaluates contacts that have been found before, in this scalar, at the state of the
    /// workspace.
    pub(crate) fn evaluate_at(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        found: &[FoundContact],
        memory: &mut ContactWorkspace<T>,
    ) -> Result<(), ContactError> {
        let geometries = self.geometries();
        (memory.poses).resize(geometries.len(), RigidTransform::identity());
        memory.is_placed.clear();
        memory.is_placed.resize(geometries.len(), false);
        for contact in found {
            let pair = self.pair(contact.pair);
            for g in [pair.first, pair.second] {
                if !memory.is_placed[g] {
                    memory.poses[g] = geometries[g].pose(tree, workspace)?;
                    memory.is_placed[g] = true;
                }
            }
        }
        self.evaluate_all(found, memory)
    }

    pub(super) fn place(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        memory: &mut ContactWorkspace<T>,
    ) -> Result<(), ContactError> {
        memory.poses.clear();
        memory.offsets.clear();
        for geometry in self.geometries() {
            let body = tree.body_pose(workspace, geometry.body)?;
            let pose = body * geometry.pose_in_body;
            (memory.offsets).push(pose.translation - body.translation);
            memory.poses.push(pose);
        }
        Ok(())
    }

    fn evaluate_all(
        &self,
        found: &[FoundContact],
        memory: &mut ContactWorkspace<T>,
    ) -> Result<(), ContactError> {
        memory.points.clear();
        for contact in found {
            memory.points.push(self.evaluate(contact, &memory.poses)?);
        }
        Ok(())
    }

    fn find_pair(
        &self,
        index: usize,
        margin: f64,
        memory: &mut ContactWorkspace<T>,
        found: &mut Vec<FoundContact>,
    ) -> Result<(), ContactError> {
        let pair = self.pair(index);
        let (a, b) = (
            &self.geometries()[pair.first],
            &self.geometries()[pair.second],
        );
        let (x_wa, x_wb) = (&memory.poses[pair.first], &memory.poses[pair.second]);
        memory.witnesses.clear();
        let distance = witnesses(
            &a.shape,
            x_wa,
            &b.shape,
            x_wb,
            margin,
            &mut memory.witnesses,
        )
        .map_err(|source| self.geometry_error(pair, source))?;
        let is_nearer = |kink: GeometryKink| distance < kink.distance;
        if distance.is_finite() && memory.kink.is_none_or(is_nearer) {
            memory.kink = Some(GeometryKink {
                pair: index,
                distance,
            });
        }
        found.extend(memory.witnesses.iter().map(|&witness| FoundContact {
            pair: index,
            witness,
        }));
        Ok(())
    }

    /// The largest speed of a point of a geometry with bounds, else zero, with the velocities of the bodies in
    /// the memory.
    fn surface_speed(&self, g: usize, memory: &ContactWorkspace<T>) -> f64 {
        let geometry = &self.geometries()[g];
        let extent = geometry.shape.extent();
        if extent.is_infinite() {
            return 0.0;
        }
        let velocity = &memory.velocities[geometry.body.get()];
        let at_center = velocity.shift(&memory.offsets[g]);
        length(&at_center.linear) + length(&velocity.angular) * extent
    }

    /// The speed at which the surfaces of a pair approach each other at most, with the velocities of
    /// the bodies in the memory; never more than both move, which is what the broad phase counts on.
    fn approach_speed(&self, index: usize, memory: &ContactWorkspace<T>) -> f64 {
        let GeometryPair { first, second, .. } = *self.pair(index);
        let [a, b] = [first, second].map(|g| &self.geometries()[g]);
        let between = memory.poses[first].translation - memory.poses[second].translation;
        let velocity_of = |body: BodyIndex| &memory.velocities[body.get()];
        let of_a = velocity_of(a.body).shift(&memory.offsets[first]);
        let of_b = velocity_of(b.body).shift(&(memory.offsets[second] + between));
        let relative = of_a - of_b;
        let speed = length(&relative.linear) + length(&relative.angular) * a.shape.extent();
        match b.shape.extent().is_finite() {
            true => {
                speed.min(self.surface_speed(first, memory) + self.surface_speed(second, memory))
            }
            false => speed,
        }
    }

    pub(super) fn geometry_error(
        &self,
        pair: &GeometryPair<T>,
        source: GeometryError,
    ) -> ContactError {
        ContactError::Geometry {
            first: self.geometries()[pair.first].name.clone(),
            second: self.geometries()[pair.second].name.clone(),
            source,
        }
    }
}

fn length<T: Scalar>(v: &Vector3<T>) -> f64 {
    v.map(|x| x.re()).norm()
}
