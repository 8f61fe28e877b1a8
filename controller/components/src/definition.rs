//! Adds version v2alpha1 to OLM's CRD of Operators, and removes the version.

use std::collections::BTreeSet;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use portolan_api::components::DEFINITION;
use portolan_core_components::{Step, WantedDefinition, about_definition};
use portolan_core_names::{Gvk, ObjectRef};
use portolan_runtime::{News, ObservedObject, Outcome, Write, WriteFailure, reference};
use portolan_world::Key;
use serde_json::json;

use crate::Catalogs;
use crate::cache::ComponentReport;
use crate::readings::at;
use crate::reconcile::{ComponentReconciler, failed_outcome};

const VERSION: &str = "apiextensions.k8s.io/v1";
const KIND: &str = "CustomResourceDefinition";

/// The outcome of changing the CRD, which is reported.
enum DefinitionOutcome {
    Nothing,
    Done(&'static str),
    TakenOut(String),
    Refused(String),
}

impl<C: Catalogs> ComponentReconciler<C> {
    /// Reconciles the CRD of Operators.
    pub(crate) async fn define(
        &self,
        key: &Key,
        has_data: bool,
    ) -> Outcome<Option<ComponentReport>> {
        match self.defined(key, has_data).await {
            Ok(outcome) => outcome,
            Err(failure) => failed_outcome(&failure),
        }
    }

    async fn defined(
        &self,
        key: &Key,
        has_data: bool,
    ) -> Result<Outcome<Option<ComponentReport>>, WriteFailure> {
        let id = ObjectRef::new(Gvk::new(VERSION, KIND), "", DEFINITION);
        let at = at(&id, "customresourcedefinitions");
        let Some(found) = self.client().find(&at).await? else {
            return Ok(Outcome::default());
        };
        let about = reference(VERSION, KIND, &found.metadata);
        let mut outcome = Outcome::default();
        let step = about_definition(&json!(found), self.wish(), has_data);
        let is_ours = match (&step, self.wish()) {
            (Step::Refused(_), WantedDefinition::Serve { .. }) => false,
            (_, WantedDefinition::Serve { .. } | WantedDefinition::Remove) => true,
        };
        let told = match step {
            Step::Nothing => DefinitionOutcome::Nothing,
            Step::TakenOut(sentence) => DefinitionOutcome::TakenOut(sentence),
            Step::Refused(sentence) => DefinitionOutcome::Refused(sentence),
            Step::Write(operations, what) => {
                let seen = ObservedObject {
                    target: at,
                    uid: found.metadata.uid.clone().unwrap_or_default(),
                    version: found.metadata.resource_version.clone().unwrap_or_default(),
                };
                let write = Write::patch(seen, operations);
                let written = self.session().write(write).await?;
                outcome.pending.extend(written.pending);
                outcome.has_acted = true;
                DefinitionOutcome::Done(what)
            }
        };
        self.report_outcome(key, about, told).await;
        outcome.report = Some(ComponentReport {
            is_ours: Some(is_ours),
            ..ComponentReport::default()
        });
        Ok(outcome)
    }

    /// Reports an outcome in the log and as an event. The same outcome is reported only once.
    async fn report_outcome(&self, key: &Key, about: ObjectReference, told: DefinitionOutcome) {
        let (reason, message) = match told {
            DefinitionOutcome::Nothing => {
                self.is_news(key, BTreeSet::new());
                return;
            }
            DefinitionOutcome::Done(what) => {
                tracing::info!(definition = DEFINITION, "{what}");
                self.is_news(key, BTreeSet::new());
                return;
            }
            DefinitionOutcome::TakenOut(message) => ("VersionTakenOut", message),
            DefinitionOutcome::Refused(message) => ("DefinitionRefused", message),
        };
        if !self.is_news(key, [message.clone()].into()) {
            return;
        }
        tracing::warn!(definition = DEFINITION, reason, "{message}");
        let news = News {
            about,
            related: None,
            is_warning: true,
            reason: reason.to_owned(),
            action: "Reconcile".to_owned(),
            mark: reason.to_owned(),
            message,
            at: Timestamp::now(),
        };
        self.record(key, news).await;
    }
}
