//! MJCF: which geoms can touch (`contype`, `conaffinity`, `<pair>`, `<exclude>`).

use super::assembly::Assembly;
use super::body::{Body, Kind};
use super::defaults::{MAIN, Node, unknown};
use super::error::MjcfError;
use super::geom::{FRICTION, contact_dimension, rotational_friction};
use crate::Scalar;
use crate::contact::{
    CollisionGeometry, ContactError, ContactMaterial, ContactModelBuilder, FrictionRule,
    check_number_of_pairs, moving_pairs,
};
use crate::geometry::ShapeKind;
use crate::io::xml::Element;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

/// The rules of the format, for the collision geometries of a model.
#[derive(Debug, Clone, Default)]
pub(super) struct ContactRules {
    /// Of each geometry.
    pub geometries: Vec<GeometryRules>,
    /// Of each body: the nearest body inward of it, or itself, that has a joint; the world otherwise.
    pub welded_to: Vec<usize>,
    /// Of each body: its parent.
    pub parents: Vec<usize>,
    /// Bodies whose geometries do not touch, by twos, the smaller first.
    pub excluded: HashSet<(usize, usize)>,
    /// Geometries that touch whatever their bits are, with the friction of their contact.
    pub pairs: BTreeMap<(usize, usize), SurfaceFriction>,
    /// Whether anything touches.
    pub is_enabled: bool,
    /// Whether those of parents and children do not.
    pub filters_parents: bool,
}

/// How surfaces, or a pair of them, rub: friction against sliding, spinning and rolling, and `condim`.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfaceFriction {
    pub coefficients: [f64; 3],
    pub dimension: u8,
}

impl SurfaceFriction {
    /// Writes what acts into a material.
    pub fn apply_to<T: Scalar>(&self, material: &mut ContactMaterial<T>) {
        let [sliding, torsional, rolling] = self.coefficients.map(T::from);
        material.friction = if self.dimension == 1 {
            T::zero()
        } else {
            sliding
        };
        material.rotational = rotational_friction(self.dimension, torsional, rolling);
    }

    /// Of two surfaces of the same priority.
    fn combined(&self, other: &Self) -> Self {
        let [a, b] = [self.coefficients, other.coefficients];
        SurfaceFriction {
            coefficients: [0, 1, 2].map(|k| f64::max(a[k], b[k])),
            dimension: self.dimension.max(other.dimension),
        }
    }
}

/// What decides for a geometry.
#[derive(Debug, Clone)]
pub(super) struct GeometryRules {
    pub body: usize,
    pub touches: [u32; 2],
    pub friction: SurfaceFriction,
    pub priority: f64,
}

impl ContactRules {
    fn can_touch(&self, i: usize, j: usize) -> bool {
        if !self.is_enabled {
            return false;
        }
        if self.pairs.contains_key(&ordered(i, j)) {
            return true;
        }
        let (a, b) = (&self.geometries[i], &self.geometries[j]);
        let [wa, wb] = [a, b].map(|g| self.welded_to[g.body]);
        let inward = |welded: usize| self.welded_to[self.parents[welded]];
        let are_related =
            self.filters_parents && wa != 0 && wb != 0 && (inward(wa) == wb || inward(wb) == wa);
        wa != wb
            && !are_related
            && !self.excluded.contains(&ordered(a.body, b.body))
            && (a.touches[0] & b.touches[1] != 0 || b.touches[0] & a.touches[1] != 0)
    }

    /// The friction of a pair, if it is not the larger one of what each of the surfaces has by itself.
    fn friction_of_pair<T: Scalar>(
        &self,
        (i, j): (usize, usize),
        material: &ContactMaterial<T>,
    ) -> Option<SurfaceFriction> {
        if let Some(friction) = self.pairs.get(&ordered(i, j)) {
            return Some(*friction);
        }
        let (a, b) = (&self.geometries[i], &self.geometries[j]);
        let friction = match a.priority.total_cmp(&b.priority) {
            Ordering::Less => b.friction,
            Ordering::Equal => a.friction.combined(&b.friction),
            Ordering::Greater => a.friction,
        };
        let acts = |friction: &SurfaceFriction| {
            let mut material = *material;
            friction.apply_to(&mut material);
            material
        };
        let [of_a, of_b, of_pair] = [&a.friction, &b.friction, &friction].map(acts);
        let larger = of_a.combined_by(&of_b, FrictionRule::Maximum);
        let is_larger =
            larger.friction == of_pair.friction && larger.rotational == of_pair.rotational;
        (!is_larger).then_some(friction)
    }

    pub fn builder<T: Scalar>(
        &self,
        geometries: &[CollisionGeometry<T>],
    ) -> Result<ContactModelBuilder<T>, ContactError> {
        let mut builder = ContactModelBuilder::new();
        for geometry in geometries {
            builder.add_geometry(geometry.clone())?;
        }
        builder.set_friction_rule(FrictionRule::Maximum);
        let welded = |i: usize| self.welded_to[self.geometries[i].body];
        let moving: Vec<usize> = (0..geometries.len()).filter(|&i| welded(i) != 0).collect();
        let pairs = moving_pairs(geometries.len(), &moving);
        let pairs = pairs.filter(|&(i, j)| welded(i) != welded(j));
        for (count, (i, j)) in pairs.enumerate() {
            check_number_of_pairs(count, geometries.len())?;
            let (a, b) = (&geometries[i], &geometries[j]);
            let are_both_ground = [a, b].iter().all(|g| is_ground(g.shape.kind()));
            if are_both_ground || !self.can_touch(i, j) {
                builder.exclude_pair(i, j);
                continue;
            }
            let [body_a, body_b] = [i, j].map(|k| self.geometries[k].body);
            if self.parents[body_a] == body_b || self.parents[body_b] == body_a {
                builder.include(&a.name, &b.name)?;
            }
            if let Some(friction) = self.friction_of_pair((i, j), &a.material) {
                let mut material = a.material.combined(&b.material);
                friction.apply_to(&mut material);
                builder.set_pair_material(&a.name, &b.name, material)?;
            }
        }
        Ok(builder)
    }
}

/// Planes and height fields do not touch each other.
fn is_ground(kind: ShapeKind) -> bool {
    matches!(kind, ShapeKind::HalfSpace | ShapeKind::HeightField)
}

/// Names of geoms in pairs that are listed.
pub(super) fn listed_geoms(root: &Element) -> HashSet<&str> {
    let sections = root
        .children
        .iter()
        .filter(|section| section.name == "contact");
    let pairs = sections.flat_map(|section| &section.children);
    let pairs = pairs.filter(|element| element.name == "pair");
    let names = pairs.flat_map(|pair| ["geom1", "geom2"].map(|name| pair.attribute(name)));
    names.flatten().collect()
}

pub(super) fn ordered(i: usize, j: usize) -> (usize, usize) {
    (i.min(j), i.max(j))
}

impl<'a, T: Scalar> Assembly<'_, 'a, T> {
    /// Reads `<contact>` and `<flag>`.
    pub(super) fn read_contact(&mut self) -> Result<(), MjcfError> {
        let rules = &mut self.model.contact;
        rules.is_enabled = true;
        rules.filters_parents = true;
        rules.parents = self.bodies.iter().map(|body| body.parent).collect();
        for (index, body) in self.bodies.iter().enumerate() {
            let is_welded = body.joints.is_empty() && index != 0;
            let welded = if is_welded {
                rules.welded_to[body.parent]
            } else {
                index
            };
            rules.welded_to.push(welded);
        }
        for flag in self.section("option").filter(|e| e.name == "flag") {
            let node = self.defaults.node(flag);
            let rules = &mut self.model.contact;
            rules.is_enabled = node.flag("contact")?.unwrap_or(rules.is_enabled);
            rules.filters_parents = node.flag("filterparent")?.unwrap_or(rules.filters_parents);
        }
        for element in self.section("contact") {
            let node = self.defaults.node(element);
            match element.name.as_str() {
                "exclude" => {
                    let [a, b] = ["body1", "body2"].map(|name| self.required_body(&node, name));
                    self.model.contact.excluded.insert(ordered(a?, b?));
                }
                "pair" => {
                    let item = self.defaults.item(element, MAIN, &["pair"])?;
                    let [a, b] = ["geom1", "geom2"].map(|name| self.geometries(&node, name));
                    let [sliding, torsional, rolling] = FRICTION;
                    let mut friction = [sliding, sliding, torsional, rolling, rolling];
                    item.overlay("friction", &mut friction)?;
                    let friction = friction.map(|x| x.max(0.0));
                    let dimension = contact_dimension(&item)?;
                    let differs = dimension > 1 && friction[0] != friction[1]
                        || dimension > 4 && friction[3] != friction[4];
                    if differs {
                        let reason = "rubs alike in all directions, with the first coefficient";
                        self.model.report.leave_out(&node, reason);
                    }
                    let friction = SurfaceFriction {
                        coefficients: [friction[0], friction[2], friction[3]],
                        dimension,
                    };
                    let (a, b) = (a?, b?);
                    if a.is_empty() || b.is_empty() || a == b {
                        let reason = "has a shape that is not read";
                        self.model.report.leave_out(&node, reason);
                        continue;
                    }
                    for (i, j) in a.iter().flat_map(|i| b.iter().map(move |j| (*i, *j))) {
                        self.model.contact.pairs.insert(ordered(i, j), friction);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Names in the report what falls through the floor: bodies that float while no shape of theirs, or of
    /// what they carry, can touch any of those that are fixed.
    pub(super) fn report_untouchable(&mut self) {
        let rules = &self.model.contact;
        let mut outermost: Vec<usize> = Vec::new();
        for (index, body) in self.bodies.iter().enumerate() {
            let is_first = body.parent == 0;
            outermost.push(if is_first {
                index
            } else {
                outermost[body.parent]
            });
        }
        let count = rules.geometries.len();
        let is_fixed = |i: &usize| rules.welded_to[rules.geometries[*i].body] == 0;
        let fixed: Vec<usize> = (0..count).filter(is_fixed).collect();
        let floats = |body: &Body| body.joints.iter().any(|joint| joint.kind == Kind::Free);
        let floating = (0..self.bodies.len()).filter(|i| floats(&self.bodies[*i]));
        let untouchable: Vec<String> = floating
            .filter(|&body| {
                let own = (0..count).filter(|i| outermost[rules.geometries[*i].body] == body);
                let touches = |i: usize| fixed.iter().any(|&j| rules.can_touch(i, j));
                !fixed.is_empty() && !own.into_iter().any(touches)
            })
            .map(|body| self.full_name(&self.bodies[body].name))
            .collect();
        self.model.report.untouchable = untouchable;
    }

    /// The geometries of a name; none of a geom that was left out.
    fn geometries(
        &self,
        node: &Node<'a>,
        attribute: &'static str,
    ) -> Result<Vec<usize>, MjcfError> {
        let name = node.required(attribute)?;
        match self.geoms.get(name) {
            Some(indices) => Ok(indices.clone()),
            None => Err(unknown(node, "geom", name, self.geoms.keys().copied())),
        }
    }
}
