//! Runs a removal from its first step to its last, on a small simulated cluster.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_api::{CREATED_BY, FINALIZER, Intent};
use serde_json::{Value, json};

use crate::desired::{Action, Desired};
use crate::kinds::{ApiKind, CRD, INSTALL_PLAN};
use crate::removal::{crds_to_delete, must_not_have};
use crate::tests::kit::{
    DATABASES, POLICY_UID, Stage, csv, design, established, group, merged, object, stage,
    subscription,
};
use crate::{Instance, Instances, Observed, decide};

/// A policy with an operator, on a simulated cluster that executes the steps of the decisions.
#[derive(Debug, Clone)]
pub(super) struct Walk {
    pub(super) stage: Stage,
    /// The custom resources of each CRD.
    pub(super) instances: Vec<Instances>,
    /// The deleted objects in order, as `Kind name`.
    pub(super) deleted: Vec<String>,
}

/// Returns the annotation that marks an object as created by the policy.
pub(super) fn made() -> Value {
    json!({"metadata": {"annotations": {CREATED_BY: POLICY_UID}}})
}

pub(super) fn crd(name: &str) -> Value {
    object(CRD, ("", name), json!({}))
}

pub(super) fn plan(name: &str, csvs: &[&str]) -> Value {
    let spec = json!({"clusterServiceVersionNames": csvs, "approved": true, "approval": "Manual"});
    object(INSTALL_PLAN, (DATABASES, name), json!({"spec": spec}))
}

/// Returns the ClusterServiceVersion etcd 1.0.0. It owns an APIService and a CRD, and requires
/// another CRD.
pub(super) fn etcd() -> Value {
    csv(
        "etcd.v1.0.0",
        json!({"spec": {
            "customresourcedefinitions": {
                "owned": [{"name": "clusters.etcd.example", "version": "v1", "kind": "Cluster"}],
                "required": [{"name": "backups.other.example", "version": "v1", "kind": "Backup"}],
            },
            "apiservicedefinitions": {
                "owned": [{"group": "tides.example", "version": "v1", "kind": "Tide"}],
            },
        }}),
    )
}

/// Returns another operator of the namespace.
pub(super) fn vault() -> Value {
    let vault = json!({"metadata": {
        "name": "vault",
        "uid": "vault-uid",
        "labels": {"operators.coreos.com/etcd.databases": null},
    }});
    merged(subscription(vault), json!({"spec": {"name": "vault"}}))
}

/// Returns a policy in the design form that is being deleted. Fields in `other` are added to its
/// spec.
pub(super) fn leaving(other: Value) -> Value {
    let gone = json!({"metadata": {
        "deletionTimestamp": "2026-01-01T11:00:00Z",
        "finalizers": [FINALIZER],
    }});
    merged(design(other), gone)
}

/// Returns a policy in the established form whose operator must not be installed. Fields in `other`
/// are added to its spec.
pub(super) fn unwanted(other: Value) -> Value {
    established(merged(json!({"complianceType": "mustnothave"}), other))
}

/// Returns a removal of an installed operator. Its objects have the annotations in `by`.
pub(super) fn installed(policy: Value, by: &Value) -> Walk {
    let status = json!({"status": {
        "installedCSV": "etcd.v1.0.0",
        "currentCSV": "etcd.v1.0.0",
    }});
    let stage = stage(policy)
        .object(merged(subscription(status), by.clone()))
        .object(etcd())
        .object(group("etcd-group", by.clone()))
        .object(plan("install-abc", &["etcd.v1.0.0"]))
        .object(crd("clusters.etcd.example"))
        .object(crd("backups.other.example"));
    Walk {
        stage,
        instances: vec![Instances {
            crd: "clusters.etcd.example".to_owned(),
            found: Ok(Vec::new()),
            has_more: false,
        }],
        deleted: Vec::new(),
    }
}

impl Walk {
    /// Applies a change.
    pub(super) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub(super) fn object(self, manifest: Value) -> Self {
        self.with(|walk| walk.stage.objects.push(manifest))
    }

    /// Merges other fields into the objects of a kind.
    pub(super) fn merge(&mut self, (_, kind): ApiKind, over: &Value) {
        for object in &mut self.stage.objects {
            if object["kind"] == kind {
                *object = merged(object.clone(), over.clone());
            }
        }
    }

    pub(super) fn observed(&self) -> Observed {
        let mut observed = self.stage.observed();
        let intent = Intent::parse(&observed.policy).ok();
        let wanted = crds_to_delete(intent.as_ref(), &observed);
        let is_wanted = |each: &&Instances| {
            let mut names = wanted.iter().map(|each| each.metadata.name.as_deref());
            names.any(|name| name == Some(each.crd.as_str()))
        };
        let instances = self.instances.iter().filter(is_wanted).cloned().collect();
        if let Some(namespace) = &mut observed.namespace {
            namespace.instances = instances;
        }
        observed
    }

    pub(super) fn desired(&self) -> Desired {
        self.desired_of(&self.observed())
    }

    pub(super) fn desired_of(&self, observed: &Observed) -> Desired {
        let is_leaving = observed.policy.metadata.deletion_timestamp.is_some();
        let intent = Intent::parse(&observed.policy);
        if is_leaving {
            return decide(&intent, observed, &self.stage.answers, self.stage.now);
        }
        let before = observed.policy.status.clone().unwrap_or_default();
        let desired = must_not_have(&crate::case::Case {
            intent: &intent.expect("a valid policy"),
            namespace: observed.namespace.as_ref().expect("a namespace"),
            observed,
            answers: &self.stage.answers,
            before: &before,
            now: self.stage.now,
        });
        desired.unwrap_or_else(|why| why.into_desired(observed))
    }

    /// Executes at most `most` steps of the next decision. Returns true if the decision had at
    /// least one step.
    pub(super) fn take(&mut self, most: usize) -> bool {
        let desired = self.desired();
        let report = &desired.report;
        let related: Vec<_> = report.related.iter().flat_map(|(_, all)| all).collect();
        let condition = json!({"removal": report.removal, "relatedObjects": related});
        let is_whole = most >= desired.steps.len();
        for step in desired.steps.iter().take(most) {
            match &step.action {
                Action::WriteStatus => self.stage.policy["status"] = condition.clone(),
                Action::Delete { object, .. } => self.delete(&object.uid),
                Action::RemoveFinalizer => self.stage.policy["metadata"]["finalizers"] = json!([]),
                action @ (Action::Create(_)
                | Action::Apply(_)
                | Action::Replace { .. }
                | Action::Approve(_)
                | Action::AdoptCsv { .. }
                | Action::AddFinalizer) => panic!("{action:?} removes nothing"),
            }
        }
        if is_whole {
            self.stage.policy["status"] = condition;
        }
        !desired.steps.is_empty()
    }

    /// Deletes an object as the API server does: an object with finalizers stays until they are
    /// removed.
    fn delete(&mut self, uid: &str) {
        let recorded = &self.stage.policy["status"]["removal"]["objects"];
        let mut recorded = recorded.as_array().into_iter().flatten();
        assert!(
            recorded.any(|each| each["uid"] == uid && each["state"] != "Keep"),
            "{uid} was not written down"
        );
        let mut objects = self.stage.objects.iter_mut();
        let object = objects
            .find(|each| each["metadata"]["uid"] == uid)
            .expect("an existing object");
        let name = object["metadata"]["name"].as_str().expect("a name");
        let kind = object["kind"].as_str().expect("a kind");
        self.deleted.push(format!("{kind} {name}"));
        let finalizers = object["metadata"]["finalizers"].as_array();
        if finalizers.is_some_and(|all| !all.is_empty()) {
            object["metadata"]["deletionTimestamp"] = json!("2026-01-01T12:00:00Z")
        } else {
            self.stage
                .objects
                .retain(|each| each["metadata"]["uid"] != uid)
        }
    }

    /// Removes the objects that are being deleted, as if their finalizers were processed. Returns
    /// true if there was at least one such object.
    pub(super) fn settle(&mut self) -> bool {
        let before = self.stage.objects.len();
        let stays = |each: &Value| each["metadata"]["deletionTimestamp"].is_null();
        self.stage.objects.retain(stays);
        before != self.stage.objects.len()
    }

    /// Runs the removal to its end. Entry n of `crashes` is the number of steps after which the
    /// controller crashes in round n.
    pub(super) fn end(mut self, crashes: &[usize]) -> Self {
        let mut crashes = crashes.iter().copied();
        for _ in 0..60 {
            let took = self.take(crashes.next().unwrap_or(usize::MAX));
            if !self.settle() && !took {
                return self;
            }
        }
        panic!("the removal does not end: {:?}", self.desired());
    }

    /// Returns the remaining objects, as `Kind name`.
    pub(super) fn left(&self) -> BTreeSet<String> {
        let name = |each: &Value| {
            let name = each["metadata"]["name"].as_str().unwrap_or_default();
            format!("{} {name}", each["kind"].as_str().unwrap_or_default())
        };
        self.stage.objects.iter().map(name).collect()
    }

    pub(super) fn is_held(&self) -> bool {
        self.stage.policy["metadata"]["finalizers"] == json!([FINALIZER])
    }
}

/// Returns a custom resource with a finalizer.
pub(super) fn held(name: &str) -> Instance {
    Instance {
        api_version: "etcd.example/v1".to_owned(),
        kind: "Cluster".to_owned(),
        namespace: Some("shop".to_owned()),
        name: name.to_owned(),
        finalizers: vec!["etcd.example/backup".to_owned()],
    }
}

/// Returns the same observed state with all lists in reverse order.
pub(super) fn reversed(mut observed: Observed) -> Observed {
    fn turned<T>(all: &mut [Arc<T>]) {
        all.reverse();
    }
    observed.neighbors.reverse();
    if let Some(namespace) = &mut observed.namespace {
        turned(&mut namespace.groups);
        turned(&mut namespace.subscriptions);
        turned(&mut namespace.plans);
        turned(&mut namespace.csvs);
        turned(&mut namespace.elsewhere);
        turned(&mut namespace.owners);
        turned(&mut namespace.crds);
        turned(&mut namespace.catalogs);
        namespace.instances.reverse();
    }
    observed
}
