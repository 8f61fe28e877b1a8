//! Delays the switch to a new storage version of a CRD.
//!
//! ```text
//! CRD: serves both versions, stores the old one --> rollout of the webhook --> stores the new one
//! ```
//!
//! A CRD must not store a new version before the conversion webhook of that version runs.
//! Otherwise, the API server could neither read nor write objects in the old version, and a failed
//! upgrade could not be reverted. A plan may contain both the CRD and the workload behind its
//! webhook. Such a plan switches the storage version last. It waits until the rollout is complete,
//! and until the old Pods have ended and get no more requests.

use jiff::{SignedDuration, Timestamp};
use portolan_core_names::text::counted;
use portolan_core_olm::State;
use serde_json::{Value, json};

use super::is_latched;
use super::observation::{ObjectRead, Observation};
use crate::manifest::{Member, Members};
use crate::object::{items, text};
use crate::readiness::{Expectation, readiness};

/// The maximum time for which the plan waits for old Pods after a rollout. A limit is needed,
/// because a Pod on a lost node never ends.
const DRAIN: SignedDuration = SignedDuration::from_secs(30);

/// A CRD whose manifest has another storage version than the CRD in the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Switch {
    /// The member index of the CRD.
    pub(super) place: usize,
    /// The last stage with a workload behind the conversion webhook. This stage is complete only
    /// after the storage version has changed.
    pub(super) stage: usize,
    /// The version in which the CRD in the cluster stores objects.
    old: String,
    wait: Option<Wait>,
}

/// The reason why the CRD still stores objects in the old version.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wait {
    /// A workload behind the webhook is not ready. The status reports the workload itself.
    Workload,
    /// The clause says what the plan waits for. The time is the end of the wait, or None if the
    /// wait has no time limit.
    Until(String, Option<Timestamp>),
}

impl Switch {
    /// Returns a sentence about what the CRD waits for. Returns None if it waits for nothing, or
    /// for a workload that the status reports itself.
    pub(super) fn sentence(&self) -> Option<String> {
        match &self.wait {
            Some(Wait::Until(what, _)) => Some(format!(
                "stores objects in version {} until {what}",
                self.old
            )),
            Some(Wait::Workload) | None => None,
        }
    }

    /// Returns the time at which the wait ends without a change of an object. Returns None if it
    /// has no time limit.
    pub(super) fn until(&self) -> Option<Timestamp> {
        match &self.wait {
            Some(Wait::Until(_, until)) => *until,
            Some(Wait::Workload) | None => None,
        }
    }
}

/// Returns the members to apply now. A CRD that must wait has its old storage version. Returns None
/// if no CRD must wait, so that the members of the plan can be applied.
pub fn staged(observed: &Observation, members: &Members) -> Option<Members> {
    staged_by(&switches(observed, members), members)
}

pub(super) fn staged_by(switches: &[Switch], members: &Members) -> Option<Members> {
    let mut waiting = switches.iter().filter(|it| it.wait.is_some()).peekable();
    waiting.peek()?;
    let mut staged = members.clone();
    for switch in waiting {
        staged.change(switch.place, |manifest| store(manifest, &switch.old));
    }
    Some(staged)
}

fn store(manifest: &mut Value, version: &str) {
    let versions = manifest.pointer_mut("/spec/versions");
    let versions = versions.and_then(Value::as_array_mut).into_iter().flatten();
    for each in versions {
        each["storage"] = json!(each["name"] == version);
    }
}

/// Returns the CRDs whose storage version the plan has not switched yet.
pub(super) fn switches(observed: &Observation, members: &Members) -> Vec<Switch> {
    if observed.status.record.is_none() || is_latched(&observed.status) {
        return Vec::new();
    }
    let begun = observed.status.stage.as_ref();
    let begun = begun.map_or(0, |stage| stage.index as usize);
    let switches = (0..members.len()).filter_map(|place| switch(observed, members, place));
    switches.filter(|switch| switch.stage >= begun).collect()
}

fn switch(observed: &Observation, members: &Members, place: usize) -> Option<Switch> {
    let member = &members[place];
    let new = member
        .identity
        .kind
        .is_definition()
        .then(|| stored(&member.manifest))??;
    let live = present(observed, member)?;
    let old = stored(live).filter(|old| *old != new && has_version(&member.manifest, old))?;
    let workloads = converters(members, &member.manifest);
    let stage = workloads
        .iter()
        .map(|place| members[*place].place.stage)
        .max()?;
    let waits = workloads.iter().map(|place| &members[*place]);
    let mut waits = waits.filter_map(|workload| unready(observed, workload));
    (stage >= member.place.stage).then(|| Switch {
        place,
        stage,
        old: old.to_owned(),
        wait: waits.next().or_else(|| untrusted(live)),
    })
}

fn present<'o>(observed: &'o Observation, member: &Member) -> Option<&'o Value> {
    match observed.objects.get(&member.identity)? {
        ObjectRead::Present(object) => Some(object),
        ObjectRead::Absent | ObjectRead::Unreadable(_) | ObjectRead::Unanswered(_) => None,
    }
}

/// Returns the version in which a CRD stores objects.
fn stored(crd: &Value) -> Option<&str> {
    let mut versions = items(crd, "/spec/versions").iter();
    let stored = versions.find(|version| version["storage"] == true)?;
    stored["name"].as_str()
}

fn has_version(crd: &Value, name: &str) -> bool {
    let mut versions = items(crd, "/spec/versions").iter();
    versions.any(|version| version["name"] == name)
}

/// Returns the workloads behind the conversion webhook of a CRD. The Service of the webhook selects
/// their Pods.
fn converters(members: &Members, crd: &Value) -> Vec<usize> {
    let webhook = "/spec/conversion/webhook/clientConfig/service";
    let [namespace, name] = ["namespace", "name"].map(|key| text(crd, &format!("{webhook}/{key}")));
    let service = members.iter().find(|member| {
        let identity = &member.identity;
        let is_there = identity.namespace.as_deref() == Some(namespace) && identity.name == name;
        identity.kind.is("", "Service") && is_there
    });
    let selector = service.and_then(|it| it.manifest.pointer("/spec/selector")?.as_object());
    let Some(selector) = selector.filter(|selector| !selector.is_empty()) else {
        return Vec::new();
    };
    let is_selected = |member: &Member| {
        let labels = &member.manifest["spec"]["template"]["metadata"]["labels"];
        let mut wanted = selector.iter();
        member.identity.kind.group == "apps"
            && member.identity.namespace.as_deref() == Some(namespace)
            && wanted.all(|(key, value)| labels.get(key) == Some(value))
    };
    let members = members.iter().enumerate();
    let selected = members.filter(|(_, member)| is_selected(member));
    selected.map(|(place, _)| place).collect()
}

/// Returns the reason why the webhook may not answer in the new version yet. Returns None if the
/// rollout of the workload is complete and its old Pods have ended.
fn unready(observed: &Observation, workload: &Member) -> Option<Wait> {
    let object = present(observed, workload);
    let object = object.filter(|object| observed.plan.has_manifest(workload, object));
    let is_ready = |object: &&Value| readiness(object, Expectation::default()).state == State::Yes;
    let Some(object) = object.filter(is_ready) else {
        return Some(Wait::Workload);
    };
    let ending = object.pointer("/status/terminatingReplicas");
    let ending = ending
        .and_then(Value::as_i64)
        .filter(|ending| *ending > 0)?;
    let until = rolled_out_at(object)?.checked_add(DRAIN).ok()?;
    (observed.now < until).then(|| {
        let pods = counted(ending, "old Pod");
        Wait::Until(
            format!("{pods} of {} stopped", workload.identity),
            Some(until),
        )
    })
}

/// Returns the time at which a Deployment completed its rollout.
fn rolled_out_at(deployment: &Value) -> Option<Timestamp> {
    let mut conditions = items(deployment, "/status/conditions").iter();
    let progressing = conditions.find(|it| it["type"] == "Progressing")?;
    let is_complete = progressing["reason"] == "NewReplicaSetAvailable";
    let at = text(progressing, "/lastUpdateTime").parse().ok();
    at.filter(|_| is_complete)
}

/// Returns a wait if the CRD has no `caBundle`, so that the API server cannot verify the
/// certificate of the webhook. Returns None otherwise.
fn untrusted(crd: &Value) -> Option<Wait> {
    let bundle = text(crd, "/spec/conversion/webhook/clientConfig/caBundle");
    let what = "the conversion webhook has a caBundle".to_owned();
    bundle.is_empty().then_some(Wait::Until(what, None))
}
