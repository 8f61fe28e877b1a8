//! An operator that a test installs with OLM as a user does: with a Subscription and an approval.

use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};

use crate::catalog::Catalog;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::wait::{PATIENCE, Seen, until, until_field};

/// A package that is installed in a namespace. Its Subscription has the name of the package.
#[derive(Clone)]
pub struct Operator {
    client: Client,
    namespace: String,
    package: String,
}

impl std::fmt::Debug for Operator {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Operator({}/{})", self.namespace, self.package)
    }
}

impl Operator {
    pub fn of(client: &Client, namespace: &str, package: &str) -> Self {
        Self {
            client: client.clone(),
            namespace: namespace.to_owned(),
            package: package.to_owned(),
        }
    }

    /// Creates a Subscription to the channel with manual approval. `first` is its starting version.
    /// Also creates the OperatorGroup of the namespace if it does not exist.
    ///
    /// # Errors
    /// The API server rejects the Subscription, or it already exists.
    pub async fn subscribe(
        &self,
        catalog: &Catalog,
        channel: &str,
        first: Option<&str>,
    ) -> Result<(), Failure> {
        let group = json!({"spec": {"targetNamespaces": [self.namespace]}});
        match self.create(Kind::OperatorGroup, "group", group).await {
            Err(Failure::Ask(error)) if is_conflict(&error) => {}
            made => made?,
        }
        let mut spec = json!({
            "name": self.package,
            "channel": channel,
            "source": catalog.name(),
            "sourceNamespace": catalog.namespace(),
            "installPlanApproval": "Manual",
        });
        if let Some(first) = first {
            spec["startingCSV"] = first.into();
        }
        let body = json!({"spec": spec});
        self.create(Kind::Subscription, &self.package, body).await
    }

    /// Waits until the Subscription refers to an InstallPlan that contains `bundle` and is not
    /// approved. Returns the name of the InstallPlan.
    /// # Errors
    /// No such plan exists within [`PATIENCE`].
    pub async fn plan(&self, bundle: &str) -> Result<String, Failure> {
        let subscriptions = Kind::Subscription.within(&self.client, &self.namespace);
        let plans = Kind::InstallPlan.within(&self.client, &self.namespace);
        let what = format!("an InstallPlan for {bundle} that requires approval");
        until(what, PATIENCE, async || {
            let Some(subscription) = subscriptions.get_opt(&self.package).await? else {
                return Ok(Seen::NotYet("no Subscription".to_owned()));
            };
            let Some(name) = text(&subscription, "/status/installPlanRef/name") else {
                return Ok(Seen::NotYet(format!("{}", subscription.data["status"])));
            };
            Ok(match plans.get_opt(name).await? {
                Some(plan) if awaits_approval(&plan, bundle) => Seen::Yes(plan.name_any()),
                Some(plan) => Seen::NotYet(format!(
                    "{name} of {}, {}",
                    plan.data["spec"]["clusterServiceVersionNames"],
                    plan.data.pointer("/status/phase").unwrap_or(&Value::Null)
                )),
                None => Seen::NotYet(format!("{name} does not exist")),
            })
        })
        .await
    }

    /// Approves an InstallPlan as a user does.
    ///
    /// # Errors
    /// The API server refuses.
    pub async fn approve(&self, plan: &str) -> Result<(), Failure> {
        let change = json!({"spec": {"approved": true}});
        Kind::InstallPlan
            .within(&self.client, &self.namespace)
            .patch(plan, &PatchParams::default(), &Patch::Merge(&change))
            .await?;
        Ok(())
    }

    /// Waits until the ClusterServiceVersion of the bundle is in this phase, such as `Succeeded` or
    /// `Failed`.
    ///
    /// # Errors
    /// The phase is not reached within [`PATIENCE`].
    pub async fn until_phase(&self, bundle: &str, phase: &str) -> Result<(), Failure> {
        let versions = Kind::ClusterServiceVersion.within(&self.client, &self.namespace);
        let seen = until_field(&versions, bundle, "/status/phase", phase);
        seen.await.map(drop)
    }

    /// Waits for the InstallPlan that contains `bundle`, approves it, and waits until the phase of
    /// the bundle is `Succeeded`.
    /// # Errors
    /// If one of these steps fails.
    pub async fn install(&self, bundle: &str) -> Result<(), Failure> {
        let plan = self.plan(bundle).await?;
        self.approve(&plan).await?;
        self.until_phase(bundle, "Succeeded").await
    }

    async fn create(&self, kind: Kind, name: &str, body: Value) -> Result<(), Failure> {
        let object = kind.object(name, body)?;
        kind.within(&self.client, &self.namespace)
            .create(&PostParams::default(), &object)
            .await?;
        Ok(())
    }
}

fn is_conflict(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 409)
}

fn awaits_approval(plan: &DynamicObject, bundle: &str) -> bool {
    let has_bundle = plan.data["spec"]["clusterServiceVersionNames"]
        .as_array()
        .is_some_and(|names| names.iter().any(|name| name == bundle));
    has_bundle && text(plan, "/status/phase") == Some("RequiresApproval")
}

fn text<'o>(object: &'o DynamicObject, field: &str) -> Option<&'o str> {
    object.data.pointer(field)?.as_str()
}
