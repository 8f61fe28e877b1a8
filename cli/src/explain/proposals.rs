//! Policies that are to be applied, from files.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_controller::READS;
use portolan_world::{Fault, Files, Key, Manifests, Objects, View, World as _};
use thiserror::Error;
use tokio::sync::watch;

use crate::failure::Failure;

/// Stands for standard input.
const STDIN: &str = "-";

/// Policies that are to be applied.
pub(super) struct Proposals {
    pub(super) policies: Vec<Objects<OperatorPolicy>>,
    /// Their names.
    pub(super) keys: BTreeSet<Key>,
}

/// Files that are no policies.
#[derive(Debug, Error)]
enum ReadPolicies {
    #[error("read {0}: there is no such file or folder")]
    Missing(String),
    #[error("read standard input")]
    Stdin(#[source] std::io::Error),
    #[error("{0}")]
    Fault(Fault),
    #[error("{0} has no OperatorPolicy")]
    None(String),
    #[error("policy {0} is not in the namespace {1}, which -n names")]
    Elsewhere(Key, String),
    #[error("policy {0} is there twice; say which one is to be applied")]
    Twice(Key),
}

// === impl Proposals ===

impl Proposals {
    /// Reads files and folders. Whatever is wrong in them may be a policy, and ends it. Those without a
    /// namespace are applied to this one, or to `default`, and none to another.
    pub(super) async fn read(paths: &[PathBuf], namespace: &str) -> Result<Self, Failure> {
        let mut all = Self {
            policies: Vec::new(),
            keys: BTreeSet::new(),
        };
        for path in paths {
            let view = match path.to_str() {
                Some(STDIN) => stdin(),
                _ => files(path).await,
            };
            let mut view = view.map_err(Failure::refused)?;
            view.objects = Arc::new(placed(&view.objects, namespace));
            for key in view.objects.keys() {
                let is_elsewhere = !namespace.is_empty() && *key.namespace != *namespace;
                if is_elsewhere {
                    let elsewhere = ReadPolicies::Elsewhere(key.clone(), namespace.to_owned());
                    return Err(Failure::refused(elsewhere));
                }
                if !all.keys.insert(key.clone()) {
                    return Err(Failure::refused(ReadPolicies::Twice(key.clone())));
                }
            }
            let views = watch::Sender::new(view);
            all.policies
                .push(Objects::from_views(views.subscribe(), views));
        }
        Ok(all)
    }
}

/// In the namespace that they would be applied to.
fn placed(
    policies: &BTreeMap<Key, Arc<OperatorPolicy>>,
    namespace: &str,
) -> BTreeMap<Key, Arc<OperatorPolicy>> {
    let usual = if namespace.is_empty() {
        "default"
    } else {
        namespace
    };
    let placed = policies.iter().map(|(key, policy)| {
        if !key.namespace.is_empty() {
            return (key.clone(), policy.clone());
        }
        let mut placed = (**policy).clone();
        placed.metadata.namespace = Some(usual.to_owned());
        (Key::new(usual, &key.name), Arc::new(placed))
    });
    placed.collect()
}

async fn files(path: &Path) -> Result<View<OperatorPolicy>, ReadPolicies> {
    let missing = || ReadPolicies::Missing(path.display().to_string());
    if !path.exists() {
        return Err(missing());
    }
    let world = Files::at(path).reading(READS);
    let mut policies = world.objects::<OperatorPolicy>();
    let view = policies.known().await;
    whole(view.map_err(|_| missing())?, &path.display().to_string())
}

fn stdin() -> Result<View<OperatorPolicy>, ReadPolicies> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().read_to_end(&mut bytes);
    read.map_err(ReadPolicies::Stdin)?;
    let manifests = Manifests::read(Path::new("standard input"), &bytes).reading(READS);
    whole(manifests.view(), "standard input")
}

fn whole(view: View<OperatorPolicy>, place: &str) -> Result<View<OperatorPolicy>, ReadPolicies> {
    match view.faults.first() {
        Some(fault) => Err(ReadPolicies::Fault(fault.clone())),
        None if view.objects.is_empty() => Err(ReadPolicies::None(place.to_owned())),
        None => Ok(view),
    }
}
