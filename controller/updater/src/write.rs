//! Writes versions, conditions and events as the updater.

use std::collections::BTreeSet;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_api::operator::{GROUP, Operator};
use portolan_core_generate::updater::{
    MANAGER, Move, OperatorReport, Reason, SeenOperator, condition,
};
use portolan_core_names::text::listed;
use portolan_runtime::{
    FencedClient, Mismatch, News, Recorder, Write, WriteFailure, entered, reference,
};
use serde_json::{Value, json};

const KIND: &str = "Operator";

/// A client that writes as the updater.
#[derive(Debug)]
pub(crate) struct OperatorWriter {
    client: FencedClient,
    recorder: Recorder,
}

/// The result of writing `spec.version`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum VersionWrite {
    /// The version was written. Contains the new generation of the Operator.
    Done(Option<i64>),
    /// The version was not written. This report is written to the Operator instead.
    Held(OperatorReport),
    /// The version was not written, because the Operator has changed since it was read.
    Changed,
}

// === impl OperatorWriter ===

impl OperatorWriter {
    /// Creates a writer. `identity` is the name of this process in events: the name of its Pod or
    /// of its machine.
    pub(crate) fn new(client: &FencedClient, identity: &str) -> Self {
        Self {
            client: client.managed_by(MANAGER),
            recorder: Recorder::new(MANAGER, identity),
        }
    }

    /// Writes `spec.version` of an Operator that has not changed since it was read. The updater
    /// becomes the owner of the field only if the present owners are in `takes_from`.
    ///
    /// # Errors
    /// Returns an error if the outcome of the write is unknown.
    pub(crate) async fn version(
        &self,
        operator: &Operator,
        to: &Move,
    ) -> Result<VersionWrite, WriteFailure> {
        let metadata = &operator.metadata;
        let mut manifest = named(metadata);
        manifest["metadata"]["resourceVersion"] = json!(metadata.resource_version);
        manifest["spec"] = json!({"version": to.version});
        // Force takes the field from any owner. The resource version in the manifest ensures that
        // the owners are still those that were read.
        let is_forced = !to.takes_from.is_empty() && metadata.resource_version.is_some();
        let mut write = Write::apply(manifest)?.labeled("version");
        if !is_forced {
            write = write.unforced();
        }
        match self.client.write(&write).await {
            Ok(written) => Ok(VersionWrite::Done(
                written.and_then(|object| object.metadata.generation),
            )),
            Err(WriteFailure::Conflict(_)) => Ok(VersionWrite::Changed),
            Err(WriteFailure::FieldsOwned(conflicts)) => {
                let owners: BTreeSet<_> = conflicts.iter().map(|it| &it.manager).collect();
                let message = format!(
                    "spec.version is written by {}; to let the updater write spec.version, these \
                     writers must omit the field",
                    listed(owners)
                );
                Ok(VersionWrite::Held(OperatorReport {
                    reason: Reason::VersionManagedElsewhere,
                    message,
                }))
            }
            Err(WriteFailure::Refused(why)) => Ok(VersionWrite::Held(OperatorReport {
                reason: Reason::Refused,
                message: format!(
                    "version {} is available, but the API server rejects the change: {why}",
                    to.version
                ),
            })),
            Err(failure @ WriteFailure::Lost(_)) => Err(failure),
        }
    }

    /// Writes the updater's condition of an Operator, if it has changed. None removes the
    /// condition.
    ///
    /// # Errors
    /// Returns an error if the write fails or its outcome is unknown.
    pub(crate) async fn write_condition(
        &self,
        operator: &Operator,
        seen: &SeenOperator,
        said: Option<(&OperatorReport, Option<i64>)>,
        now: Timestamp,
    ) -> Result<(), WriteFailure> {
        let metadata = &operator.metadata;
        self.recorder.settle(&self.client, metadata).await?;
        let after = said.map(|(said, generation)| condition(said, seen, generation, now));
        if after == seen.condition {
            return Ok(());
        }
        let mut manifest = named(metadata);
        manifest["status"] = json!({"conditions": after.as_slice()});
        let write = Write::apply(manifest)?.unforced().on_status();
        match self.client.write(&write.labeled("tell")).await {
            Ok(_) => {}
            // The Operator was deleted, so its condition is not needed.
            Err(WriteFailure::Conflict(Mismatch::Gone(_))) => return Ok(()),
            Err(failure) => return Err(failure),
        }
        let before = seen.condition.as_slice();
        for new in entered(before, after.as_slice()) {
            let about = reference(&api_version(), KIND, metadata);
            let is_warning = said.is_some_and(|(said, _)| said.reason.is_warning());
            let news = News::of_condition(about, new, is_warning, now);
            // If the outcome of an event is unknown, the recorder creates the event again later.
            let _ = self.recorder.record(&self.client, metadata, news).await;
        }
        Ok(())
    }

    /// Creates an event that says that the configuration is invalid.
    pub(crate) async fn invalid(&self, config_map: &ObjectMeta, why: &str, now: Timestamp) {
        let news = News {
            about: reference("v1", "ConfigMap", config_map),
            related: None,
            is_warning: true,
            reason: Reason::ConfigurationInvalid.as_str().to_owned(),
            action: "Update".to_owned(),
            message: format!("nothing is updated: {why}"),
            at: now,
            mark: config_map.resource_version.clone().unwrap_or_default(),
        };
        // If the outcome of an event is unknown, the recorder creates the event again later.
        let _ = self.recorder.record(&self.client, config_map, news).await;
    }
}

fn api_version() -> String {
    format!("{GROUP}/v1alpha1")
}

/// Returns a manifest without fields. Because of the uid, an apply of it fails if another Operator
/// has the same name now.
fn named(metadata: &ObjectMeta) -> Value {
    json!({
        "apiVersion": api_version(),
        "kind": KIND,
        "metadata": {"name": metadata.name, "uid": metadata.uid},
    })
}
