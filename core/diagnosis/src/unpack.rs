//! Bundles that OLM cannot unpack.

use portolan_core_health::{self as health, Code as Fact, Pod, Subscription, is_about_image};
use portolan_core_names::text::cite;

use crate::case::Case;
use crate::situation::Unpack;
use crate::words::sentence;
use crate::{Cause, Code, Cure, Evidence, Object, State, evidence};

/// The condition by which OLM says that it cannot unpack.
const FAILED: &str = "BundleUnpackFailed";
/// The condition by which OLM says that it unpacks.
const UNPACKING: &str = "BundleUnpacking";

/// What keeps OLM from unpacking a bundle for the operator. OLM says it of all Subscriptions of a
/// namespace; it is those that have nothing yet, or wait for what comes next.
pub(crate) fn causes(case: Case<'_>) -> Vec<Cause> {
    let cause = case.wish.and_then(|wish| cause(case, wish));
    cause.into_iter().collect()
}

fn cause(case: Case<'_>, wish: &Subscription) -> Option<Cause> {
    let failed = said(wish, FAILED);
    let jobs: Vec<&Unpack> = jobs(case);
    let stuck = said(wish, UNPACKING).filter(|_| jobs.iter().any(|job| pulls(job).is_some()));
    let fact = case.fact(Fact::BundleUnpackFailed);
    if failed.is_none() && stuck.is_none() {
        return None;
    }
    let bad = jobs
        .iter()
        .find(|job| pulls(job).is_some() || job.failure.is_some());
    let guilty = match bad {
        Some(job) => Object::new(
            "Job",
            &job.observed.object.namespace,
            &job.observed.object.name,
        ),
        None => Object::new("CatalogSource", &wish.source_namespace, &wish.source),
    };
    let why = bad.and_then(|job| why(job));
    let image = bad.map_or_else(
        || "the bundle".to_owned(),
        |job| format!("the bundle image {}", cite(&job.image)),
    );
    let whom = format!(
        "OLM cannot unpack a bundle for {} or a neighbor.",
        wish.observed.object
    );
    // OLM's own words are long, and advise what does not help here: they are evidence.
    let message = match (why, fact) {
        (Some(why), _) => format!("{whom} {}", sentence(&why)),
        (None, Some(fact)) => sentence(&fact.message),
        (None, None) => whom,
    };
    let is_pulled = bad.is_some_and(|job| pulls(job).is_none() && job.pods.iter().any(has_begun));
    let what = match is_pulled {
        true => "has to see in the log of the Pods why it cannot be unpacked",
        false => {
            "or runs the registry that it is pulled from, has to make it pullable from the nodes"
        }
    };
    let who = format!(
        "Whoever publishes {image}, {what}. OLM tries again within five minutes after the Job is \
         gone."
    );
    let cause = Cause::new(Code::UnpackFailing, State::Stuck, guilty, &message);
    let cause = cause.cured(Cure::External(who));
    let cause = cause
        .shown(evidence::said(wish, FAILED))
        .shown(evidence::said(wish, UNPACKING));
    Some(cause.shown(bad.into_iter().flat_map(|job| shown(job))))
}

/// Whether a container of it has had its image.
fn has_begun(pod: &Pod) -> bool {
    pod.containers
        .iter()
        .any(|one| one.is_running || one.terminated.is_some())
}

fn said<'a>(wish: &'a Subscription, kind: &str) -> Option<&'a health::Condition> {
    let mut said = wish.conditions.iter();
    said.find(|said| said.kind == kind && said.status == "True")
}

/// The Jobs that unpack a bundle of a package that the namespace asks for, in order. They are in the
/// namespace of the catalog, and others may be for other namespaces.
fn jobs(case: Case<'_>) -> Vec<&Unpack> {
    let situation = case.situation();
    let wishes = || situation.namespace.subscriptions.objects.iter();
    let is_asked_for = |job: &&Unpack| {
        wishes().any(|wish| {
            let graph = situation.graph(wish);
            let bundles = graph
                .into_iter()
                .flat_map(|graph| graph.package().bundles.values());
            let mut images = bundles.filter_map(|bundle| bundle.image.as_deref());
            images.any(|image| *image == *job.image)
        })
    };
    let jobs = situation.unpacks.objects.iter();
    let mut jobs: Vec<&Unpack> = jobs.filter(is_asked_for).collect();
    jobs.sort();
    jobs
}

/// The first Pod whose image does not come, with what it says.
fn pulls(job: &Unpack) -> Option<(&Pod, String)> {
    let mut pods: Vec<&Pod> = job.pods.iter().collect();
    pods.sort();
    pods.into_iter().find_map(|pod| {
        let waiting = pod.containers.iter().filter_map(|one| one.waiting.as_ref());
        let mut bad = waiting.filter(|waiting| is_about_image(&waiting.reason));
        let waiting = bad.next()?;
        Some((
            pod,
            format!("{}: {}", waiting.reason, cite(&waiting.message)),
        ))
    })
}

fn why(job: &Unpack) -> Option<String> {
    let image = cite(&job.image);
    match (pulls(job), &job.failure) {
        (Some((_, why)), _) => Some(format!("Image {image} cannot be pulled: {why}")),
        (None, Some((reason, message))) => Some(format!(
            "Kubernetes gave up the Job that unpacks {image} ({}): {}",
            cite(reason),
            cite(message)
        )),
        (None, None) => None,
    }
}

fn shown(job: &Unpack) -> Vec<Evidence> {
    let object = Object::new(
        "Job",
        &job.observed.object.namespace,
        &job.observed.object.name,
    );
    let mut shown = vec![Evidence::at(object.clone(), "image", &job.image)];
    if let Some((reason, message)) = &job.failure {
        let value = format!("{reason} {message}");
        shown.push(Evidence::at(object, "status.conditions[Failed]", &value));
    }
    shown.extend(job.pods.iter().flat_map(evidence::pod));
    shown
}
