//! Meshes of descriptions that are divided into convex parts.

use dualbody::Parameters;
use dualbody::contact::{CollisionGeometry, ContactModelBuilder};
use dualbody::geometry::{ConvexDecomposition, ConvexPolyhedron, Shape};
use dualbody::io::mjcf::MjcfReader;
use dualbody::io::urdf::UrdfReader;
use dualbody::math::{RigidTransform, RollPitchYaw};
use nalgebra::Vector3;
use num_dual::Dual64;

/// The outline of an L, and the solid between z = 0 and 1 over it.
const OUTLINE: [[i32; 2]; 6] = [[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]];

fn triangles() -> Vec<[usize; 3]> {
    let caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let sides = (0..6).flat_map(|a| {
        let b = (a + 1) % 6;
        [[a, b, b + 6], [a, b + 6, a + 6]]
    });
    (caps
        .iter()
        .flat_map(|&[a, b, c]| [[a, c, b], [a + 6, b + 6, c + 6]]))
    .chain(sides)
    .collect()
}

fn points() -> Vec<[i32; 3]> {
    let layer = |z| OUTLINE.map(|[x, y]| [x, y, z]);
    [layer(0), layer(1)].concat()
}

fn words<const N: usize, X: ToString>(rows: Vec<[X; N]>) -> String {
    let words: Vec<_> = rows.as_flattened().iter().map(X::to_string).collect();
    words.join(" ")
}

fn volumes<T: dualbody::Scalar>(geometries: &[CollisionGeometry<T>]) -> Vec<f64> {
    let volume = |g: &CollisionGeometry<T>| match &g.shape {
        Shape::Convex { polyhedron, .. } => polyhedron.volume().re(),
        _ => 0.0,
    };
    geometries.iter().map(volume).collect()
}

#[test]
fn collision_meshes_of_urdf_have_parts() {
    let folder = std::env::temp_dir().join(format!("dualbody-parts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let vertices = points()
        .into_iter()
        .map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let faces = triangles().into_iter().map(|t| {
        let [a, b, c] = t.map(|i| i + 1);
        format!("f {a} {b} {c}\n")
    });
    let text: String = vertices.chain(faces).collect();
    std::fs::write(folder.join("l.obj"), text).unwrap();
    let robot = r#"<robot name="r"><link name="a">
  <collision><origin xyz="0 0 0.5"/><geometry><mesh filename="l.obj" scale="1 1 2"/></geometry></collision>
  <collision name="grip"><geometry><mesh filename="l.obj"/></geometry></collision>
</link></robot>"#;
    let whole = UrdfReader::new().with_mesh_folder(&folder);
    let reader = (whole.clone())
        .with_convex_decomposition(ConvexDecomposition::default())
        .unwrap();
    let (tree, model) = reader.tree_from_str::<f64>(robot).unwrap();
    let geometries = &model.collision_geometries;
    let names: Vec<_> = geometries.iter().map(|g| g.name.as_str()).collect();
    let expected = [
        "collision/part_1",
        "collision/part_2",
        "grip/part_1",
        "grip/part_2",
    ];
    assert_eq!(names, expected.map(|name| format!("r/a/{name}")));
    let total: f64 = volumes(geometries).iter().sum();
    approx::assert_relative_eq!(total, 15.0, max_relative = 1e-12);
    assert!(geometries.iter().all(|g| g.body == model.root));
    let hull = model.report.meshes[0].hull.as_ref().unwrap();
    assert_eq!((hull.parts, hull.vertices, hull.deviation), (2, 16, 0.0));
    // Parts of a body do not touch each other, and their vertices are parameters.
    let mut contact = ContactModelBuilder::new();
    for geometry in geometries {
        contact.add_geometry(geometry.clone()).unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    assert_eq!(contact.pairs().count(), 0);
    assert!(
        contact
            .parameters()
            .iter()
            .any(|p| p.name.contains("r/a/grip/part_2/"))
    );
    // Nothing of them is in the text, but the pose that they share.
    assert_eq!(reader.updated(robot, &tree, geometries).unwrap(), robot);
    let mut moved = geometries.clone();
    for part in &mut moved[..2] {
        part.pose_in_body = RigidTransform::new(
            RollPitchYaw::new(0.1, 0.2, 0.3).to_matrix(),
            Vector3::new(0.25, 0.0, 0.5),
        );
    }
    let changed = reader.updated(robot, &tree, &moved).unwrap();
    let (_, again) = reader.tree_from_str::<f64>(&changed).unwrap();
    for (wanted, found) in moved.iter().zip(&again.collision_geometries) {
        assert_eq!(wanted.shape, found.shape);
        approx::assert_relative_eq!(
            wanted.pose_in_body.rotation,
            found.pose_in_body.rotation,
            epsilon = 1e-15
        );
        assert_eq!(
            wanted.pose_in_body.translation,
            found.pose_in_body.translation
        );
    }
    let error = |geometries: &[CollisionGeometry<f64>]| {
        (reader.updated(robot, &tree, geometries).unwrap_err()).to_string()
    };
    moved[1].pose_in_body.translation.x = 0.0;
    assert!(error(&moved).contains("r/a/collision/part_2"));
    let mut larger = geometries.clone();
    larger[2].shape = twice(&larger[2].shape);
    assert!(error(&larger).contains("r/a/grip/part_1"));
    let (_, duals) = reader.tree_from_str::<Dual64>(robot).unwrap();
    assert_eq!(volumes(&duals.collision_geometries), volumes(geometries));

    let (_, model) = whole.tree_from_str::<f64>(robot).unwrap();
    let names: Vec<_> = model
        .collision_geometries
        .iter()
        .map(|g| g.name.as_str())
        .collect();
    assert_eq!(names, ["r/a/collision", "r/a/grip"]);
    std::fs::remove_dir_all(&folder).unwrap();
    let mut wrong = ConvexDecomposition::default();
    wrong.max_parts = 0;
    assert!(UrdfReader::new().with_convex_decomposition(wrong).is_err());
}

#[test]
fn mesh_geoms_of_mjcf_have_parts() {
    let text = format!(
        r#"<mujoco model="m">
  <asset><mesh name="l" vertex="{}" face="{}"/></asset>
  <worldbody><geom name="floor" type="plane"/><geom name="wall" type="plane"/>
    <body name="a"><freejoint/>
      <geom name="g" type="mesh" mesh="l" pos="0 0 0.5" friction="0.5"/>
    </body>
  </worldbody>
  <contact><pair geom1="floor" geom2="g" friction="0.25 0.25 0 0 0"/></contact>
</mujoco>"#,
        words(points()),
        words(triangles())
    );
    let reader = MjcfReader::new();
    let reader = reader
        .with_convex_decomposition(ConvexDecomposition::default())
        .unwrap();
    let (tree, model) = reader.tree_from_str::<f64>(&text).unwrap();
    let geometries = &model.collision_geometries;
    let names: Vec<_> = geometries.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["m/floor", "m/wall", "m/g/part_1", "m/g/part_2"]);
    approx::assert_relative_eq!(
        volumes(geometries).iter().sum::<f64>(),
        5.0,
        max_relative = 1e-12
    );
    let mesh = &model.report.meshes[0];
    assert_eq!((mesh.parts, mesh.vertices), (2, 16));
    let (whole, _) = MjcfReader::new().tree_from_str::<f64>(&text).unwrap();
    assert_eq!(tree.total_mass(), whole.total_mass());
    let contact = model
        .contact_model_builder()
        .unwrap()
        .finish(&tree)
        .unwrap();
    assert_eq!(contact.pairs().count(), 4);
    // Poses are written back, for all parts at once.
    let mut moved = geometries.clone();
    for part in &mut moved[2..] {
        part.pose_in_body.translation.x = 0.25;
        part.material.friction = 0.75;
    }
    let changed = reader
        .updated(&text, &tree, &moved, &model.elements)
        .unwrap();
    assert!(
        changed.contains(r#"pos="0.25 0 0.5" friction="0.75"#),
        "{changed}"
    );
    moved[3].pose_in_body.translation.x = 0.0;
    let error = reader
        .updated(&text, &tree, &moved, &model.elements)
        .unwrap_err()
        .to_string();
    assert!(error.contains("m/g/part_2"), "{error}");
    let mut larger = geometries.clone();
    larger[2].shape = twice(&larger[2].shape);
    let error = (reader
        .updated(&text, &tree, &larger, &model.elements)
        .unwrap_err())
    .to_string();
    assert!(
        error.contains(r#"cannot hold the shape of "m/g/part_1""#),
        "{error}"
    );
    // As JSON the parts come back to the bit.
    {
        use dualbody::system::{RigidBodySystem, TimeSteppingRigidBodySystem};
        type System = TimeSteppingRigidBodySystem<f64>;
        let fall = |system: &System| {
            let mut state = system.initial_state();
            (state.q[6], state.v[0], state.v[5]) = (0.1, 2.0, 1.0);
            let mut workspace = system.workspace().unwrap();
            for _ in 0..200 {
                let step = system.step(&mut workspace, &state, &[]).unwrap();
                state.clone_from(step.state());
            }
            [&state.q, &state.v].map(|x| x.map(f64::to_bits))
        };
        let machine = RigidBodySystem::new(tree, contact).unwrap();
        let system = System::compliant(machine, 1e-3).unwrap();
        let read = System::from_json(&system.to_json().unwrap()).unwrap();
        assert_eq!(fall(&read), fall(&system));
    }
}

/// A convex polyhedron of twice the size.
fn twice(shape: &Shape<f64>) -> Shape<f64> {
    let Shape::Convex { polyhedron, .. } = shape else {
        panic!("{shape:?}");
    };
    let points: Vec<_> = polyhedron.vertices().iter().map(|p| p * 2.0).collect();
    ConvexPolyhedron::hull_of(&points).unwrap().into()
}
