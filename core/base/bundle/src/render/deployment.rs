//! Renders Deployments.

use serde_json::{Map, Value as Json, json};

use super::{Certificates, Manifest, Plan, certificate};

pub(super) fn deployments(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    let csv = &plan.bundle.csv;
    for (at, deployment) in csv.deployments().iter().enumerate() {
        let deployment = &deployment.value;
        let mut spec = csv.deployment_spec(at).clone();
        spec["revisionHistoryLimit"] = 1.into();
        let template = &mut spec["template"];
        annotate(plan, &mut template["metadata"]["annotations"]);
        if plan.mends()
            && let Some(metadata) = template["metadata"].as_object_mut()
        {
            metadata.remove("creationTimestamp");
        }
        let is_served = plan.is_called(&deployment.name);
        if is_served && plan.options.certificates != Certificates::None {
            let oddities = plan.options.oddities;
            let secret = plan.secret(&deployment.name);
            certificate::mount(&secret, oddities, &mut template["spec"]);
        }
        let mut object = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": deployment.name, "namespace": plan.namespace()},
            "spec": spec,
        });
        if !deployment.label.is_empty() {
            object["metadata"]["labels"] = json!(deployment.label);
        }
        plan.options.config.change(&mut object);
        let proxy = &plan.options.additions.proxy;
        proxy.inject(
            &plan.options.config,
            &mut object["spec"]["template"]["spec"],
        );
        manifests.push(plan.made(object));
    }
}

/// Sets the annotations of a Pod template: the annotations of the ClusterServiceVersion, the
/// annotations that the template already has, and two annotations with the namespace of the
/// operator and the watched namespaces.
fn annotate(plan: &Plan<'_>, annotations: &mut Json) {
    let csv = plan.bundle.csv.annotations().iter();
    let mut all: Map<String, Json> = csv
        .map(|(key, value)| (key.clone(), value.as_str().into()))
        .collect();
    if let Json::Object(own) = annotations.take() {
        all.extend(own);
    }
    all.insert(
        "olm.targetNamespaces".to_owned(),
        plan.targets.join(",").into(),
    );
    all.insert("olm.operatorNamespace".to_owned(), plan.namespace().into());
    *annotations = Json::Object(all);
}
