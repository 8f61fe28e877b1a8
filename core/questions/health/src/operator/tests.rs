use crate::tests::kit::*;
use crate::*;

stories! { World;
    orphaned_operator_is_reported: world().namespace(|all| all.subscriptions.objects.clear()) => r#"
        Yes ClusterServiceVersion demo/ferry.v1
        Yes Orphaned ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has no Subscription, so the operator gets no updates.
    "#;
    orphaned_operator_blocks_a_subscription: world().subscription(|subscription| {
        subscription.status = Default::default();
    }).condition("ResolutionFailed", "ConstraintsNotSatisfiable", "clusterserviceversion ferry.v1 exists and is not referenced by a subscription") => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator, because another problem blocks OLM.
        - No ResolutionFailed Subscription demo/ferry: OLM finds no set of bundles that satisfies Subscription demo/ferry and the other Subscriptions of the namespace: clusterserviceversion ferry.v1 exists and is not referenced by a subscription
        Yes ClusterServiceVersion demo/ferry.v1
        Yes Orphaned ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 blocks Subscription demo/ferry, because both are for the same package. OLM does not adopt the existing ClusterServiceVersion. Set its name in status.currentCSV of the Subscription, or delete the ClusterServiceVersion. OLM then installs the operator again.
    "#;
    operator_is_not_orphaned_if_subscriptions_are_hidden: world().namespace(|all| all.subscriptions = dark()) => r#"
        NotYet ClusterServiceVersion demo/ferry.v1
        NotYet NotObserved Subscription: Subscriptions are not observed: forbidden
    "#;
    orphan_that_is_being_replaced_is_one_operator: upgrade(CsvPhase::Installing, "").namespace(|all| all.subscriptions.objects.clear()) => r#"
        NotYet ClusterServiceVersion demo/ferry.v2
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 is being installed.
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is kept until ferry.v2 has replaced it.
        Yes Orphaned ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 has no Subscription, so the operator gets no updates.
    "#;
    two_subscriptions_of_one_package: world().namespace(|all| {
        let mut second = all.subscriptions.objects[0].clone();
        second.observed = observed(Kind::Subscription, HOME, "ferry-too");
        all.subscriptions.objects.push(second);
    }) => r#"
        Yes Subscription demo/ferry
        Yes Subscription demo/ferry-too
    "#;
    two_operators_have_separate_verdicts: world().namespace(|all| {
        all.subscriptions.objects.push(subscription("tug", "tug.v1"));
        let mut tug = csv("tug.v1");
        tug.metadata.labels = None;
        label(&mut tug.metadata, &component("tug"), "");
        tug.status.phase = CsvPhase::Failed;
        tug.spec.install.spec.deployments.clear();
        all.csvs.objects.push(tug);
    }) => r#"
        Yes Subscription demo/ferry
        No Subscription demo/tug
        No CsvFailed ClusterServiceVersion demo/tug.v1: ClusterServiceVersion demo/tug.v1 has failed (InstallSucceeded): install strategy completed with no errors
    "#;
    circular_replaces_field_terminates: upgrade(CsvPhase::Installing, "").namespace(|all| all.csvs.objects[0].spec.replaces = "ferry.v2".to_owned()) => r#"
        NotYet Subscription demo/ferry
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 is being installed.
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is kept until ferry.v2 has replaced it.
    "#;
    csv_that_replaces_itself_is_the_newest: world().csv(|csv| csv.spec.replaces = "ferry.v1".to_owned()) => r#"
        Yes Subscription demo/ferry
    "#;
    fork_selects_the_csv_that_olm_names: upgrade(CsvPhase::Succeeded, "").deployment(|one| label(&mut one.metadata, "olm.owner", "ferry.v2")).namespace(|all| {
        let mut other = all.csvs.objects[1].clone();
        other.observed = observed(Kind::ClusterServiceVersion, HOME, "ferry.v3");
        other.status.phase = CsvPhase::Pending;
        all.csvs.objects.push(other);
    }) => r#"
        NotYet Subscription demo/ferry
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is kept until ferry.v2 has replaced it.
        NotYet CsvPending ClusterServiceVersion demo/ferry.v3: ClusterServiceVersion demo/ferry.v3 is waiting to be installed.
    "#;
    empty_namespace_has_no_operators: World(Namespace::default()) => "";
}

fn dark<T>() -> ObservedObjects<T> {
    ObservedObjects {
        objects: Vec::new(),
        sight: Sight::Dim("forbidden".to_owned()),
    }
}
