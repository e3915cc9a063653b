//! Broad phase: pairs of geometries that may be near each other, by bounding spheres and a tree of bounding boxes.

use super::model::ContactModel;
use crate::Scalar;
use nalgebra::Vector3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhWorkspace};

/// Number of pairs up to which looking at each is cheaper than a tree.
const FEW_PAIRS: usize = 256;

/// Everything that a geometry may reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// In W.
    pub center: Vector3<f64>,
    /// Not finite for a geometry without bounds.
    pub radius: f64,
}

impl Reach {
    fn is_bounded(&self) -> bool {
        self.radius.is_finite() && self.center.iter().all(|x| x.is_finite())
    }

    fn may_meet(&self, other: &Reach) -> bool {
        let distance = (self.center - other.center).norm_squared();
        let are_apart = distance > (self.radius + other.radius).powi(2);
        !are_apart
    }

    fn bounding_box(&self) -> Aabb {
        let corner = |sign: f64| {
            let [x, y, z] = self.center.map(|x| x + sign * self.radius).into();
            Vector::new(x, y, z)
        };
        Aabb::new(corner(-1.0), corner(1.0))
    }
}

/// The tree; a workspace.
#[derive(Clone, Default)]
pub(super) struct BroadPhase {
    tree: Bvh,
    workspace: BvhWorkspace,
    /// Geometries that are in the tree, and those that are not.
    is_in_tree: Vec<bool>,
    unbounded: Vec<usize>,
}

impl std::fmt::Debug for BroadPhase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BroadPhase").finish_non_exhaustive()
    }
}

impl BroadPhase {
    /// Writes the pairs of a model whose geometries may be near each other, in their order.
    pub fn find<T: Scalar>(
        &mut self,
        model: &ContactModel<T>,
        reaches: &[Reach],
        pairs: &mut Vec<usize>,
    ) {
        pairs.clear();
        if model.pairs().len() <= FEW_PAIRS {
            let near = (model.pairs().enumerate()).filter(|(_, (a, b))| {
                let (a, b) = (&reaches[*a], &reaches[*b]);
                a.may_meet(b)
            });
            pairs.extend(near.map(|(pair, _)| pair));
            return;
        }
        self.update(reaches);
        let mut add = |a: usize, b: usize| {
            if reaches[a].may_meet(&reaches[b]) {
                pairs.extend(model.pair_of(a, b));
            }
        };
        (self.tree).traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            add(a as usize, b as usize);
        });
        for (k, &a) in self.unbounded.iter().enumerate() {
            for b in 0..reaches.len() {
                if !self.unbounded[..=k].contains(&b) {
                    add(a, b);
                }
            }
        }
        pairs.sort_unstable();
    }

    fn update(&mut self, reaches: &[Reach]) {
        if self.is_in_tree.len() != reaches.len() {
            self.tree = Bvh::new();
            self.is_in_tree.clear();
            self.is_in_tree.resize(reaches.len(), false);
        }
        self.unbounded.clear();
        for (k, reach) in reaches.iter().enumerate() {
            let is_bounded = reach.is_bounded();
            if is_bounded {
                let aabb = reach.bounding_box();
                (self.tree).insert_or_update_partially(aabb, k as u32, 0.0);
            } else {
                self.unbounded.push(k);
                if self.is_in_tree[k] {
                    self.tree.remove(k as u32);
                }
            }
            self.is_in_tree[k] = is_bounded;
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
    use crate::geometry::Shape;
    use crate::math::{RigidTransform, SpatialInertia};
    use crate::tree::{BodyIndex, RigidBodyTreeBuilder};

    /// The pairs of many spheres and a floor, as spheres wander, grow and lose their bounds.
    #[test]
    fn the_tree_finds_the_pairs_that_a_look_at_each_finds() {
        const SPHERES: usize = 40;
        let material = ContactMaterial::new(1e4, 0.1, 0.3).unwrap();
        let mut tree = RigidBodyTreeBuilder::new();
        let mut model = ContactModelBuilder::new();
        let mut add = |name: String, body: BodyIndex, shape: Shape<f64>| {
            let pose_in_body = RigidTransform::identity();
            let geometry = CollisionGeometry {
                name,
                body,
                pose_in_body,
                shape,
                material,
            };
            model.add_geometry(geometry).unwrap();
        };
        for i in 0..SPHERES {
            let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
            let body = tree.add_body(format!("sphere {i}"), inertia).unwrap();
            add(format!("sphere {i}"), body, Shape::Sphere { radius: 0.1 });
        }
        add("floor".into(), BodyIndex::WORLD, Shape::HalfSpace);
        let tree = tree.finish().unwrap();
        let model = model.finish(&tree).unwrap();
        assert!(model.pairs().len() > FEW_PAIRS);

        let mut broad_phase = BroadPhase::default();
        let (mut pairs, mut seed, mut found) = (Vec::new(), 1u64, 0);
        let mut random = || {
            seed = (seed.wrapping_mul(6364136223846793005)).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for round in 0..50 {
            let reaches: Vec<Reach> = (0..=SPHERES)
                .map(|g| Reach {
                    center: Vector3::from_fn(|_, _| random()),
                    radius: match (g, round % 10) {
                        (SPHERES, _) | (3, 7) => f64::INFINITY,
                        _ => 0.1 * random(),
                    },
                })
                .collect();
            broad_phase.find(&model, &reaches, &mut pairs);
            let near = |&(_, (a, b)): &(usize, (usize, usize))| reaches[a].may_meet(&reaches[b]);
            let expected = model.pairs().enumerate().filter(near).map(|(pair, _)| pair);
            assert!(expected.eq(pairs.iter().copied()), "round {round}");
            found += pairs.len();
        }
        // The ground and, beside, more than one pair of spheres in each round.
        assert!(found > 50 * (SPHERES + 1), "{found}");
    }
}
