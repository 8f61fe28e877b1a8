//! Reads policies and Operators from files before the user applies them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_controller::READS;
use portolan_world::{Files, Key, Kind, Manifests, Objects, View, World as _};
use tokio::sync::watch;

use crate::failure::Failure;

/// The argument that selects standard input.
const STDIN: &str = "-";

/// Policies and Operators that the user intends to apply.
#[derive(Default)]
pub(super) struct Proposals {
    pub(super) policies: Vec<Objects<OperatorPolicy>>,
    /// The namespaces and names of the policies.
    pub(super) keys: BTreeSet<Key>,
    pub(super) operators: Vec<Objects<Operator>>,
    pub(super) names_of_operators: BTreeSet<String>,
}

/// The policies and Operators of one file or folder.
struct ReadFiles {
    policies: View<OperatorPolicy>,
    operators: View<Operator>,
}

// === impl Proposals ===

impl Proposals {
    /// Reads files and folders. Any fault in a document is an error, because this document may be a
    /// policy or an Operator. Policies without a namespace are assigned to `namespace`, or to
    /// `default` if it is empty.
    pub(super) async fn read(paths: &[PathBuf], namespace: &str) -> Result<Self, Failure> {
        let mut all = Self::default();
        for path in paths {
            let read = match path.to_str() {
                Some(STDIN) => stdin()?,
                _ => files(path).await?,
            };
            all.propose_policies(read.policies, namespace)?;
            all.propose_operators(read.operators)?;
        }
        Ok(all)
    }

    fn propose_policies(
        &mut self,
        mut view: View<OperatorPolicy>,
        namespace: &str,
    ) -> Result<(), Failure> {
        view.objects = Arc::new(with_namespace(&view.objects, namespace));
        for key in view.objects.keys() {
            if !namespace.is_empty() && *key.namespace != *namespace {
                return Err(Failure::usage(format!(
                    "policy {key} is not in namespace {namespace} of -n; change -n or the namespace of the policy"
                )));
            }
            if !self.keys.insert(key.clone()) {
                return Err(Failure::usage(format!(
                    "policy {key} is given twice; remove one of the two"
                )));
            }
        }
        self.policies.push(still(view));
        Ok(())
    }

    fn propose_operators(&mut self, view: View<Operator>) -> Result<(), Failure> {
        if view.objects.is_empty() {
            return Ok(());
        }
        for key in view.objects.keys() {
            let name = key.name.to_string();
            if !self.names_of_operators.insert(name) {
                return Err(Failure::usage(format!(
                    "Operator {} is given twice; remove one of the two",
                    key.name
                )));
            }
        }
        self.operators.push(still(view));
        Ok(())
    }
}

/// Returns objects from a view that never changes, because files are read only once.
pub(crate) fn still<K: Kind>(view: View<K>) -> Objects<K> {
    let views = watch::Sender::new(view);
    Objects::from_views(views.subscribe(), views)
}

/// Assigns policies without a namespace to the namespace in which the user would create them.
fn with_namespace(
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

async fn files(path: &Path) -> Result<ReadFiles, Failure> {
    let place = path.display().to_string();
    let missing = || Failure::usage(format!("cannot read {place}: no such file or folder"));
    if !path.exists() {
        return Err(missing());
    }
    let world = Files::at(path).reading(READS);
    let (mut policies, mut operators) = (world.objects(), world.objects());
    let policies = policies.known().await.map_err(|_| missing())?;
    let operators = operators.known().await.map_err(|_| missing())?;
    whole(policies, operators, &place)
}

fn stdin() -> Result<ReadFiles, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().read_to_end(&mut bytes);
    read.map_err(|error| Failure::refused_to("cannot read standard input", &error))?;
    let manifests = Manifests::read(Path::new("standard input"), &bytes).reading(READS);
    whole(manifests.view(), manifests.view(), "standard input")
}

fn whole(
    policies: View<OperatorPolicy>,
    operators: View<Operator>,
    place: &str,
) -> Result<ReadFiles, Failure> {
    let mut faults = policies.faults.iter().chain(operators.faults.iter());
    if let Some(fault) = faults.next() {
        return Err(Failure::usage(fault.to_string()));
    }
    if policies.objects.is_empty() && operators.objects.is_empty() {
        return Err(Failure::usage(format!(
            "{place} does not contain an OperatorPolicy or an Operator of operators.operatorframework.io"
        )));
    }
    Ok(ReadFiles {
        policies,
        operators,
    })
}
