//! The serialised form of a contact model.

use super::collision_geometry::CollisionGeometry;
use super::friction_rule::FrictionRule;
use super::material::ContactMaterial;
use super::model::{ContactModel, GeometryPair};
use crate::geometry::Shape;
use crate::io::json::Number;
use crate::math::RigidTransform;
use crate::tree::{BodyIndex, Orientation};
use nalgebra::Vector3;

/// Pairs may come in any order.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, bound = "T: Number")]
pub(super) struct ContactDocument<T> {
    geometries: Vec<GeometryDocument<T>>,
    pairs: Vec<GeometryPair<T>>,
    #[serde(default, skip_serializing_if = "is_default")]
    friction_rule: FrictionRule,
}

/// A geometry with the orientation that it was made with, and what turns it from there, if something does.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, bound = "T: Number")]
struct GeometryDocument<T> {
    name: String,
    body: BodyIndex,
    pose_in_body: RigidTransform<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rotation: Option<Vector3<T>>,
    shape: Shape<T>,
    material: ContactMaterial<T>,
}

fn is_default(rule: &FrictionRule) -> bool {
    *rule == FrictionRule::default()
}

impl<T: Number> From<ContactModel<T>> for ContactDocument<T> {
    fn from(model: ContactModel<T>) -> Self {
        let geometries = model.geometries.into_iter().zip(model.orientations);
        ContactDocument {
            geometries: geometries
                .map(|(geometry, orientation)| GeometryDocument {
                    name: geometry.name,
                    body: geometry.body,
                    pose_in_body: RigidTransform {
                        rotation: orientation.nominal,
                        ..geometry.pose_in_body
                    },
                    rotation: Some(orientation.rotation).filter(|turn| *turn != Vector3::zeros()),
                    shape: geometry.shape,
                    material: geometry.material,
                })
                .collect(),
            pairs: model.pairs,
            friction_rule: model.friction_rule,
        }
    }
}

impl<T: Number> From<ContactDocument<T>> for ContactModel<T> {
    fn from(document: ContactDocument<T>) -> Self {
        let (mut geometries, mut orientations) = (Vec::new(), Vec::new());
        for geometry in document.geometries {
            let mut orientation = Orientation::new(geometry.pose_in_body.rotation);
            orientation.rotation = geometry.rotation.unwrap_or_else(Vector3::zeros);
            geometries.push(CollisionGeometry {
                name: geometry.name,
                body: geometry.body,
                pose_in_body: RigidTransform {
                    rotation: orientation.matrix(),
                    ..geometry.pose_in_body
                },
                shape: geometry.shape,
                material: geometry.material,
            });
            orientations.push(orientation);
        }
        let mut pairs = document.pairs;
        pairs.sort_by_key(GeometryPair::key);
        ContactModel {
            geometries,
            orientations,
            pairs,
            friction_rule: document.friction_rule,
            joints: None,
        }
    }
}
