//! The facts on which the decision about a removal is based.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_api::{Intent, RelatedObject, RemovalRecord, RemovedObject};
use portolan_core_olm::{
    ClusterServiceVersion, CustomResourceDefinition, InstallPlan, OperatorGroup, Subscription,
};

use super::record::is_going;
use super::stage::Stage;
use crate::{NamespaceState, Observed, managed};

/// A policy whose operator is removed, with the facts on which the decision is based.
#[derive(Debug, Clone)]
pub(crate) struct RemovalCase<'a> {
    pub(super) intent: &'a Intent,
    pub(super) observed: &'a Observed,
    pub(super) namespace: &'a NamespaceState,
    pub(super) now: Timestamp,
    /// The reason why no object of the policy may be deleted, as a clause. None if objects may be
    /// deleted.
    pub(super) obstacle: Option<String>,
    /// The reason why the controller deletes nothing, although the policy may remove the operator.
    /// The reason is a clause. None if the controller deletes objects.
    pub(super) idle: Option<String>,
}

impl<'a> RemovalCase<'a> {
    /// Returns a removal in which `obstacle` and `idle` are None.
    pub(super) fn of(
        intent: &'a Intent,
        observed: &'a Observed,
        namespace: &'a NamespaceState,
        now: Timestamp,
    ) -> Self {
        Self {
            intent,
            observed,
            namespace,
            now,
            obstacle: None,
            idle: None,
        }
    }

    pub(super) fn package(&self) -> &'a str {
        self.intent.subscription.package.as_str()
    }

    /// Returns the record in the status. It is written before the first object is deleted. Returns
    /// None if no removal has begun.
    pub(super) fn record(&self) -> Option<&'a RemovalRecord> {
        self.observed.policy.status.as_ref()?.removal.as_ref()
    }

    /// Returns the objects of a stage that were recorded for deletion.
    pub(super) fn recorded(&self, stage: Stage) -> impl Iterator<Item = &'a RemovedObject> {
        let record = self.record().into_iter();
        record
            .flat_map(|record| &record.objects)
            .filter(move |object| Stage::of(&object.api_version, &object.kind) == Some(stage))
            .filter(|object| is_going(object))
    }

    /// Returns true if the object with this uid was recorded for deletion.
    pub(super) fn is_recorded(&self, stage: Stage, metadata: &ObjectMeta) -> bool {
        metadata.uid.is_some()
            && self
                .recorded(stage)
                .any(|object| object.uid == metadata.uid)
    }

    /// Returns true if the object with this uid was recorded for deletion or to be kept.
    pub(super) fn is_listed(&self, stage: Stage, metadata: &ObjectMeta) -> bool {
        let record = self.record().into_iter();
        let mut objects = record.flat_map(|record| &record.objects);
        metadata.uid.is_some()
            && objects.any(|object| {
                object.uid == metadata.uid
                    && Stage::of(&object.api_version, &object.kind) == Some(stage)
            })
    }

    /// Returns true if the policy created this object.
    pub(super) fn made(&self, stage: Stage, metadata: &ObjectMeta) -> bool {
        let uid = self.observed.policy.metadata.uid.as_deref();
        let is_marked = uid.is_some() && managed::creator(metadata) == uid;
        let is_told = metadata.uid.is_some()
            && self.listed_as_created(stage).any(|listed| {
                let properties = listed.properties.as_ref();
                properties.is_some_and(|properties| properties.uid == metadata.uid)
            });
        is_marked || is_told
    }

    /// Returns the objects of a stage that this policy created, according to its status.
    pub(super) fn listed_as_created(
        &self,
        stage: Stage,
    ) -> impl Iterator<Item = &'a RelatedObject> {
        let (_, kind) = stage.kind();
        let status = self.observed.policy.status.as_ref();
        let all = status.map(|status| status.related_objects.as_slice());
        all.unwrap_or_default().iter().filter(move |listed| {
            let properties = listed.properties.as_ref();
            let is_made = properties.and_then(|properties| properties.created_by_policy);
            listed.object.kind == kind && is_made == Some(true)
        })
    }

    /// Returns the object of a stage that was recorded for deletion and that this policy created,
    /// according to its status.
    pub(super) fn recorded_as_created(&self, stage: Stage) -> Option<&'a RemovedObject> {
        let is_told = |object: &&RemovedObject| {
            let mut listed = self.listed_as_created(stage);
            listed.any(|listed| {
                let properties = listed.properties.as_ref();
                properties.is_some_and(|properties| properties.uid == object.uid)
            })
        };
        self.recorded(stage)
            .filter(|object| object.uid.is_some())
            .find(is_told)
    }

    // These functions return no objects of OLM's kinds if the cluster has no OLM, even if such
    // objects were observed earlier.

    pub(super) fn subscriptions(&self) -> &'a [Arc<Subscription>] {
        self.with_olm(&self.namespace.subscriptions)
    }

    pub(super) fn csvs(&self) -> &'a [Arc<ClusterServiceVersion>] {
        self.with_olm(&self.namespace.csvs)
    }

    pub(super) fn groups(&self) -> &'a [Arc<OperatorGroup>] {
        self.with_olm(&self.namespace.groups)
    }

    pub(super) fn plans(&self) -> &'a [Arc<InstallPlan>] {
        self.with_olm(&self.namespace.plans)
    }

    pub(super) fn crds(&self) -> &'a [Arc<CustomResourceDefinition>] {
        &self.namespace.crds
    }

    fn with_olm<K>(&self, all: &'a [Arc<K>]) -> &'a [Arc<K>] {
        if self.observed.has_olm { all } else { &[] }
    }
}
