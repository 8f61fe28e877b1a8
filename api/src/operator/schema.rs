//! The schema of the spec of an Operator, for API servers and for `kubectl explain`. The parse asks for
//! all of it once more, in its own words.
//!
//! No field has a default: what is left out means what the parse says, and an Operator stays as it is
//! written.

use schemars::Schema;
use serde_json::{Value, json};

use super::intent::{
    APPROVALS, DEPENDENCIES, LONGEST_RANGE, MOST_CHANNELS, MOST_NAMESPACES, ON_FAILURE,
};
use crate::place::{LONGEST_LABEL, LONGEST_SUBDOMAIN};
use crate::schema::{
    LABEL, PRESERVE, RULES, bounded, count, finished, list, never, object, same, selector,
    subdomain, with, word,
};

/// The pattern of the characters of a version range; only the parse tells whether it is one.
const RANGE: &str = r"^[0-9A-Za-z.+\-<>=!| \t]*$";
/// The pattern of a channel name: no blank, and no slash.
const CHANNEL: &str = r"^[^\s/]+$";

const PACKAGE_NEVER: &str =
    "spec.packageName never changes; write another Operator for the other package";
const NAMESPACE_NEVER: &str =
    "spec.namespace never changes; to move the operator, delete the Operator and write another one";

const ACCOUNT_NEVER: &str = "spec.serviceAccount never changes; to have another one install it, delete the Operator and write \
     another one";

pub(super) fn operator() -> Schema {
    let schema = object(
        "Which operator is to be on the cluster, and in which versions.",
        json!({
            "adopt": flag(
                "Whether it takes over what OLM v0 has installed of the package, in the version that is \
                 there and without restarting it: the Subscription and the ClusterServiceVersion go, and \
                 all else stays. false by default: then nothing is done while OLM has the package.",
            ),
            "approval": word(
                "Who lets it go to another version: Automatic (the default), nobody has to; Manual, \
                 somebody who sets the annotation operators.portolan.dev/approve to the name of the \
                 bundle.",
                APPROVALS,
            ),
            "catalogSelector": selector(
                "Which catalogs it may come from, by their labels; each also has its name under \
                 olm.operatorframework.io/metadata.name. By default any.",
            ),
            "channels": channels(),
            "config": config(),
            "dependencies": word(
                "What becomes of what a version requires: require (the default) waits until it is \
                 there; ignore installs it all the same.",
                DEPENDENCIES,
            ),
            "namespace": bounded(
                "The namespace that it runs in; by default the one that its bundle suggests, else one \
                 that is called like the package. It never changes.",
                LABEL,
                LONGEST_LABEL,
            ),
            "onFailure": word(
                "What becomes of a version that does not come to its end: Stay (the default), it stays \
                 where it is and says what is broken; Revert, the version before it takes its place \
                 again, where objects lose nothing by that.",
                ON_FAILURE,
            ),
            "packageName": with(
                subdomain("The package. It never changes."),
                RULES,
                json!([never("self == oldSelf", PACKAGE_NEVER)]),
            ),
            "serviceAccount": account(),
            "settleSeconds": with(
                count(
                    "For how many seconds a version must be fine before the next one; 300 by default. \
                     With 0 it must be fine.",
                ),
                "maximum",
                json!(u32::MAX),
            ),
            "unsafeAllowDirectUpgrades": flag(
                "Whether it may go to a newer version that its author gives no way to. false by default.",
            ),
            "unsafeAllowDowngrades": flag(
                "Whether it may go to a lower version. false by default.",
            ),
            "unsafeIgnoreConflicts": flag(
                "Whether it may provide an API that another operator provides. false by default.",
            ),
            "version": bounded(
                "The versions that it may have, such as 1.2.3, which keeps it there, or >=1.2.0 <1.3.0, \
                 within which it goes to the highest that can be reached. If it is empty, the best \
                 version is installed once, and stays.",
                RANGE,
                LONGEST_RANGE,
            ),
            "watchNamespaces": namespaces(),
        }),
    );
    let schema = with(schema, "required", json!(["packageName"]));
    // By its bare name, which is a word of CEL, it would be of any type and any size.
    let rules = json!([
        never(&same("__namespace__"), NAMESPACE_NEVER),
        never(&same("serviceAccount"), ACCOUNT_NEVER),
    ]);
    finished(with(schema, RULES, rules))
}

fn channels() -> Value {
    let channel = bounded("The name of a channel.", CHANNEL, LONGEST_SUBDOMAIN);
    let channels = list(
        "The channels by whose edges it goes; by default those of all channels.",
        channel,
    );
    set_of(channels, MOST_CHANNELS)
}

fn namespaces() -> Value {
    let namespace = bounded("The name of a Namespace.", LABEL, LONGEST_LABEL);
    let namespaces = list(
        "The namespaces that it watches; by default all, if its bundle supports that.",
        namespace,
    );
    set_of(namespaces, MOST_NAMESPACES)
}

/// Returns the schema of what a Subscription of OLM has under the same name. The types of
/// Kubernetes define its content.
fn config() -> Value {
    let description = "What is changed of every Deployment of the operator, as in a Subscription of OLM: \
                       affinity, annotations, env, envFrom, nodeSelector, resources, tolerations, \
                       volumeMounts, volumes.";
    json!({"description": description, "type": "object", PRESERVE: true})
}

fn account() -> Value {
    let account = object(
        "As which ServiceAccount the operator is installed, with its plans in the same namespace; by \
         default as the one of the controller. It never changes.",
        json!({
            "name": subdomain("Its name."),
            "namespace": bounded("Its namespace.", LABEL, LONGEST_LABEL),
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
