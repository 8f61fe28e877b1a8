//! A namespace of a cluster, as `kubectl` prints it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use portolan_core_olm::{Approval, ClusterServiceVersion, CopiedCsv, OperatorGroup, Subscription};
use portolan_proto::resolver::v1::PredictOlmRequest;
use portolan_proto::resolver::v1::predict_olm_request as request;
use portolan_world::{Kind, Manifests, View};
use thiserror::Error;

use crate::resolve::installed::api;

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
    Ok(PredictOlmRequest {
        operator_groups: of(&groups, &namespace)
            .map(|(name, each)| group(name, each))
            .collect(),
        subscriptions: of(&subscriptions, &namespace)
            .map(|(name, each)| subscription(name, each))
            .collect(),
        csvs: of(&csvs, &namespace)
            .map(|(name, each)| csv(name, each))
            .chain(of(&copies, &namespace).map(|(name, _)| copied_csv(name)))
            .collect(),
        global_namespace: String::new(),
        namespace,
    })
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

fn of<'a, K>(view: &'a View<K>, namespace: &'a str) -> impl Iterator<Item = (&'a str, &'a Arc<K>)> {
    let objects = view.objects.iter();
    let objects = objects.filter(move |(key, _)| &*key.namespace == namespace);
    objects.map(|(key, object)| (&*key.name, object))
}

fn group(name: &str, group: &Arc<OperatorGroup>) -> request::OperatorGroup {
    request::OperatorGroup {
        name: name.to_owned(),
        excludes_global_catalogs: group.excludes_global_catalogs(),
        fails_forward: group.fails_forward(),
    }
}

fn subscription(name: &str, subscription: &Arc<Subscription>) -> request::Subscription {
    let (spec, status) = (&subscription.spec, &subscription.status);
    request::Subscription {
        name: name.to_owned(),
        package: spec.package.clone(),
        channel: spec.channel.clone(),
        catalog: match spec.source_namespace.as_str() {
            "" => spec.source.clone(),
            namespace => format!("{namespace}/{}", spec.source),
        },
        starting_csv: spec.starting_csv.clone(),
        installed_csv: status.installed_csv.clone(),
        current_csv: status.current_csv.clone(),
        approved_by_hand: spec.install_plan_approval == Approval::Manual,
        has_plan: status.install_plan_ref.is_some(),
        plan_failed: subscription.plan_failed(),
    }
}

fn csv(name: &str, csv: &Arc<ClusterServiceVersion>) -> request::Csv {
    request::Csv {
        name: name.to_owned(),
        version: csv.spec.version.clone(),
        replaces: csv.spec.replaces.clone(),
        phase: csv.status.phase.to_string(),
        copied: csv.is_copied(),
        properties: csv.properties_text().unwrap_or_default().to_owned(),
        provides: csv.owned().map(api).collect(),
        requires: csv.required().map(api).collect(),
    }
}

/// Of a copy, the name is all that OLM goes by.
fn copied_csv(name: &str) -> request::Csv {
    request::Csv {
        name: name.to_owned(),
        copied: true,
        ..request::Csv::default()
    }
}
