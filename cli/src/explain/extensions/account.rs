//! The permissions of the ServiceAccount of a ClusterExtension, as OLM v1 before 1.11 uses it.

use portolan_core_install::{AccountName, BundleObjects, ClusterRoles, Grant, MissingRights};
use portolan_core_names::text::cite;
use portolan_core_olm::ClusterExtension;
use portolan_resolver::extensions::ExtensionBlock;
use portolan_world::{AnyWorld, Completeness, Gvk, ListedKind, ObjectRef, Trouble};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::print::words::located;

const RBAC: &str = "rbac.authorization.k8s.io/v1";
/// The kinds that grant permissions, with their names in URLs.
const KINDS: [(&str, &str); 4] = [
    ("ClusterRoleBinding", "clusterrolebindings"),
    ("ClusterRole", "clusterroles"),
    ("RoleBinding", "rolebindings"),
    ("Role", "roles"),
];
/// The CRD of ClusterExtensions.
const DEFINITION: &str = "clusterextensions.olm.operatorframework.io";

/// The result of the comparison of permissions.
#[derive(Debug, Default)]
pub(super) struct AccountCheck {
    /// The reason why OLM v1 does not install the next bundle.
    pub(super) block: Option<ExtensionBlock>,
    /// The missing permissions, each as a line.
    pub(super) missing: Vec<String>,
    /// The facts that are unknown.
    pub(super) unknown: Vec<String>,
}

/// Shows if OLM v1 uses the ServiceAccounts of ClusterExtensions.
#[derive(Debug)]
enum AccountUse {
    Used,
    /// OLM v1.11 and later use their own permissions.
    Ignored,
    /// The reason.
    Unknown(String),
}

/// The facts about permissions in a cluster, read at most once for all ClusterExtensions.
#[derive(Debug)]
pub(super) struct Permissions<'w> {
    world: &'w AnyWorld,
    accounts: OnceCell<AccountUse>,
    /// The error is the reason why the roles are unknown.
    roles: OnceCell<Result<ClusterRoles, String>>,
}

// === impl Permissions ===

impl<'w> Permissions<'w> {
    pub(super) fn of(world: &'w AnyWorld) -> Self {
        Self {
            world,
            accounts: OnceCell::new(),
            roles: OnceCell::new(),
        }
    }

    async fn account_use(&self) -> &AccountUse {
        self.accounts.get_or_init(|| account_use(self.world)).await
    }

    async fn roles(&self) -> Result<&ClusterRoles, &str> {
        let roles = self.roles.get_or_init(|| cluster_roles(self.world)).await;
        roles.as_ref().map_err(String::as_str)
    }
}

/// Compares the permissions of the ServiceAccount with those that the next bundle needs. Without
/// the objects of the installed bundle, the changes of the next bundle are unknown.
pub(super) async fn check(
    extension: &ClusterExtension,
    permissions: &Permissions<'_>,
    (bundle, next): (&str, &[Value]),
    installed: Result<&[Value], &str>,
) -> AccountCheck {
    let spec = &extension.spec;
    let account = AccountName {
        namespace: &spec.namespace,
        name: &spec.service_account.name,
    };
    let named = located(account.namespace, account.name);
    if account.name.is_empty() {
        return AccountCheck::default();
    }
    match permissions.account_use().await {
        AccountUse::Used => {}
        AccountUse::Ignored => return AccountCheck::default(),
        AccountUse::Unknown(why) => return AccountCheck::unknown(&named, why),
    }
    let world = permissions.world;
    if is_missing(account, world).await {
        return AccountCheck {
            block: Some(ExtensionBlock::AccountMissing { account: named }),
            ..AccountCheck::default()
        };
    }
    let installed = match installed {
        Ok(installed) => installed,
        Err(why) => return AccountCheck::unknown(&named, why),
    };
    let roles = match permissions.roles().await {
        Ok(roles) => roles,
        Err(why) => return AccountCheck::unknown(&named, why),
    };
    let is_cluster = matches!(world, AnyWorld::Cluster(_));
    if !is_cluster && roles.granted_to(account).is_empty() {
        return AccountCheck::unknown(
            &named,
            "the files contain no role or binding for the ServiceAccount",
        );
    }
    let missing = roles.missing(account, BundleObjects { next, installed });
    AccountCheck::of((bundle, named), &missing)
}

/// Returns true if the ServiceAccount does not exist. Files may omit it.
async fn is_missing(account: AccountName<'_>, world: &AnyWorld) -> bool {
    let kind = Gvk::new("v1", "ServiceAccount");
    let named = ObjectRef::new(kind, account.namespace, account.name);
    match world {
        AnyWorld::Cluster(_) => world.object(named).await == Ok(None),
        AnyWorld::Files(_) => false,
    }
}

/// OLM v1.11 made the ServiceAccount optional when it stopped using it.
async fn account_use(world: &AnyWorld) -> AccountUse {
    let kind = Gvk::new("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    let definition = world.object(ObjectRef::new(kind, None, DEFINITION)).await;
    let definition = match definition {
        Ok(Some(definition)) => definition,
        Ok(None) => return AccountUse::Unknown(format!("CRD {DEFINITION} not found")),
        Err(trouble) => return AccountUse::Unknown(trouble.to_string()),
    };
    let versions = definition["spec"]["versions"].as_array();
    let mut schemas = versions
        .into_iter()
        .flatten()
        .map(|it| &it["schema"]["openAPIV3Schema"]["properties"]["spec"]);
    let Some(schema) = schemas.find(|it| it.is_object()) else {
        let why = format!("the schema of CRD {DEFINITION} is missing in the files");
        return AccountUse::Unknown(why);
    };
    let mut required = schema["required"].as_array().into_iter().flatten();
    if required.any(|it| it == "serviceAccount") {
        AccountUse::Used
    } else {
        AccountUse::Ignored
    }
}

/// Reads the roles and bindings of a cluster.
async fn cluster_roles(world: &AnyWorld) -> Result<ClusterRoles, String> {
    let mut roles = ClusterRoles::default();
    for (kind, plural) in KINDS {
        let listed = ListedKind {
            kind: Gvk::new(RBAC, kind),
            plural: plural.to_owned(),
        };
        let read = world
            .each_listed(&listed, &mut |object| roles.add(object))
            .await;
        match (read, world) {
            (Ok(Completeness::Part), AnyWorld::Cluster(_)) => {
                return Err(format!("the cluster has too many objects of kind {kind}"));
            }
            // Files need not contain each of the kinds.
            (Ok(_), _) | (Err(Trouble::NotDumped(_)), AnyWorld::Files(_)) => {}
            (Err(trouble), _) => return Err(trouble.to_string()),
        }
    }
    Ok(roles)
}

// === impl AccountCheck ===

impl AccountCheck {
    fn unknown(account: &str, why: &str) -> Self {
        let sentence = format!(
            "the permissions of ServiceAccount {account} were not compared: {}",
            cite(why)
        );
        Self {
            unknown: vec![sentence],
            ..Self::default()
        }
    }

    fn of((bundle, account): (&str, String), missing: &MissingRights) -> Self {
        let MissingRights {
            to_install,
            afterwards,
            not_compared,
        } = missing;
        let rules: Vec<_> = to_install.iter().map(rule).collect();
        let needed = rules
            .iter()
            .map(|rule| format!("{bundle}: to install: {rule}"));
        let later = afterwards
            .iter()
            .map(|it| format!("{bundle}: after the installation: {}", rule(it)));
        let unknown = not_compared.iter().map(|role| {
            let role = cite(&role.to_string());
            format!("the rules of {role} were not compared with ServiceAccount {account}")
        });
        Self {
            missing: needed.chain(later).collect(),
            unknown: unknown.collect(),
            block: (!rules.is_empty()).then(|| ExtensionBlock::PermissionMissing {
                bundle: bundle.to_owned(),
                account,
                rules,
            }),
        }
    }
}

/// Returns a rule for people, such as `in namespace docks: get serviceaccounts (ferry)`.
fn rule(grant: &Grant) -> String {
    let Grant { namespace, rule } = grant;
    let place = match namespace {
        Some(namespace) => format!("in namespace {namespace}"),
        None => "in the cluster".to_owned(),
    };
    let joined = |all: &mut dyn Iterator<Item = &String>| {
        let all: Vec<_> = all.map(String::as_str).collect();
        all.join(",")
    };
    let verbs = joined(&mut rule.verbs.iter());
    let groups: Vec<_> = rule.api_groups.iter().filter(|it| !it.is_empty()).collect();
    let resources = rule.resources.iter().map(|it| match groups.as_slice() {
        [] => it.clone(),
        groups => format!("{it}.{}", groups[0]),
    });
    let resources: Vec<_> = resources
        .chain(rule.non_resource_urls.iter().cloned())
        .collect();
    let names = match rule.resource_names.len() {
        0 => String::new(),
        _ => format!(" ({})", joined(&mut rule.resource_names.iter())),
    };
    cite(&format!("{place}: {verbs} {}{names}", resources.join(",")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use portolan_core_install::Rule;
    use rstest::rstest;

    use super::*;

    fn set(text: &str) -> BTreeSet<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[rstest]
    #[case::names(
        Some("docks"),
        "",
        "serviceaccounts",
        "ferry",
        "in namespace docks: get,patch serviceaccounts (ferry)"
    )]
    #[case::group(
        None,
        "apps",
        "deployments",
        "",
        "in the cluster: get,patch deployments.apps"
    )]
    fn formats_permission_rule_on_one_line(
        #[case] namespace: Option<&str>,
        #[case] group: &str,
        #[case] resources: &str,
        #[case] names: &str,
        #[case] expected: &str,
    ) {
        let grant = Grant {
            namespace: namespace.map(str::to_owned),
            rule: Rule {
                api_groups: [group.to_owned()].into(),
                resources: set(resources),
                resource_names: set(names),
                verbs: set("get patch"),
                ..Rule::default()
            },
        };
        assert_eq!(rule(&grant), expected);
    }
}
