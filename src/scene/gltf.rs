//! A scene as binary glTF 2.0.

use super::mesh::Mesh;
use super::model::{PlacedMesh, Pose};
use super::motion::Role;
use super::scene::Scene;
use crate::io::write_whole;
use serde_json::{Value, json};
use std::f32::consts::FRAC_1_SQRT_2;
use std::io::{Error, Write};
use std::path::Path;

/// Constants of the format.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
/// Colours of fixed, moving and ghostly things.
const COLORS: [[f32; 4]; 3] = [
    [0.6, 0.62, 0.65, 1.0],
    [0.12, 0.4, 0.68, 1.0],
    [0.85, 0.45, 0.1, 0.35],
];

impl Scene {
    /// Writes bodies and their animation as binary glTF 2.0 into a file (`.glb`), whole or not at all. Of
    /// the forces and charts nothing is in it. The z axis becomes the y axis, which points up there.
    ///
    /// # Errors
    /// Those of the file system; a file that was there before is then as it was.
    pub fn save_glb(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_whole(path.as_ref(), |file| file.write_all(&self.glb()))
    }

    fn glb(&self) -> Vec<u8> {
        let mut writer = GltfWriter::default();
        let meshes: Vec<_> = self
            .meshes
            .iter()
            .map(|(_, mesh)| writer.mesh(mesh))
            .collect();
        let ground = ground(self.extent());
        let has_ground = self.placed.iter().any(|item| item.mesh.is_none());
        let ground = has_ground.then(|| writer.mesh(&ground));

        // The root turns z up into y up; then come the bodies, then what is on them.
        let mut nodes = vec![json!({
            "name": "world",
            "rotation": [-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2],
        })];
        nodes.extend(self.bodies.iter().map(|body| {
            let motion = &self.motions[body.motion];
            match motion.role {
                Role::Main => json!({ "name": body.name }),
                Role::Ghost => json!({ "name": format!("{}: {}", motion.name, body.name) }),
            }
        }));
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        children[0].extend(1..nodes.len());
        let mut glossy = Vec::new();
        for item in &self.placed {
            let geometry = item.mesh.map(|index| &meshes[index]).or(ground.as_ref());
            let Some(geometry) = geometry else { continue };
            glossy.push(json!({
                "name": item.name,
                "primitives": [{
                    "attributes": { "POSITION": geometry[0], "NORMAL": geometry[1] },
                    "indices": geometry[2],
                    "material": self.material(item),
                }],
            }));
            children[item.body.map_or(0, |body| 1 + body)].push(nodes.len());
            nodes.push(json!({
                "name": item.name,
                "mesh": glossy.len() - 1,
                "translation": item.pose[..3],
                "rotation": item.pose[3..],
            }));
        }
        for (node, children) in nodes.iter_mut().zip(&children) {
            if !children.is_empty() {
                node["children"] = json!(children);
            }
        }
        let animation = self.animate(&mut writer, &mut nodes);
        let materials = COLORS.map(|color| {
            json!({
                "pbrMetallicRoughness":
                    { "baseColorFactor": color, "metallicFactor": 0.0, "roughnessFactor": 0.7 },
                "alphaMode": if color[3] < 1.0 { "BLEND" } else { "OPAQUE" },
            })
        });
        let mut root = json!({
            "asset": { "version": "2.0", "generator": "dualbody" },
            "scene": 0,
            "scenes": [{ "name": self.title, "nodes": [0] }],
            "nodes": nodes,
            "materials": materials,
        });
        for (key, list) in [
            ("meshes", glossy),
            ("animations", animation),
            ("accessors", std::mem::take(&mut writer.accessors)),
            ("bufferViews", std::mem::take(&mut writer.views)),
        ] {
            if !list.is_empty() {
                root[key] = Value::from(list);
            }
        }
        if !writer.bytes.is_empty() {
            root["buffers"] = json!([{ "byteLength": writer.bytes.len() }]);
        }
        container(root.to_string().into_bytes(), writer.bytes)
    }

    fn material(&self, item: &PlacedMesh) -> usize {
        match item
            .body
            .map(|body| self.motions[self.bodies[body].motion].role)
        {
            None => 0,
            Some(Role::Main) => 1,
            Some(Role::Ghost) => 2,
        }
    }

    /// Adds channels for all bodies, and gives their nodes the first pose.
    fn animate(&self, writer: &mut GltfWriter, nodes: &mut [Value]) -> Vec<Value> {
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        let mut first_body = 0;
        for (index, motion) in self.motions.iter().enumerate() {
            let count = self.bodies.iter().filter(|b| b.motion == index).count();
            let bodies = first_body..first_body + count;
            first_body += count;
            let start = motion.times[0];
            let times: Vec<[f32; 1]> = motion.times.iter().map(|t| [(t - start) as f32]).collect();
            let times =
                (times.len() > 1 && count > 0).then(|| writer.floats(&times, "SCALAR", None));
            for (column, body) in bodies.enumerate() {
                let node = 1 + body;
                let poses = || motion.poses.iter().map(|frame| frame[column]);
                let translations: Vec<[f32; 3]> = poses().map(|[x, y, z, ..]| [x, y, z]).collect();
                let rotations = continuous(poses());
                nodes[node]["translation"] = json!(translations[0]);
                nodes[node]["rotation"] = json!(rotations[0]);
                let Some(times) = times else { continue };
                for (path, output) in [
                    ("translation", writer.floats(&translations, "VEC3", None)),
                    ("rotation", writer.floats(&rotations, "VEC4", None)),
                ] {
                    let sampler = samplers.len();
                    samplers.push(json!({ "input": times, "output": output }));
                    let target = json!({ "node": node, "path": path });
                    channels.push(json!({ "sampler": sampler, "target": target }));
                }
            }
        }
        if channels.is_empty() {
            return Vec::new();
        }
        vec![json!({ "name": "motion", "samplers": samplers, "channels": channels })]
    }

    /// The largest distance of a body from the origin, at least 1 m.
    fn extent(&self) -> f32 {
        let poses = self
            .motions
            .iter()
            .flat_map(|motion| &motion.poses)
            .flatten();
        let coordinates = poses.flat_map(|pose| pose[..3].iter().map(|x| x.abs()));
        coordinates.fold(1.0, f32::max)
    }
}

/// The quaternions of poses, each on the side of the one before.
fn continuous(poses: impl Iterator<Item = Pose>) -> Vec<[f32; 4]> {
    let mut last = [0.0; 4];
    let quaternions = poses.map(|[.., x, y, z, w]| {
        let q = [x, y, z, w];
        let dot: f32 = q.iter().zip(&last).map(|(a, b)| a * b).sum();
        last = if dot < 0.0 { q.map(|x| -x) } else { q };
        last
    });
    quaternions.collect()
}

/// A part of the plane z = 0.
fn ground(extent: f32) -> Mesh {
    let edge = 1.5 * extent;
    Mesh {
        positions: vec![
            [-edge, -edge, 0.0],
            [edge, -edge, 0.0],
            [edge, edge, 0.0],
            [-edge, edge, 0.0],
        ],
        normals: vec![[0.0, 0.0, 1.0]; 4],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

/// The buffer, and what is in it.
#[derive(Default)]
struct GltfWriter {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl GltfWriter {
    /// The accessors of positions, normals and indices.
    fn mesh(&mut self, mesh: &Mesh) -> [usize; 3] {
        let indices = mesh.triangles.iter().flatten();
        let bytes: Vec<u8> = indices.clone().flat_map(|i| i.to_le_bytes()).collect();
        [
            self.floats(&mesh.positions, "VEC3", Some(ARRAY_BUFFER)),
            self.floats(&mesh.normals, "VEC3", Some(ARRAY_BUFFER)),
            self.accessor(&bytes, Some(ELEMENT_ARRAY_BUFFER), |view| {
                json!({
                    "bufferView": view,
                    "componentType": UNSIGNED_INT,
                    "count": indices.count(),
                    "type": "SCALAR",
                })
            }),
        ]
    }

    fn floats<const N: usize>(
        &mut self,
        rows: &[[f32; N]],
        kind: &str,
        target: Option<u32>,
    ) -> usize {
        let bytes: Vec<u8> = rows
            .iter()
            .flatten()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let bound = |pick: fn(f32, f32) -> f32| {
            let fold = |a: [f32; N], b: &[f32; N]| std::array::from_fn(|i| pick(a[i], b[i]));
            rows.iter().skip(1).fold(rows[0], fold).to_vec()
        };
        let (low, high) = (bound(f32::min), bound(f32::max));
        self.accessor(&bytes, target, |view| {
            json!({
                "bufferView": view,
                "componentType": FLOAT,
                "count": rows.len(),
                "type": kind,
                "min": low,
                "max": high,
            })
        })
    }

    fn accessor(
        &mut self,
        bytes: &[u8],
        target: Option<u32>,
        describe: impl FnOnce(usize) -> Value,
    ) -> usize {
        let offset = self.bytes.len();
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend_from_slice(bytes);
        self.views.push(view);
        self.accessors.push(describe(self.views.len() - 1));
        self.accessors.len() - 1
    }
}

/// The container of GLB: a header, a chunk of JSON and one of bytes, each of a multiple of four bytes.
fn container(mut json: Vec<u8>, mut bytes: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let mut chunks = vec![(*b"JSON", json)];
    if !bytes.is_empty() {
        chunks.push((*b"BIN\0", bytes));
    }
    let size: usize = 12 + chunks.iter().map(|(_, data)| 8 + data.len()).sum::<usize>();
    let mut file = Vec::with_capacity(size);
    file.extend(b"glTF");
    file.extend(2u32.to_le_bytes());
    file.extend((size as u32).to_le_bytes());
    for (kind, data) in chunks {
        file.extend((data.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(data);
    }
    file
}
