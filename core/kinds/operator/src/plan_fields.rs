//! The mutable fields of an InstallPlan that its Operator sets.
//!
//! Users set the other two mutable fields. The field `collisions` allows a plan to take over
//! objects of other owners. `portolan release` sets the field `onPlanDeletion` to keep the
//! installed objects.

use serde_json::{Value, json};

/// The required fields of `spec.lifecycle` and their values.
const LIFECYCLE: [(&str, &str); 2] = [("onDeletion", "Recreate"), ("onDrift", "Revert")];
/// The field of `spec.lifecycle` that is set at the end of an adoption.
const FOUND: &str = "onFound";

/// Sets the mutable fields of a new plan.
pub(crate) fn set(plan: &mut Value) {
    plan["spec"]["suspend"] = json!(true);
    for (field, value) in LIFECYCLE {
        plan["spec"]["lifecycle"][field] = json!(value);
    }
}

/// Returns the `spec.lifecycle` that a plan should have. Returns None if the plan already has it.
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
