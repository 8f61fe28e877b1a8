//! One action, as requests.

use std::time::Instant;

use jiff::Timestamp;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{
    DeleteParams, DynamicObject, Patch, PatchParams, PostParams, Preconditions, PropagationPolicy,
};
use portolan_api::{MANAGER, OperatorPolicy};
use portolan_core_operatorpolicy::{Action, Outcome, Target, tell};
use serde_json::{Value, json};

use super::contest::{self, Live, Path};
use super::course::Course;
use super::line::{About, Deed, WriteFailure};
use super::patch::{self, Sight};
use super::place::Place;
use super::status::KIND;
use super::{Reviewer, Writer, Written};
use crate::observe::DEFINITION;
use portolan_runtime::{Expected, PendingWrite};

// === impl Writer ===

impl<R: Reviewer> Writer<R> {
    pub(super) async fn act(&self, action: &Action, course: &mut Course<'_>) -> Written {
        let written = match action {
            Action::Create(manifest) => self.create(manifest).await,
            Action::Apply(manifest) => self.apply(manifest, course).await,
            Action::Replace {
                object,
                field,
                value,
            } => self.replace(object, (field, value.as_ref()), course).await,
            Action::Approve(plan) => self.approve(plan, course).await,
            Action::Mend { subscription, csv } => self.mend(subscription, csv, course).await,
            Action::Delete {
                object,
                is_orphaning,
            } => {
                let defined = self.stays_defined(&course.policy).await;
                match defined {
                    Ok(()) => self.delete(object, *is_orphaning).await,
                    Err(outcome) => Err(outcome),
                }
            }
            Action::Hold => self.hold(course).await,
            Action::Release => self.release(course).await,
            Action::Record => self.record(course).await,
        };
        written.unwrap_or_else(|outcome| Written {
            outcome,
            pending: None,
            policy: None,
        })
    }

    async fn create(&self, manifest: &Value) -> Result<Written, Outcome> {
        let place = Place::of(manifest)?;
        let api = place.api(self.line.client());
        let object: DynamicObject = parse(manifest.clone())?;
        let us = as_us();
        let created = api.create(&us, &object);
        let deed = Deed("create", &place.kind);
        let created = self.line.write(deed, About::New, created).await?;
        let uid = created.metadata.uid.clone();
        // What is written once needs no owner of its fields.
        let made = match place.contested() {
            Some(object) => {
                self.compare(&object, manifest, &created);
                let made = self.adopt(&api, created, manifest).await;
                let fields = contest::fields(manifest);
                self.memory().wrote(&object, fields, None, Instant::now());
                made
            }
            None => created,
        };
        Ok(Written {
            outcome: Outcome::Done { uid },
            pending: place.pending(None, version(&made)),
            policy: None,
        })
    }

    async fn replace(
        &self,
        target: &Target,
        (field, value): (&str, Option<&Value>),
        course: &mut Course<'_>,
    ) -> Result<Written, Outcome> {
        let live = self.live(&Place::from(target)).await;
        let operations = vec![patch::field(field, value)];
        let patched = self.patched(target, ("update", operations), course).await?;
        let path = contest::path(field);
        let place = Place::from(target);
        let lost = self.lost(&place, (&path, value), &patched);
        self.note(&place, vec![(path, value.cloned())], live.as_ref());
        let mut written = course.wrote(target, &patched);
        if !lost.is_empty() {
            let lost = lost.join(" and ");
            let why = format!("the API server does not keep {lost} as it is written");
            written.outcome = Outcome::Changed(why);
        }
        Ok(written)
    }

    async fn approve(&self, plan: &Target, course: &mut Course<'_>) -> Result<Written, Outcome> {
        self.reviewer.still_allowed(plan, course.observed).await?;
        let operations = vec![patch::field("/spec/approved", Some(&json!(true)))];
        let patched = self.patched(plan, ("approve", operations), course).await?;
        Ok(course.wrote(plan, &patched))
    }

    async fn mend(
        &self,
        target: &Target,
        csv: &str,
        course: &mut Course<'_>,
    ) -> Result<Written, Outcome> {
        let place = Place::from(target);
        let api = place.api(self.line.client());
        let live = self.line.read(About::Known, api.get(&target.name)).await?;
        let status = &live.data["status"];
        let operations = match status.is_object() {
            true => {
                let mut operations = vec![patch::field("/status/currentCSV", Some(&json!(csv)))];
                if status["lastUpdated"].as_str().is_none_or(str::is_empty) {
                    operations.push(patch::field("/status/lastUpdated", Some(&now())));
                }
                operations
            }
            false => {
                let status = json!({"currentCSV": csv, "lastUpdated": now()});
                vec![patch::field("/status", Some(&status))]
            }
        };
        let patch = course.patch(target, operations)?;
        let us = as_us_patching();
        let patched = api.patch_status(&target.name, &us, &patch);
        let deed = Deed("mend", target.kind);
        let patched = self.line.write(deed, About::Known, patched).await?;
        Ok(course.wrote(target, &patched))
    }

    /// Wants the definition of policies to be there to stay. With it all policies go at once, and
    /// that is no wish to remove their operators; the watch of policies may be ahead of that of
    /// definitions.
    async fn stays_defined(&self, policy: &OperatorPolicy) -> Result<(), Outcome> {
        if policy.metadata.deletion_timestamp.is_none() {
            return Ok(());
        }
        let definitions: Api<CustomResourceDefinition> = Api::all(self.line.client());
        let definition = definitions.get_metadata(DEFINITION);
        let definition = self.line.read(About::Known, definition).await?;
        match definition.metadata.deletion_timestamp {
            None => Ok(()),
            Some(_) => Err(Outcome::Changed(
                "the definition of OperatorPolicy is being deleted".to_owned(),
            )),
        }
    }

    async fn delete(&self, target: &Target, is_orphaning: bool) -> Result<Written, Outcome> {
        let place = Place::from(target);
        let propagation = match is_orphaning {
            true => PropagationPolicy::Orphan,
            false => PropagationPolicy::Background,
        };
        let only_this = DeleteParams {
            propagation_policy: Some(propagation),
            preconditions: Some(Preconditions {
                uid: Some(target.uid.clone()),
                resource_version: None,
            }),
            ..DeleteParams::default()
        };
        let api = place.api(self.line.client());
        let deleted = api.delete(&target.name, &only_this);
        let deed = Deed("delete", &place.kind);
        let deleted = self.line.write(deed, About::Known, deleted).await?;
        let after = deleted.either(
            |object| Expected::Version(version(&object)),
            |_| Expected::Gone(target.uid.clone()),
        );
        if let Some(object) = place.contested() {
            self.memory().forget(&object);
            self.losses().forget(&object);
        }
        let pending = PendingWrite {
            kind: place.kind,
            namespace: place.namespace,
            name: place.name,
            before: Some(target.resource_version.clone()),
            after,
        };
        Ok(Written::done(Some(pending)))
    }

    async fn hold(&self, course: &mut Course<'_>) -> Result<Written, Outcome> {
        let operation = patch::hold(course.policy.metadata.finalizers.as_deref().unwrap_or(&[]));
        match operation {
            None => Ok(Written::done(None)),
            Some(operation) => self.finalize(("hold", vec![operation]), course).await,
        }
    }

    async fn release(&self, course: &mut Course<'_>) -> Result<Written, Outcome> {
        let operations =
            patch::release(course.policy.metadata.finalizers.as_deref().unwrap_or(&[]));
        match operations {
            None => Ok(Written::done(None)),
            Some(operations) => self.finalize(("release", operations), course).await,
        }
    }

    async fn finalize(
        &self,
        (verb, operations): (&'static str, Vec<Value>),
        course: &mut Course<'_>,
    ) -> Result<Written, Outcome> {
        let metadata = &course.policy.metadata;
        let namespace = metadata.namespace.as_deref().unwrap_or_default();
        let name = metadata.name.as_deref().unwrap_or_default();
        let sight = Sight {
            uid: metadata.uid.as_deref().unwrap_or_default(),
            version: metadata.resource_version.as_deref().unwrap_or_default(),
        };
        let patch = Patch::Json::<()>(parse(sight.patch(operations))?);
        let policies: Api<OperatorPolicy> = Api::namespaced(self.line.client(), namespace);
        let us = as_us_patching();
        let patched = policies.patch(name, &us, &patch);
        let deed = Deed(verb, KIND);
        let patched = self.line.write(deed, About::Known, patched).await?;
        Ok(course.rewrote(patched))
    }

    async fn record(&self, course: &mut Course<'_>) -> Result<Written, Outcome> {
        let before = course.policy.status.clone().unwrap_or_default();
        let told = tell(course.report, &course.policy, &before, Timestamp::now());
        match self.told(&course.policy, &[told]).await? {
            Some(policy) => Ok(course.rewrote(policy)),
            None => Ok(Written::done(None)),
        }
    }

    /// Changes an object that is as it was seen.
    async fn patched(
        &self,
        target: &Target,
        (verb, operations): (&'static str, Vec<Value>),
        course: &Course<'_>,
    ) -> Result<DynamicObject, Outcome> {
        let api = Place::from(target).api(self.line.client());
        let patch = course.patch(target, operations)?;
        let us = as_us_patching();
        let patched = api.patch(&target.name, &us, &patch);
        let deed = Deed(verb, target.kind);
        Ok(self.line.write(deed, About::Known, patched).await?)
    }

    /// An object as it is right before a write, for who changed it; None if nobody can tell.
    pub(super) async fn live(&self, place: &Place) -> Option<DynamicObject> {
        let api = place.api(self.line.client());
        let live = self.line.read(About::Known, api.get(&place.name)).await;
        live.ok()
    }

    /// Keeps in mind what was written.
    pub(super) fn note(
        &self,
        place: &Place,
        fields: Vec<(Path, Option<Value>)>,
        live: Option<&DynamicObject>,
    ) {
        let (Some(object), Some(live)) = (place.contested(), live) else {
            return;
        };
        // An object that was read can be written again.
        let json = serde_json::to_value(live).unwrap_or_default();
        let managed = live.metadata.managed_fields.as_deref().unwrap_or(&[]);
        let live = Live {
            fields: &json,
            managed,
        };
        let now = Instant::now();
        self.memory().wrote(&object, fields, Some(live), now);
    }
}

// === impl Written ===

impl Written {
    pub(super) fn done(pending: Option<PendingWrite>) -> Self {
        Self {
            outcome: Outcome::Done { uid: None },
            pending,
            policy: None,
        }
    }
}

/// JSON as what a request wants; one that it cannot be is never sent.
pub(super) fn parse<T: serde::de::DeserializeOwned>(json: Value) -> Result<T, WriteFailure> {
    serde_json::from_value(json).map_err(|error| WriteFailure::Refused(error.to_string()))
}

pub(super) fn version(object: &DynamicObject) -> String {
    object.metadata.resource_version.clone().unwrap_or_default()
}

pub(super) fn as_us() -> PostParams {
    PostParams {
        field_manager: Some(MANAGER.to_owned()),
        ..PostParams::default()
    }
}

pub(super) fn as_us_patching() -> PatchParams {
    PatchParams {
        field_manager: Some(MANAGER.to_owned()),
        ..PatchParams::default()
    }
}

fn now() -> Value {
    json!(format!("{:.0}", Timestamp::now()))
}
