use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::read_value;

/// Returns a Job as OLM writes it, with these conditions.
fn job(conditions: Value) -> Job {
    let object = json!({
        "metadata": {"name": "4b1d", "namespace": "olm"},
        "spec": {"backoffLimit": 3, "template": {"spec": {
            "containers": [{"name": "extract", "image": "registry.example/opm:1"}],
            "initContainers": [
                {"name": "util", "image": "registry.example/olm:1", "command": ["/bin/cp"]},
                {"name": "pull", "image": "registry.example/ferry-bundle:1"},
            ],
        }}},
        "status": {"conditions": conditions},
    });
    let (job, faults) = read_value::<Job>(object).expect("a Job");
    assert_eq!(faults, []);
    job
}

#[test]
fn unpacked_image_of_a_job_is_read() {
    let job = job(json!([]));
    assert_eq!(job.bundle_image(), Some("registry.example/ferry-bundle:1"));
    let images: Vec<_> = job.spec.template.images().collect();
    let wanted = [
        "registry.example/olm:1",
        "registry.example/ferry-bundle:1",
        "registry.example/opm:1",
    ];
    assert_eq!(images, wanted);
    assert_eq!(Job::default().bundle_image(), None);
}

#[rstest]
#[case::it_runs(json!([]), (false, None))]
#[case::it_is_done(json!([{"type": "Complete", "status": "True"}]), (true, None))]
#[case::it_was_given_up(
    json!([{"type": "Failed", "status": "True", "reason": "DeadlineExceeded"}]),
    (false, Some("DeadlineExceeded"))
)]
#[case::it_was_not(json!([{"type": "Failed", "status": "False", "reason": "a"}]), (false, None))]
fn job_conditions_determine_completion_and_failure(
    #[case] conditions: Value,
    #[case] expected: (bool, Option<&str>),
) {
    let job = job(conditions);
    let failure = job.failure().map(|said| said.reason.as_str());
    assert_eq!((job.is_complete(), failure), expected);
}
