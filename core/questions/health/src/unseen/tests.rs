use crate::tests::kit::*;
use crate::*;

stories! { World;
    stale_subscriptions_of_a_healthy_operator: world().namespace(|all| all.subscriptions.sight = dim()) => r#"
        NotYet Subscription demo/ferry
        NotYet NotObserved Subscription: Subscriptions are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    stale_groups_of_a_healthy_operator: world().namespace(|all| all.groups.sight = dim()) => r#"
        NotYet Subscription demo/ferry
        NotYet NotObserved OperatorGroup: OperatorGroups are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    stale_plans_of_a_healthy_operator: world().namespace(|all| all.plans.sight = dim()) => r#"
        Yes Subscription demo/ferry
        Yes NotObserved InstallPlan: InstallPlans are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    stale_csvs_of_a_healthy_operator: world().namespace(|all| all.csvs.sight = dim()) => r#"
        NotYet Subscription demo/ferry
        NotYet NotObserved ClusterServiceVersion: ClusterServiceVersions are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    stale_conditions_of_a_healthy_operator: world().namespace(|all| all.conditions.sight = dim()) => r#"
        Yes Subscription demo/ferry
        Yes NotObserved OperatorCondition: OperatorConditions are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    stale_deployments_of_a_healthy_operator: world().namespace(|all| all.deployments.sight = dim()) => r#"
        NotYet Subscription demo/ferry
        NotYet NotObserved Deployment: Deployments are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    stale_crds_of_a_healthy_operator: world().namespace(|all| all.crds.sight = dim()) => r#"
        NotYet Subscription demo/ferry
        NotYet NotObserved CustomResourceDefinition: CustomResourceDefinitions are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    stale_served_apis_of_a_healthy_operator: world().namespace(|all| all.served.sight = dim()) => r#"
        Yes Subscription demo/ferry
    "#;
    stale_catalogs_of_a_healthy_operator: world().namespace(|all| all.catalogs.sight = dim()) => r#"
        Yes Subscription demo/ferry
        Yes NotObserved CatalogSource: CatalogSources are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    hidden_objects_are_not_reported_missing: world().namespace(|all| {
        all.groups = dark();
        all.csvs = dark();
        all.deployments = dark();
        all.crds = dark();
        all.catalogs = dark();
        all.plans = dark();
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator that Portolan can see.
        NotYet NotObserved OperatorGroup: OperatorGroups are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
        NotYet NotObserved InstallPlan: InstallPlans are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
        NotYet NotObserved CatalogSource: CatalogSources are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
        NotYet NotObserved ClusterServiceVersion: ClusterServiceVersions are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
        NotYet NotObserved Deployment: Deployments are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    stale_copied_csvs_are_reported_if_the_operator_is_missing: world().namespace(|all| {
        all.csvs.objects.clear();
        all.copied.sight = dim();
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator that Portolan can see.
        NotYet NotObserved ClusterServiceVersion: Copied ClusterServiceVersions are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    stale_copied_csvs_are_ignored_if_the_operator_exists: world().namespace(|all| all.copied.sight = dim()) => r#"
        Yes Subscription demo/ferry
    "#;
    stale_plans_are_reported_during_an_update: upgrade(CsvPhase::Installing, "").namespace(|all| all.plans.sight = dim()) => r#"
        NotYet Subscription demo/ferry
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 is being installed.
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is kept until ferry.v2 has replaced it.
        NotYet NotObserved InstallPlan: InstallPlans are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    stale_catalogs_are_reported_before_the_installation: fresh().namespace(|all| all.catalogs.sight = dim()) => r#"
        NotYet Subscription demo/ferry
        NotYet SubscriptionNotObserved Subscription demo/ferry: OLM has not reported a status for Subscription demo/ferry. If the status stays empty, check that OLM runs.
        NotYet NotObserved CatalogSource: CatalogSources are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered
    "#;
    unreadable_deployment_of_the_operator: world().namespace(|all| all.deployments.sight = odd("demo", "ferry")) => r#"
        NotYet Subscription demo/ferry
        NotYet NotObserved Deployment demo/ferry: Deployment demo/ferry cannot be read completely: spec.x: odd
    "#;
    unreadable_deployment_of_another_operator: world().namespace(|all| all.deployments.sight = odd("demo", "pilot")) => r#"
        Yes Subscription demo/ferry
    "#;
    unreadable_subscription_of_another_operator: world().namespace(|all| all.subscriptions.sight = odd("demo", "pilot")) => r#"
        Yes Subscription demo/ferry
    "#;
    unreadable_subscription_while_the_operator_has_none: world().namespace(|all| {
        all.subscriptions.objects.clear();
        all.subscriptions.sight = odd("demo", "pilot");
    }) => r#"
        NotYet ClusterServiceVersion demo/ferry.v1
        NotYet NotObserved Subscription demo/pilot: Subscription demo/pilot cannot be read completely: spec.x: odd
    "#;
    unreadable_csv_that_may_replace_an_orphan: world().namespace(|all| {
        all.subscriptions.objects.clear();
        all.csvs.sight = odd("demo", "ferry.v2");
    }) => r#"
        NotYet ClusterServiceVersion demo/ferry.v1
        Yes Orphaned ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has no Subscription, so the operator gets no updates.
        NotYet NotObserved ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 cannot be read completely: spec.x: odd
    "#;
    unreadable_csv_of_another_operator: world().namespace(|all| all.csvs.sight = odd("demo", "pilot.v1")) => r#"
        Yes Subscription demo/ferry
    "#;
    unreadable_csv_of_the_subscription: world().namespace(|all| {
        all.csvs.objects.clear();
        all.csvs.sight = odd("demo", "ferry.v1");
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator that Portolan can see.
        NotYet NotObserved ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 cannot be read completely: spec.x: odd
    "#;
    unreadable_group: world().namespace(|all| all.groups.sight = odd("demo", "any")) => r#"
        NotYet Subscription demo/ferry
        NotYet NotObserved OperatorGroup demo/any: OperatorGroup demo/any cannot be read completely: spec.x: odd
    "#;
    unreadable_crd_of_the_operator: world().namespace(|all| all.crds.sight = odd("", "ferries.demo.example")) => r#"
        NotYet Subscription demo/ferry
        NotYet NotObserved CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example cannot be read completely: spec.x: odd
    "#;
    unreadable_crd_of_another_operator: world().namespace(|all| all.crds.sight = odd("", "pilots.demo.example")) => r#"
        Yes Subscription demo/ferry
    "#;
}

fn odd(namespace: &str, name: &str) -> Sight {
    let key = (namespace.to_owned(), name.to_owned());
    Sight::Odd([(key, "spec.x: odd".to_owned())].into())
}

fn dim() -> Sight {
    Sight::Dim("as of 2026-11-22T09:00:00Z: the API server has not answered".to_owned())
}

fn dark<T>() -> ObservedObjects<T> {
    ObservedObjects {
        objects: Vec::new(),
        sight: dim(),
    }
}
