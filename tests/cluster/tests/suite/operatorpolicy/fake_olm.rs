//! A fake OLM, on a control plane that has only the CRDs of OLM.
//!
//! There is one package with two versions. The second version replaces the first. The fake OLM
//! creates an InstallPlan with the next version for each Subscription. When the plan is approved,
//! it creates the ClusterServiceVersion, and a CRD with the name of the namespace. The test must do
//! everything else.

use std::path::PathBuf;
use std::time::Duration;

use kube::api::{DynamicObject, Patch, PatchParams};
use portolan_kit::{TempFolder, World, catalog, world};
use portolan_rig::{Failure, Kind, Namespace};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::bare::{Bare, whole};
use super::fleet::{Fleet, kubeconfig_flag};
use crate::approval::policy::{Policy, design};
use crate::editor::Editor;

pub(super) const PACKAGE: &str = "skiff";
pub(super) const FIRST: &str = "skiff.v1.0.0";
pub(super) const SECOND: &str = "skiff.v1.1.0";
const CATALOG: &str = "fleet";
/// The pause between two reconciles of OLM.
const PAUSE: Duration = Duration::from_millis(100);

/// A separate cluster with a catalog, for a test that uses many namespaces.
pub(super) struct FakeOlm {
    pub(super) bare: Bare,
    folder: TempFolder,
}

/// A fake OLM in one namespace. Dropping this value stops it.
pub(super) struct Olm(JoinHandle<()>);

struct FakeOlmTask {
    editor: Editor,
    namespace: String,
    market: String,
}

/// Returns `None` if tests with a cluster are skipped.
pub(super) async fn fake_olm(test_name: &str) -> Result<Option<FakeOlm>, Failure> {
    let Some(bare) = whole(test_name).await? else {
        return Ok(None);
    };
    let offered = catalog(&format!("{PACKAGE}: 1.0.0 -> 1.1.0")).installable();
    let market = Editor::of(&bare.client, &bare.namespace);
    let source = world()
        .namespace(&bare.namespace)
        .catalog_source(CATALOG, "127.0.0.1:1");
    write(&market, Kind::CatalogSource, CATALOG, &source).await?;
    Ok(Some(FakeOlm {
        folder: offered.temp(),
        bare,
    }))
}

// === impl FakeOlm ===

impl FakeOlm {
    /// Starts the services as the administrator, and a controller for one namespace.
    pub(super) async fn fleet(&self, namespace: &str) -> Fleet {
        let flags = vec!["--no-lease".to_owned(), only(namespace)];
        Fleet::over(self.kubeconfig(), self.kubeconfig(), flags, self.catalog()).await
    }

    pub(super) fn kubeconfig(&self) -> PathBuf {
        self.bare.cluster.kubeconfig()
    }

    /// Returns the flag that selects the kubeconfig of the administrator.
    pub(super) fn at(&self) -> String {
        kubeconfig_flag(&self.kubeconfig())
    }

    /// Returns the flag with the catalog for a resolver.
    pub(super) fn catalog(&self) -> String {
        let (market, folder) = (&self.bare.namespace, self.folder.display());
        format!("--catalog={market}/{CATALOG}={folder}")
    }

    pub(super) async fn namespace(&self, test_name: &str) -> Result<Namespace, Failure> {
        self.bare.cluster.namespace(test_name).await
    }

    pub(super) fn editor(&self, namespace: &str) -> Editor {
        Editor::of(&self.bare.client, namespace)
    }

    /// Starts a fake OLM in a namespace.
    pub(super) fn olm(&self, namespace: &str) -> Olm {
        let player = FakeOlmTask {
            editor: self.editor(namespace),
            namespace: namespace.to_owned(),
            market: self.bare.namespace.to_string(),
        };
        Olm(tokio::spawn(player.play()))
    }

    /// Returns a policy that allows only the first version. When the policy is deleted, its CRDs
    /// are also deleted.
    pub(super) fn policy(&self, namespace: &str) -> Policy {
        let group = json!({"name": "own", "target": {"namespaces": [namespace]}});
        design(PACKAGE, &[FIRST])
            .asks("channel", "stable".into())
            .asks("source", CATALOG.into())
            .asks("sourceNamespace", self.bare.namespace.to_string().into())
            .with("operatorGroup", group)
            .with(
                "removalBehavior",
                json!({"customResourceDefinitions": "Delete"}),
            )
    }

    /// Creates the policy in a namespace.
    pub(super) async fn begins(&self, namespace: &str) -> Result<(), Failure> {
        let body = self.policy(namespace).body(namespace);
        let editor = self.editor(namespace);
        editor.create(Kind::OperatorPolicy, PACKAGE, body).await
    }

    /// Changes the policy so that it allows both versions.
    pub(super) async fn allows_more(&self, namespace: &str) -> Result<(), Failure> {
        let change = json!({"spec": {"allowedCSVs": [FIRST, SECOND]}});
        let editor = self.editor(namespace);
        editor.patch(Kind::OperatorPolicy, PACKAGE, change).await
    }

    /// Deletes the policy in a namespace.
    pub(super) async fn ends(&self, namespace: &str) -> Result<(), Failure> {
        let editor = self.editor(namespace);
        editor.delete(Kind::OperatorPolicy, PACKAGE).await
    }

    /// Returns the approvals of InstallPlans in a namespace, one per line.
    pub(super) fn approvals(&self, namespace: &str) -> Result<Vec<String>, Failure> {
        let audit = self.bare.cluster.audit()?.within(namespace);
        let approvals = audit.of("installplans").verb("patch");
        let done = approvals.only(|record| record.code < 300);
        let mut names: Vec<_> = done.records().iter().map(|it| it.name.clone()).collect();
        names.sort();
        Ok(names)
    }
}

pub(super) fn only(namespace: &str) -> String {
    format!("--only-namespace={namespace}")
}

/// Returns the name of the InstallPlan for a version.
pub(super) fn plan(bundle: &str) -> String {
    format!("install-{bundle}")
}

/// Returns the generation of the InstallPlan. OLM numbers its plans, and a newer plan has a higher
/// number.
fn generation(bundle: &str) -> u32 {
    match bundle {
        FIRST => 1,
        _ => 2,
    }
}

/// Returns the name of the CRD that the operator installs for a namespace.
pub(super) fn crd_name(namespace: &str) -> String {
    format!("skiffs.{namespace}.example.test")
}

// === impl FakeOlmTask ===

impl FakeOlmTask {
    async fn play(self) {
        loop {
            // Repeats a request that got no response.
            if let Err(failure) = self.turn().await {
                // The output is visible if the test fails.
                println!("operatorpolicy: {}: OLM: {failure:?}", self.namespace);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn turn(&self) -> Result<(), Failure> {
        let subscription = self.object(Kind::Subscription, PACKAGE).await?;
        let is_leaving = |it: &DynamicObject| it.metadata.deletion_timestamp.is_some();
        let Some(subscription) = subscription.filter(|it| !is_leaving(it)) else {
            return Ok(());
        };
        let status = &subscription.data["status"];
        let text = |field: &str| status[field].as_str().unwrap_or_default();
        let installed = text("installedCSV");
        let next = match installed {
            "" => FIRST,
            FIRST => SECOND,
            _ => return Ok(()),
        };
        let approved = self.offer(next).await?;
        if text("currentCSV") != next {
            let begun = world().namespace(&self.namespace);
            let begun = begun
                .subscription(PACKAGE, "stable")
                .pending(installed, next, &plan(next))
                .edit(|it| it["status"]["installPlanGeneration"] = json!(generation(next)));
            self.write_last_status(Kind::Subscription, PACKAGE, &begun)
                .await?;
        }
        if approved {
            self.install(installed, next).await
        } else {
            Ok(())
        }
    }

    /// Creates the InstallPlan for a bundle if it does not exist. Returns true if it is approved.
    async fn offer(&self, next: &str) -> Result<bool, Failure> {
        let name = plan(next);
        let planned = world()
            .namespace(&self.market)
            .catalog_source(CATALOG, "127.0.0.1:1")
            .namespace(&self.namespace)
            .plan(&name, &[next])
            .lookup(next, &[])
            .edit(|plan| plan["spec"]["generation"] = json!(generation(next)));
        match self.object(Kind::InstallPlan, &name).await? {
            None => write(&self.editor, Kind::InstallPlan, &name, &planned)
                .await
                .map(|()| false),
            Some(plan) if plan.data["status"]["phase"].is_null() => self
                .write_last_status(Kind::InstallPlan, &name, &planned)
                .await
                .map(|()| false),
            Some(plan) => Ok(plan.data["spec"]["approved"] == true),
        }
    }

    async fn install(&self, installed: &str, next: &str) -> Result<(), Failure> {
        let owned = crd_name(&self.namespace);
        let brought = world()
            .namespace(&self.namespace)
            .csv(next, "Succeeded")
            .running(&[])
            .owning(&[&format!("{owned}/v1/Skiff")]);
        if self
            .object(Kind::CustomResourceDefinition, &owned)
            .await?
            .is_none()
        {
            let label = format!("operators.coreos.com/{PACKAGE}.{}", self.namespace);
            let defined = world()
                .definition(&owned, "Skiff", &["v1"])
                .edit(|it| it["metadata"]["labels"] = json!({label: ""}));
            let body = last(&defined);
            let body = json!({"metadata": body["metadata"], "spec": body["spec"]});
            let kind = Kind::CustomResourceDefinition;
            self.editor.create(kind, &owned, body).await?;
        }
        let kind = Kind::ClusterServiceVersion;
        match self.object(kind, next).await? {
            None => write(&self.editor, kind, next, &brought).await?,
            Some(_) => self.write_last_status(kind, next, &brought).await?,
        }
        if !installed.is_empty() && self.object(kind, installed).await?.is_some() {
            self.editor.delete(kind, installed).await?;
        }
        let done = json!({"phase": "Complete"});
        self.write_status(Kind::InstallPlan, &plan(next), done)
            .await?;
        let settled = world().namespace(&self.namespace);
        let settled = settled.subscription(PACKAGE, "stable").installed(next);
        self.write_last_status(Kind::Subscription, PACKAGE, &settled)
            .await
    }

    async fn object(&self, kind: Kind, name: &str) -> Result<Option<DynamicObject>, Failure> {
        Ok(self.editor.objects(kind).get_opt(name).await?)
    }

    async fn write_last_status(
        &self,
        kind: Kind,
        name: &str,
        world: &World,
    ) -> Result<(), Failure> {
        self.write_status(kind, name, last(world)["status"].clone())
            .await
    }

    async fn write_status(&self, kind: Kind, name: &str, status: Value) -> Result<(), Failure> {
        write_status(&self.editor, kind, name, status).await
    }
}

impl Drop for Olm {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Writes the last object of a world, and then its status.
async fn write(editor: &Editor, kind: Kind, name: &str, world: &World) -> Result<(), Failure> {
    let object = last(world);
    let body = json!({"metadata": object["metadata"], "spec": object["spec"]});
    editor.create(kind, name, body).await?;
    write_status(editor, kind, name, object["status"].clone()).await
}

async fn write_status(
    editor: &Editor,
    kind: Kind,
    name: &str,
    status: Value,
) -> Result<(), Failure> {
    let change = Patch::Merge(json!({"status": status}));
    let params = PatchParams::default();
    let objects = editor.objects(kind);
    objects.patch_status(name, &params, &change).await?;
    Ok(())
}

fn last(world: &World) -> Value {
    world.objects().last().cloned().unwrap_or_default()
}
