//! Bodies, joints, frames and geometries by name, where the crate has indices.

use super::error::JsonError;
use crate::spelling::{Proposal, nearest_paths};
use serde_json::Value;

/// What the elements refer to.
struct Family {
    what: &'static str,
    /// The keys under which an index stands, or a list of them.
    keys: &'static [&'static str],
    /// Where the names are listed, and the name of what is not listed but comes first.
    list: &'static str,
    implied: Option<&'static str>,
}

const FAMILIES: [Family; 4] = [
    Family {
        what: "body",
        keys: &["body", "body_a", "body_b", "parent", "child", "Body"],
        list: "/tree/bodies",
        implied: Some("world"),
    },
    Family {
        what: "joint",
        keys: &["joint"],
        list: "/tree/joints",
        implied: None,
    },
    Family {
        what: "frame",
        keys: &["frame", "frames", "Frame"],
        list: "/tree/frames",
        implied: None,
    },
    Family {
        what: "geometry",
        keys: &["geometry_a", "geometry_b"],
        list: "/contact/geometries",
        implied: None,
    },
];

/// Puts names in place of the indices.
pub(super) fn put_names(document: &mut Value) -> Result<(), JsonError> {
    exchange(document, &|_, names, value| {
        let name = value.as_u64().and_then(|index| names.get(index as usize));
        name.cloned().map(Value::from)
    })
}

/// Puts indices in place of the names.
pub(super) fn put_indices(document: &mut Value) -> Result<(), JsonError> {
    exchange(document, &|_, names, value| {
        let index = names.iter().position(|name| value == name);
        index.map(Value::from)
    })
}

type Translate<'a> = &'a dyn Fn(&Family, &[String], &Value) -> Option<Value>;

fn exchange(document: &mut Value, translate: Translate<'_>) -> Result<(), JsonError> {
    let names = FAMILIES.each_ref().map(|family| {
        let listed = document.pointer(family.list).and_then(Value::as_array);
        let listed = listed.into_iter().flatten();
        // What has no name is wrong, and found to be later on; it must keep its place until then.
        let listed = listed.map(|x| x["name"].as_str().unwrap_or_default());
        (family.implied.into_iter().chain(listed))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    visit(document, "", &mut |path, key, value| {
        let family = FAMILIES
            .iter()
            .position(|family| family.keys.contains(&key));
        let (Some(i), false) = (family, holds_objects(value)) else {
            return Ok(false);
        };
        let one = |value: &mut Value| {
            *value = translate(&FAMILIES[i], &names[i], value).ok_or_else(|| {
                let what = FAMILIES[i].what;
                let known = || names[i].iter().map(String::as_str);
                let nearest = value.as_str().map(|name| nearest_paths(known(), name));
                let nearest = nearest.unwrap_or_default();
                JsonError::value(
                    path,
                    format!(
                        "found {value}, expected the name of a {what}{}",
                        Proposal(&nearest)
                    ),
                )
            })?;
            Ok(())
        };
        match value {
            Value::Array(list) => list.iter_mut().try_for_each(one)?,
            value => one(value)?,
        }
        Ok(true)
    })
}

/// Whether a value is no index or list of indices, but what is named so.
fn holds_objects(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().any(Value::is_object),
        value => value.is_object(),
    }
}

/// Calls `change` with the path, key and value of every entry of an object, and goes on within the value
/// unless that says it is done.
fn visit(
    value: &mut Value,
    path: &str,
    change: &mut dyn FnMut(&str, &str, &mut Value) -> Result<bool, JsonError>,
) -> Result<(), JsonError> {
    let below = |step: &str| match path {
        "" => step.to_owned(),
        _ => format!("{path}/{step}"),
    };
    match value {
        Value::Object(object) => object.iter_mut().try_for_each(|(key, value)| {
            let path = below(key);
            if change(&path, key, value)? {
                return Ok(());
            }
            visit(value, &path, change)
        }),
        Value::Array(list) => (list.iter_mut().enumerate())
            .try_for_each(|(i, value)| visit(value, &below(&i.to_string()), change)),
        _ => Ok(()),
    }
}
