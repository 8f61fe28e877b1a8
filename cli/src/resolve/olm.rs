//! `portolan resolve --as-olm`: what OLM v0 itself will do in a namespace, and why it is stuck.

mod table;

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use portolan_controller::encode_namespace;
use portolan_core_olm::{
    ClusterServiceVersion, CopiedCsv, NamespaceObjects, OperatorGroup, Subscription,
};
use portolan_proto::resolver::v1::predict_olm_response::End;
use portolan_proto::resolver::v1::{PredictOlmRequest, PredictOlmResponse};
use portolan_world::{Fault, Kind, Manifests, View};

pub(super) use self::table::render;
use super::installed;
use crate::exit::Exit;
use crate::failure::Failure;

/// Which namespace OLM is asked about.
#[derive(Debug, Args)]
#[command(next_help_heading = "As OLM v0 does it")]
pub(super) struct Olm {
    /// Say what OLM v0 itself will do in a namespace, one InstallPlan after the other, and why it
    /// is stuck if so. --installed has what `kubectl get sub,csv,og -o yaml` prints.
    #[arg(long)]
    pub(super) as_olm: bool,

    /// The namespace; may be left out where only one of the dump has Subscriptions.
    #[arg(short, long, value_name = "NAMESPACE", requires = "as_olm")]
    namespace: Option<String>,

    /// The namespace whose catalogs all namespaces see, and that of catalogs without one.
    #[arg(
        long,
        value_name = "NAMESPACE",
        default_value = "olm",
        requires = "as_olm"
    )]
    global_namespace: String,
}

// === impl Olm ===

impl Olm {
    /// What the resolver is asked, told by a dump.
    pub(super) fn question(
        &self,
        wishes: &[String],
        installed: Option<&str>,
    ) -> Result<PredictOlmRequest, Failure> {
        if let Some(wish) = wishes.first() {
            return Err(Failure::taught(format!(
                "--as-olm takes no wish such as {wish:?}: what OLM does follows from the \
                 Subscriptions in the dump (--installed)"
            )));
        }
        let Some(file) = installed else {
            return Err(Failure::taught(
                "--as-olm needs to know the namespace: --installed takes a file, or - for standard \
                 input, with what `kubectl get sub,csv,og -o yaml` prints",
            ));
        };
        let (file, bytes) = installed::read_bytes(file)?;
        Ok(PredictOlmRequest {
            global_namespace: self.global_namespace.clone(),
            ..read(file, &bytes, self.namespace.as_deref())?
        })
    }
}

/// Whether OLM comes to an end by itself.
pub(super) fn said(answer: &PredictOlmResponse) -> Exit {
    match &answer.end {
        Some(End::Settled(_)) => Exit::Answered,
        Some(
            End::Failed(_)
            | End::Silent(_)
            | End::AwaitsApproval(_)
            | End::AwaitsPlans(_)
            | End::Circles(_)
            | End::Endless(_),
        ) => Exit::No,
        Some(End::GaveUp(_)) | None => Exit::Unknown,
    }
}

/// Reads the objects of a namespace: the named one, else the only one with Subscriptions.
fn read(file: &str, bytes: &[u8], namespace: Option<&str>) -> Result<PredictOlmRequest, Failure> {
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

fn whole<K: Kind>(manifests: &Manifests) -> Result<View<K>, Failure> {
    let view = manifests.view::<K>();
    match view.faults.first() {
        Some(Fault { place, why }) => Err(Failure::taught(format!(
            "{place}: {why} (--installed); what can be read is what `kubectl get sub,csv,og -o \
             yaml` prints"
        ))),
        None => Ok(view),
    }
}

fn only_namespace(file: &str, subscriptions: &View<Subscription>) -> Result<String, Failure> {
    let names = subscriptions.objects.keys();
    let names: BTreeSet<&str> = names.map(|key| &*key.namespace).collect();
    let names: Vec<_> = names.into_iter().collect();
    match names.as_slice() {
        [] => Err(Failure::taught(format!(
            "{file}: there is no Subscription in it (--installed); -n says which namespace is \
             meant"
        ))),
        [only] => Ok((*only).to_owned()),
        several => Err(Failure::taught(format!(
            "{file}: there are Subscriptions in {} (--installed); -n says which is meant",
            several.join(", ")
        ))),
    }
}

fn of<'a, K>(view: &'a View<K>, namespace: &str) -> impl Iterator<Item = &'a K> {
    let objects = view.objects.iter();
    let objects = objects.filter(move |(key, _)| &*key.namespace == namespace);
    objects.map(|(_, object)| &**object)
}
