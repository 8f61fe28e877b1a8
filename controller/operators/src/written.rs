//! Builds Operators from the settings of a command line.

use portolan_api::operator::{EXPLICIT, GROUP, Intent, Operator, name_for};
use portolan_core_names::PackageName;
use portolan_core_operator::Settings;
use serde_json::{Value, json};

/// Builds the Operator that a user would write for this package and these settings.
///
/// # Errors
/// Returns the reasons if the result is invalid.
pub fn written(package: &PackageName, settings: &Settings) -> Result<Operator, String> {
    let package = package.as_str();
    let object = json!({
        "apiVersion": format!("{GROUP}/v1alpha1"),
        "kind": "Operator",
        "metadata": {
            "name": name_for(package),
            "annotations": {EXPLICIT: "true"},
        },
        "spec": settings.applied(&json!({"packageName": package})),
    });
    valid(object)
}

/// Returns a copy of the Operator with these settings.
///
/// # Errors
/// Returns the reasons if the result is invalid.
pub fn with_settings(operator: &Operator, settings: &Settings) -> Result<Operator, String> {
    let mut object = serde_json::to_value(operator).map_err(|error| error.to_string())?;
    object["spec"] = settings.applied(operator.spec.as_json());
    valid(object)
}

fn valid(object: Value) -> Result<Operator, String> {
    let operator: Operator = serde_json::from_value(object).map_err(|error| error.to_string())?;
    match Intent::parse(&operator) {
        Ok(_) => Ok(operator),
        Err(refusals) => Err(refusals.sentences().join("; ")),
    }
}
