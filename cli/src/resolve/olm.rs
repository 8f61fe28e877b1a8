//! `portolan resolve --as-olm`: predicts the actions of OLM v0 in a namespace, and explains why OLM
//! is stuck.

mod table;

use std::collections::BTreeSet;

use clap::Args;
use portolan_controller::encode_namespace;
use portolan_core_olm::NamespaceObjects;
use portolan_proto::resolver::v1::predict_olm_response::End;
use portolan_proto::resolver::v1::{CatalogRef, PredictOlmRequest, PredictOlmResponse};
use portolan_world::View;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::operators::OlmObjects;
use crate::print::{Detail, Page, Render};

/// The remedy for invalid input.
pub(super) const WAY_OUT: &str = "use the output of `kubectl get sub,csv,og -o yaml`";

/// The flags for the prediction of OLM v0.
#[derive(Debug, Args)]
#[command(next_help_heading = "Prediction of OLM v0")]
pub(super) struct AsOlmArgs {
    /// Predict what OLM v0 will do in a namespace: each InstallPlan in order, and the reason if OLM
    /// gets stuck.
    ///
    /// Select the namespace with -n, unless only one namespace has Subscriptions. If you use
    /// --installed, its file contains the output of `kubectl get sub,csv,og -o yaml`.
    #[arg(long)]
    pub(super) as_olm: bool,

    /// Namespace whose catalogs are visible in all namespaces, and default namespace of catalogs.
    #[arg(
        long,
        value_name = "NAMESPACE",
        default_value = "olm",
        requires = "as_olm"
    )]
    global_namespace: String,
}

// === impl AsOlmArgs ===

impl AsOlmArgs {
    /// Returns the request for a prediction. If the user specified no namespace, the request uses
    /// the only namespace with Subscriptions.
    pub(super) fn question(
        &self,
        told: &OlmObjects,
        namespace: &str,
    ) -> Result<PredictOlmRequest, Failure> {
        let namespace = match namespace {
            "" => only_namespace(told)?,
            named => named.to_owned(),
        };
        let asked = encode_namespace(&NamespaceObjects {
            name: &namespace,
            operator_groups: of(&told.groups, &namespace).collect(),
            subscriptions: of(&told.subscriptions, &namespace).collect(),
            csvs: of(&told.csvs, &namespace).collect(),
            copies: of(&told.copies, &namespace).collect(),
        });
        Ok(PredictOlmRequest {
            global_namespace: self.global_namespace.clone(),
            ..asked
        })
    }
}

/// The predicted actions of OLM in a namespace.
#[derive(Debug, Serialize)]
pub(super) struct OlmForecast {
    #[serde(skip)]
    pub(super) namespace: String,
    #[serde(flatten)]
    pub(super) answer: PredictOlmResponse,
}

impl Render for OlmForecast {
    fn page(&self, detail: Detail) -> Page {
        table::render(&self.namespace, &self.answer, detail)
    }

    fn catalogs(&self) -> &[CatalogRef] {
        &self.answer.catalogs
    }

    fn exit(&self) -> Exit {
        match &self.answer.end {
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
}

fn only_namespace(told: &OlmObjects) -> Result<String, Failure> {
    let place = &told.place;
    let names = told.subscriptions.objects.keys();
    let names: BTreeSet<&str> = names.map(|key| &*key.namespace).collect();
    let names: Vec<_> = names.into_iter().collect();
    match names.as_slice() {
        [] => Err(Failure::usage(format!(
            "{place}no Subscription found; select the namespace with -n"
        ))),
        [only] => Ok((*only).to_owned()),
        several => Err(Failure::usage(format!(
            "{place}Subscriptions exist in several namespaces: {}; select one namespace with -n",
            several.join(", ")
        ))),
    }
}

fn of<'a, K>(view: &'a View<K>, namespace: &str) -> impl Iterator<Item = &'a K> {
    let objects = view.objects.iter();
    let objects = objects.filter(move |(key, _)| &*key.namespace == namespace);
    objects.map(|(_, object)| &**object)
}
