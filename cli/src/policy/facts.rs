//! Reads Policies, PolicyBindings and operators, from files or from a cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_api::policy::{Policy, PolicyBinding, SubjectKind};
use portolan_core_approval::consent::{OperatorId, PolicySet};
use portolan_world::{AnyWorld, Area, Key, Kind};

use crate::facts::{WorldArgs, files_by, read_view};
use crate::failure::Failure;
use crate::progress;

/// The source of Policies: files, or a cluster.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Data source (one of these options; default: the cluster of the kubeconfig)"
)]
pub(super) struct ConsentArgs {
    /// Files or folders with only Policies and PolicyBindings. Operators that PolicyBindings name
    /// are assumed to exist.
    #[arg(value_name = "FILE", conflicts_with_all = ["world", "kubeconfig", "context", "user"])]
    files: Vec<PathBuf>,

    #[command(flatten)]
    place: WorldArgs,
}

/// The Policies, PolicyBindings and operators of the source.
#[derive(Debug, Default)]
pub(super) struct PolicyObjects {
    pub(super) world: PolicySet,
    pub(super) operators: BTreeSet<OperatorId>,
    /// The package of each Operator, by the name of the Operator.
    pub(super) packages: BTreeMap<String, String>,
}

// === impl ConsentArgs ===

impl ConsentArgs {
    /// Reads all Policies, PolicyBindings and operators.
    pub(super) async fn read(&self) -> Result<PolicyObjects, Failure> {
        let mut consent = PolicyObjects::default();
        for (world, doing) in self.worlds().await? {
            consent.take(&world, &doing).await?;
        }
        if !self.files.is_empty() {
            consent.add_named_operators();
        }
        Ok(consent)
    }

    async fn worlds(&self) -> Result<Vec<(AnyWorld, String)>, Failure> {
        if self.files.is_empty() {
            let absent = "no cluster found; use FILE or --world PATH to read manifests";
            let world = self.place.open_or(absent).await?;
            return Ok(vec![(world, self.place.progress_text())]);
        }
        let worlds = self.files.iter().map(|path| {
            let doing = format!("reading {}", path.display());
            Ok((AnyWorld::Files(files_by(path, "FILE")?), doing))
        });
        worlds.collect()
    }
}

// === impl PolicyObjects ===

impl PolicyObjects {
    async fn take(&mut self, world: &AnyWorld, doing: &str) -> Result<(), Failure> {
        for (_, policy) in objects::<Policy>(world, doing).await? {
            self.world.put_policy(&policy);
        }
        for (_, binding) in objects::<PolicyBinding>(world, doing).await? {
            self.world.put_binding(&binding);
        }
        for (key, operator) in objects::<Operator>(world, doing).await? {
            let package = operator.spec.as_json()["packageName"].as_str();
            let package = package.unwrap_or_default().to_owned();
            self.packages.insert(key.name.to_string(), package);
            self.operators.insert(id(SubjectKind::Operator, &key));
        }
        for (key, _) in objects::<OperatorPolicy>(world, doing).await? {
            self.operators.insert(id(SubjectKind::OperatorPolicy, &key));
        }
        Ok(())
    }

    /// Adds the operators that a PolicyBinding names but that do not exist. The answer treats them
    /// as existing operators.
    fn add_named_operators(&mut self) {
        let bindings = self.world.bindings().values().flatten();
        self.operators
            .extend(bindings.flat_map(OperatorId::named_by));
    }
}

fn id(kind: SubjectKind, key: &Key) -> OperatorId {
    OperatorId::of(kind, &key.namespace, &key.name)
}

/// Reads the objects of a kind. Returns no objects if the cluster does not serve the kind.
async fn objects<K: Kind>(world: &AnyWorld, doing: &str) -> Result<Vec<(Key, Arc<K>)>, Failure> {
    let view = progress::show_while(doing, read_view::<K>(world, &Area::everywhere())).await?;
    let all = view.objects.iter();
    Ok(all.map(|(key, it)| (key.clone(), it.clone())).collect())
}
