//! The Jobs with which OLM unpacks bundles.

use std::collections::BTreeMap;

use portolan_core_diagnosis::Unpack;
use portolan_core_health::{Item, ObservedObjects, Sight};
use portolan_core_olm::{Job, JobEvent, Pod};
use portolan_world::{Key, View};

use crate::objects::within;

/// The Jobs that have not succeeded, by namespace. Each Job is in the namespace of the bundle's
/// catalog.
#[derive(Debug)]
pub(crate) struct Unpacks {
    by_namespace: BTreeMap<String, Vec<Unpack>>,
    sight: Sight,
}

// === impl Unpacks ===

impl Unpacks {
    pub(crate) fn of(jobs: &View<Job>, pods: &View<Pod>, refusals: &View<JobEvent>) -> Self {
        let mut by_owner: BTreeMap<&str, Vec<Item<Pod>>> = BTreeMap::new();
        for pod in pods.objects.values() {
            if let Some(owner) = pod.owner_uid() {
                by_owner
                    .entry(owner)
                    .or_default()
                    .push(Item::from(pod.clone()));
            }
        }
        let mut by_namespace: BTreeMap<String, Vec<Unpack>> = BTreeMap::new();
        for (key, job) in jobs.objects.iter().filter(|(_, job)| !job.is_complete()) {
            let uid = job.metadata.uid.as_deref().unwrap_or_default();
            let pods = by_owner.remove(uid).unwrap_or_default();
            if job.bundle_image().is_some() {
                let all = by_namespace.entry(key.namespace.to_string()).or_default();
                all.push(Unpack {
                    refusal: refusal(refusals, key, uid),
                    job: Item::from(job.clone()),
                    pods,
                });
            }
        }
        Self {
            by_namespace,
            sight: sight(jobs, pods),
        }
    }

    /// Returns the Jobs in these namespaces.
    pub(crate) fn within<'a>(
        &self,
        namespaces: impl Iterator<Item = &'a str>,
    ) -> ObservedObjects<Unpack> {
        let found = namespaces.filter_map(|namespace| self.by_namespace.get(namespace));
        ObservedObjects {
            objects: found.flatten().cloned().collect(),
            sight: self.sight.clone(),
        }
    }
}

/// Returns the message of the newest Event about a Job that cannot create a Pod. Returns an empty
/// text if there is no such Event.
fn refusal(refusals: &View<JobEvent>, job: &Key, uid: &str) -> String {
    let events = within(refusals, &job.namespace);
    let about = events.filter(|event| {
        let object = &event.involved_object;
        *object.name == *job.name && (object.uid.is_empty() || object.uid == uid)
    });
    let newest = about.max_by_key(|event| {
        let created = event.metadata.creation_timestamp.as_ref();
        (created.map(|time| time.0), &event.message)
    });
    newest.map_or_else(String::new, |event| event.message.clone())
}

/// Returns a [`Sight`] that shows if the Jobs and their Pods are observed.
fn sight(jobs: &View<Job>, pods: &View<Pod>) -> Sight {
    let trouble = jobs.state.trouble().map(|_| jobs.state.to_string());
    let trouble = trouble.or_else(|| {
        let of_pods = pods.state.trouble();
        of_pods.map(|_| format!("their Pods are {}", pods.state))
    });
    trouble.map_or(Sight::Clear, Sight::Dim)
}
