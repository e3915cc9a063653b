//! MJCF: height fields of `<asset>`.
//!
//! Elevations are taken from their least to their largest value to 0 … 1, in single precision, and are in units of the
//! third number of `size`. The rows of `elevation` go from the largest y to the least, those of a file the other way:
//! two integers (rows and columns), then elevations; all in 32 bits, the least significant first.

use super::compiler::Compilers;
use super::defaults::{Defaults, Node, unknown};
use super::error::{MjcfError, MjcfProblem};
use crate::geometry::{HeightField, Shape};
use nalgebra::{Vector2, Vector3};
use png::Transformations;
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// Of an image, in bytes; the file of a plain one is a thousand times smaller.
const LARGEST_IMAGE: usize = 1 << 26;

/// The height fields of a model, by name.
pub(super) struct HeightFields<'a> {
    /// With the models that they belong to.
    assets: BTreeMap<(usize, String), (Node<'a>, Option<PathBuf>)>,
}

/// Elevations row by row, in the order of growing y.
struct Elevations {
    columns: usize,
    values: Vec<f32>,
}

impl<'a> HeightFields<'a> {
    pub fn new(defaults: &Defaults<'a>, compilers: &Compilers) -> Result<Self, MjcfError> {
        let mut assets = BTreeMap::new();
        for element in defaults.assets().filter(|e| e.name == "hfield") {
            let node = defaults.node(element);
            let file = compilers.asset_file(&node);
            let stem = file.as_deref().and_then(Path::file_stem);
            let name = match (node.text("name"), stem) {
                (Some(name), _) => name.to_owned(),
                (None, Some(stem)) => stem.to_string_lossy().into_owned(),
                (None, None) => node.required("name")?.to_owned(),
            };
            let model = node.document.model_of(element);
            if assets.insert((model, name.clone()), (node, file)).is_some() {
                let elements = "height fields";
                return Err(node.error(MjcfProblem::DuplicateName { elements, name }));
            }
        }
        Ok(HeightFields { assets })
    }

    /// The asset and its `size`.
    fn asset(
        &self,
        user: &Node,
        name: &str,
    ) -> Result<(&Node<'a>, Option<&Path>, [f64; 4]), MjcfError> {
        let model = user.document.model_of(user.element);
        let Some((node, path)) = self.assets.get(&(model, name.to_owned())) else {
            let names = self.assets.keys().filter(|key| key.0 == model);
            let names = names.map(|(_, name)| name.as_str());
            return Err(unknown(user, "height field", name, names));
        };
        node.required_numbers("size")?;
        let size = node.array::<4>("size")?.unwrap_or_default();
        if size.iter().any(|x| *x <= 0.0) {
            return Err(node.value("size", "four positive numbers"));
        }
        Ok((node, path.as_deref(), size))
    }

    /// The box with the mass properties that the format gives a height field, whatever its elevations are.
    pub fn solid(&self, user: &Node, name: &str) -> Result<Shape<f64>, MjcfError> {
        let (node, _, [x, y, height, base]) = self.asset(user, name)?;
        let size = Vector3::new(2.0 * x, 2.0 * y, 0.5 * height + base);
        Shape::new_box(size).map_err(|e| node.error(e))
    }

    /// The shape; none if its file is not there.
    pub fn shape(&self, user: &Node, name: &str) -> Result<Option<Shape<f64>>, MjcfError> {
        let (node, path, size) = self.asset(user, name)?;
        let found = match path {
            None => inline(node)?,
            Some(path) => {
                let is_image = path
                    .extension()
                    .is_some_and(|e| e.eq_ignore_ascii_case("png"))
                    || node.text("content_type") == Some("image/png");
                if !path.is_file() {
                    return Ok(None);
                }
                let bytes = std::fs::read(path).map_err(|e| e.to_string());
                let read = bytes.and_then(|bytes| match is_image {
                    true => image_elevations(&bytes),
                    false => binary_elevations(&bytes),
                });
                read.map_err(|message| {
                    let message = format!("{}: {message}", path.display());
                    node.error(MjcfProblem::Mesh { message })
                })?
            }
        };
        let Elevations { columns, values } = found;
        let (least, largest) = (values.iter()).fold((f32::INFINITY, f32::NEG_INFINITY), |r, &x| {
            (r.0.min(x), r.1.max(x))
        });
        let range = if largest > least {
            largest - least
        } else {
            1.0
        };
        let rows = values.len() / columns.max(1);
        let heights = (values.iter())
            .map(|x| f64::from((x - least) / range) * size[2])
            .collect();
        let between = |half: f64, count: usize| 2.0 * half / (count.max(2) - 1) as f64;
        let spacing = Vector2::new(between(size[0], columns), between(size[1], rows));
        let field = HeightField::new(columns, heights, spacing).map_err(|e| node.error(e))?;
        Ok(Some(field.into()))
    }
}

/// What `nrow`, `ncol` and `elevation` say.
fn inline(node: &Node) -> Result<Elevations, MjcfError> {
    let count = |name: &'static str| -> Result<usize, MjcfError> {
        node.required(name)?;
        let count = node.number(name)?.unwrap_or(0.0);
        match count.fract() == 0.0 && (2.0..=65536.0).contains(&count) {
            true => Ok(count as usize),
            false => Err(node.value(name, "an integer from 2 to 65536")),
        }
    };
    let (rows, columns) = (count("nrow")?, count("ncol")?);
    let list = node.list("elevation")?;
    if !list.is_empty() && list.len() != rows * columns {
        return Err(node.value("elevation", "nrow · ncol numbers"));
    }
    let mut values = vec![0.0; rows * columns];
    for (row, from) in values.chunks_mut(columns).zip(list.chunks(columns).rev()) {
        for (value, x) in row.iter_mut().zip(from) {
            *value = *x as f32;
        }
    }
    Ok(Elevations { columns, values })
}

/// The brightness of a PNG in 8 bits, of colours that of red, as MuJoCo reads it; the first row is the last one.
fn image_elevations(bytes: &[u8]) -> Result<Elevations, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let size = (reader.output_buffer_size()).filter(|&size| size <= LARGEST_IMAGE);
    let too_large = || format!("the image has more than {LARGEST_IMAGE} bytes");
    let mut image = vec![0; size.ok_or_else(too_large)?];
    let info = reader.next_frame(&mut image).map_err(|e| e.to_string())?;
    let (columns, samples) = (info.width as usize, info.color_type.samples());
    if columns < 2 || info.height < 2 {
        return Err(format!("{columns} × {} pixels are no field", info.height));
    }
    let rows = image.chunks_exact(info.line_size).rev();
    let values = rows.flat_map(|row| row.iter().step_by(samples).map(|&x| f32::from(x)));
    Ok(Elevations {
        columns,
        values: values.collect(),
    })
}

fn binary_elevations(bytes: &[u8]) -> Result<Elevations, String> {
    let words = bytes.as_chunks::<4>().0;
    let Some((header, data)) = words.split_first_chunk::<2>() else {
        return Err("expected a header of 8 bytes".to_owned());
    };
    let [rows, columns] = header.map(|n| u64::from(u32::from_le_bytes(n)));
    if rows < 2 || columns < 2 || u128::from(rows) * u128::from(columns) != data.len() as u128 {
        return Err(format!(
            "{} bytes are not those of {rows} × {columns} elevations",
            bytes.len()
        ));
    }
    let values: Vec<f32> = data.iter().map(|x| f32::from_le_bytes(*x)).collect();
    match values.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(format!("elevation {at} is {}", values[at])),
        None => Ok(Elevations {
            columns: columns as usize,
            values,
        }),
    }
}
