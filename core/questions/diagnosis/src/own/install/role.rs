//! Finds the missing role to which bindings in the content of an Install refer.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::InstallPlan;
use serde_json::Value;

use crate::command::Target;
use crate::{Cause, Confidence, Evidence, Object, Responsible, Step};

/// Sets the missing role as the object at fault. A binding in the applied plan refers to the same
/// role, so the installed version may lack the permissions of this role.
pub(super) fn named(cause: Cause, plan: Option<&InstallPlan>) -> Cause {
    let foreign = plan.and_then(|plan| only_foreign_role(plan.spec.as_json()));
    let Some((role, binding)) = foreign else {
        return cause;
    };
    let by = binding.map_or_else(String::new, |binding| format!(" ({binding})"));
    let message = format!(
        "{role} is missing, or the controller cannot read it. The new version refers to this role, so the new version \
         is not installed. The installed version refers to it, too{by}: if the role is missing, that version lacks \
         the permissions of this role, although it is reported as ready."
    );
    let missing = Evidence::absent(role.clone());
    let responsible = Responsible {
        who: format!("the owner of {role}, or the author of the content"),
        action: format!(
            "Create {role} again, or add it to the content. The Install then continues by itself. \
             Do not approve the Install now: an approval has no effect before the role exists. \
             When the role exists, check if the Install waits for an approval."
        ),
    };
    let look = shown(&role);
    let reason = "The controller cannot find the role. The controller may also lack the permission \
                  to read the role.";
    Cause {
        at_fault: role,
        message,
        responsible,
        confidence: Confidence::likely(reason),
        ..first_looked(cause.shown([missing]), look)
    }
}

/// Inserts a command before the other inspection commands of the cause.
fn first_looked(mut cause: Cause, look: Step) -> Cause {
    cause.remedy.look.insert(0, look);
    cause
}

/// Returns the command that shows whether the role exists.
fn shown(role: &Object) -> Step {
    let resource = match &*role.kind {
        "ClusterRole" => "clusterroles.rbac.authorization.k8s.io",
        _ => "roles.rbac.authorization.k8s.io",
    };
    let target = Target::new(resource, &role.namespace, &role.name);
    Step::new(&format!("Check if {role} exists"), target.get())
}

/// Returns the role that is not in the manifests although a binding in the manifests refers to it.
/// Also returns the binding if it has a name. If several such roles exist, returns None, because
/// any of these roles may be missing.
fn only_foreign_role(manifests: &Value) -> Option<(Object, Option<Object>)> {
    let mut roles = Roles::default();
    roles.gather(manifests);
    let contained = &roles.contained;
    let mut foreign = roles
        .bound
        .into_iter()
        .filter(|(role, _)| !contained.contains(role));
    foreign.next().filter(|_| foreign.next().is_none())
}

/// The roles in manifests.
#[derive(Debug, Default)]
struct Roles {
    /// The roles that bindings refer to, each with one of its bindings.
    bound: BTreeMap<Object, Option<Object>>,
    contained: BTreeSet<Object>,
}

impl Roles {
    fn gather(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                self.bound.extend(bound(value));
                self.contained.extend(contained(value));
                fields.values().for_each(|value| self.gather(value));
            }
            Value::Array(items) => items.iter().for_each(|item| self.gather(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

fn contained(role: &Value) -> Option<Object> {
    let name = role["metadata"]["name"].as_str()?;
    let namespace = role["metadata"]["namespace"].as_str().unwrap_or_default();
    match role["kind"].as_str()? {
        "ClusterRole" => Some(Object::new("ClusterRole", "", name)),
        "Role" => Some(Object::new("Role", namespace, name)),
        _ => None,
    }
}

/// Returns the role that a binding refers to, and the binding if it has a name.
fn bound(binding: &Value) -> Option<(Object, Option<Object>)> {
    let name = binding["roleRef"]["name"].as_str()?;
    let namespace = binding["metadata"]["namespace"]
        .as_str()
        .unwrap_or_default();
    let role = match binding["roleRef"]["kind"].as_str()? {
        "ClusterRole" => Object::new("ClusterRole", "", name),
        "Role" => Object::new("Role", namespace, name),
        _ => return None,
    };
    let kind = match binding["kind"].as_str()? {
        "ClusterRoleBinding" => "ClusterRoleBinding",
        _ => "RoleBinding",
    };
    let own = binding["metadata"]["name"].as_str();
    Some((role, own.map(|own| Object::new(kind, namespace, own))))
}
