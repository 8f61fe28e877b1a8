//! Tests with operators whose requirements are missing or were deleted.

use portolan_core_diagnosis::Code;
use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::diagnoses::root;
use super::stage::{Dumped, Stage, own_stage, stage};

/// An InstallPlan creates its objects only once, so it does not create the deleted CRD again.
#[tokio::test]
async fn fixes_deleted_crd() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-kinds").await? else {
        return Ok(());
    };
    let _fleet = stage
        .serve("fleet", &catalog("wren: 1.0.0").installable())
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("wren").await?;
    stage.well("wren").await?;
    // OLM creates the object again until it has read that the plan is complete.
    stage.plans_are_done().await?;
    let kind = "CustomResourceDefinition wrens.wren.example.test";
    let delete = "for i in 1 2 3 4 5; do sleep 1; kubectl delete customresourcedefinitions \
                  wrens.wren.example.test --ignore-not-found; done";
    stage.types(delete).await?;
    stage.heals(root("wren", Code::CrdMissing, kind)).await
}

/// OLM reacts when the CRD is created.
#[tokio::test]
async fn operator_recovers_when_its_required_crd_appears() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-late").await? else {
        return Ok(());
    };
    let mut offered = catalog("finch: 1.0.0; seed: 1.0.0").installable();
    let seeds = offered.package("seed").bundle("1.0.0").objects[1].clone();
    // Only the ClusterServiceVersion requires the CRD. The properties of the bundle do not, so OLM
    // installs no provider.
    let csv = &mut offered.packages[0].bundles[0].objects[0];
    csv["spec"]["customresourcedefinitions"]["required"] = json!([{
        "name": "seeds.seed.example.test",
        "version": "v1",
        "kind": "Seed",
    }]);
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("finch").await?;
    let kind = "CustomResourceDefinition seeds.seed.example.test";
    let missing = root("finch", Code::CrdMissing, kind);
    stage.external(missing, Dumped::Alike).await?;
    let again = stage
        .later(missing, "After the repair, make OLM check")
        .await?;

    let crd = seeds.to_string();
    stage
        .types(&format!("echo '{crd}' | kubectl apply -f -"))
        .await?;
    stage.types(&again).await?;
    stage.well("finch").await?;
    stage
        .types("kubectl delete customresourcedefinitions seeds.seed.example.test")
        .await
}

#[tokio::test]
async fn diagnoses_requirements_that_the_cluster_lacks() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-apis").await? else {
        return Ok(());
    };
    let mut offered = catalog("robin: 1.0.0; linnet: 1.0.0; siskin: 1.0.0").installable();
    let song = json!({"group": "song.test", "version": "v1", "kind": "Song", "name": "songs"});
    let thistle = json!({"group": "thistle.test", "version": "v1", "kind": "Thistle"});
    let needs = [
        ("minKubeVersion", json!("9.0.0")),
        ("apiservicedefinitions", json!({"required": [song]})),
        ("nativeAPIs", json!([thistle])),
    ];
    for (package, (field, need)) in offered.packages.iter_mut().zip(needs) {
        package.bundles[0].objects[0]["spec"][field] = need;
    }
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    for name in ["robin", "linnet", "siskin"] {
        stage.subscribe(name).await?;
    }
    let old = root(
        "robin",
        Code::ClusterTooOld,
        "ClusterServiceVersion robin.v1.0.0",
    );
    stage.external(old, Dumped::Alike).await?;
    let api = root("linnet", Code::ApiMissing, "APIService v1.song.test");
    stage.external(api, Dumped::Alike).await?;
    let native = root(
        "siskin",
        Code::RequirementUnmet,
        "ClusterServiceVersion siskin.v1.0.0",
    );
    stage.external(native, Dumped::Alike).await
}

/// An operator of another namespace also watches this namespace, and owns the same CRD.
#[tokio::test]
async fn diagnoses_crd_of_another_operator() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-theirs").await? else {
        return Ok(());
    };
    let cluster = stage.world.cluster().clone();
    let theirs = cluster.namespace("dx-owner").await?;
    let text = "jay: 1.0.0 provides acorn.test/v1/Acorn; pie: 1.0.0 provides acorn.test/v1/Acorn";
    let _fleet = stage.serve("fleet", &catalog(text).installable()).await?;
    let here = stage.world.namespace().to_owned();
    let offered = catalog(text).installable();
    let _theirs = installed_for(&stage, &theirs, &here, "jay", &offered).await?;

    stage.editor.group("group").await?;
    stage.subscribe("pie").await?;
    // OLM does not name the other operator. The diagnosis reads only objects of this namespace, so
    // it reports the OperatorGroup.
    let taken = root("pie", Code::ApiClaimedByGroup, "OperatorGroup");
    stage.external(taken, Dumped::InOtherWords).await
}

/// These problems affect the whole cluster: OperatorGroups and operators that prevent an operator
/// from providing its APIs, and a controller of OLM that does not run.
#[tokio::test]
async fn fixes_claims_of_other_namespaces() -> Result<(), Failure> {
    let Some(mut stage) = own_stage("dx-static").await? else {
        return Ok(());
    };
    let text = "jay: 1.0.0 provides acorn.test/v1/Acorn
        rook: 1.0.0 provides tree.test/v1/Tree; finch: 1.0.0 provides seed.test/v1/Seed
        linnet: 1.0.0 provides seed.test/v1/Seed";
    let offered = catalog(text).installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    let cluster = stage.world.cluster().clone();
    let theirs = cluster.namespace("dx-reserved").await?;
    let group = json!({
        "apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
        "metadata": {
            "name": "reserved", "namespace": &*theirs,
            "annotations": {"olm.providedAPIs": "Acorn.v1.acorn.test"},
        },
        "spec": {"staticProvidedAPIs": true, "selector": {"matchLabels": {"reserved": "yes"}}},
    });
    let claim = format!(
        "kubectl label namespaces $NS {name} reserved=yes && echo '{group}' | kubectl apply -f - && \
         kubectl -n {name} wait operatorgroups.operators.coreos.com/reserved --timeout=180s \
         --for=jsonpath='{{.status.namespaces[1]}}'",
        name = &*theirs
    );
    stage.types(&claim).await?;
    stage.editor.group("group").await?;
    let claimed = Code::ApiClaimedByGroup;
    stage.subscribe("jay").await?;
    let unlist = "Remove Acorn.v1.acorn.test from the static list of APIs.";
    stage.does_of_all(("jay", claimed), unlist).await?;
    stage.well("jay").await?;

    let theirs = cluster.namespace("dx-owner").await?;
    let here = stage.world.namespace().to_owned();
    let _owner = installed_for(&stage, &theirs, &here, "finch", &offered).await?;
    stage.subscribe("linnet").await?;
    let remove = "Remove linnet";
    stage
        .does_of_all(("linnet", Code::CrdOwnedByOther), remove)
        .await?;
    stage.diagnoses.until_gone("linnet").await;

    let own = r#"{"spec": {"staticProvidedAPIs": true}}"#;
    stage
        .types(&format!(
            "kubectl -n $NS patch operatorgroups.operators.coreos.com/group --type merge -p '{own}'"
        ))
        .await?;
    stage.subscribe("rook").await?;
    let unlisted = root("rook", claimed, "OperatorGroup group");
    stage
        .heals_by(
            unlisted,
            "Add the APIs of the operator to the static list of the OperatorGroup.",
        )
        .await?;

    stage
        .types(
            "kubectl -n $NS create deployment catalog-operator --image=olm.test/olm:1 --replicas=0",
        )
        .await?;
    stage.subscribe("dodo").await?;
    let stopped = root("dodo", Code::OlmNotRunning, "Deployment catalog-operator");
    stage.does_by(stopped, "Scale Deployment").await?;
    let missing = root("dodo", Code::PackageMissing, "Subscription dodo");
    stage.diagnoses.until(&missing).await;
    Ok(())
}

/// Installs version 1.0.0 of a package in one namespace. The operator watches another namespace.
async fn installed_for(
    stage: &Stage,
    theirs: &str,
    here: &str,
    package: &str,
    offered: &portolan_kit::Catalog,
) -> Result<portolan_rig::Catalog, Failure> {
    let owner = crate::editor::Editor::of(stage.world.client(), theirs);
    let spec = json!({"targetNamespaces": [here]});
    owner
        .create(Kind::OperatorGroup, "group", json!({"spec": spec}))
        .await?;
    let cluster = stage.world.cluster();
    let catalog = cluster.catalog(theirs, "fleet", &offered.temp()).await?;
    let spec = json!({
        "name": package,
        "channel": "stable",
        "source": "fleet",
        "sourceNamespace": theirs,
    });
    owner
        .create(Kind::Subscription, package, json!({"spec": spec}))
        .await?;
    let versions = owner.objects(Kind::ClusterServiceVersion);
    let csv = format!("{package}.v1.0.0");
    portolan_rig::until_field(&versions, &csv, "/status/phase", "Succeeded").await?;
    Ok(catalog)
}

/// The condition that an administrator sets takes precedence over the condition of the operator.
#[tokio::test]
async fn diagnoses_upgradeable_false() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-busy").await? else {
        return Ok(());
    };
    let offered = catalog("lark: 1.0.0 -> 1.1.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("lark manual start=lark.v1.0.0").await?;
    let waits = root("lark", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.does(waits).await?;
    stage.well_as("lark", "lark.v1.0.0").await;
    let word = |list: &str, status: &str| {
        let output = json!({
            "type": "Upgradeable",
            "status": status,
            "reason": "Brooding",
            "message": "the eggs are not hatched",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        });
        let patch = json!({"spec": {list: [output]}});
        format!(
            "kubectl -n $NS patch operatorconditions.operators.coreos.com lark.v1.0.0 \
             --type merge -p '{patch}'"
        )
    };
    stage.types(&word("conditions", "False")).await?;
    stage.diagnoses.until(&waits).await;
    stage.does(waits).await?;
    let at_fault = "OperatorCondition lark.v1.0.0";
    let busy = root("lark", Code::NotUpgradeable, at_fault);
    stage.external(busy, Dumped::Alike).await?;

    stage.types(&word("overrides", "False")).await?;
    stage.types(&word("conditions", "True")).await?;
    stage.does(busy).await?;
    // Two versions exist for a short time. OLM may keep a state that it computed from both.
    stage.well("lark").await
}

/// OLM only checks that the CRD exists, and continues.
#[tokio::test]
async fn diagnoses_crd_that_serves_no_version() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-served").await? else {
        return Ok(());
    };
    let offered = catalog("wheatear: 1.0.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("wheatear").await?;
    stage.well("wheatear").await?;
    stage.plans_are_done().await?;
    let serves = |is_served: bool| {
        let patch =
            json!([{"op": "replace", "path": "/spec/versions/0/served", "value": is_served}]);
        // OLM creates the object again until it has read that the plan is complete.
        format!(
            "for i in 1 2 3 4 5; do sleep 1; kubectl patch customresourcedefinitions \
             wheatears.wheatear.example.test --type json -p '{patch}'; done"
        )
    };
    stage.types(&serves(false)).await?;
    let kind = "CustomResourceDefinition wheatears.wheatear.example.test";
    let unfit = root("wheatear", Code::CrdNotUsable, kind);
    stage.external(unfit, Dumped::Alike).await?;
    stage.types(&serves(true)).await?;
    // OLM does not always notice the fix, and then the diagnosis reports this. The test changes the
    // object in both cases.
    stage
        .types("kubectl -n $NS annotate clusterserviceversions.operators.coreos.com wheatear.v1.0.0 look=again")
        .await?;
    stage.well("wheatear").await?;
    Ok(())
}

/// An operator of another namespace watches this namespace. A Subscription in this namespace
/// requests the same operator.
#[tokio::test]
async fn subscription_with_only_a_copied_csv_is_diagnosed() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-copy").await? else {
        return Ok(());
    };
    let offered = catalog("chough: 1.0.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    let cluster = stage.world.cluster().clone();
    let theirs = cluster.namespace("dx-origin").await?;
    let here = stage.world.namespace().to_owned();
    let owner = installed_for(&stage, &theirs, &here, "chough", &offered).await?;
    let copies = stage.editor.objects(Kind::ClusterServiceVersion);
    portolan_rig::until_field(&copies, "chough.v1.0.0", "/status/reason", "Copied").await?;

    stage.editor.group("group").await?;
    stage.subscribe("chough").await?;
    let copied = root("chough", Code::OnlyCopied, "Subscription chough");
    stage.does(copied).await?;
    stage.diagnoses.until_gone("chough").await;
    drop(owner);
    Ok(())
}
