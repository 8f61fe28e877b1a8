//! Where a story of health is played.

use kube::Client;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use portolan_rig::{Catalog, Failure, Kind, PATIENCE, Seen, World, until};
use serde_json::{Value, json};

use super::news::{Wanted, operator};
use super::serving::Serving;
use super::watcher::Watcher;
use crate::world;

/// How often it is looked whether a touch has helped, before the next one: about a second.
const LOOKS_A_TOUCH: u32 = 20;

/// A namespace on a cluster with OLM, health, and one who watches the namespace.
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) serving: Serving,
    pub(super) watcher: Watcher,
}

/// The objects of one namespace, for who changes them.
pub(super) struct Hands {
    client: Client,
    namespace: String,
}

/// A stage; `None` if tests with a cluster are left out.
pub(super) async fn stage(story: &str) -> Result<Option<Stage>, Failure> {
    let Some(world) = world(story).await? else {
        return Ok(None);
    };
    let serving = Serving::of(&world).await?;
    let watcher = serving.watch(world.namespace()).await;
    Ok(Some(Stage {
        world,
        serving,
        watcher,
    }))
}

// === impl Stage ===

impl Stage {
    pub(super) fn hands(&self) -> Hands {
        Hands::of(self.world.client(), self.world.namespace())
    }

    /// Subscribes to a package and approves its first plan, until it is told to be well.
    pub(super) async fn install(
        &mut self,
        from: &Catalog,
        package: &str,
        csv: &'static str,
    ) -> Result<(), Failure> {
        let it = self.world.operator(package);
        it.subscribe(from, "stable", Some(csv)).await?;
        let plan = it.plan(csv).await?;
        let approved = it.approve(&plan);
        let (of, watcher) = (operator(package), &mut self.watcher);
        watcher.tells(&of, Wanted::Running(csv), approved).await?;
        Ok(())
    }
}

// === impl Hands ===

impl Hands {
    pub(super) fn of(client: &Client, namespace: &str) -> Self {
        Self {
            client: client.clone(),
            namespace: namespace.to_owned(),
        }
    }

    pub(super) async fn create(&self, kind: Kind, name: &str, body: Value) -> Result<(), Failure> {
        let object = kind.object(name, body)?;
        let objects = match kind {
            Kind::CustomResourceDefinition => kind.everywhere(&self.client),
            _ => kind.within(&self.client, &self.namespace),
        };
        objects.create(&PostParams::default(), &object).await?;
        Ok(())
    }

    pub(super) async fn delete(&self, kind: Kind, name: &str) -> Result<(), Failure> {
        let objects = match kind {
            Kind::CustomResourceDefinition => kind.everywhere(&self.client),
            _ => kind.within(&self.client, &self.namespace),
        };
        objects.delete(name, &DeleteParams::background()).await?;
        Ok(())
    }

    pub(super) async fn patch(&self, kind: Kind, name: &str, change: Value) -> Result<(), Failure> {
        let objects = kind.within(&self.client, &self.namespace);
        let as_told = PatchParams::default();
        objects.patch(name, &as_told, &Patch::Merge(change)).await?;
        Ok(())
    }

    /// Makes an OperatorGroup for the namespace alone.
    pub(super) async fn group(&self, name: &str) -> Result<(), Failure> {
        let spec = json!({"targetNamespaces": [self.namespace]});
        self.create(Kind::OperatorGroup, name, json!({"spec": spec}))
            .await
    }

    /// Gives OLM a reason to look at an operator, until it finds it well: it does not notice
    /// everything by itself, and may look a moment too early.
    pub(super) async fn touch(&self, csv: &str) -> Result<(), Failure> {
        let versions = Kind::ClusterServiceVersion.within(&self.client, &self.namespace);
        let mut looks = 0_u32;
        until(format!("{csv} to be Succeeded"), PATIENCE, async || {
            if looks.is_multiple_of(LOOKS_A_TOUCH) {
                let touched = json!({"metadata": {"labels": {"touched": looks.to_string()}}});
                let kind = Kind::ClusterServiceVersion;
                self.patch(kind, csv, touched).await?;
            }
            looks += 1;
            let version = versions.get(csv).await?;
            let phase = &version.data["status"]["phase"];
            Ok(match phase == "Succeeded" {
                true => Seen::Yes(()),
                false => Seen::NotYet(phase.to_string()),
            })
        })
        .await
    }
}
