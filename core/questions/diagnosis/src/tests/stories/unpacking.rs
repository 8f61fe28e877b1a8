//! Scenarios with bundles that OLM cannot unpack.

use super::stories;
use crate::Unpack;
use crate::tests::kit::{self, *};

fn job(failure: Option<(&str, &str)>) -> Unpack {
    stopped_at("pull", failure)
}

/// Returns a Job in which the container `name` cannot pull its image. `failure` is the reason and
/// the message of the failed Job.
fn stopped_at(name: &str, failure: Option<(&str, &str)>) -> Unpack {
    let mut pod = pod("unpack", |container| {
        name.clone_into(&mut container.name);
        waiting("ImagePullBackOff", "Back-off pulling image")(container);
    });
    pod.observed.object.namespace = "olm".to_owned();
    let mut job = kit::unpacking("4b1d", "registry.example/ferry-bundle:2");
    let failure = failure.map(|(reason, message)| condition("Failed", "True", reason, message));
    job.status.conditions = failure.into_iter().collect();
    Unpack {
        job: item(job),
        pods: vec![pod],
        refusal: String::new(),
    }
}

/// Returns a namespace with a Subscription. The newest bundle has this image.
fn asked(image: &str) -> Story {
    let image: Box<str> = image.into();
    shore(FERRIES)
        .bundle("ferry.v2.0.0", move |bundle| {
            bundle.image = Some(image.clone())
        })
        .subscription("ferry", "ferry")
}

fn failed(story: Story) -> Story {
    let message = "Bundle unpacking failed - DeadlineExceeded: Job was active longer than \
                   specified deadline";
    story.condition("BundleUnpackFailed", "BundleUnpackFailed", message)
}

fn unpacking(story: Story) -> Story {
    story.condition("BundleUnpacking", "UnpackingInProgress", "")
}

const IMAGE: &str = "registry.example/ferry-bundle:2";

stories! {
    bundle_cannot_be_unpacked: failed(asked(IMAGE))
        => ["ferry: Stuck UnpackFailing CatalogSource olm/shop"];
    bundle_cannot_be_unpacked_and_its_job_failed: failed(asked(IMAGE)).change(|all| {
        let mut job = job(Some(("DeadlineExceeded", "Job was active longer than specified deadline")));
        job.pods.clear();
        all.unpacks.push(job);
    }) => ["ferry: Stuck UnpackFailing Job olm/4b1d"];
    quota_refuses_the_pods_of_the_job: failed(asked(IMAGE)).change(|all| {
        let mut job = job(Some(("DeadlineExceeded", "Job was active longer than specified deadline")));
        job.pods.clear();
        job.refusal = "Error creating: pods \"4b1d-x\" is forbidden: failed quota: tight: must specify \
                       limits.cpu for: extract,pull".to_owned();
        all.unpacks.push(job);
    }) => ["ferry: Stuck UnpackFailing ResourceQuota olm/tight"];
    webhook_refuses_the_pods_of_the_job: unpacking(asked(IMAGE)).change(|all| {
        let mut job = job(None);
        job.pods.clear();
        job.refusal = "Error creating: admission webhook \"customs.example\" denied the request: no".to_owned();
        all.unpacks.push(job);
    }) => ["ferry: Stuck UnpackFailing Job olm/4b1d"];
    image_of_the_unpacked_bundle_cannot_be_pulled:
        unpacking(asked(IMAGE)).change(|all| all.unpacks.push(job(None)))
        => ["ferry: Stuck UnpackFailing Job olm/4b1d"];
    kubelet_waits_before_it_pulls_the_image_of_the_bundle_again: unpacking(asked(IMAGE)).change(|all| {
        let mut job = job(None);
        let failure = "rpc error: code = NotFound desc = failed to resolve image: not found";
        let waits = format!("Back-off pulling image \"{IMAGE}\": ErrImagePull: {failure}");
        waiting("ImagePullBackOff", &waits)(&mut job.pods[0].status.container_statuses[0]);
        all.unpacks.push(job);
    }) => ["ferry: Stuck UnpackFailing Job olm/4b1d"];
    image_of_olm_cannot_be_pulled:
        unpacking(asked(IMAGE)).change(|all| all.unpacks.push(stopped_at("extract", None)))
        => ["ferry: Stuck UnpackFailing Job olm/4b1d"];
    /// In this namespace, OLM installs the newest bundle, so the Job belongs to another namespace.
    older_bundle_of_another_namespace_cannot_be_pulled: unpacking(asked("registry.example/new:1"))
        .bundle("ferry.v1.0.0", |bundle| bundle.image = Some(IMAGE.into()))
        .change(|all| all.unpacks.push(job(None)))
        => ["ferry: Working InProgress Subscription demo/ferry"];
    /// After the bundle is unpacked, OLM removes the outdated resolution failure.
    bundle_is_being_unpacked_after_an_outdated_failure: unpacking(asked(IMAGE)).fails(
        "constraints not satisfiable: no operators found in package tug in the catalog referenced \
         by subscription tug, subscription tug exists",
    ) => ["ferry: Working InProgress Subscription demo/ferry"];
    other_bundle_image_cannot_be_pulled:
        unpacking(asked("registry.example/another:1")).change(|all| all.unpacks.push(job(None)))
        => ["ferry: Working InProgress Subscription demo/ferry"];
    bundle_is_being_unpacked: unpacking(asked(IMAGE))
        => ["ferry: Working InProgress Subscription demo/ferry"];
}
