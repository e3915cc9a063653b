//! The contact model of a machine: geometries, and which pairs can touch.

use super::collision_geometry::CollisionGeometry;
#[cfg(feature = "serde")]
use super::document::ContactDocument;
use super::error::ContactError;
use super::friction_rule::FrictionRule;
use super::material::ContactMaterial;
use super::point_contact::FoundContact;
use crate::Scalar;
use crate::geometry::is_supported;
use crate::parameter::{Parameter, ParameterError, Parameters};
use crate::spelling::nearest_paths;
use crate::tree::{BodyIndex, Joint, JointKind, Orientation, RigidBodyTree};
use std::collections::{HashMap, HashSet};

/// More pairs than these would fill the memory.
const MAX_PAIRS: usize = 10_000_000;

/// Checks that there may be one pair more.
pub(crate) fn check_number_of_pairs(pairs: usize, geometries: usize) -> Result<(), ContactError> {
    if pairs >= MAX_PAIRS {
        return Err(ContactError::TooManyPairs {
            geometries,
            pairs: MAX_PAIRS,
        });
    }
    Ok(())
}

/// Pairs of so many geometries of which one at least is among those that move, each in ascending order: most geometries of
/// a large scene never do, and are not asked about each other.
pub(crate) fn moving_pairs(count: usize, moving: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| {
        let next = moving.partition_point(|&j| j < i);
        let (others, moving_ones) = match moving.get(next) == Some(&i) {
            true => (i + 1..count, &[][..]),
            false => (0..0, &moving[next..]),
        };
        (others.chain(moving_ones.iter().copied())).map(move |j| (i, j))
    })
}

/// Collects geometries and exceptions for a [`ContactModel`].
#[derive(Debug, Clone, Default)]
pub struct ContactModelBuilder<T> {
    geometries: Vec<CollisionGeometry<T>>,
    /// The positions of geometries by name.
    positions: HashMap<String, usize>,
    excluded: HashSet<(usize, usize)>,
    /// Pairs that touch although a joint connects their bodies.
    included: HashSet<(usize, usize)>,
    materials: HashMap<(usize, usize), ContactMaterial<T>>,
    friction_rule: FrictionRule,
}

/// The geometries of a system, and the pairs of them that can touch.
///
/// Two geometries can touch unless they are on the same body, on bodies that are welded together, on
/// bodies that a joint connects (a floating joint, or a joint to the world, does not count, nor a pair that is
/// [included](ContactModelBuilder::include)), or the pair is excluded.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        from = "ContactDocument<T>",
        into = "ContactDocument<T>",
        bound = "T: crate::io::json::Number"
    )
)]
pub struct ContactModel<T> {
    /// Their poses belong to the orientations after [`Parameters::parameters_changed`].
    pub(super) geometries: Vec<CollisionGeometry<T>>,
    /// Those of the geometries in their bodies.
    pub(super) orientations: Vec<Orientation<T>>,
    /// By their geometries in ascending order.
    pub(super) pairs: Vec<GeometryPair<T>>,
    pub(super) friction_rule: FrictionRule,
    /// The joints of the tree that it was made for; not known of a model that was read, whose pairs are checked.
    pub(super) joints: Option<Vec<JointPlace>>,
}

/// The bodies that a joint connects, and its number of degrees of freedom.
type JointPlace = (BodyIndex, BodyIndex, usize);

/// Two geometries that can touch. The first, A, has the shape of the smaller kind, so that contact
/// normals point from a half space into what lies on it.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub(super) struct GeometryPair<T> {
    #[cfg_attr(feature = "serde", serde(rename = "geometry_a"))]
    pub first: usize,
    #[cfg_attr(feature = "serde", serde(rename = "geometry_b"))]
    pub second: usize,
    /// A material for this pair, instead of the combination of the two surfaces'.
    pub material: Option<ContactMaterial<T>>,
}

impl<T> GeometryPair<T> {
    /// Its geometries in ascending order.
    pub(super) fn key(&self) -> (usize, usize) {
        ordered(self.first, self.second)
    }
}

impl<T: Scalar> ContactModelBuilder<T> {
    /// A model without geometries.
    #[inline(never)]
    pub fn new() -> Self {
        ContactModelBuilder {
            geometries: Vec::new(),
            positions: HashMap::new(),
            excluded: HashSet::new(),
            included: HashSet::new(),
            materials: HashMap::new(),
            friction_rule: FrictionRule::default(),
        }
    }

    /// Sets how the coefficients of friction of two surfaces become that of their contact (by default, the
    /// harmonic mean).
    pub fn set_friction_rule(&mut self, rule: FrictionRule) {
        self.friction_rule = rule;
    }

    /// Adds a geometry.
    ///
    /// # Errors
    /// [`ContactError::InvalidGeometry`] or [`ContactError::DuplicateName`].
    #[inline(never)]
    pub fn add_geometry(&mut self, geometry: CollisionGeometry<T>) -> Result<(), ContactError> {
        geometry
            .validate()
            .map_err(|source| ContactError::InvalidGeometry {
                name: geometry.name.clone(),
                source,
            })?;
        if self.positions.contains_key(&geometry.name) {
            return Err(ContactError::DuplicateName {
                name: geometry.name,
            });
        }
        let position = self.geometries.len();
        self.positions.insert(geometry.name.clone(), position);
        self.geometries.push(geometry);
        Ok(())
    }

    /// Lets two geometries, given by their names, pass through each other.
    ///
    /// # Errors
    /// [`ContactError::UnknownName`].
    pub fn exclude(&mut self, first: &str, second: &str) -> Result<(), ContactError> {
        self.exclude_pair(self.position(first)?, self.position(second)?);
        Ok(())
    }

    /// Lets two geometries, given by their names, touch although a joint connects their bodies, as a lid and the box
    /// that it is hinged to. What was last said of a pair, that or that it is excluded, counts.
    ///
    /// # Errors
    /// [`ContactError::UnknownName`].
    #[inline(never)]
    pub fn include(&mut self, first: &str, second: &str) -> Result<(), ContactError> {
        let pair = ordered(self.position(first)?, self.position(second)?);
        self.excluded.remove(&pair);
        self.included.insert(pair);
        Ok(())
    }

    /// Gives the contact of two geometries, given by their names, a material of its own, in place of
    /// the combination of the two surfaces'. Its parameters are named `pair/first|second/stiffness`, …, in the order
    /// that the kinds of shapes have in contact: of a box and a floor, the box comes first. While the pair is excluded, or
    /// its bodies cannot move relative to each other, the material is not used.
    ///
    /// # Errors
    /// [`ContactError::UnknownName`], and [`ContactError::InvalidGeometry`] for a material that does
    /// not make sense.
    #[inline(never)]
    pub fn set_pair_material(
        &mut self,
        first: &str,
        second: &str,
        material: ContactMaterial<T>,
    ) -> Result<(), ContactError> {
        let pair = ordered(self.position(first)?, self.position(second)?);
        material
            .validate()
            .map_err(|source| ContactError::InvalidGeometry {
                name: format!("{first}|{second}"),
                source,
            })?;
        self.materials.insert(pair, material);
        Ok(())
    }

    /// The model for a tree.
    ///
    /// # Errors
    /// [`ContactError::Tree`] for a geometry on a body that the tree does not have,
    /// [`ContactError::UnsupportedPair`] for pairs that can touch but have no contact point,
    /// [`ContactError::DuplicateName`] where the parameters of a material of a pair would have the names of others,
    /// [`ContactError::TooManyPairs`].
    #[inline(never)]
    pub fn finish(self, tree: &RigidBodyTree<T>) -> Result<ContactModel<T>, ContactError> {
        let (mut pairs, mut named) = (Vec::new(), HashSet::new());
        let geometries = &self.geometries;
        let moves = |i: &usize| !tree.is_anchored(geometries[*i].body).unwrap_or(false);
        let moving: Vec<usize> = (0..geometries.len()).filter(moves).collect();
        for (i, j) in moving_pairs(geometries.len(), &moving) {
            if !self.can_touch(tree, i, j)? {
                continue;
            }
            check_number_of_pairs(pairs.len(), geometries.len())?;
            let (a, b) = (&geometries[i], &geometries[j]);
            let material = self.materials.get(&(i, j)).copied();
            check_pair(a, b)?;
            let (first, second) = if a.shape.kind() <= b.shape.kind() {
                (i, j)
            } else {
                (j, i)
            };
            if material.is_some() {
                let name = format!(
                    "pair/{}|{}",
                    geometries[first].name, geometries[second].name
                );
                if self.positions.contains_key(&name) || named.contains(&name) {
                    return Err(ContactError::DuplicateName { name });
                }
                named.insert(name);
            }
            pairs.push(GeometryPair {
                first,
                second,
                material,
            });
        }
        // A geometry without any pair must still be on a body of the tree.
        for geometry in &self.geometries {
            tree.body(geometry.body)?;
        }
        let orientation =
            |geometry: &CollisionGeometry<T>| Orientation::new(geometry.pose_in_body.rotation);
        Ok(ContactModel {
            orientations: self.geometries.iter().map(orientation).collect(),
            geometries: self.geometries,
            pairs,
            friction_rule: self.friction_rule,
            joints: Some(joint_places(tree).collect()),
        })
    }

    pub(super) fn geometries(&self) -> &[CollisionGeometry<T>] {
        &self.geometries
    }

    pub(crate) fn exclude_pair(&mut self, i: usize, j: usize) {
        let pair = ordered(i, j);
        self.included.remove(&pair);
        self.excluded.insert(pair);
    }

    /// Whether geometries can touch, as [`ContactModel`] says; of two, the one that was added first comes first.
    pub(super) fn can_touch(
        &self,
        tree: &RigidBodyTree<T>,
        i: usize,
        j: usize,
    ) -> Result<bool, ContactError> {
        let [a, b] = [i, j].map(|k| self.geometries[k].body);
        Ok(!self.excluded.contains(&(i, j))
            && can_move(tree, a, b)?
            && (self.included.contains(&(i, j)) || !are_connected(tree, a, b)?))
    }

    fn position(&self, name: &str) -> Result<usize, ContactError> {
        let position = self.positions.get(name).copied();
        position.ok_or_else(|| ContactError::UnknownName {
            name: name.to_owned(),
            nearest: nearest_paths(self.geometries.iter().map(|g| g.name.as_str()), name),
        })
    }
}

impl<T: Scalar> ContactModel<T> {
    /// A model in which nothing touches.
    #[inline(never)]
    pub fn none() -> Self {
        ContactModel {
            geometries: Vec::new(),
            orientations: Vec::new(),
            pairs: Vec::new(),
            friction_rule: FrictionRule::default(),
            joints: None,
        }
    }

    /// All geometries, as they were added.
    pub fn geometries(&self) -> &[CollisionGeometry<T>] {
        &self.geometries
    }

    /// The pairs of geometries that can touch, as positions in [`ContactModel::geometries`].
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.pairs.iter().map(|p| (p.first, p.second))
    }

    /// Bodies A and B of a contact.
    pub(crate) fn bodies(&self, contact: &FoundContact) -> [BodyIndex; 2] {
        self.geometries_of(contact).map(|geometry| geometry.body)
    }

    /// Geometries A and B of a contact.
    pub(crate) fn geometries_of(&self, contact: &FoundContact) -> [&CollisionGeometry<T>; 2] {
        let pair = self.pair(contact.pair);
        [pair.first, pair.second].map(|geometry| &self.geometries[geometry])
    }

    pub(super) fn pair(&self, index: usize) -> &GeometryPair<T> {
        &self.pairs[index]
    }

    /// The material of the contacts of a pair by its position.
    pub(crate) fn material_of(&self, pair: usize) -> ContactMaterial<T> {
        self.pair_material(&self.pairs[pair])
    }

    /// The position of the pair of two geometries, if they can touch.
    pub(super) fn pair_of(&self, a: usize, b: usize) -> Option<usize> {
        (self.pairs)
            .binary_search_by_key(&ordered(a, b), GeometryPair::key)
            .ok()
    }

    /// The material of a pair's contacts.
    pub(super) fn pair_material(&self, pair: &GeometryPair<T>) -> ContactMaterial<T> {
        pair.material.unwrap_or_else(|| {
            let (a, b) = (&self.geometries[pair.first], &self.geometries[pair.second]);
            a.material.combined_by(&b.material, self.friction_rule)
        })
    }

    /// How the coefficients of friction of two surfaces become that of their contact.
    pub fn friction_rule(&self) -> FrictionRule {
        self.friction_rule
    }

    /// Checks that a tree has the bodies of the model, and the joints of the tree that it was made for.
    ///
    /// # Errors
    /// [`ContactError::Tree`] for a body that it does not have, [`ContactError::ForeignTree`] for other joints.
    pub(crate) fn check_tree<U: Scalar>(
        &self,
        tree: &RigidBodyTree<U>,
    ) -> Result<(), ContactError> {
        for geometry in &self.geometries {
            tree.body(geometry.body)?;
        }
        let Some(joints) = &self.joints else {
            return Ok(());
        };
        if joints.iter().copied().eq(joint_places(tree)) {
            return Ok(());
        }
        let mut own = joints.iter().copied();
        let differs = |joint: &&Joint<U>| own.next() != Some(joint_place(joint));
        let first = tree.joints().find(differs);
        Err(ContactError::ForeignTree {
            joints: [joints.len(), tree.joints().len()],
            joint: first.map(|joint| joint.name().to_owned()),
        })
    }

    /// Checks that no contact resists turning, as rigid contact cannot.
    ///
    /// # Errors
    /// [`ContactError::RotationalFriction`] with the first that does.
    pub(crate) fn check_rigid(&self) -> Result<(), ContactError> {
        for pair in &self.pairs {
            if self.pair_material(pair).rotational.is_some() {
                let name = |geometry: usize| self.geometries[geometry].name.clone();
                return Err(ContactError::RotationalFriction {
                    first: name(pair.first),
                    second: name(pair.second),
                });
            }
        }
        Ok(())
    }

    /// Checks that every contact has a side that gives way, as compliant contact needs.
    ///
    /// # Errors
    /// [`ContactError::RigidPair`] with the first that has none.
    pub(crate) fn check_compliant(&self) -> Result<(), ContactError> {
        let is_rigid = |&pair: &usize| self.material_of(pair).is_rigid();
        let rigid = (0..self.pairs.len()).find(is_rigid);
        rigid.map_or(Ok(()), |pair| Err(self.rigid_pair(pair)))
    }

    /// The error of a pair that does not give way.
    pub(crate) fn rigid_pair(&self, pair: usize) -> ContactError {
        let [first, second] = self.names_of(pair).map(str::to_owned);
        ContactError::RigidPair { first, second }
    }

    /// Checks everything that a builder checks.
    ///
    /// # Errors
    /// As those of [`ContactModelBuilder`].
    #[cfg(feature = "serde")]
    pub(crate) fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ContactError> {
        let mut builder = ContactModelBuilder::new();
        for geometry in &self.geometries {
            builder.add_geometry(geometry.clone())?;
        }
        for pair in &self.pairs {
            let [a, b] = [pair.first, pair.second].map(|i| self.geometries.get(i));
            let (Some(a), Some(b)) = (a, b) else {
                return Err(ContactError::UnknownName {
                    name: format!("geometry {}", pair.first.max(pair.second)),
                    nearest: Vec::new(),
                });
            };
            if let Some(material) = pair.material {
                builder.set_pair_material(&a.name, &b.name, material)?;
            }
            check_pair(a, b)?;
            let is_ordered = a.shape.kind() <= b.shape.kind();
            let is_new = builder.excluded.insert(ordered(pair.first, pair.second));
            if !(is_ordered && is_new && can_move(tree, a.body, b.body)?) {
                return Err(ContactError::InvalidPair {
                    first: a.name.clone(),
                    second: b.name.clone(),
                });
            }
        }
        self.check_tree(tree)
    }

    /// The same model in another scalar; only real parts are carried over.
    #[inline(never)]
    pub fn cast<U: Scalar>(&self) -> ContactModel<U> {
        ContactModel {
            geometries: self.geometries.iter().map(|g| g.cast()).collect(),
            orientations: self.orientations.iter().map(|o| o.cast()).collect(),
            pairs: (self.pairs.iter())
                .map(|p| GeometryPair {
                    first: p.first,
                    second: p.second,
                    material: p.material.map(|m| m.cast()),
                })
                .collect(),
            friction_rule: self.friction_rule,
            joints: self.joints.clone(),
        }
    }
}

/// Names are those of the geometries, followed by `origin/{x,y,z}` (of the shape in its body), `rotation/{x,y,z}` (the
/// rotation vector φ of `R_BG = R₀ exp φ` with the orientation `R₀` that the geometry was added with; at first zero), the
/// dimensions of the [shape](crate::geometry::Shape), `stiffness`, `dissipation` and `friction`; where there are such, `static_friction` and
/// `stribeck_velocity`, `torsional_friction` and `rolling_friction`, and `restitution`. Of a pair with a material of its
/// own they are `pair/first|second/stiffness`, ….
impl<T: Scalar> Parameters<T> for ContactModel<T> {
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        for (geometry, orientation) in self.geometries.iter_mut().zip(&mut self.orientations) {
            geometry.visit_parameters(orientation, visit);
        }
        for pair in &mut self.pairs {
            if let Some(material) = &mut pair.material {
                let (a, b) = (&self.geometries[pair.first], &self.geometries[pair.second]);
                material.visit_parameters(format_args!("pair/{}|{}", a.name, b.name), visit);
            }
        }
    }

    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        for (geometry, orientation) in self.geometries.iter_mut().zip(&self.orientations) {
            geometry.pose_in_body.rotation = orientation.matrix();
            geometry.validate()?;
        }
        for material in self.pairs.iter().filter_map(|p| p.material.as_ref()) {
            material.validate()?;
        }
        Ok(())
    }
}

fn joint_places<T: Scalar>(tree: &RigidBodyTree<T>) -> impl Iterator<Item = JointPlace> {
    tree.joints().map(|joint| joint_place(joint))
}

fn joint_place<T: Scalar>(joint: &Joint<T>) -> JointPlace {
    (joint.parent(), joint.child(), joint.num_velocities())
}

fn ordered(i: usize, j: usize) -> (usize, usize) {
    (i.min(j), i.max(j))
}

/// Whether bodies can move relative to each other.
fn can_move<T: Scalar>(
    tree: &RigidBodyTree<T>,
    a: BodyIndex,
    b: BodyIndex,
) -> Result<bool, ContactError> {
    Ok(a != b && !tree.are_welded(a, b)?)
}

/// Whether a joint connects bodies.
fn are_connected<T: Scalar>(
    tree: &RigidBodyTree<T>,
    a: BodyIndex,
    b: BodyIndex,
) -> Result<bool, ContactError> {
    let hangs_on = |child: BodyIndex, parent: BodyIndex| -> Result<bool, ContactError> {
        let Some(joint) = tree.body(child)?.inboard_joint() else {
            return Ok(false);
        };
        let joint = tree.joint(joint)?;
        Ok(joint.parent() == parent
            && *joint.kind() != JointKind::Floating
            && parent != BodyIndex::WORLD)
    };
    Ok(hangs_on(a, b)? || hangs_on(b, a)?)
}

fn check_pair<T: Scalar>(
    a: &CollisionGeometry<T>,
    b: &CollisionGeometry<T>,
) -> Result<(), ContactError> {
    if !is_supported(a.shape.kind(), b.shape.kind()) {
        return Err(ContactError::UnsupportedPair {
            first: a.name.clone(),
            first_kind: a.shape.kind(),
            second: b.name.clone(),
            second_kind: b.shape.kind(),
        });
    }
    Ok(())
}
