//! Explains bundles that OLM cannot unpack.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_core_health::{HealthCode, Item, is_about_image};
use portolan_core_names::text::cite;
use portolan_core_olm::messages::pull_failure;
use portolan_core_olm::{Job, Pod, Subscription};

use crate::case::Case;
use crate::command::{JOBS, Target};
use crate::cure::Cure;
use crate::rollout::quota;
use crate::situation::Unpack;
use crate::words::sentence;
use crate::{Cause, Code, Evidence, Object, Procedure, State, deletion, evidence, refused};

/// Returns the cause if OLM cannot unpack a bundle. OLM reports such a failure on all Subscriptions
/// of a namespace. The failure blocks Subscriptions that have no operator yet or that have a
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
        .filter(|_| {
            jobs.iter()
                .any(|job| job.is_refused() || pulls(job).is_some())
        });
    let fact = case.fact(HealthCode::BundleUnpackFailed);
    if failed.is_none() && stuck.is_none() {
        return None;
    }
    let bad = jobs
        .iter()
        .find(|job| job.is_refused() || pulls(job).is_some() || job.job.failure().is_some());
    let at_fault = match bad {
        Some(job) => job.refuser().unwrap_or_else(|| job.object()),
        None => Object::new(
            "CatalogSource",
            &subscription.spec.source_namespace,
            &subscription.spec.source,
        ),
    };
    let why = bad.and_then(|job| why(job));
    let whom = whom(case, subscription, bad.copied());
    // The message of OLM is long and its advice does not help here. Therefore the message is only
    // evidence.
    let message = match (why, fact) {
        (Some(why), _) => format!("{whom} {}", sentence(&why)),
        (None, Some(fact)) => sentence(&fact.message),
        (None, None) => whom,
    };
    let cure = bad.map_or_else(unknown_image, |job| who(job));
    let cause = Cause::new(Code::UnpackFailing, State::Stuck, at_fault, &message);
    let cause = cause.cured(cure).followed(bad.and_then(|job| job.anew()));
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

/// Returns a sentence about the Subscriptions that the failure affects. OLM reports the failure on
/// all Subscriptions of a namespace, so another Subscription may need the bundle.
fn whom(case: Case<'_>, subscription: &Item<Subscription>, bad: Option<&Unpack>) -> String {
    let object = &subscription.observed.object;
    match bad.map(|job| asks_for(case, subscription, job.image())) {
        Some(true) => format!("OLM cannot unpack the bundle for {object}."),
        Some(false) => format!(
            "OLM cannot unpack a bundle for another Subscription of the namespace, which also blocks {object}."
        ),
        None => format!(
            "OLM cannot unpack a bundle for {object} or another Subscription of the namespace."
        ),
    }
}

/// Returns true if the package of the Subscription contains a bundle with this image.
fn asks_for(case: Case<'_>, subscription: &Item<Subscription>, image: &str) -> bool {
    let graph = case.situation().graph(subscription).into_iter();
    let bundles = graph.flat_map(|graph| graph.package().bundles.values());
    let mut images = bundles.filter_map(|bundle| bundle.image.as_deref());
    images.any(|own| own == image)
}

/// Returns the time since which a Job has failed, or since which the API server has rejected its
/// Pods.
pub(crate) fn since(case: Case<'_>) -> Option<Time> {
    let jobs = jobs(case).into_iter();
    let mut times = jobs.filter_map(|job| {
        let created = job.job.metadata.creation_timestamp.clone();
        let failed = job
            .job
            .failure()
            .and_then(|said| said.last_transition_time.clone());
        created.filter(|_| job.is_refused()).or(failed)
    });
    times.next()
}

/// Returns a sentence about the effect on other operators. If a quota rejects the Pods, OLM cannot
/// unpack any bundle in the namespace of the catalog.
pub(crate) fn effect(case: Case<'_>) -> String {
    let jobs = jobs(case);
    let Some(refused) = jobs.iter().find(|job| job.refuser().is_some()) else {
        return String::new();
    };
    let namespace = refused.job.namespace();
    format!(
        "Meanwhile, OLM does not unpack bundles of the catalogs in namespace {namespace}, so it \
         installs and upgrades nothing from these catalogs. Kubernetes may also refuse new Pods of \
         these catalogs. Installed operators keep running."
    )
}

/// Returns the cure if no Job is known that shows the failure.
fn unknown_image() -> Cure {
    let action = format!("Make the bundle image pullable from the nodes. {RETRIES}");
    Cure::external("the publisher of the bundle", &action)
}

const RETRIES: &str = "OLM retries within five minutes after the unpack Job is deleted.";

/// Returns the cure for a Job that cannot unpack a bundle.
fn who(job: &Unpack) -> Cure {
    if job.is_refused() {
        return refused::cure(job.job.namespace(), &job.refusal);
    }
    let publisher = format!("the publisher of the bundle image {}", cite(job.image()));
    let (who, action) = match pulls(job) {
        Some(BadPull {
            image,
            is_of_olm: true,
            ..
        }) => (
            "the administrator of OLM",
            format!(
                "Make image {} pullable from the nodes. The image belongs to OLM, not to the \
                 bundle.",
                cite(image)
            ),
        ),
        None if job.pods.iter().any(has_begun) => (
            &*publisher,
            "Find out from the log of the Pods why the bundle image cannot be unpacked.".to_owned(),
        ),
        Some(_) | None => (
            &*publisher,
            "Make the bundle image pullable from the \
                                         nodes."
                .to_owned(),
        ),
    };
    Cure::external(who, &format!("{action} {RETRIES}"))
}

/// Returns true if a container of the Pod has started, so its image was pulled.
fn has_begun(pod: &Item<Pod>) -> bool {
    let mut containers = pod.containers();
    containers.any(|one| one.is_running() || one.status.state.terminated.is_some())
}

/// Returns the Jobs that unpack bundles for this namespace, sorted. The Jobs for all namespaces are
/// in the namespace of the catalog. If the forecast names bundles, returns only the Jobs for these
/// bundles, because Jobs for other versions belong to other namespaces.
fn jobs(case: Case<'_>) -> Vec<&Unpack> {
    let situation = case.situation();
    let coming = &case.findings.outlook.coming;
    let is_coming = |bundle: &str| coming.is_empty() || coming.contains(bundle);
    let subscriptions = || situation.namespace.subscriptions.objects.iter();
    let is_asked_for = |job: &&Unpack| {
        subscriptions().any(|subscription| {
            let graph = situation.graph(subscription);
            let bundles = graph
                .into_iter()
                .flat_map(|graph| graph.package().bundles.values())
                .filter(|bundle| is_coming(bundle.name.as_str()));
            let mut images = bundles.filter_map(|bundle| bundle.image.as_deref());
            images.any(|image| *image == *job.image())
        })
    };
    let jobs = situation.unpacks.objects.iter();
    let mut jobs: Vec<&Unpack> = jobs.filter(is_asked_for).collect();
    jobs.sort();
    jobs
}

/// An image that a Pod of an unpack Job cannot pull.
struct BadPull<'a> {
    image: &'a str,
    /// The container that uses the image.
    container: &'a str,
    /// True if the image belongs to OLM. False if it is the image of the bundle.
    is_of_olm: bool,
    why: String,
}

/// Returns the first image of the Job that cannot be pulled.
fn pulls(job: &Unpack) -> Option<BadPull<'_>> {
    let mut pods: Vec<&Item<Pod>> = job.pods.iter().collect();
    pods.sort();
    let mut containers = pods.into_iter().flat_map(|pod| pod.containers());
    containers.find_map(|container| {
        let status = container.status;
        let waiting = status.state.waiting.as_ref();
        let waiting = waiting.filter(|waiting| is_about_image(&waiting.reason))?;
        let is_of_olm = !Job::is_bundle_container(&status.name);
        Some(BadPull {
            image: if is_of_olm {
                &status.image
            } else {
                job.image()
            },
            is_of_olm,
            why: match pull_failure(&waiting.message) {
                "" => format!("{}: {}", waiting.reason, cite(&waiting.message)),
                failure => cite(failure),
            },
            container: &status.name,
        })
    })
}

fn why(job: &Unpack) -> Option<String> {
    let image = cite(job.image());
    if job.is_refused() {
        let why = match quota::exceeded(&job.refusal) {
            Some(exceeded) => exceeded.refuses(job.job.namespace(), "a Pod"),
            None => cite(&job.refusal),
        };
        return Some(format!(
            "The API server refuses each Pod of the Job that unpacks {image}, so no image was pulled: {why}"
        ));
    }
    match (pulls(job), job.job.failure()) {
        (Some(bad), _) => Some(format!(
            "Image {} for container {} cannot be pulled: {}",
            cite(bad.image),
            cite(bad.container),
            bad.why
        )),
        (None, Some(said)) => Some(format!(
            "The Job that unpacks {image} has failed ({}): {}",
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
    if job.is_refused() {
        shown.push(Evidence::at(
            job.object(),
            "events[FailedCreate]",
            &job.refusal,
        ));
    }
    shown.extend(job.pods.iter().flat_map(evidence::pod));
    shown
}

// === impl Unpack ===

impl Unpack {
    fn object(&self) -> Object {
        Object::new(Job::KIND, self.job.namespace(), self.job.name())
    }

    /// Returns true if the API server rejects the Pods of the Job.
    fn is_refused(&self) -> bool {
        self.pods.is_empty() && !self.refusal.is_empty()
    }

    /// Returns the ResourceQuota because of which the API server rejects the Pods. Returns None if
    /// it is unknown.
    fn refuser(&self) -> Option<Object> {
        let refusal = self.is_refused().then_some(&self.refusal)?;
        refused::refuser(self.job.namespace(), refusal)
    }

    /// Returns the steps that delete the failed Job after the repair, so that OLM unpacks the
    /// bundle again at once.
    fn anew(&self) -> Option<Procedure> {
        let is_over = self.is_refused() && self.job.failure().is_some();
        let target = Target::of(JOBS, &self.job.observed);
        let title = "After the repair, delete the failed Job, so that OLM unpacks the bundle again \
                     at once. Skip this step if Kubernetes has already deleted the Job \
                     (ttlSecondsAfterFinished).";
        let procedure = deletion::delete(title, &[target], Vec::new(), "None: the Job has failed.");
        is_over.then_some(Procedure {
            keeps: "All installed operators, CRDs and custom resources.".to_owned(),
            ..procedure
        })
    }

    /// Returns the image of the bundle.
    fn image(&self) -> &str {
        self.job.bundle_image().unwrap_or_default()
    }
}
