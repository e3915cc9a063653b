//! MJCF: the section `<equality>`.

use super::assembly::Assembly;
use super::body::Kind;
use super::defaults::{Defaults, Item, MAIN};
use super::error::{MjcfError, MjcfProblem};
use crate::Scalar;
use crate::constraint::{
    AnyConstraint, BallConstraint, GearConstraint, MotionProfile, PrescribedMotion, WeldConstraint,
};
use crate::io::quaternion::rotation_of;
use crate::io::xml::Element;
use crate::math::RigidTransform;
use crate::tree::RigidBodyTree;
use nalgebra::Vector3;

/// A constraint with its defaults.
pub(super) fn equality_item<'a>(
    defaults: &'a Defaults<'a>,
    element: &'a Element,
) -> Result<Item<'a>, MjcfError> {
    defaults.item(element, MAIN, &["equality"])
}

/// Whether an equality is one of sites.
fn names_sites(item: &Item) -> bool {
    let mut names = ["site1", "site2"].iter();
    names.any(|name| item.node.text(name).is_some())
}

/// Checks that an equality of sites says nothing of bodies.
fn check_sites(item: &Item) -> Result<(), MjcfError> {
    let mut of_bodies = ["body1", "body2", "anchor", "relpose"].into_iter();
    if names_sites(item)
        && let Some(name) = of_bodies.find(|name| item.node.text(name).is_some())
    {
        return Err(item.node.value(name, "no sites beside it"));
    }
    Ok(())
}

/// Checks that an equality does not tie a body, a joint or a site to itself.
fn check_ends(item: &Item) -> Result<(), MjcfError> {
    for (first, second, unless_given) in [
        ("joint1", "joint2", None),
        ("body1", "body2", Some("world")),
        ("site1", "site2", None),
    ] {
        let name = item.node.text(first);
        if name.is_some() && name == item.node.text(second).or(unless_given) {
            return Err(item
                .node
                .value(first, "another than the one that it is tied to"));
        }
    }
    Ok(())
}

type Place = (usize, RigidTransform<f64>);

impl<'a, T: Scalar> Assembly<'_, 'a, T> {
    pub(super) fn read_equalities(&mut self, tree: &RigidBodyTree<T>) -> Result<(), MjcfError> {
        for (number, element) in self.section("equality").enumerate() {
            let item = equality_item(self.defaults, element)?;
            check_ends(&item)?;
            check_sites(&item)?;
            if item.flag("active")? == Some(false) {
                self.model.report.leave_out(&item.node, "is not active");
                continue;
            }
            let name = match item.node.text("name").filter(|name| !name.is_empty()) {
                Some(name) => name.to_owned(),
                None => format!("{}{number}", element.name),
            };
            let name = self.full_name(&name);
            let error = |e| item.node.error(MjcfProblem::Constraint(e));
            let body = |index: usize| self.model.bodies[index];
            let constraint: AnyConstraint<T> = match element.name.as_str() {
                "connect" => {
                    let [a, b] = self.points(&item)?;
                    let point = |(index, p): Place| (body(index), p.translation.map(T::from));
                    let ball = BallConstraint::new(name, point(a), point(b));
                    AnyConstraint::new(ball.map_err(error)?)
                }
                "weld" => {
                    let [a, b] = self.frames(&item)?;
                    let frame = |(index, pose): Place| (body(index), pose.cast());
                    let weld = WeldConstraint::new(name, frame(a), frame(b));
                    AnyConstraint::new(weld.map_err(error)?)
                }
                "joint" => match self.coupling(&item, name, tree)? {
                    Ok(constraint) => constraint,
                    Err(reason) => {
                        self.model.report.leave_out(&item.node, reason);
                        continue;
                    }
                },
                _ => {
                    self.model
                        .report
                        .leave_out(&item.node, "is an equality of another kind");
                    continue;
                }
            };
            self.model.elements.constraints.push(constraint);
            self.model.origins.constraints.push(number);
        }
        Ok(())
    }

    /// Sites that coincide; none where bodies are named.
    fn site_pair(&self, item: &Item<'a>) -> Result<Option<[Place; 2]>, MjcfError> {
        if !names_sites(item) {
            return Ok(None);
        }
        let [a, b] = ["site1", "site2"].map(|name| self.required_site(&item.node, name));
        let place = |(_, body, pose)| (body, pose);
        Ok(Some([place(a?), place(b?)]))
    }

    fn body_pair(&self, item: &Item<'a>) -> Result<[usize; 2], MjcfError> {
        let a = self.required_body(&item.node, "body1")?;
        match item.node.text("body2") {
            Some(_) => Ok([a, self.required_body(&item.node, "body2")?]),
            None => Ok([a, 0]),
        }
    }

    /// The pose of the second body on the first, in the reference configuration.
    fn relative(&self, [a, b]: [usize; 2]) -> RigidTransform<f64> {
        self.bodies[a].pose_in_world.inverse() * self.bodies[b].pose_in_world
    }

    fn points(&self, item: &Item<'a>) -> Result<[Place; 2], MjcfError> {
        if let Some(sites) = self.site_pair(item)? {
            return Ok(sites);
        }
        let pair = self.body_pair(item)?;
        item.node.required_numbers("anchor")?;
        let anchor = RigidTransform::from_translation(item.vector("anchor")?.unwrap_or_default());
        Ok([
            (pair[0], anchor),
            (pair[1], self.relative(pair).inverse() * anchor),
        ])
    }

    fn frames(&self, item: &Item<'a>) -> Result<[Place; 2], MjcfError> {
        if let Some(sites) = self.site_pair(item)? {
            return Ok(sites);
        }
        let pair = self.body_pair(item)?;
        let relative = match item.array("relpose")? {
            Some([x, y, z, w, i, j, k]) => rotation_of([w, i, j, k])
                .map(|rotation| RigidTransform::new(rotation, Vector3::new(x, y, z))),
            None => None,
        };
        let anchor = RigidTransform::from_translation(item.vector("anchor")?.unwrap_or_default());
        // The position that is given is that of the anchor on the first body, not that of the second body.
        let on_first = relative.unwrap_or_else(|| self.relative(pair) * anchor);
        Ok([(pair[0], on_first), (pair[1], anchor)])
    }

    /// `q₁ − r₁ = c₀ + c₁ (q₂ − r₂)` with the reference coordinates r.
    #[allow(clippy::type_complexity)] // errors of two kinds
    fn coupling(
        &self,
        item: &Item<'a>,
        name: String,
        tree: &RigidBodyTree<T>,
    ) -> Result<Result<AnyConstraint<T>, &'static str>, MjcfError> {
        let driven = self.required_joint(&item.node, "joint1")?;
        let driving = match item.node.text("joint2") {
            Some(_) => Some(self.required_joint(&item.node, "joint2")?),
            None => None,
        };
        let is_single = |kind| matches!(kind, Kind::Hinge | Kind::Slide);
        if !is_single(driven.kind) || driving.is_some_and(|joint| !is_single(joint.kind)) {
            return Ok(Err("is on a joint of several degrees of freedom"));
        }
        let mut c = [0.0, 1.0, 0.0, 0.0, 0.0];
        item.overlay("polycoef", &mut c)?;
        let error = |e| item.node.error(MjcfProblem::Constraint(e));
        let Some(driving) = driving else {
            let coefficients = vec![T::from(driven.reference + c[0])];
            let profile = MotionProfile::Polynomial { coefficients };
            let motion = PrescribedMotion::new(name, tree, driven.index, profile);
            return Ok(Ok(AnyConstraint::new(motion.map_err(error)?)));
        };
        if c[2..] != [0.0; 3] {
            return Ok(Err("is not linear"));
        }
        let offset = driven.reference + c[0] - c[1] * driving.reference;
        let gear = GearConstraint::new(name, tree, driven.index, driving.index, T::from(c[1]));
        let gear = gear.and_then(|gear| gear.with_offset(T::from(offset)));
        Ok(Ok(AnyConstraint::new(gear.map_err(error)?)))
    }
}
