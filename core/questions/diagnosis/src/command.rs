//! Formats shell commands that users can copy and paste.

use portolan_api::qualified;
use portolan_core_health::ObjectVersion;
use portolan_core_names::text::shell_word;
use serde_json::{Value, json};

use crate::Object;

pub(crate) const SUBSCRIPTIONS: &str = "subscriptions.operators.coreos.com";
pub(crate) const GROUPS: &str = "operatorgroups.operators.coreos.com";
pub(crate) const CATALOGS: &str = "catalogsources.operators.coreos.com";
pub(crate) const CSVS: &str = "clusterserviceversions.operators.coreos.com";
pub(crate) const PLANS: &str = "installplans.operators.coreos.com";
/// The resource of Operators in `operators.operatorframework.io`.
pub(crate) const OWN_OPERATORS: &str = "operators.operators.operatorframework.io";
pub(crate) const OWN_PLANS: &str = "installplans.plans.portolan.dev";
pub(crate) const OWN_POLICIES: &str = "upgradepolicies.operators.operatorframework.io";
pub(crate) const OWN_BINDINGS: &str = "upgradepolicybindings.operators.operatorframework.io";
pub(crate) const CONDITIONS: &str = "operatorconditions.operators.coreos.com";
pub(crate) const POLICIES: &str = "operatorpolicies.policy.open-cluster-management.io";
pub(crate) const DEPLOYMENTS: &str = "deployments.apps";
pub(crate) const PODS: &str = "pods";
pub(crate) const QUOTAS: &str = "resourcequotas";
pub(crate) const EXTENSIONS: &str = "clusterextensions.olm.operatorframework.io";
pub(crate) const CLUSTER_CATALOGS: &str = "clustercatalogs.olm.operatorframework.io";
const ACCOUNTS: &str = "serviceaccounts";
pub(crate) const JOBS: &str = "jobs.batch";
pub(crate) const SECRETS: &str = "secrets";
const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";
const SERVED: &str = "apiservices.apiregistration.k8s.io";

/// The timeout of commands that wait for OLM.
const TIMEOUT: &str = "--timeout=10m";

/// One object as an argument of kubectl.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) resource: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

// === impl Target ===

impl<'a> Target<'a> {
    pub(crate) fn new(resource: &'a str, namespace: &'a str, name: &'a str) -> Self {
        Self {
            resource,
            namespace,
            name,
        }
    }

    /// Returns the target for an observed object.
    pub(crate) fn of(resource: &'static str, observed: &'a ObjectVersion) -> Self {
        Self::new(resource, &observed.object.namespace, &observed.object.name)
    }

    /// Returns the target for an object of this kind and name. Returns None if kubectl cannot show
    /// such an object.
    pub(crate) fn named(object: &'a Object) -> Option<Self> {
        let Object {
            kind,
            namespace,
            name,
        } = object;
        let resource = resource(kind).filter(|_| !name.is_empty())?;
        Some(Self::new(resource, namespace, name))
    }

    /// Formats a command from a verb, the object, and the remaining arguments. Escapes a name that
    /// looks like a flag.
    fn line(self, verb: &[&str], behind: &[&str]) -> String {
        let Self {
            resource,
            namespace,
            name,
        } = self;
        let object = format!("{resource}/{name}");
        let place = place(namespace);
        let place: Vec<_> = place.iter().map(String::as_str).collect();
        let words = [&["kubectl"], verb, &[&object], &place, behind].concat();
        let words: Vec<String> = words.into_iter().map(shell_word).collect();
        words.join(" ")
    }

    /// Returns the object as an argument of kubectl.
    pub(crate) fn operand(self) -> String {
        shell_word(&format!("{}/{}", self.resource, self.name))
    }

    /// Returns the command that applies a merge patch to the object.
    pub(crate) fn merge(self, patch: &Value) -> String {
        self.line(&["patch"], &["--type", "merge", "-p", &patch.to_string()])
    }

    /// Returns the command that applies a JSON patch to the status of the object.
    pub(crate) fn patch_status(self, patch: &Value) -> String {
        let patch = patch.to_string();
        let behind = ["--subresource", "status", "--type", "json", "-p", &patch];
        self.line(&["patch"], &behind)
    }

    /// Returns the command that applies a JSON patch to the object.
    pub(crate) fn patch(self, patch: &Value) -> String {
        self.line(&["patch"], &["--type", "json", "-p", &patch.to_string()])
    }

    /// Returns the command that appends a value to a list of the object. `list` is the path of the
    /// list, with dots between the fields.
    pub(crate) fn append(self, list: &str, value: &str) -> String {
        let path = format!("/{}/-", list.replace('.', "/"));
        self.patch(&json!([{"op": "add", "path": path, "value": value}]))
    }

    /// Returns the command that shows the complete object.
    pub(crate) fn get(self) -> String {
        self.line(&["get"], &["-o", "yaml"])
    }

    /// Returns the command that shows the object with its Events.
    pub(crate) fn describe(self) -> String {
        self.line(&["describe"], &[])
    }

    /// Returns the command that shows the log of one Pod of the object.
    pub(crate) fn log(self) -> String {
        self.line(&["logs"], &[])
    }

    /// Returns the beginning of a command that annotates the object. The caller appends the
    /// annotation.
    pub(crate) fn annotate_with(self) -> String {
        self.line(&["annotate", "--overwrite"], &[])
    }

    /// Returns the command that shows the log of a container.
    pub(crate) fn logs(self, container: &str) -> String {
        self.line(&["logs"], &["-c", container])
    }

    /// Returns the command that shows the log of the previous run of a container.
    pub(crate) fn last_logs(self, container: &str) -> String {
        self.line(&["logs"], &["-c", container, "--previous"])
    }

    /// Returns the command that waits until the Pods of the object are ready.
    pub(crate) fn rolled_out(self) -> String {
        self.line(&["rollout", "status"], &[TIMEOUT])
    }

    /// Returns the command that waits until a field of the object has this value.
    pub(crate) fn wait(self, field: &str, value: &str) -> String {
        self.line(&["wait"], &[&until(field, value), TIMEOUT])
    }

    /// Returns the command that deletes the object.
    pub(crate) fn delete(self) -> String {
        self.line(&["delete"], &[])
    }

    /// Returns the command that waits until the object no longer exists.
    pub(crate) fn wait_deleted(self) -> String {
        self.line(&["wait"], &["--for=delete", TIMEOUT])
    }

    /// Returns the command that waits until the object exists.
    pub(crate) fn wait_created(self) -> String {
        self.line(&["wait"], &["--for=create", TIMEOUT])
    }

    /// Returns the command that writes the object to a file.
    pub(crate) fn save(self, file: &str) -> String {
        format!("{} > {}", self.get(), shell_word(file))
    }

    /// Returns the command that scales the object.
    pub(crate) fn scale(self, replicas: i32) -> String {
        self.line(&["scale"], &[&format!("--replicas={replicas}")])
    }

    /// Returns the command that sets the memory limit of a container.
    pub(crate) fn limit_memory(self, container: &str, amount: &str) -> String {
        let limit = format!("--limits=memory={amount}");
        self.line(&["set", "resources"], &["-c", container, &limit])
    }

    /// Returns the command that shows the complete object, including its managed fields.
    pub(crate) fn get_with_managers(self) -> String {
        self.line(&["get"], &["-o", "yaml", "--show-managed-fields"])
    }

    /// Returns the command that begins another rollout of the object.
    pub(crate) fn restart(self) -> String {
        self.line(&["rollout", "restart"], &[])
    }

    /// Returns the command that shows only the name of the object, and not its content.
    pub(crate) fn exists(self) -> String {
        self.line(&["get"], &[])
    }

    /// Returns the command that resumes the rollout of the object.
    pub(crate) fn resume(self) -> String {
        self.line(&["rollout", "resume"], &[])
    }
}

fn until(field: &str, value: &str) -> String {
    format!("--for=jsonpath={{{field}}}={value}")
}

/// The kinds that kubectl can show, each with its resource.
const KINDS: &[(&str, &str)] = &[
    ("APIService", SERVED),
    ("CatalogSource", CATALOGS),
    ("ClusterCatalog", CLUSTER_CATALOGS),
    ("ClusterExtension", EXTENSIONS),
    ("ClusterServiceVersion", CSVS),
    ("CustomResourceDefinition", DEFINITIONS),
    ("Deployment", DEPLOYMENTS),
    ("Deployment.apps", DEPLOYMENTS),
    ("InstallPlan", PLANS),
    ("Job", JOBS),
    ("Namespace", "namespaces"),
    (qualified::OPERATOR, OWN_OPERATORS),
    (qualified::INSTALL_PLAN, OWN_PLANS),
    ("OperatorCondition", CONDITIONS),
    ("OperatorGroup", GROUPS),
    ("OperatorPolicy", POLICIES),
    ("Pod", PODS),
    ("ResourceQuota", QUOTAS),
    ("ServiceAccount", ACCOUNTS),
    ("Subscription", SUBSCRIPTIONS),
];

/// Returns the resource of a kind. Returns None if kubectl cannot show the kind. Examples are a
/// bundle, a registry, and an object that only a requirement names.
fn resource(kind: &str) -> Option<&'static str> {
    let mut kinds = KINDS.iter();
    kinds.find(|(own, _)| *own == kind).map(|(_, it)| *it)
}

/// Returns the kind of a resource, without its group.
pub(crate) fn kind(resource: &str) -> &str {
    let mut kinds = KINDS.iter();
    let found = kinds.find(|(_, it)| *it == resource);
    let kind = found.map_or(resource, |(kind, _)| kind);
    kind.split_once('.').map_or(kind, |(kind, _)| kind)
}

/// Returns the label of the registry Pod that OLM runs for a catalog.
pub(crate) fn catalog_label(name: &str) -> String {
    format!("olm.catalogSource={name}")
}

/// Returns the command that creates a namespace.
pub(crate) fn create_namespace(name: &str) -> String {
    words(&["kubectl", "create", "namespace", name], "", &[])
}

/// Creates a Secret or ConfigMap with these values. `what` contains the subcommand of `create`.
pub(crate) fn create(
    what: &str,
    object: &Object,
    values: impl IntoIterator<Item = String>,
) -> String {
    let values: Vec<String> = values.into_iter().collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let verb: Vec<&str> = ["kubectl", "create"]
        .into_iter()
        .chain(what.split(' '))
        .collect();
    let verb = [&verb, &[&*object.name][..]].concat();
    words(&verb, &object.namespace, &values)
}

/// Creates a ServiceAccount. The name must be valid.
pub(crate) fn create_account(namespace: &str, name: &str) -> String {
    words(
        &["kubectl", "create", "serviceaccount", name],
        namespace,
        &[],
    )
}

/// Returns the command that labels a cluster-scoped object.
pub(crate) fn label(resource: &str, name: &str, label: &str) -> String {
    Target::new(resource, "", name).line(&["label", "--overwrite"], &[label])
}

/// Returns the command that binds a ClusterRole to a ServiceAccount in a namespace.
pub(crate) fn bind(name: &str, namespace: &str, role: &str, account: &str) -> String {
    let role = format!("--clusterrole={role}");
    let account = format!("--serviceaccount={account}");
    let verb = ["kubectl", "create", "rolebinding", name];
    words(&verb, namespace, &[&role, &account])
}

/// Returns the command that binds a ClusterRole to a ServiceAccount in all namespaces.
pub(crate) fn bind_everywhere(name: &str, role: &str, account: &str) -> String {
    let role = format!("--clusterrole={role}");
    let account = format!("--serviceaccount={account}");
    let verb = ["kubectl", "create", "clusterrolebinding", name];
    words(&verb, "", &[&role, &account])
}

/// Returns the command that lists the permissions of a user.
pub(crate) fn permissions(user: &str) -> String {
    words(&["kubectl", "auth", "can-i", "--list", user], "", &[])
}

fn words(verb: &[&str], namespace: &str, behind: &[&str]) -> String {
    let place = place(namespace);
    let place: Vec<_> = place.iter().map(String::as_str).collect();
    let words = [verb, place.as_slice(), behind].concat();
    let words: Vec<String> = words.into_iter().map(shell_word).collect();
    words.join(" ")
}

/// Returns the command that lists the objects with this name in all namespaces.
pub(crate) fn everywhere(resource: &str, name: &str) -> String {
    let name = format!("metadata.name={name}");
    let all = ["--all-namespaces", "--field-selector", &name];
    words(&["kubectl", "get", resource], "", &all)
}

/// Returns the command that lists the objects with this label in all namespaces.
pub(crate) fn everywhere_labeled(resource: &str, label: &str) -> String {
    words(
        &["kubectl", "get", resource],
        "",
        &["--all-namespaces", "-l", label],
    )
}

/// Returns the command that lists the nodes with these labels. Without labels, the command lists
/// all nodes.
pub(crate) fn nodes(labels: &str) -> String {
    let labeled = ["-l", labels];
    let behind: &[&str] = if labels.is_empty() { &[] } else { &labeled };
    words(&["kubectl", "get", "nodes"], "", behind)
}

/// Returns the command that shows the nodes with these names.
pub(crate) fn named_nodes(names: &[&str]) -> String {
    words(&["kubectl", "get", "nodes"], "", names)
}

/// Returns the command that allows Kubernetes to start Pods on a node again.
pub(crate) fn uncordon(node: &str) -> String {
    words(&["kubectl", "uncordon", node], "", &[])
}

/// Returns the command that lists the custom resources of a CRD in all namespaces, in this version.
/// Without `version`, the API server chooses a version.
pub(crate) fn everywhere_listed(crd: &str, version: Option<&str>) -> String {
    let versioned = version.and_then(|version| {
        let (plural, group) = crd.split_once('.')?;
        Some(format!("{plural}.{version}.{group}"))
    });
    let resource = versioned.as_deref().unwrap_or(crd);
    words(&["kubectl", "get", resource], "", &["--all-namespaces"])
}

/// Returns the command that shows all nodes with their resources.
pub(crate) fn describe_nodes() -> String {
    words(&["kubectl", "describe", "nodes"], "", &[])
}

/// Returns the command that taints a node.
pub(crate) fn taint(node: &str, taint: &str) -> String {
    words(
        &["kubectl", "taint", "nodes", node, taint],
        "",
        &["--overwrite"],
    )
}

/// Returns the command that removes a taint from a node, regardless of the value and the effect of
/// the taint.
pub(crate) fn untaint(node: &str, key: &str) -> String {
    words(
        &["kubectl", "taint", "nodes", node, &format!("{key}-")],
        "",
        &[],
    )
}

/// Returns the command that shows all objects of cluster-scoped resources.
pub(crate) fn all_cluster_scoped(resources: &str) -> String {
    words(&["kubectl", "get", resources], "", &["-o", "yaml"])
}

/// Returns the command that shows all objects of a resource in all namespaces.
pub(crate) fn all(resource: &str) -> String {
    words(
        &["kubectl", "get", resource],
        "",
        &["--all-namespaces", "-o", "yaml"],
    )
}

/// Returns the command that applies a verb to all objects of a namespace that have a label.
pub(crate) fn labeled(verb: &str, resource: &str, namespace: &str, label: &str) -> String {
    words(&["kubectl", verb, resource], namespace, &["-l", label])
}

/// Returns the command that waits until all objects of a namespace with a label have an annotation,
/// given as `key=value`. The command fails if no object has the label.
pub(crate) fn wait_annotated(
    resource: &str,
    namespace: &str,
    label: &str,
    annotation: &str,
) -> String {
    let annotation = annotation.replace('.', "\\.");
    let (key, value) = annotation.split_once('=').unwrap_or((&annotation, ""));
    let until = until(&format!(".metadata.annotations.{key}"), value);
    let behind = ["-l", label, &until, TIMEOUT];
    words(&["kubectl", "wait", resource], namespace, &behind)
}

/// Returns the namespace flag. Empty if `namespace` is empty. Escapes a name that looks like a
/// flag.
fn place(namespace: &str) -> Vec<String> {
    if namespace.is_empty() {
        Vec::new()
    } else if namespace.starts_with('-') {
        vec![format!("--namespace={namespace}")]
    } else {
        vec!["-n".to_owned(), namespace.to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain_name_is_unchanged("ferry", "kubectl delete pods/ferry -n demo")]
    #[case::name_with_a_command_is_quoted("a; rm x", "kubectl delete 'pods/a; rm x' -n demo")]
    #[case::name_with_quotes_is_quoted("a'b", r"kubectl delete 'pods/a'\''b' -n demo")]
    #[case::terminal_escapes_are_replaced("a\u{1b}[31m", "kubectl delete 'pods/a?[31m' -n demo")]
    #[case::name_that_looks_like_a_flag_is_an_argument(
        "--all",
        "kubectl delete pods/--all -n demo"
    )]
    fn names_are_escaped(#[case] name: &str, #[case] line: &str) {
        assert_eq!(Target::new(PODS, "demo", name).delete(), line);
    }

    #[test]
    fn namespaces_that_look_like_flags_are_values() {
        let line = Target::new(PODS, "--all", "a").delete();
        assert_eq!(line, "kubectl delete pods/a --namespace=--all");
        let line = labeled("delete", PODS, "--all-namespaces", &catalog_label("olm"));
        let expected = "kubectl delete pods --namespace=--all-namespaces -l olm.catalogSource=olm";
        assert_eq!(line, expected);
    }

    #[test]
    fn patches_are_one_word() {
        let line = Target::new(PODS, "demo", "ferry").merge(&json!({"spec": {"a": "b c"}}));
        assert_eq!(
            line,
            r#"kubectl patch pods/ferry -n demo --type merge -p '{"spec":{"a":"b c"}}'"#
        );
    }
}
