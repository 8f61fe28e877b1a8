//! The fields of an InstallPlan that stay mutable and that its Operator decides.
//!
//! Two mutable fields stay with people: `collisions`, by which a person accepts that a plan takes
//! over objects of other owners, and `onPlanDeletion`, with which `portolan release` keeps what is
//! installed.

use serde_json::{Value, json};

/// The fields of `spec.lifecycle`, each with its value.
const LIFECYCLE: [(&str, &str); 2] = [("onDeletion", "Recreate"), ("onDrift", "Revert")];
/// The field of `spec.lifecycle` that the end of an adoption sets.
const FOUND: &str = "onFound";

/// Sets the fields of a new plan.
pub(crate) fn set(plan: &mut Value) {
    plan["spec"]["suspend"] = json!(true);
    for (field, value) in LIFECYCLE {
        plan["spec"]["lifecycle"][field] = json!(value);
    }
}

/// Returns the required `spec.lifecycle` of a plan, or None if it already has these values.
pub(crate) fn edited(spec: &Value, is_adoption: bool) -> Option<Value> {
    let lifecycle = &spec["lifecycle"];
    let mut wanted = lifecycle.as_object().cloned().unwrap_or_default();
    if !is_adoption {
        wanted.remove(FOUND);
    }
    for (field, value) in LIFECYCLE {
        wanted.insert(field.to_owned(), json!(value));
    }
    let wanted = Value::Object(wanted);
    (wanted != *lifecycle).then_some(wanted)
}
