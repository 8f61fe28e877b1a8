//! Policies that are to be applied, from files.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_controller::READS;
use portolan_world::{Files, Key, Manifests, Objects, View, World as _};
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
            let mut view = match path.to_str() {
                Some(STDIN) => stdin()?,
                _ => files(path).await?,
            };
            view.objects = Arc::new(placed(&view.objects, namespace));
            for key in view.objects.keys() {
                if !namespace.is_empty() && *key.namespace != *namespace {
                    return Err(Failure::taught(format!(
                        "policy {key} is not in the namespace {namespace}, which -n names"
                    )));
                }
                if !all.keys.insert(key.clone()) {
                    return Err(Failure::taught(format!(
                        "policy {key} is there twice; say which one is to be applied"
                    )));
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

async fn files(path: &Path) -> Result<View<OperatorPolicy>, Failure> {
    let place = path.display().to_string();
    let missing = || Failure::taught(format!("read {place}: there is no such file or folder"));
    if !path.exists() {
        return Err(missing());
    }
    let world = Files::at(path).reading(READS);
    let mut policies = world.objects::<OperatorPolicy>();
    let view = policies.known().await;
    whole(view.map_err(|_| missing())?, &place)
}

fn stdin() -> Result<View<OperatorPolicy>, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().read_to_end(&mut bytes);
    read.map_err(|error| Failure::refused_to("read standard input", &error))?;
    let manifests = Manifests::read(Path::new("standard input"), &bytes).reading(READS);
    whole(manifests.view(), "standard input")
}

fn whole(view: View<OperatorPolicy>, place: &str) -> Result<View<OperatorPolicy>, Failure> {
    match view.faults.first() {
        Some(fault) => Err(Failure::taught(fault.to_string())),
        None if view.objects.is_empty() => {
            Err(Failure::taught(format!("{place} has no OperatorPolicy")))
        }
        None => Ok(view),
    }
}
