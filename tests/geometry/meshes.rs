//! Meshes from files, whole and damaged.

use dualbody::geometry::{ConvexDecomposition, ConvexPolyhedron};
use dualbody::io::mesh::{Mesh, MeshError};
use nalgebra::Vector3;
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// For a damaged mesh of four triangles; far above what it takes, for machines that do something else as well.
const LIMIT: Duration = Duration::from_secs(20);

const CORNERS: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 2.0, 0.0],
    [0.0, 0.0, 3.0],
];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

fn text_stl() -> String {
    let mut text = String::from("solid corner\n");
    for face in FACES {
        text += "facet normal 0 0 0\n outer loop\n";
        for [x, y, z] in face.map(|i| CORNERS[i]) {
            text += &format!("  vertex {x} {y} {z:e}\n");
        }
        text += " endloop\nendfacet\n";
    }
    text + "endsolid corner\n"
}

fn binary_stl(header: &[u8]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, b' ');
    bytes.extend((FACES.len() as u32).to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        for x in face.iter().flat_map(|&i| CORNERS[i]) {
            bytes.extend((x as f32).to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn obj() -> String {
    let mut text = String::from("# a corner\nmtllib none.mtl\no corner\n");
    for [x, y, z] in CORNERS {
        text += &format!("v {x} {y} {z}\n");
    }
    for [a, b, c] in FACES {
        text += &format!("f {} {}// {}\n", a + 1, b + 1, c as i32 - 4);
    }
    text
}

const TRIANGLES: &str = r##"<triangles count="4"><input semantic="VERTEX" source="#v" offset="1"/>
        <input semantic="NORMAL" source="#n" offset="0"/>
        <p>0 0 0 2 0 1  0 0 0 1 0 3  0 1 0 2 0 3  0 0 0 3 0 2</p></triangles>"##;

fn collada(asset: &str, nodes: &str) -> String {
    format!(
        r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset>{asset}</asset>
  <library_geometries>
    <geometry id="corner"><mesh>
      <source id="p"><float_array id="a" count="12">0 0 0 1 0 0
        0 2 0  0 0 3</float_array></source>
      <source id="n"><float_array count="3">9 9 9</float_array></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 9</p></lines>
      {TRIANGLES}
    </mesh></geometry>
  </library_geometries>
  <library_nodes><node id="shared"><instance_geometry url="#corner"/></node></library_nodes>
  <library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"##
    )
}

const SHOWN: &str = r##"<node><instance_geometry url="#corner"/></node>"##;

fn volume(mesh: &Mesh) -> f64 {
    ConvexPolyhedron::hull_of(&mesh.points).unwrap().volume()
}

fn message(result: Result<Mesh, MeshError>) -> String {
    result.unwrap_err().to_string()
}

/// With normals and texture coordinates, which nothing reads.
fn msh() -> Vec<u8> {
    let (points, faces) = (CORNERS.len(), FACES.len());
    let mut bytes = Vec::new();
    for count in [points, points, points, faces] {
        bytes.extend((count as u32).to_le_bytes());
    }
    for x in CORNERS.as_flattened() {
        bytes.extend((*x as f32).to_le_bytes());
    }
    bytes.resize(bytes.len() + 4 * 5 * points, 0x40);
    for i in FACES.as_flattened() {
        bytes.extend((*i as u32).to_le_bytes());
    }
    bytes
}

#[test]
fn msh_has_the_length_that_it_says() {
    let whole = msh();
    for length in [0, 15, 16, whole.len() - 1] {
        assert!(message(Mesh::from_msh("a.msh", &whole[..length])).starts_with("a.msh: "));
    }
    let changed = |word: usize, value: u32| {
        let mut bytes = whole.clone();
        bytes[4 * word..4 * word + 4].copy_from_slice(&value.to_le_bytes());
        message(Mesh::from_msh("a.msh", &bytes))
    };
    assert!(changed(0, u32::MAX).contains("not what the header says"));
    assert!(changed(4, f32::NAN.to_bits()).contains("point 0 is (NaN"));
    assert_eq!(
        changed(whole.len() / 4 - 1, 4),
        "a.msh: there is no point 4"
    );
}

#[test]
fn every_format_has_the_same_points() {
    let meshes = [
        Mesh::from_stl("m", text_stl().as_bytes()),
        Mesh::from_stl("m", &binary_stl(b"made by hand")),
        Mesh::from_stl("m", &binary_stl(b"solid but binary")),
        Mesh::from_msh("m", &msh()),
        Mesh::from_obj("m", obj().as_bytes()),
        Mesh::from_collada("m", collada("<up_axis>Z_UP</up_axis>", SHOWN).as_bytes()),
    ];
    for mesh in meshes {
        let mesh = mesh.unwrap();
        assert_eq!((mesh.faces, volume(&mesh)), (4, 1.0));
        assert_eq!(triangles(&mesh), FACES.map(|face| face.map(|i| CORNERS[i])));
    }
}

/// The corners of each triangle.
fn triangles(mesh: &Mesh) -> Vec<[[f64; 3]; 3]> {
    let corners = |t: &[usize; 3]| t.map(|i| mesh.points[i].into());
    mesh.triangles.iter().map(corners).collect()
}

#[test]
fn collada_has_primitives_of_five_kinds() {
    let read = |primitives: &str| {
        let text = collada("<up_axis>Z_UP</up_axis>", SHOWN);
        let text = text.replace(TRIANGLES, &primitives.replace("V/>", VERTEX));
        Mesh::from_collada("m.dae", text.as_bytes())
    };
    const VERTEX: &str = r##"<input semantic="VERTEX" source="#v" offset="0"/>"##;
    let faces = |primitives: &str| {
        let mesh = read(primitives).unwrap();
        (mesh.faces, mesh.triangles)
    };
    let quadrilateral = (1, vec![[0, 1, 2], [0, 2, 3]]);
    let list = "<polylist>V/><vcount>4</vcount><p>0 1 2 3</p></polylist>";
    assert_eq!(faces(list), quadrilateral);
    assert_eq!(
        faces("<polygons>V/><p>0 1 2 3</p></polygons>"),
        quadrilateral
    );
    let holed = "<polygons>V/><ph><p>0 1 2 3</p><h>1 2 3</h></ph></polygons>";
    assert_eq!(faces(holed), quadrilateral);
    let strip = "<tristrips>V/><p>0 1 2 3</p><p>3 2 1</p></tristrips>";
    assert_eq!(faces(strip), (3, vec![[0, 1, 2], [2, 1, 3], [3, 2, 1]]));
    let fan = "<trifans>V/><p>0 1 2 3</p></trifans>";
    assert_eq!(faces(fan), (2, vec![[0, 1, 2], [0, 2, 3]]));
    assert_eq!(faces("<linestrips>V/><p>0 1 2 3</p></linestrips>").0, 0);
    assert_eq!(faces(r#"<triangles count="0"/>"#).0, 0);

    for (primitives, expected) in [
        (
            "<triangles>V/><p>0 1 4</p></triangles>",
            "there is no vertex 4 of 4",
        ),
        (
            "<triangles>V/><p>0 1 -1</p></triangles>",
            "\"-1\", expected an index",
        ),
        (
            "<triangles>V/><p>0 1</p></triangles>",
            "2 vertices, which are no triangles",
        ),
        (
            "<triangles><p>0 1 2</p></triangles>",
            "there is no input of vertices",
        ),
        (
            "<polylist>V/><p>0 1 2</p></polylist>",
            "<vcount> is missing",
        ),
        (
            "<polylist>V/><vcount>4</vcount><p>0 1 2</p></polylist>",
            "3 vertices, <vcount> has more",
        ),
        (
            "<polylist>V/><vcount>3</vcount><p>0 1 2 3</p></polylist>",
            "4 vertices, of which <vcount> leaves 1",
        ),
        (
            r##"<trifans>V/><input semantic="X" offset="1"/><p>0 1 2</p></trifans>"##,
            "3 indices, 2 for a corner",
        ),
        (
            r##"<trifans><input semantic="VERTEX" offset="1000"/><p>0 1 2</p></trifans>"##,
            "offset = \"1000\", expected a number below 100",
        ),
    ] {
        let found = message(read(primitives));
        assert_eq!(found, format!("m.dae:11: {expected}"));
    }
}

#[test]
fn collada_that_is_mirrored_looks_outward() {
    let mirrored = SHOWN.replace("<node>", "<node><scale>-1 1 1</scale>");
    let text = collada("<up_axis>Z_UP</up_axis>", &mirrored);
    let mesh = Mesh::from_collada("m", text.as_bytes()).unwrap();
    let volume = |t: &[[f64; 3]; 3]| {
        let [a, b, c] = t.map(Vector3::from);
        a.dot(&b.cross(&c)) / 6.0
    };
    assert_eq!(triangles(&mesh).iter().map(volume).sum::<f64>(), 1.0);
}

#[test]
fn text_stl_has_solids_with_and_without_names() {
    let one = Mesh::from_stl("m", text_stl().as_bytes()).unwrap();
    for header in ["solid", "solid ", "  solid x y", "solid\r"] {
        let other = text_stl().replacen("solid corner", header, 1);
        let text = format!("{}\n\n{other}{other}", text_stl());
        let mesh = Mesh::from_stl("m", text.as_bytes()).unwrap();
        assert_eq!(triangles(&mesh), triangles(&one).repeat(3));
    }
    let lines = text_stl().lines().count();
    let broken = text_stl().replace("facet normal 0 0 0", "facet 0 0 0");
    let found = message(Mesh::from_stl("m", (text_stl() + &broken).as_bytes()));
    assert!(
        found.starts_with(&format!("m:{}: invalid facet", lines + 2)),
        "{found}"
    );
    let found = message(Mesh::from_stl("m", (text_stl() + "noise\n").as_bytes()));
    assert!(
        found.ends_with("expected `solid`, or the end of the file"),
        "{found}"
    );
}

#[test]
fn collada_has_units_axes_and_nodes() {
    let read = |asset: &str, nodes: &str| {
        Mesh::from_collada("m.dae", collada(asset, nodes).as_bytes())
            .unwrap()
            .points
    };
    let millimetres = r#"<unit name="mm" meter="0.001"/><up_axis>Y_UP</up_axis>"#;
    assert_eq!(read(millimetres, SHOWN)[2], Vector3::new(0.0, 0.0, 0.002));
    assert_eq!(read("", SHOWN)[3], Vector3::new(0.0, -3.0, 0.0));
    assert_eq!(read("<up_axis>X_UP</up_axis>", SHOWN)[1], Vector3::z());
    let turned = r##"<node><translate>1 2 3</translate><rotate>0 0 2 90</rotate><scale>2 2 2</scale>
        <node><matrix>1 0 0 5  0 1 0 0  0 0 1 0  0 0 0 1</matrix><instance_node url="#shared"/></node></node>"##;
    let point = read("<up_axis>Z_UP</up_axis>", turned)[1];
    assert!(
        (point - Vector3::new(1.0, 14.0, 3.0)).norm() < 1e-14,
        "{point}"
    );
}

#[test]
fn mistakes_are_named_with_their_lines() {
    let stl = text_stl();
    let broken = stl.replacen("vertex 1 0 0e0", "vertex 1 nan 0", 1);
    let found = message(Mesh::from_stl("a.stl", broken.as_bytes()));
    assert!(found.starts_with("a.stl:6: expected finite"), "{found}");
    let found = message(Mesh::from_stl("a.stl", &stl.as_bytes()[..stl.len() / 2]));
    assert!(found.starts_with("a.stl:1"), "{found}");
    let binary = binary_stl(b"");
    assert!(message(Mesh::from_stl("a.stl", &binary[..200])).starts_with("a.stl: "));
    assert!(message(Mesh::from_stl("a.stl", b"")).contains("header"));
    let mut few = binary.clone();
    few[80] = 1;
    assert_eq!(
        message(Mesh::from_stl("a.stl", &few)),
        "a.stl: the header says 1 triangles, 4 follow"
    );
    let mut bad = binary.clone();
    bad[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(
        message(Mesh::from_stl("a.stl", &bad)),
        "a.stl: point 0 is (NaN, 0, 0)"
    );

    let found = message(Mesh::from_obj(
        "a.obj",
        obj().replace("v 0 2 0", "v 0 two 0").as_bytes(),
    ));
    assert_eq!(found, "a.obj:6: position parse error");
    let found = message(Mesh::from_obj(
        "a.obj",
        obj().replace("f 1", "f 17").as_bytes(),
    ));
    assert_eq!(found, "a.obj:8: face vertex index out of bounds");
    // The least number, which has no opposite.
    let far = obj().replacen("f 1 2//", &format!("f {} 17//", i64::MIN), 1);
    assert!(message(Mesh::from_obj("a.obj", far.as_bytes())).starts_with("a.obj:"));
    assert_eq!(
        message(Mesh::from_obj("a.obj", b"# nothing\n")),
        "a.obj: there is no point"
    );

    let dae = |from: &str, to: &str| {
        let text = collada("<up_axis>Z_UP</up_axis>", SHOWN).replacen(from, to, 1);
        message(Mesh::from_collada("a.dae", text.as_bytes()))
    };
    assert_eq!(
        dae("0 2 0 ", "0 2 x "),
        "a.dae:7: \"x\", expected a finite number"
    );
    assert_eq!(
        dae("count=\"12\"", "count=\"15\""),
        "a.dae:6: 12 numbers, count = 15"
    );
    assert_eq!(
        dae("\"#p\"/>", "\"#q\"/>"),
        "a.dae:5: the mesh has no source of positions"
    );
    assert!(dae("</vertices>", "</vertexes>").starts_with("a.dae:9: "));
    assert!(dae("COLLADA", "KOLLADA").starts_with("a.dae:"));
    assert_eq!(
        dae(
            "<node><instance_geometry url=\"#corner\"/></node>",
            "<node/>"
        ),
        "a.dae: there is no point"
    );
    let shown = "s\"><node><instance_geometry url=\"#corner\"";
    assert_eq!(
        dae(shown, &shown.replace("#corner", "#other")),
        "a.dae:17: there is no \"#other\""
    );
}

#[test]
fn nodes_in_a_circle_end() {
    let text = collada(
        "",
        r##"<node><instance_node url="#shared"/><instance_node url="#shared"/></node>"##,
    )
    .replace(
        r##"<node id="shared">"##,
        r##"<node id="shared"><instance_node url="#shared"/><instance_node url="#shared"/>"##,
    );
    let found = message(Mesh::from_collada("a.dae", text.as_bytes()));
    assert!(found.ends_with("nodes refer to each other"), "{found}");
}

#[test]
fn a_short_file_is_no_endless_mesh() {
    let points: String = (0..1000).map(|i| format!("{i} 0 1 ")).collect();
    let instances = r##"<instance_geometry url="#corner"/>"##.repeat(100);
    let text = collada(
        "",
        &r##"<node><instance_node url="#shared"/></node>"##.repeat(900),
    )
    .replace(r#" count="12""#, "")
    .replace(
        "0 0 3</float_array>",
        &format!("0 0 3 {points}</float_array>"),
    )
    .replace(
        r##"<instance_geometry url="#corner"/></node></library_nodes>"##,
        &format!("{instances}</node></library_nodes>"),
    );
    let found = message(Mesh::from_collada("a.dae", text.as_bytes()));
    assert!(found.ends_with("points and triangles"), "{found}");
}

#[test]
fn files_that_are_not_meshes() {
    assert!(message(Mesh::load("nowhere.stl")).starts_with("nowhere.stl: "));
    assert!(message(Mesh::load("mesh.fbx")).contains("stl, msh, obj or dae"));
}

proptest! {
    #[test]
    fn damage_is_an_error_or_a_mesh(
        format in 0..5usize,
        at in 0.0..1.0,
        byte in any::<u8>(),
        cut in any::<bool>(),
    ) {
        let mut bytes = match format {
            0 => text_stl().into_bytes(),
            1 => binary_stl(b"solid"),
            2 => obj().into_bytes(),
            3 => msh(),
            _ => collada("", SHOWN).into_bytes(),
        };
        let place = (at * bytes.len() as f64) as usize;
        bytes[place] = byte;
        if cut {
            bytes.truncate(place);
        }
        let read = [
            Mesh::from_stl,
            Mesh::from_stl,
            Mesh::from_obj,
            Mesh::from_msh,
            Mesh::from_collada,
        ][format];
        let start = Instant::now();
        let mesh = read("damaged", &bytes);
        prop_assert!(start.elapsed() < LIMIT);
        if let Ok(mesh) = mesh {
            prop_assert!(mesh.points.iter().all(|p| p.iter().all(|x| x.is_finite())));
            let _ = ConvexPolyhedron::hull_of(&mesh.points);
            let mut options = ConvexDecomposition::default();
            options.resolution = 8;
            let _ = options.parts_of(&mesh.points, &mesh.triangles, 64);
            prop_assert!(start.elapsed() < LIMIT);
        }
    }
}
