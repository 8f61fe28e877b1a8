//! Reads the manifest with the requirements for all operators, from a file, a pipe or a ConfigMap.

use std::path::Path;

use portolan_core_generate::{Document, Format};
use portolan_core_names::text::{cite, listed};
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::sources;

/// Reads a manifest without validating its content. The manifest can be any YAML document, not only
/// a Kubernetes object.
pub(super) fn read(path: &Path) -> Result<Document, Failure> {
    let (place, text) = sources::read(path)?;
    let told = |why| Failure::usage(format!("{place}: {why}"));
    let object = parse(&String::from_utf8_lossy(&text)).map_err(told)?;
    if object["apiVersion"] != "v1" || object["kind"] != "ConfigMap" {
        return Ok(document(place, object));
    }
    let (key, text) = only_text(&object).map_err(told)?;
    let place = format!("{place}: data[{key:?}]");
    let told = |why| Failure::usage(format!("{place}: {why}"));
    let object = parse(text).map_err(told)?;
    Ok(document(place, object))
}

fn document(place: String, object: Value) -> Document {
    Document {
        place,
        object,
        format: Format::Yaml,
    }
}

/// Returns the only entry of a ConfigMap: its key and its text.
fn only_text(config_map: &Value) -> Result<(&str, &str), String> {
    let data = config_map["data"].as_object();
    let keys = data.into_iter().flat_map(Map::keys);
    let mut texts = data.into_iter().flatten();
    match (texts.next(), texts.next()) {
        (Some((key, text)), None) => match text.as_str() {
            Some(text) => Ok((key, text)),
            None => Err(format!(
                "data[{key:?}] is not text; it must contain the manifest"
            )),
        },
        (Some(_), Some(_)) => Err(format!(
            "the ConfigMap has {}; it must contain only the manifest",
            listed(keys)
        )),
        (None, _) => Err("the ConfigMap has no data; it must contain the manifest".to_owned()),
    }
}

fn parse(text: &str) -> Result<Value, String> {
    serde_saphyr::from_str(text).map_err(|error| {
        // The first line contains the reason and the position. The other lines contain an excerpt
        // of the input.
        let told = error.without_snippet().to_string();
        cite(told.lines().next().unwrap_or_default())
    })
}
