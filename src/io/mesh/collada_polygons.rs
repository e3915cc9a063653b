//! The primitives of Collada that are polygons.

use super::document::Element;

/// Inputs of a primitive beyond this are a mistake.
const MAX_INPUTS: usize = 100;

/// What is wrong, and where.
pub(super) type Mistake<'a> = (&'a Element, String);

/// The corners of each polygon of a primitive, as positions in a list of `vertices`; none of lines and of what is no
/// primitive. Of `<ph>`, a polygon with holes, the outline is read.
pub(super) fn polygons(
    primitive: &Element,
    vertices: usize,
) -> Result<Vec<Vec<usize>>, Mistake<'_>> {
    let kind = primitive.name.as_str();
    if !["triangles", "polylist", "polygons", "tristrips", "trifans"].contains(&kind) {
        return Ok(vec![]);
    }
    let whole = primitive.children("p");
    let holed = (primitive.children("ph")).flat_map(|ph| ph.children("p").take(1));
    let mut polygons = Vec::new();
    let Some(inputs) = Inputs::of(primitive)? else {
        return match whole.chain(holed).next() {
            None => Ok(vec![]),
            Some(_) => Err((primitive, "there is no input of vertices".to_owned())),
        };
    };
    for list in whole.chain(holed) {
        let corners = inputs.corners(list, vertices)?;
        let wrong = |expected: String| (list, format!("{} vertices, {expected}", corners.len()));
        match kind {
            "triangles" if corners.len() % 3 != 0 => {
                return Err(wrong("which are no triangles".to_owned()));
            }
            "triangles" => polygons.extend(corners.chunks_exact(3).map(<[_]>::to_vec)),
            "polylist" => {
                let Some(counts) = primitive.child("vcount") else {
                    return Err((primitive, "<vcount> is missing".to_owned()));
                };
                let mut rest = &corners[..];
                for count in indices(counts)? {
                    let Some((polygon, behind)) = rest.split_at_checked(count) else {
                        return Err(wrong("<vcount> has more".to_owned()));
                    };
                    polygons.push(polygon.to_vec());
                    rest = behind;
                }
                if !rest.is_empty() {
                    return Err(wrong(format!("of which <vcount> leaves {}", rest.len())));
                }
            }
            "tristrips" => {
                // Every other triangle of a strip goes round the other way.
                let triangles = corners.windows(3).enumerate();
                polygons.extend(triangles.map(|(k, t)| match k % 2 {
                    0 => vec![t[0], t[1], t[2]],
                    _ => vec![t[1], t[0], t[2]],
                }));
            }
            "trifans" => polygons.extend(fan(&corners).map(|triangle| triangle.to_vec())),
            _ => polygons.push(corners),
        }
    }
    Ok(polygons)
}

/// The triangles that a polygon is divided into from its first corner.
pub(super) fn fan(corners: &[usize]) -> impl Iterator<Item = [usize; 3]> {
    let edges = corners.windows(2).skip(1);
    edges.map(|edge| [corners[0], edge[0], edge[1]])
}

/// How indices of several inputs lie beside each other.
struct Inputs {
    /// How many there are for a corner.
    stride: usize,
    /// Which of them is that of the vertex.
    vertex: usize,
}

impl Inputs {
    /// `None` without vertices.
    fn of(primitive: &Element) -> Result<Option<Self>, Mistake<'_>> {
        let (mut stride, mut vertex) = (1, None);
        for input in primitive.children("input") {
            let text = input.attribute("offset").unwrap_or("0");
            let offset = text.trim().parse().ok().filter(|k| *k < MAX_INPUTS);
            let Some(offset) = offset else {
                let message = format!("offset = {text:?}, expected a number below {MAX_INPUTS}");
                return Err((input, message));
            };
            stride = stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                vertex = Some(offset);
            }
        }
        Ok(vertex.map(|vertex| Inputs { stride, vertex }))
    }

    fn corners<'a>(&self, list: &'a Element, vertices: usize) -> Result<Vec<usize>, Mistake<'a>> {
        let all = indices(list)?;
        if all.len() % self.stride != 0 {
            let message = format!("{} indices, {} for a corner", all.len(), self.stride);
            return Err((list, message));
        }
        let corners = all.into_iter().skip(self.vertex).step_by(self.stride);
        let corners: Vec<usize> = corners.collect();
        match corners.iter().find(|corner| **corner >= vertices) {
            Some(missing) => Err((list, format!("there is no vertex {missing} of {vertices}"))),
            None => Ok(corners),
        }
    }
}

fn indices(list: &Element) -> Result<Vec<usize>, Mistake<'_>> {
    let index = |word: &str| {
        word.parse()
            .map_err(|_| (list, format!("{word:?}, expected an index")))
    };
    list.text.split_whitespace().map(index).collect()
}
