//! The manifest, which lists all desired operators.
//!
//! ```yaml
//! operators:
//!   install:
//!   - name: prometheus
//!     version: 2.0.4
//! ```

use serde_json::{Map, Value};

use crate::input::Document;
use crate::{InvalidRequest, RequestedOperator, Target};

/// The expected format of a manifest. Error messages contain it.
const WAY_OUT: &str = "write operators.install as a list; each entry has the field `name`, and can \
                       have the field `version` to request a version other than the latest";

/// Returns the operators that a manifest requests.
///
/// # Errors
/// Returns all errors, one sentence each.
pub(crate) fn wishes(document: &Document) -> Result<Vec<RequestedOperator>, Vec<String>> {
    let place = &document.place;
    let entries = entries(&document.object).map_err(|why| vec![format!("{place}: {why}")])?;
    let mut wishes = Vec::new();
    let mut refused = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        match wish(entry) {
            Ok(wish) => wishes.push(wish),
            Err(why) => refused.push(format!("{place}: operators.install[{at}]: {why}")),
        }
    }
    if refused.is_empty() {
        Ok(wishes)
    } else {
        Err(refused)
    }
}

fn entries(manifest: &Value) -> Result<&[Value], String> {
    only_fields(manifest, "the manifest", &["operators"], WAY_OUT)?;
    only_fields(&manifest["operators"], "operators", &["install"], WAY_OUT)?;
    let entries = manifest["operators"]["install"].as_array();
    let entries = entries.ok_or_else(|| format!("operators.install is not a list; {WAY_OUT}"))?;
    Ok(entries)
}

/// Returns the fields of a JSON object. An unknown field is an error, because it may be misspelled.
/// The error suggests a similar field.
///
/// # Errors
/// Returns an error if the value is not a map or has an unknown field.
pub fn only_fields<'v>(
    value: &'v Value,
    what: &str,
    known: &[&str],
    way_out: &str,
) -> Result<&'v Map<String, Value>, String> {
    let Some(fields) = value.as_object() else {
        return Err(format!("{what} is not a map; {way_out}"));
    };
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        Some(unknown) => Err(format!("{what} has the field {unknown:?}; {way_out}")),
        None => Ok(fields),
    }
}

fn wish(entry: &Value) -> Result<RequestedOperator, String> {
    let fields = only_fields(entry, "the entry", &["name", "version"], WAY_OUT)?;
    let Some(Value::String(name)) = fields.get("name") else {
        return Err(format!("the entry has no name; {WAY_OUT}"));
    };
    let named: RequestedOperator = name
        .parse()
        .map_err(|refusal: InvalidRequest| refusal.to_string())?;
    if named.name != *name {
        return Err(format!(
            "{name:?} contains more than a name; write the version in the field version"
        ));
    }
    let target = match fields.get("version") {
        None | Some(Value::Null) => Target::Latest,
        Some(Value::String(version)) => {
            Target::parse(version).map_err(|refusal| refusal.to_string())?
        }
        Some(other) => {
            return Err(format!(
                "version is {other}; it must be a string, so put it in quotes"
            ));
        }
    };
    Ok(RequestedOperator {
        name: name.clone(),
        target,
    })
}
