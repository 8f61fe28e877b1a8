//! Reads the roles and bindings that approvals have made for the ServiceAccount of an Install.

use kube::api::ListParams;
use portolan_api::installs::{AccountRef, INSTALL, Permission};
use portolan_core_grants::given_by;
use portolan_core_install::{Identity, Kind};
use portolan_plans::role_of;
use portolan_runtime::{FencedClient, ObjectRef, WriteFailure, page_after};
use serde_json::{Value, json};

const GROUP: &str = "rbac.authorization.k8s.io";
/// The number of bindings in a page of a list.
const PAGE: u32 = 500;

/// The permissions that approvals have given to an account in a namespace, or in the whole cluster.
pub(super) async fn given(
    client: &FencedClient,
    (install, account): (&str, &AccountRef),
    namespace: Option<&str>,
) -> Result<Vec<Permission>, WriteFailure> {
    let mut given = Vec::new();
    for binding in bindings(client, install, namespace).await? {
        let role = role(&binding, namespace);
        // One that gives the role of another kind is none of an approval.
        let Some(role) = role_of(client, &role).await? else {
            continue;
        };
        given.extend(given_by((install, account), &binding, &role));
    }
    Ok(given)
}

/// The bindings with the label of an Install.
async fn bindings(
    client: &FencedClient,
    install: &str,
    namespace: Option<&str>,
) -> Result<Vec<Value>, WriteFailure> {
    let kind = match namespace {
        Some(_) => "RoleBinding",
        None => "ClusterRoleBinding",
    };
    let beside = ObjectRef {
        api_version: format!("{GROUP}/v1"),
        kind: kind.to_owned(),
        plural: None,
        namespace: namespace.map(str::to_owned),
        name: String::new(),
    };
    let selector = format!("{}={install}", INSTALL.name());
    let mut page = ListParams::default().labels(&selector).limit(PAGE);
    let mut all = Vec::new();
    loop {
        let listed = client.page(&beside, &page).await?;
        all.extend(listed.items.iter().map(|it| json!(it)));
        match page_after(&page, &listed.metadata) {
            Some(next) => page = next,
            None => return Ok(all),
        }
    }
}

/// The role of the kind and the name that an approval gives a binding.
fn role(binding: &Value, namespace: Option<&str>) -> Identity {
    let kind = match namespace {
        Some(_) => "Role",
        None => "ClusterRole",
    };
    let name = binding["roleRef"]["name"].as_str();
    Identity {
        kind: Kind::new(GROUP, kind),
        namespace: namespace.map(str::to_owned),
        name: name.unwrap_or_default().to_owned(),
    }
}
