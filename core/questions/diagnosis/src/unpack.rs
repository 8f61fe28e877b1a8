//! Bundles that OLM cannot unpack.

use portolan_core_health::{HealthCode, Item, is_about_image};
use portolan_core_names::text::cite;
use portolan_core_olm::{Job, Pod, Subscription};

use crate::case::Case;
use crate::cure::Cure;
use crate::situation::Unpack;
use crate::words::sentence;
use crate::{Cause, Code, Evidence, Object, State, evidence};

/// Returns the causes that keep OLM from unpacking a bundle for the operator. OLM reports them on
/// all Subscriptions of a namespace. They concern Subscriptions without an operator or with a
/// pending upgrade.
pub(crate) fn causes(case: Case<'_>) -> Vec<Cause> {
    let cause = case
        .subscription
        .and_then(|subscription| cause(case, subscription));
    cause.into_iter().collect()
}

fn cause(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Cause> {
    let failed = subscription.true_condition(Subscription::UNPACK_FAILED);
    let jobs: Vec<&Unpack> = jobs(case);
    let stuck = subscription
        .true_condition(Subscription::UNPACKING)
        .filter(|_| jobs.iter().any(|job| pulls(job).is_some()));
    let fact = case.fact(HealthCode::BundleUnpackFailed);
    if failed.is_none() && stuck.is_none() {
        return None;
    }
    let bad = jobs
        .iter()
        .find(|job| pulls(job).is_some() || job.job.failure().is_some());
    let at_fault = match bad {
        Some(job) => job.object(),
        None => Object::new(
            "CatalogSource",
            &subscription.spec.source_namespace,
            &subscription.spec.source,
        ),
    };
    let why = bad.and_then(|job| why(job));
    let image = bad.map_or_else(
        || "the bundle".to_owned(),
        |job| format!("the bundle image {}", cite(job.image())),
    );
    let whom = format!(
        "OLM cannot unpack a bundle for {} or another Subscription of the namespace.",
        subscription.observed.object
    );
    // The message of OLM is long, and its advice does not help here, so it only serves as evidence.
    let message = match (why, fact) {
        (Some(why), _) => format!("{whom} {}", sentence(&why)),
        (None, Some(fact)) => sentence(&fact.message),
        (None, None) => whom,
    };
    let is_pulled = bad.is_some_and(|job| pulls(job).is_none() && job.pods.iter().any(has_begun));
    let what = if is_pulled {
        "Find out from the log of the Pods why it cannot be unpacked."
    } else {
        "Make it pullable from the nodes."
    };
    let cure = Cure::external(
        &format!("the publisher of {image}"),
        &format!("{what} OLM retries within five minutes after the Job is deleted."),
    );
    let cause = Cause::new(Code::UnpackFailing, State::Stuck, at_fault, &message);
    let cause = cause.cured(cure);
    let cause = cause
        .shown(evidence::condition_evidence(
            subscription,
            Subscription::UNPACK_FAILED,
        ))
        .shown(evidence::condition_evidence(
            subscription,
            Subscription::UNPACKING,
        ));
    Some(cause.shown(bad.into_iter().flat_map(|job| shown(job))))
}

/// Returns true if a container of the Pod has its image.
fn has_begun(pod: &Item<Pod>) -> bool {
    let mut containers = pod.containers();
    containers.any(|one| one.is_running() || one.status.state.terminated.is_some())
}

/// Returns the Jobs that unpack a bundle of a requested package, in order. They are in the
/// namespace of the catalog, next to Jobs for other namespaces.
fn jobs(case: Case<'_>) -> Vec<&Unpack> {
    let situation = case.situation();
    let subscriptions = || situation.namespace.subscriptions.objects.iter();
    let is_asked_for = |job: &&Unpack| {
        subscriptions().any(|subscription| {
            let graph = situation.graph(subscription);
            let bundles = graph
                .into_iter()
                .flat_map(|graph| graph.package().bundles.values());
            let mut images = bundles.filter_map(|bundle| bundle.image.as_deref());
            images.any(|image| *image == *job.image())
        })
    };
    let jobs = situation.unpacks.objects.iter();
    let mut jobs: Vec<&Unpack> = jobs.filter(is_asked_for).collect();
    jobs.sort();
    jobs
}

/// Returns the first Pod whose image cannot be pulled, with its message.
fn pulls(job: &Unpack) -> Option<(&Item<Pod>, String)> {
    let mut pods: Vec<&Item<Pod>> = job.pods.iter().collect();
    pods.sort();
    pods.into_iter().find_map(|pod| {
        let waiting = pod.containers();
        let waiting = waiting.filter_map(|one| one.status.state.waiting.as_ref());
        let mut bad = waiting.filter(|waiting| is_about_image(&waiting.reason));
        let waiting = bad.next()?;
        Some((
            pod,
            format!("{}: {}", waiting.reason, cite(&waiting.message)),
        ))
    })
}

fn why(job: &Unpack) -> Option<String> {
    let image = cite(job.image());
    match (pulls(job), job.job.failure()) {
        (Some((_, why)), _) => Some(format!("Image {image} cannot be pulled: {why}")),
        (None, Some(said)) => Some(format!(
            "Kubernetes gave up the Job that unpacks {image} ({}): {}",
            cite(&said.reason),
            cite(&said.message)
        )),
        (None, None) => None,
    }
}

fn shown(job: &Unpack) -> Vec<Evidence> {
    let object = job.object();
    let mut shown = vec![Evidence::at(object.clone(), "image", job.image())];
    if let Some(said) = job.job.failure() {
        let value = format!("{} {}", said.reason, said.message);
        shown.push(Evidence::at(object, "status.conditions[Failed]", &value));
    }
    shown.extend(job.pods.iter().flat_map(evidence::pod));
    shown
}

// === impl Unpack ===

impl Unpack {
    fn object(&self) -> Object {
        Object::new(Job::KIND, self.job.namespace(), self.job.name())
    }

    /// Returns the image of the bundle.
    fn image(&self) -> &str {
        self.job.bundle_image().unwrap_or_default()
    }
}
