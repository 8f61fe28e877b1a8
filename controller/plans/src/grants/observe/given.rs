//! Reads bindings of two kinds: bindings that approvals have created for the ServiceAccount of an
//! Install, and bindings that refer to roles in the content of an Install.

use std::collections::BTreeSet;

use kube::api::ListParams;
use portolan_api::installs::{AccountRef, INSTALL, Permission};
use portolan_core_grants::{bound, given_by};
use portolan_core_install::ObjectRef;
use portolan_runtime::{FencedClient, ResourceRef, WriteFailure, page_after};
use serde_json::{Value, json};

use crate::observe::role_of;

const GROUP: &str = "rbac.authorization.k8s.io";
/// The maximum number of bindings in one page of a list.
const PAGE: u32 = 500;

/// Returns the permissions that approvals have granted to a ServiceAccount.
pub(super) async fn given(
    client: &FencedClient,
    (install, account): (&str, &AccountRef),
) -> Result<Vec<Permission>, WriteFailure> {
    let of_install = ListParams::default().labels(&format!("{}={install}", INSTALL.name()));
    let mut given = Vec::new();
    for binding in bindings(client, &of_install, |_| true).await? {
        let role = bound(&binding, namespace(&binding));
        // An approval creates the role together with the binding. Without a role, the binding does
        // not come from an approval.
        let Some(role) = role_of(client, &role).await? else {
            continue;
        };
        given.extend(given_by((install, account), &binding, &role));
    }
    Ok(given)
}

/// Returns the bindings that refer to one of these roles.
pub(super) async fn bound_to(
    client: &FencedClient,
    roles: &BTreeSet<ObjectRef>,
) -> Result<Vec<Value>, WriteFailure> {
    let names_one = |binding: &Value| roles.contains(&bound(binding, namespace(binding)));
    bindings(client, &ListParams::default(), names_one).await
}

/// Returns the RoleBindings of all namespaces and the ClusterRoleBindings that this function
/// selects.
async fn bindings(
    client: &FencedClient,
    selected: &ListParams,
    is_meant: impl Fn(&Value) -> bool,
) -> Result<Vec<Value>, WriteFailure> {
    let mut all = Vec::new();
    for kind in ["RoleBinding", "ClusterRoleBinding"] {
        let of_kind = ResourceRef::new(&format!("{GROUP}/v1"), kind, None, "");
        let mut page = Some(selected.clone().limit(PAGE));
        while let Some(asked) = page {
            let listed = client.page(&of_kind, &asked).await?;
            let listed_bindings = listed.items.iter().map(|it| json!(it));
            all.extend(listed_bindings.filter(&is_meant));
            page = page_after(&asked, &listed.metadata);
        }
    }
    Ok(all)
}

fn namespace(binding: &Value) -> Option<&str> {
    binding["metadata"]["namespace"].as_str()
}
