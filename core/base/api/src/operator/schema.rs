//! The schema of an Operator's spec, for API servers and for `kubectl explain`. The parser checks
//! everything again, with its own messages.
//!
//! No field has a default in the schema. So API servers store an Operator as its author wrote it,
//! and the parser handles omitted fields.

use portolan_core_names::VersionRange;
use schemars::Schema;
use serde_json::{Value, json};

use super::intent::{
    APPROVALS, CHECKS, DEPENDENCIES, LONGEST_RANGE, MOST_BUNDLES, MOST_CHANNELS, MOST_NAMESPACES,
    ON_FAILURE,
};
use crate::place::{LONGEST_LABEL, LONGEST_SUBDOMAIN};
use crate::plan::ready;
use crate::schema::{
    LABEL, PRESERVE, RULES, bounded, count, finished, list, never, object, rule, same, selector,
    subdomain, text, with, word,
};

const VERSION: &str = "spec.version must be a version such as 1.2.3, or a range such as >=1.2.0 \
                       <1.3.0, 1.2.x or 1.x || 2.0.0; latest, v1.2.3, 1.2, ~ and ^ are not \
                       supported";
/// The pattern of a channel name, which contains no blanks and no slashes.
const CHANNEL: &str = r"^[^\s/]+$";

const PACKAGE_NEVER: &str =
    "spec.packageName is immutable; create another Operator for the other package";
const NAMESPACE_NEVER: &str =
    "spec.namespace is immutable; to move the operator, delete the Operator and create a new one";

const ACCOUNT_NEVER: &str = "spec.serviceAccount is immutable; to use another ServiceAccount, delete the Operator and create \
     a new one";

pub(super) fn operator() -> Schema {
    let schema = object(
        "The package to install, its allowed versions, and how it is installed and upgraded.",
        json!({
            "adopt": flag(
                "If true, the Operator adopts the existing OLM v0 installation of the package in \
                 its installed version, without restarting Pods. The Subscription and the \
                 ClusterServiceVersion are deleted. All other objects are kept. If false (the \
                 default), the package is not installed or upgraded while OLM v0 manages it.",
            ),
            "approval": word(
                "The approval of new versions. Automatic (the default): each version is installed \
                 without approval. Manual: each version waits until the annotation \
                 operators.portolan.dev/approve is set to the name of its bundle.",
                APPROVALS,
            ),
            "catalogSelector": selector(
                "The labels of the catalogs to install from. To select a catalog by name, use the \
                 label olm.operatorframework.io/metadata.name, which every catalog has. If empty, \
                 all catalogs are allowed.",
            ),
            "channels": channels(),
            "config": config(),
            "crdUpgradeSafety": safety(),
            "dependencies": word(
                "The handling of dependencies. require (the default): a version waits until its \
                 dependencies are installed. ignore: a version is installed even if dependencies \
                 are missing.",
                DEPENDENCIES,
            ),
            "namespace": bounded(
                "The namespace of the operator. Defaults to the namespace that the bundle \
                 suggests. If the bundle suggests no namespace, defaults to a namespace with the \
                 name of the package. Immutable.",
                LABEL,
                LONGEST_LABEL,
            ),
            "onFailure": word(
                "The action when a version fails to become ready. Stay (the default): the failed \
                 version stays installed, and the status reports the problem. Revert: the previous \
                 version is restored, unless that could lose data or break another operator.",
                ON_FAILURE,
            ),
            "packageName": with(
                subdomain("The name of the package. Immutable."),
                RULES,
                json!([never("self == oldSelf", PACKAGE_NEVER)]),
            ),
            "progressDeadlineSeconds": with(
                count(
                    "The number of seconds after which a stage of an InstallPlan is reported as \
                     stuck, and the installation of the version as failed. Defaults to 600. A \
                     change of \
                     this field applies only to InstallPlans that are created after the change.",
                ),
                "maximum",
                json!(u32::MAX),
            ),
            "readiness": ready(
                "Readiness rules for the custom resources that a bundle contains. Without a rule, \
                 a custom resource with a Ready condition is ready when this condition is True. A \
                 change of this field applies only to InstallPlans that are created after the \
                 change.",
            ),
            "revisionHistoryLimit": with(
                with(
                    count(
                        "The number of replaced InstallPlans to keep, together with their Secrets \
                         and ResourceManifests. At least 1. Defaults to 2. Older InstallPlans are \
                         deleted once the installed version is ready.",
                    ),
                    "minimum",
                    json!(1),
                ),
                "maximum",
                json!(u32::MAX),
            ),
            "serviceAccount": account(),
            "settleSeconds": with(
                count(
                    "The number of seconds that a version must be ready before the next version \
                     is installed. Defaults to 300. If 0, the next version is installed as soon \
                     as the installed version is ready.",
                ),
                "maximum",
                json!(u32::MAX),
            ),
            "unsafeAllowDirectUpgrades": flag(
                "If true, the operator can be upgraded to a newer version even if the catalog has \
                 no upgrade edge to this version. Defaults to false.",
            ),
            "unsafeAllowDowngrades": flag(
                "If true, the operator can be downgraded to a lower version. Defaults to false.",
            ),
            "unsafeIgnoreConflicts": flag(
                "If true, the operator can be installed even if another operator provides one of \
                 its APIs. Defaults to false.",
            ),
            "version": version(),
            "watchNamespaces": namespaces(),
        }),
    );
    let schema = with(schema, "required", json!(["packageName"]));
    // `namespace` is a reserved word of CEL. If a rule used it without underscores, CEL would not
    // know the type and size of the field.
    let rules = json!([
        never(&same("__namespace__"), NAMESPACE_NEVER),
        never(&same("serviceAccount"), ACCOUNT_NEVER),
    ]);
    finished(with(schema, RULES, rules))
}

/// Returns the schema of `spec.version`. It has a CEL rule instead of a pattern, because a rule can
/// have its own error message.
fn version() -> Value {
    let version = with(
        text(
            "The allowed versions. A version such as 1.2.3 pins the operator to this version. With \
             a range such as >=1.2.0 <1.3.0, the operator is upgraded to the highest reachable \
             version in the range. If empty, the best version is installed once and is never \
             upgraded.",
        ),
        "maxLength",
        json!(LONGEST_RANGE),
    );
    let grammar = format!("self.matches(r'{}')", VersionRange::pattern());
    with(version, RULES, json!([rule(&grammar, VERSION)]))
}

fn channels() -> Value {
    let channel = bounded("The name of a channel.", CHANNEL, LONGEST_SUBDOMAIN);
    let channels = list(
        "The channels whose upgrade edges are used. If empty, the upgrade edges of all channels \
         are used.",
        channel,
    );
    set_of(channels, MOST_CHANNELS)
}

fn namespaces() -> Value {
    let namespace = bounded("The name of a namespace.", LABEL, LONGEST_LABEL);
    let namespaces = list(
        "The namespaces that the operator watches. If empty, the operator watches all namespaces, \
         if the bundle supports that.",
        namespace,
    );
    set_of(namespaces, MOST_NAMESPACES)
}

/// Returns the schema of `spec.config`, which has the same content as in OLM's Subscription. The
/// types of Kubernetes define its fields.
fn config() -> Value {
    let description = "Settings for every Deployment of the operator, as in spec.config of an OLM \
                       Subscription. The fields are affinity, annotations, env, envFrom, \
                       nodeSelector, resources, tolerations, volumeMounts and volumes.";
    json!({"description": description, "type": "object", PRESERVE: true})
}

fn safety() -> Value {
    let bundle = bounded("The name of a bundle.", CHANNEL, LONGEST_SUBDOMAIN);
    let bundles = list(
        "The bundles that are installed even if they change CRDs in an unsafe way. Such a change \
         can lose data of custom resources.",
        bundle,
    );
    let checks = list(
        "The checks that are ignored for all current and future bundles. All other checks still \
         apply. Without a check, a change of a CRD can lose data of custom resources.",
        word("The name of a check.", CHECKS),
    );
    object(
        "The unsafe changes of CRDs that are accepted in advance. A version with any other unsafe \
         change waits until the annotation operators.portolan.dev/accept-breaks contains the name \
         of its bundle.",
        json!({
            "acceptBundles": set_of(bundles, MOST_BUNDLES),
            "acceptChecks": set_of(checks, CHECKS.len()),
        }),
    )
}

fn account() -> Value {
    let account = object(
        "The ServiceAccount that installs the operator. Its namespace contains the InstallPlans of \
         the Operator. Defaults to the installer ServiceAccount of the controller. Immutable.",
        json!({
            "name": subdomain("The name of the ServiceAccount."),
            "namespace": bounded("The namespace of the ServiceAccount.", LABEL, LONGEST_LABEL),
        }),
    );
    with(account, "required", json!(["name", "namespace"]))
}

fn set_of(list: Value, most: usize) -> Value {
    let list = with(list, "maxItems", json!(most));
    with(list, "x-kubernetes-list-type", json!("set"))
}

fn flag(description: &str) -> Value {
    json!({"description": description, "type": "boolean"})
}
