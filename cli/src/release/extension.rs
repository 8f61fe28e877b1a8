//! `portolan release --to clusterextension`: the objects of an Operator become those of a
//! ClusterExtension.
//!
//! OLM v1 refuses existing objects of other owners. Before this check it resolves the bundle, pulls
//! it and renders it. So this refusal proves that OLM v1 can install the bundle. Only then the
//! Operator is deleted, and its objects are marked for the Helm release of OLM v1.

use std::time::Instant;

use portolan_api::operator::Operator;
use portolan_core_names::ObjectRef;
use portolan_core_names::text::{cite, listed};
use portolan_core_olm::messages::{ExtensionMessage, ExtensionProblem};
use portolan_operators::{OperatorClient, has_certificate};
use portolan_world::Cluster;
use serde_json::{Map, Value, json};

use super::{LOOK, ReleaseArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator_write::{Waiting, print_done, report_error};
use crate::print;

/// The state of a ClusterExtension that must take over existing objects.
#[derive(Debug, PartialEq)]
enum Takeover {
    /// OLM v1 has not reported on the current spec yet.
    Pending,
    /// OLM v1 can install the bundle, but the objects have another owner.
    NotOwned,
    Installed,
    /// OLM v1 cannot install the bundle. Contains its message.
    Failing(String),
}

// === impl ReleaseArgs ===

impl ReleaseArgs {
    pub(super) async fn release_to_extension(
        &self,
        cluster: &Cluster,
        client: &OperatorClient,
        operator: &Operator,
    ) -> Result<Exit, Failure> {
        let account = self.service_account.as_deref();
        let extension = extension(&self.name, operator, account);
        let extension = extension.map_err(|why| self.refused(&why))?;
        if self.dry_run {
            print::yaml(&extension)?;
            return Ok(Exit::Answered);
        }
        let id = ObjectRef::versioned(&extension);
        let plan = operator.status.as_ref().and_then(|it| it.plan.as_ref());
        let plan = plan.map(|it| it.name.as_str()).unwrap_or_default();
        let manifests = match client.plan_manifests(&self.name, plan).await {
            Ok(Some(manifests)) => manifests,
            Ok(None) => {
                return Err(self.refused("its InstallPlan does not contain all of its objects"));
            }
            Err(error) => return report_error(error),
        };
        if manifests.iter().any(has_certificate) {
            return Err(self.refused(
                "Portolan issues the certificates of its webhooks, and OLM v1 would replace them and restart the Pods",
            ));
        }
        if let Err(error) = client.create_for_olm(&extension).await {
            return report_error(error);
        }
        let name = &id.name;
        print::text(&format!(
            "clusterextension.olm.operatorframework.io/{name} created\n"
        ))?;
        match self.until(client, &extension, &Takeover::Pending).await? {
            Some(Takeover::NotOwned) => {}
            seen => {
                // OLM v1 owns nothing yet.
                if let Err(error) = client.delete_extension(&id).await {
                    return report_error(error);
                }
                print::error(&format!(
                    "OLM v1 cannot take over the objects, so ClusterExtension {name} is deleted again, and Operator {} is unchanged: {}",
                    self.name,
                    explained(seen)
                ));
                return Ok(Exit::No);
            }
        }
        self.hand_over(cluster, client, (&extension, &manifests))
            .await
    }

    /// Deletes the Operator, and lets OLM v1 take over its objects.
    async fn hand_over(
        &self,
        cluster: &Cluster,
        client: &OperatorClient,
        (extension, manifests): (&Value, &[Value]),
    ) -> Result<Exit, Failure> {
        let id = ObjectRef::versioned(extension);
        let namespace = extension["spec"]["namespace"].as_str().unwrap_or_default();
        let release = (&*id.name, namespace);
        let objects: Vec<_> = manifests
            .iter()
            .filter(|it| it["kind"] != "Namespace")
            .map(ObjectRef::versioned)
            .collect();
        if let Err(error) = client.keep_what_is_installed(&self.name).await {
            return report_error(error);
        }
        if let Err(error) = client.delete(&self.name).await {
            return report_error(error);
        }
        print_done(&self.name, "deleted; the installed objects are kept", false)?;
        let gone = Waiting::within(self.timeout).until_gone(cluster, &self.name);
        match gone.await? {
            Exit::Answered => {}
            not_gone => return Ok(not_gone),
        }
        // While the Operator exists, its plan could revert the marks.
        if let Err(error) = client.mark_for_release(&objects, release).await {
            return report_error(error);
        }
        if let Err(error) = client.retry_extension(&id).await {
            return report_error(error);
        }
        match self.until(client, extension, &Takeover::NotOwned).await? {
            Some(Takeover::Installed) => {
                let version = extension["spec"]["source"]["catalog"]["version"].as_str();
                print::text(&format!(
                    "clusterextension.olm.operatorframework.io/{} installed at version {}\n",
                    id.name,
                    version.unwrap_or_default()
                ))?;
                print::note(
                    "The ClusterExtension stays at this version until spec.source.catalog.version is changed.",
                );
                Ok(Exit::Answered)
            }
            seen => {
                print::error(&format!(
                    "the operator runs on, but OLM v1 has not taken over its objects: {}; to find the cause, run: portolan diagnose extension/{}",
                    explained(seen),
                    id.name
                ));
                Ok(Exit::No)
            }
        }
    }

    /// Waits until the ClusterExtension has another state than this one and `Pending`. Returns the
    /// last state if the timeout expires. None if the ClusterExtension no longer exists.
    async fn until(
        &self,
        client: &OperatorClient,
        extension: &Value,
        before: &Takeover,
    ) -> Result<Option<Takeover>, Failure> {
        let id = ObjectRef::versioned(extension);
        let end = Instant::now() + self.timeout;
        loop {
            let found = client.find(&id).await.map_err(Failure::failed)?;
            let Some(found) = found else {
                return Ok(None);
            };
            let seen = takeover(&json!(found));
            let is_before = seen == Takeover::Pending || seen == *before;
            if !is_before || Instant::now() > end {
                return Ok(Some(seen));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    fn refused(&self, why: &str) -> Failure {
        Failure::usage(format!(
            "Operator {} cannot become a ClusterExtension: {why}",
            self.name
        ))
    }
}

/// Returns the state that OLM v1 reports for the current spec.
fn takeover(extension: &Value) -> Takeover {
    let conditions = extension["status"]["conditions"].as_array();
    let about = |kind: &str| {
        let mut conditions = conditions.into_iter().flatten();
        conditions.find(|it| it["type"] == kind)
    };
    let Some(progressing) = about("Progressing") else {
        return Takeover::Pending;
    };
    if progressing["observedGeneration"] != extension["metadata"]["generation"] {
        return Takeover::Pending;
    }
    let message = progressing["message"].as_str().unwrap_or_default();
    let is_installed = about("Installed").is_some_and(|it| it["status"] == "True");
    let problem = ExtensionMessage::of(message).problem;
    let is_foreign = matches!(problem, ExtensionProblem::ObjectNotOwned { .. });
    match progressing["reason"].as_str() {
        Some("Succeeded") if is_installed => Takeover::Installed,
        Some("Succeeded" | "RollingOut") => Takeover::Pending,
        Some(_) | None if is_foreign => Takeover::NotOwned,
        Some(_) | None => Takeover::Failing(cite(message)),
    }
}

fn explained(seen: Option<Takeover>) -> String {
    match seen {
        None => "another client has deleted the ClusterExtension".to_owned(),
        Some(Takeover::Pending) => "OLM v1 has not reported a result within --timeout".to_owned(),
        Some(Takeover::NotOwned) => "OLM v1 reports that the objects have another owner".to_owned(),
        Some(Takeover::Installed) => "OLM v1 has installed other objects".to_owned(),
        Some(Takeover::Failing(message)) => format!("OLM v1 reports: {message}"),
    }
}

/// Returns the ClusterExtension for an Operator. It allows only the installed version, so that OLM
/// v1 changes no object.
///
/// # Errors
/// Returns the reason why OLM v1 cannot install the operator without a restart.
fn extension(
    name: &str,
    operator: &Operator,
    service_account: Option<&str>,
) -> Result<Value, String> {
    let refused = str::to_owned;
    let status = operator.status.clone().unwrap_or_default();
    let Some(installed) = &status.versions.installed else {
        return Err(refused("it has no installed version"));
    };
    if let Some(target) = status.versions.target.filter(|it| it != installed) {
        return Err(format!("it is being upgraded to {target}"));
    }
    let requested = operator.spec.as_json();
    let is_set = |field: &str| match &requested[field] {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => !items.is_empty(),
        other => !other.is_null(),
    };
    if is_set("watchNamespaces") {
        return Err(refused(
            "spec.watchNamespaces is set, but OLM v1 installs operators for all namespaces",
        ));
    }
    if is_set("config") {
        return Err(refused(
            "spec.config is set, and OLM v1 would restart the Pods without it",
        ));
    }
    if !status.dependencies.is_empty() {
        let names = status.dependencies.iter().map(|it| cite(&it.name));
        return Err(format!(
            "its bundle requires {}, and OLM v1 installs no bundles with dependencies",
            listed(names)
        ));
    }
    let adoption = status.adoption.as_ref();
    let was = adoption.and_then(|it| it.cluster_extension.as_ref());
    let (name, mut spec) = match was {
        Some(was) => (was.name.as_str(), was.spec.clone()),
        None => {
            let adopted = adoption.map(|it| it.namespace.as_str());
            let namespace = requested["namespace"].as_str().or(adopted);
            let Some(namespace) = namespace else {
                return Err(refused("spec.namespace is missing"));
            };
            let mut catalog = Map::new();
            catalog.insert("packageName".to_owned(), requested["packageName"].clone());
            for (field, of_operator) in [("channels", "channels"), ("selector", "catalogSelector")]
            {
                if is_set(of_operator) {
                    catalog.insert(field.to_owned(), requested[of_operator].clone());
                }
            }
            let source = json!({"sourceType": "Catalog", "catalog": catalog});
            (name, json!({"namespace": namespace, "source": source}))
        }
    };
    spec["source"]["catalog"]["version"] = json!(installed);
    if let Some(account) = service_account {
        spec["serviceAccount"] = json!({"name": account});
    }
    Ok(json!({
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": {"name": name},
        "spec": spec,
    }))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn operator(spec: Value, status: Value) -> Operator {
        let mut requested = json!({"packageName": "ferry"});
        for (key, value) in spec.as_object().into_iter().flatten() {
            requested[key] = value.clone();
        }
        serde_json::from_value(json!({
            "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
            "metadata": {"name": "ferry"}, "spec": requested, "status": status,
        }))
        .expect("an Operator")
    }

    fn installed() -> Value {
        json!({"versions": {"installed": "1.1.0", "target": "1.1.0"}})
    }

    #[test]
    fn cluster_extension_allows_only_the_installed_version() {
        let spec = json!({"namespace": "docks", "channels": ["stable"], "version": ">=1.0.0"});
        let made = extension("ferry", &operator(spec, installed()), Some("installer"));
        let catalog = json!({"packageName": "ferry", "channels": ["stable"], "version": "1.1.0"});
        assert_eq!(
            made.expect("a ClusterExtension")["spec"],
            json!({
                "namespace": "docks", "serviceAccount": {"name": "installer"},
                "source": {"sourceType": "Catalog", "catalog": catalog},
            })
        );
    }

    #[test]
    fn adopted_cluster_extension_keeps_its_name_and_spec() {
        let was = json!({"name": "boat", "spec": {
            "namespace": "docks", "install": {"preflight": {}},
            "source": {"sourceType": "Catalog", "catalog": {"packageName": "ferry", "version": "1.x"}},
        }});
        let mut status = installed();
        status["adoption"] =
            json!({"namespace": "docks", "clusterExtension": was, "step": "Adopted"});
        let made = extension("ferry", &operator(json!({}), status), None).expect("one");
        let mut spec = was["spec"].clone();
        spec["source"]["catalog"]["version"] = json!("1.1.0");
        assert_eq!(
            (&made["metadata"]["name"], &made["spec"]),
            (&json!("boat"), &spec)
        );
    }

    #[rstest]
    #[case::not_installed(json!({}), json!({}), "it has no installed version")]
    #[case::upgrade(
        json!({}), json!({"versions": {"installed": "1.0.0", "target": "1.1.0"}}),
        "it is being upgraded to 1.1.0"
    )]
    #[case::some_namespaces(
        json!({"watchNamespaces": ["a"]}), installed(),
        "spec.watchNamespaces is set, but OLM v1 installs operators for all namespaces"
    )]
    #[case::config(
        json!({"config": {"env": []}}), installed(),
        "spec.config is set, and OLM v1 would restart the Pods without it"
    )]
    #[case::dependency(
        json!({}),
        json!({"versions": {"installed": "1.0.0"}, "dependencies": [{"name": "rope"}]}),
        "its bundle requires rope, and OLM v1 installs no bundles with dependencies"
    )]
    #[case::no_namespace(json!({}), installed(), "spec.namespace is missing")]
    fn operator_that_olm_v1_cannot_install_is_refused(
        #[case] spec: Value,
        #[case] status: Value,
        #[case] why: &str,
    ) {
        let refused = extension("ferry", &operator(spec, status), None);
        assert_eq!(refused.expect_err("a refusal"), why);
    }

    #[rstest]
    #[case::unseen(1, "Retrying", "old", Takeover::Pending)]
    #[case::foreign_objects(
        2,
        "Retrying",
        "CustomResourceDefinition 'ships' already exists in namespace '' and cannot be managed by \
        operator-controller",
        Takeover::NotOwned
    )]
    #[case::no_bundle(2, "Retrying", "no bundles found", Takeover::Failing("no bundles found".to_owned()))]
    #[case::done(2, "Succeeded", "desired state reached", Takeover::Installed)]
    fn takeover_follows_the_report_of_olm(
        #[case] observed: i64,
        #[case] reason: &str,
        #[case] message: &str,
        #[case] wanted: Takeover,
    ) {
        let conditions = json!([
            {"type": "Installed", "status": "True"},
            {"type": "Progressing", "reason": reason, "message": message,
                "observedGeneration": observed},
        ]);
        let extension =
            json!({"metadata": {"generation": 2}, "status": {"conditions": conditions}});
        assert_eq!(takeover(&extension), wanted);
    }
}
