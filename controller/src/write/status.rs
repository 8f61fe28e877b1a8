//! What is said of a policy: its status, then what is new about it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;
use kube::Api;
use kube::api::DynamicObject;
use kube::core::TypeMeta;
use portolan_api::{HistoryEvent, OperatorPolicy, OperatorPolicyStatus};
use portolan_core_operatorpolicy::{News, Told};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::act::{as_us, parse};
use super::event::event;
use super::line::{About, Deed, WriteFailure};
use super::place::Place;
use super::{Reviewer, Schema, Writer};
use crate::observe::DEFINITION;

const API_VERSION: &str = "policy.open-cluster-management.io/v1beta1";
pub(super) const KIND: &str = "OperatorPolicy";
/// How long a schema is taken for the one that is served.
const SCHEMA_LASTS: Duration = Duration::from_secs(600);
/// For how long news may be told late, after a process ended in between: an API server keeps events
/// for an hour, so one that was made is known by its name.
const LATE: Duration = Duration::from_secs(1800);

/// The schema that is served, and when it was read.
#[derive(Debug, Default)]
pub(super) struct Schemas(Mutex<Option<(Instant, Arc<Schema>)>>);

impl<R: Reviewer> Writer<R> {
    /// Tells the last of these statuses, if it is not what the policy says already, and after it
    /// the news of all of them. The resource version of the policy is the new one; None if it was
    /// not written.
    ///
    /// # Errors
    /// The status is not written; or it is, and nobody knows of the news, which the next call
    /// about the policy tries again.
    pub async fn tell(
        &self,
        policy: &OperatorPolicy,
        told: &[Told],
    ) -> Result<Option<String>, WriteFailure> {
        let written = self.told(policy, told).await?;
        Ok(written.and_then(|policy| policy.metadata.resource_version))
    }

    /// Tells what is young of the history of a policy once more, the oldest first: a process that
    /// ended after it wrote a status may not have told it. It is told only once, however often it
    /// is said.
    ///
    /// # Errors
    /// Nobody knows whether all of it was told.
    pub async fn announce_again(&self, policy: &OperatorPolicy) -> Result<(), WriteFailure> {
        let history = policy.status.iter().flat_map(|status| &status.history);
        let young = history
            .filter_map(news)
            .take_while(|news| Timestamp::now().duration_since(news.at) < late());
        let young: Vec<_> = young.collect();
        let mut result = Ok(());
        for news in young.iter().rev() {
            let event = event(policy, news, &self.identity);
            result = result.and(self.announce(policy, event).await);
        }
        result
    }

    pub(super) async fn told(
        &self,
        policy: &OperatorPolicy,
        told: &[Told],
    ) -> Result<Option<OperatorPolicy>, WriteFailure> {
        self.settle(policy).await?;
        let Some(last) = told.last() else {
            return Ok(None);
        };
        let written = self.write_status(policy, &last.status).await?;
        // Each of them is tried, or owed, before the first failure is told.
        let mut result = Ok(written);
        for news in told.iter().filter_map(|told| told.news.as_ref()) {
            let event = event(policy, news, &self.identity);
            if let Err(failure) = self.announce(policy, event).await {
                result = Err(failure);
            }
        }
        result
    }

    async fn write_status(
        &self,
        policy: &OperatorPolicy,
        status: &OperatorPolicyStatus,
    ) -> Result<Option<OperatorPolicy>, WriteFailure> {
        let before = json!(policy.status.clone().unwrap_or_default());
        let status = json!(status);
        if status == before {
            return Ok(None);
        }
        let status = self.schema().await?.cut(status);
        if status == before {
            return Ok(None);
        }
        let metadata = &policy.metadata;
        let place = Place {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone().unwrap_or_default(),
        };
        let api = place.api(self.line.client());
        let object = with_status(policy, status)?;
        let us = as_us();
        let replaced = api.replace_status(&place.name, &us, &object);
        let deed = Deed("tell", KIND);
        let replaced = self.line.write(deed, About::Known, replaced).await?;
        let replaced = serde_json::to_value(replaced).unwrap_or_default();
        parse(replaced).map(Some)
    }

    /// The schema of policies that the API server goes by.
    async fn schema(&self) -> Result<Arc<Schema>, WriteFailure> {
        let mut known = self.schemas.0.lock().await;
        if let Some((_, schema)) = known.as_ref().filter(|(at, _)| at.elapsed() < SCHEMA_LASTS) {
            return Ok(schema.clone());
        }
        let place = Place {
            api_version: "apiextensions.k8s.io/v1".to_owned(),
            kind: "CustomResourceDefinition".to_owned(),
            namespace: None,
            name: DEFINITION.to_owned(),
        };
        let api = place.api(self.line.client());
        let definition = self.line.read(About::Known, api.get(DEFINITION)).await;
        let schema = match definition {
            Ok(definition) => Schema::of(&definition.data),
            // The API server itself drops what it does not know.
            Err(WriteFailure::Refused(why)) => {
                tracing::warn!(error = why, "the schema of policies may not be read");
                Schema::any()
            }
            Err(failure) => return Err(failure),
        };
        let schema = Arc::new(schema);
        *known = Some((Instant::now(), schema.clone()));
        Ok(schema)
    }

    /// Makes an event, once: its name says what it is about.
    async fn announce(&self, policy: &OperatorPolicy, event: Event) -> Result<(), WriteFailure> {
        let namespace = policy.metadata.namespace.as_deref().unwrap_or_default();
        let events: Api<Event> = Api::namespaced(self.line.client(), namespace);
        let us = as_us();
        let created = events.create(&us, &event);
        let deed = Deed("create", "Event");
        match self.line.write(deed, About::New, created).await {
            Ok(_) | Err(WriteFailure::Changed(_)) => Ok(()),
            Err(WriteFailure::Refused(why)) => {
                tracing::warn!(error = why, "an event is refused");
                Ok(())
            }
            Err(lost) => {
                self.met().with(policy).owed.push(event);
                Err(lost)
            }
        }
    }

    /// Makes the events of a policy of which nobody knows whether they were made.
    async fn settle(&self, policy: &OperatorPolicy) -> Result<(), WriteFailure> {
        let (owed, is_new) = {
            let mut met = self.met();
            let known = met.with(policy);
            let is_new = !std::mem::replace(&mut known.is_told, true);
            (std::mem::take(&mut known.owed), is_new)
        };
        let mut result = match is_new {
            true => self.announce_again(policy).await,
            false => Ok(()),
        };
        for event in owed {
            result = result.and(self.announce(policy, event).await);
        }
        result
    }
}

/// A policy with another status, as a request has it.
fn with_status(policy: &OperatorPolicy, status: Value) -> Result<DynamicObject, WriteFailure> {
    let metadata = &policy.metadata;
    let mut object: DynamicObject = parse(json!({
        "metadata": {
            "name": metadata.name,
            "namespace": metadata.namespace,
            "uid": metadata.uid,
            "resourceVersion": metadata.resource_version,
        },
        "status": status,
    }))?;
    object.types = Some(TypeMeta {
        api_version: API_VERSION.to_owned(),
        kind: KIND.to_owned(),
    });
    Ok(object)
}

/// A line of a history, as news.
fn news(line: &HistoryEvent) -> Option<News> {
    let message = line.message.clone()?;
    Some(News {
        is_compliant: message.starts_with("Compliant;"),
        message,
        at: line.last_timestamp.as_ref()?.0,
    })
}

fn late() -> jiff::SignedDuration {
    jiff::SignedDuration::try_from(LATE).unwrap_or_default()
}
