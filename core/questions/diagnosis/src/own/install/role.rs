//! Roles that the content of an Install binds and that are missing.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::plan::InstallPlan;
use serde_json::Value;

use crate::{Cause, Confidence, Evidence, Object, Responsible};

/// Returns the cause with the missing role as the object at fault. The applied plan binds it, too,
/// so what already runs has lost its permissions.
pub(super) fn named(cause: Cause, said: &Condition, plan: Option<&InstallPlan>) -> Cause {
    let mut roles = Vec::new();
    if let Some(plan) = plan {
        gather(plan.spec.as_json(), &mut roles);
    }
    let words: Vec<&str> = said.message.split([' ', ',', ';', '/']).collect();
    let role = roles.into_iter().find(|role| words.contains(&&*role.name));
    let Some(role) = role else {
        return cause;
    };
    let message = format!(
        "{} The installed version binds {role} too, so it has lost the permissions of that role, although it is \
         reported as ready.",
        cause.message
    );
    let missing = Evidence::absent(role.clone());
    let responsible = Responsible {
        who: format!("the owner of {role}, or the author of the content"),
        ..cause.responsible.clone()
    };
    let reason = "The controller cannot find it. It may also lack the permission to read it.";
    Cause {
        at_fault: role,
        message,
        responsible,
        confidence: Confidence::likely(reason),
        ..cause.shown([missing])
    }
}

/// Gathers the roles that bindings in a value refer to.
fn gather(value: &Value, roles: &mut Vec<Object>) {
    match value {
        Value::Object(fields) => {
            roles.extend(role(value));
            fields.values().for_each(|value| gather(value, roles));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, roles)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn role(binding: &Value) -> Option<Object> {
    let name = binding["roleRef"]["name"].as_str()?;
    match binding["roleRef"]["kind"].as_str()? {
        "ClusterRole" => Some(Object::new("ClusterRole", "", name)),
        "Role" => {
            let namespace = binding["metadata"]["namespace"].as_str();
            Some(Object::new("Role", namespace.unwrap_or_default(), name))
        }
        _ => None,
    }
}
