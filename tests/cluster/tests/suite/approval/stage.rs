//! The test environment of approval.

use kube::ResourceExt as _;
use kube::api::{DynamicObject, ListParams};
use portolan_kit::TempFolder;
use portolan_proto::approval::v1 as pb;
use portolan_rig::{Catalog, Failure, Kind, PATIENCE, Seen, Unpacking, World, until};
use serde_json::{Value, json};

use super::author::Author;
use super::crds;
use super::serving::Serving;
use super::watcher::Watcher;
use crate::world;

/// A namespace on a cluster with OLM and the CRD of policies, an approval service, and a watch of
/// the namespace.
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) serving: Serving,
    pub(super) watcher: Watcher,
    pub(super) author: Author,
}

/// A served catalog, and the objects that belong to it.
pub(super) struct Served {
    pub(super) catalog: Catalog,
    _folder: TempFolder,
    _images: TempFolder,
    _unpacking: Option<Unpacking>,
}

/// Returns a stage, or `None` if tests with a cluster are skipped.
pub(super) async fn stage(test_name: &str) -> Result<Option<Stage>, Failure> {
    match world(test_name).await? {
        Some(world) => stage_on(world).await.map(Some),
        None => Ok(None),
    }
}

/// Returns a stage in an existing namespace.
pub(super) async fn stage_on(world: World) -> Result<Stage, Failure> {
    crds::create_policy_crd(world.client()).await?;
    let serving = Serving::of(&world).await?;
    let watcher = serving.watch(world.namespace()).await;
    let author = Author::of(&world);
    Ok(Stage {
        author,
        world,
        serving,
        watcher,
    })
}

impl Stage {
    /// Serves a catalog to the namespace. Its bundles may be in images.
    pub(super) async fn serve(&self, offered: &portolan_kit::Catalog) -> Result<Served, Failure> {
        let (folder, images) = (offered.temp(), offered.images());
        let bundles = offered.packages.iter().flat_map(|package| &package.bundles);
        let has_images = bundles.into_iter().any(|bundle| !bundle.image.is_empty());
        let unpacking = has_images.then(|| self.world.unpacking(&images));
        Ok(Served {
            catalog: self.world.catalog("fleet", &folder).await?,
            _folder: folder,
            _images: images,
            _unpacking: unpacking,
        })
    }

    /// Creates Subscriptions to packages. OLM does nothing until the namespace has an
    /// OperatorGroup.
    pub(super) async fn subscribe(&self, packages: &[&str], approval: &str) -> Result<(), Failure> {
        for package in packages {
            let spec = json!({
                "name": package,
                "channel": "stable",
                "source": "fleet",
                "sourceNamespace": self.world.namespace(),
                "installPlanApproval": approval,
            });
            let body = json!({"spec": spec});
            self.author
                .editor
                .create(Kind::Subscription, package, body)
                .await?;
        }
        Ok(())
    }

    /// Waits until the newest InstallPlan contains only these bundles and requires approval.
    /// Returns the name of the plan.
    pub(super) async fn plan(&self, bundles: &[&str]) -> Result<String, Failure> {
        let plans = self.author.editor.objects(Kind::InstallPlan);
        until(format!("a plan of {bundles:?}"), PATIENCE, async || {
            let plans = plans.list(&ListParams::default()).await?.items;
            let newest = plans
                .iter()
                .max_by_key(|plan| plan.data["spec"]["generation"].as_u64());
            Ok(match newest {
                Some(plan) if waits_for(plan, bundles) => Seen::Yes(plan.name_any()),
                Some(plan) => Seen::NotYet(plan.data["spec"].to_string()),
                None => Seen::NotYet("no plan".to_owned()),
            })
        })
        .await
    }

    /// Approves a plan on the basis of its review.
    pub(super) async fn approve(&self, plan: &str) -> Result<(), Failure> {
        self.author.approve_on(&self.serving, plan).await
    }

    pub(super) async fn review(&self, plan: &str) -> Result<pb::Review, Failure> {
        let review = self.serving.review(self.world.namespace(), plan).await;
        review.map_err(Failure::read(format!("the review of {plan}")))
    }
}

fn waits_for(plan: &DynamicObject, bundles: &[&str]) -> bool {
    let names = plan.data["spec"]["clusterServiceVersionNames"].as_array();
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names == bundles && plan.data["status"]["phase"] == "RequiresApproval"
}
