//! Scenarios with reports of OLM about operators.

use portolan_core_health::{CsvPhase, Sight};

use super::stories;
use crate::tests::kit::*;

fn given_up() -> Story {
    harbor().phase(
        "ferry.v2.0.0",
        CsvPhase::Failed,
        "InstallCheckFailed",
        "install timeout",
    )
}

/// Returns a namespace without the ClusterServiceVersion that the status of the Subscription names
/// as installed.
fn emptied() -> Story {
    harbor().change(|all| {
        all.namespace.csvs.objects.clear();
        all.namespace.deployments.objects.clear();
    })
}

stories! {
    /// The Deployments could not be read. This is no problem, because nothing is installed.
    deployments_cannot_be_listed_before_installation:
        shore(FERRIES).subscription("ferry", "ferry")
        .subscriptions("ferry", |subscription| subscription.spec.channel = "stabel".to_owned())
        .change(|all| all.namespace.deployments.sight = Sight::Dim("nobody may list them".to_owned()))
        .change(|all| all.namespace.crds.sight = Sight::Dim("nobody may list them".to_owned()))
        => ["ferry: Stuck ChannelMissing Subscription demo/ferry"];
    olm_gave_up_but_the_operator_is_available: given_up()
        => ["ferry: Broken DeadlinePassed ClusterServiceVersion demo/ferry.v2.0.0"];
    olm_gave_up_before_the_image_was_fixed: given_up()
        .deployment("ferry", |one| {
            down(one, vec![pod("ferry", waiting("ErrImagePull", "not found"))]);
            one.status.conditions[1] = condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out");
        })
        .csv("ferry.v2.0.0", |csv| runs(csv, "registry.example/ferry:2"))
        => ["ferry: Broken DeadlinePassed ClusterServiceVersion demo/ferry.v2.0.0"];
    olm_gave_up_and_deployments_cannot_be_listed: given_up()
        .change(|all| all.namespace.deployments.sight = Sight::Dim("nobody may list them".to_owned()))
        => ["ferry: Broken CsvFailed ClusterServiceVersion demo/ferry.v2.0.0"];
    olm_gave_up_during_a_rollout: given_up()
        .deployment("ferry", |one| {
            rolling(one, vec![pod("ferry", waiting("ContainerCreating", ""))]);
        })
        => ["ferry: Broken DeadlinePassed ClusterServiceVersion demo/ferry.v2.0.0"];
    olm_reports_a_failed_csv: harbor()
        .phase("ferry.v2.0.0", CsvPhase::Failed, "InvalidInstallStrategy", "no strategy of that name")
        => ["ferry: Broken CsvFailed ClusterServiceVersion demo/ferry.v2.0.0"];
    only_a_copied_csv_exists: emptied()
        .change(|all| {
            all.namespace.copied.objects.push("ferry.v2.0.0".to_owned());
            let mut other = operator("ferry.v2.0.0");
            other.observed.object.namespace = "sea".to_owned();
            all.elsewhere.push(other);
        })
        => ["ferry: Stuck OnlyCopied Subscription demo/ferry"];
    csv_was_deleted: emptied()
        => ["ferry: Stuck OperatorGone Subscription demo/ferry"];
    csvs_cannot_be_listed: harbor().change(|all| {
        all.namespace.csvs.sight = Sight::Dim("the API server does not answer".to_owned());
    }) => ["ferry: Working NotObserved ClusterServiceVersion of namespace demo"];
}
