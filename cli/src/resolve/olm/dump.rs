//! A namespace of a cluster, as `kubectl` prints it.

use std::collections::BTreeSet;
use std::path::Path;

use portolan_controller::encode_namespace;
use portolan_core_olm::{
    ClusterServiceVersion, CopiedCsv, NamespaceObjects, OperatorGroup, Subscription,
};
use portolan_proto::resolver::v1::PredictOlmRequest;
use portolan_world::{Kind, Manifests, View};
use thiserror::Error;

/// A text that does not say what a namespace has.
#[derive(Debug, Error)]
pub(super) enum NoDump {
    /// What it says cannot be read.
    #[error(
        "{place}: {why} (--installed); what can be read is what `kubectl get sub,csv,og -o yaml` \
         prints"
    )]
    Unreadable { place: String, why: String },
    /// Nobody says which namespace is meant.
    #[error(
        "{file}: there is no Subscription in it (--installed); -n says which namespace is meant"
    )]
    NoNamespace { file: String },
    /// Several could be meant.
    #[error("{file}: there are Subscriptions in {names} (--installed); -n says which is meant")]
    Namespaces { file: String, names: String },
}

/// Reads the objects of a namespace: the named one, else the only one with Subscriptions.
pub(super) fn read(
    file: &str,
    bytes: &[u8],
    namespace: Option<&str>,
) -> Result<PredictOlmRequest, NoDump> {
    let manifests = Manifests::read(Path::new(file), bytes);
    let groups = whole::<OperatorGroup>(&manifests)?;
    let subscriptions = whole::<Subscription>(&manifests)?;
    let csvs = whole::<ClusterServiceVersion>(&manifests)?;
    let copies = whole::<CopiedCsv>(&manifests)?;
    let namespace = match namespace {
        Some(named) => named.to_owned(),
        None => only_namespace(file, &subscriptions)?,
    };
    Ok(encode_namespace(&NamespaceObjects {
        name: &namespace,
        operator_groups: of(&groups, &namespace).collect(),
        subscriptions: of(&subscriptions, &namespace).collect(),
        csvs: of(&csvs, &namespace).collect(),
        copies: of(&copies, &namespace).collect(),
    }))
}

fn whole<K: Kind>(manifests: &Manifests) -> Result<View<K>, NoDump> {
    let view = manifests.view::<K>();
    match view.faults.first() {
        Some(fault) => Err(NoDump::Unreadable {
            place: fault.place.to_string(),
            why: fault.why.clone(),
        }),
        None => Ok(view),
    }
}

fn only_namespace(file: &str, subscriptions: &View<Subscription>) -> Result<String, NoDump> {
    let names = subscriptions.objects.keys();
    let names: BTreeSet<&str> = names.map(|key| &*key.namespace).collect();
    let names: Vec<_> = names.into_iter().collect();
    let file = file.to_owned();
    match names.as_slice() {
        [] => Err(NoDump::NoNamespace { file }),
        [only] => Ok((*only).to_owned()),
        several => Err(NoDump::Namespaces {
            file,
            names: several.join(", "),
        }),
    }
}

fn of<'a, K>(view: &'a View<K>, namespace: &str) -> impl Iterator<Item = &'a K> {
    let objects = view.objects.iter();
    let objects = objects.filter(move |(key, _)| &*key.namespace == namespace);
    objects.map(|(_, object)| &**object)
}
