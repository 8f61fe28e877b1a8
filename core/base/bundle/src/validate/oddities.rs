//! Reports defects of a ClusterServiceVersion that OLM v1 accepts.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::{Map, Value as Json};

use super::again;
use crate::bundle::{
    ALL_NAMESPACES, Bundle, MULTI_NAMESPACE, NAMESPACE_TEMPLATE, OWN_NAMESPACE, SINGLE_NAMESPACE,
};
use crate::fault::{BundleFault, Code, Faults};
use crate::object::{Object, text};
use crate::validate::webhooks::CONVERSION;

fn warning(bundle: &Bundle, line: u64, code: Code, sentence: String) -> BundleFault {
    BundleFault::warning(&bundle.csv.file, line, code, sentence)
}

pub(super) fn csv(bundle: &Bundle, faults: &mut Faults) {
    let csv = &bundle.csv;
    if csv.name().is_empty() {
        let sentence = "the ClusterServiceVersion has no name, and all generated names begin with \
         it";
        faults.push(warning(bundle, csv.line, Code::NoName, sentence.to_owned()));
    }
    if csv.deployments().is_empty() {
        let sentence = "the ClusterServiceVersion has no deployment, so nothing will run";
        faults.push(warning(
            bundle,
            csv.line,
            Code::NoDeployment,
            sentence.to_owned(),
        ));
    }
}

pub(super) fn namespace_template(bundle: &Bundle, faults: &mut Faults) {
    if let Some(Err(why)) = bundle.namespace_template() {
        let sentence = format!(
            "the annotation `{NAMESPACE_TEMPLATE}` is not a Namespace and is ignored: {why}"
        );
        let code = Code::NamespaceTemplate;
        faults.push(warning(bundle, bundle.csv.line, code, sentence));
    }
}

pub(super) fn install_modes(bundle: &Bundle, faults: &mut Faults) {
    const ALL: [&str; 4] = [
        ALL_NAMESPACES,
        MULTI_NAMESPACE,
        OWN_NAMESPACE,
        SINGLE_NAMESPACE,
    ];
    let csv = &bundle.csv;
    for mode in &csv.spec.install_modes {
        let kind = &mode.value.kind;
        if !ALL.contains(&&**kind) {
            let sentence = format!(
                "{kind:?} is not an install mode; install modes are {}",
                ALL.join(", ")
            );
            faults.push(warning(bundle, mode.line, Code::InstallMode, sentence));
        }
    }
    let modes = csv.spec.install_modes.iter();
    let kinds = modes.map(|mode| (&*mode.value.kind, &csv.file, mode.line));
    for (kind, _, line) in again(kinds) {
        let sentence = format!(
            "install mode {kind} appears twice; it is supported if one entry \
         supports it"
        );
        faults.push(warning(bundle, line, Code::InstallMode, sentence));
    }
}

/// Reports annotations with different values in the ClusterServiceVersion and in a Pod template.
/// OLM v0 uses the value in the ClusterServiceVersion, and OLM v1 uses the value in the Pod
/// template.
pub(super) fn annotations_clash(bundle: &Bundle, faults: &mut Faults) {
    let csv = &bundle.csv;
    for (at, deployment) in csv.deployments().iter().enumerate() {
        let own = &csv.deployment_spec(at)["template"]["metadata"]["annotations"];
        let clashes = own.as_object().into_iter().flatten().filter(|(key, own)| {
            let value = csv.annotations().get(*key);
            value.is_some_and(|value| text(own) != value.as_str())
        });
        let keys: Vec<_> = clashes.map(|(key, _)| key.as_str()).collect();
        if !keys.is_empty() {
            let sentence = format!(
                "the Pods of deployment {:?} and the ClusterServiceVersion have different values \
                 for the annotations {}; OLM v1 uses those of the Pods, OLM v0 the others",
                deployment.value.name,
                keys.join(", ")
            );
            let code = Code::AnnotationClash;
            faults.push(warning(bundle, deployment.line, code, sentence));
        }
    }
}

pub(super) fn webhook_ports(bundle: &Bundle, faults: &mut Faults) {
    let mut targets: BTreeMap<(&str, i32), &Option<IntOrString>> = BTreeMap::new();
    for webhook in bundle.csv.webhooks() {
        let hook = &webhook.value;
        if hook.container_port == 0 {
            let sentence = format!(
                "{} {:?} has no `containerPort`: OLM v1 renders port 0, which every API server \
                 rejects; write 443",
                hook.kind, hook.generate_name
            );
            faults.push(warning(bundle, webhook.line, Code::NoPort, sentence));
        }
        let port = match hook.container_port {
            0 => 443,
            port => port,
        };
        let other = targets.entry((&hook.deployment_name, port));
        if *other.or_insert(&hook.target_port) != &hook.target_port {
            let sentence = format!(
                "{} {:?} and another webhook send port {port} of deployment {:?} to different \
                 target ports; API servers reject a Service with two ports of the same name",
                hook.kind, hook.generate_name, hook.deployment_name
            );
            faults.push(warning(bundle, webhook.line, Code::PortTwice, sentence));
        }
    }
}

/// Reports CRDs with an incomplete conversion webhook, if no webhook of the bundle completes it.
/// controller-gen writes such a placeholder into CRDs.
pub(super) fn conversions_are_filled_in(bundle: &Bundle, faults: &mut Faults) {
    let webhooks = bundle.csv.webhooks().iter().map(|webhook| &webhook.value);
    let filled: BTreeSet<&str> = webhooks
        .filter(|webhook| webhook.kind == CONVERSION)
        .flat_map(|webhook| webhook.conversion_crds.iter().map(String::as_str))
        .collect();
    for crd in &bundle.crds {
        let conversion = &crd.json["spec"]["conversion"];
        if conversion["strategy"] == "Webhook" && !filled.contains(&*crd.name) {
            let service = &conversion["webhook"]["clientConfig"]["service"];
            let by = match text(&service["name"]) {
                "" => "a webhook".to_owned(),
                name => format!("the Service {}/{name}", text(&service["namespace"])),
            };
            let sentence = format!(
                "CustomResourceDefinition {:?} is converted by {by}, but no webhook of the \
                 ClusterServiceVersion defines it",
                crd.name
            );
            let code = Code::ConversionPlaceholder;
            faults.push(BundleFault::warning(&crd.file, crd.line, code, sentence));
        }
    }
}

pub(super) fn pods_can_run(bundle: &Bundle, faults: &mut Faults) {
    let strategy = &bundle.csv.spec.install.spec;
    let permissions = strategy
        .permissions
        .iter()
        .chain(&strategy.cluster_permissions);
    let made = permissions.map(|permission| &*permission.value.service_account_name);
    let shipped = bundle.others.iter().filter(|other| is_account(other));
    let accounts: BTreeSet<&str> = made
        .chain(shipped.map(Object::name))
        .chain(["", "default"])
        .collect();
    for (at, deployment) in bundle.csv.deployments().iter().enumerate() {
        let spec = bundle.csv.deployment_spec(at);
        let account = account(&spec["template"]["spec"]);
        let name = &deployment.value.name;
        if !accounts.contains(account) {
            let sentence = format!(
                "deployment {name:?} runs as the ServiceAccount {account:?}, which does not \
                 exist: it has no permissions, so OLM does not create it, and the bundle does not \
                 contain it"
            );
            let code = Code::AccountMissing;
            faults.push(warning(bundle, deployment.line, code, sentence));
        }
        if is_empty(&spec["selector"]) {
            let sentence = format!(
                "the selector of deployment {name:?} is empty, which every API server \
                 rejects"
            );
            faults.push(warning(bundle, deployment.line, Code::Selector, sentence));
        } else if !chooses_its_own(spec) {
            let sentence = format!(
                "the selector of deployment {name:?} does not match the labels of its own Pods, \
                 which every API server rejects"
            );
            faults.push(warning(bundle, deployment.line, Code::Selector, sentence));
        }
    }
}

fn is_account(other: &Object) -> bool {
    other.kind() == "ServiceAccount" && other.group().is_empty()
}

/// Returns the ServiceAccount of a Pod template. If the field is empty, returns the value of its
/// older name, `serviceAccount`.
fn account(pod: &Json) -> &str {
    match text(&pod["serviceAccountName"]) {
        "" => text(&pod["serviceAccount"]),
        name => name,
    }
}

/// Returns true if a selector has no requirements. Such a selector selects all Pods.
fn is_empty(selector: &Json) -> bool {
    let labels = selector["matchLabels"].as_object();
    let expressions = selector["matchExpressions"].as_array();
    labels.is_none_or(Map::is_empty) && expressions.is_none_or(Vec::is_empty)
}

/// Returns true if the selector of a Deployment selects the Pods of its own template.
fn chooses_its_own(spec: &Json) -> bool {
    let selector = &spec["selector"];
    let wanted = selector["matchLabels"].as_object();
    let labels = &spec["template"]["metadata"]["labels"];
    match wanted {
        Some(wanted) => wanted
            .iter()
            .all(|(key, value)| labels.get(key) == Some(value)),
        None => true,
    }
}
