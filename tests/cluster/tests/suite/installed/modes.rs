//! Tests OperatorGroups of each install mode, and their changes, with a real OLM. Compares the
//! result with the reference.

use kube::api::{DeleteParams, Patch, PatchParams};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::reference::difference;
use super::stage::{Berth, berth, csv};
use crate::program::portolan;

/// Annotations with which the author of a ClusterServiceVersion falsely claims that the operator
/// watches all namespaces.
const FORGED: &str = "  annotations: {olm.operatorGroup: all, olm.operatorNamespace: evil, olm.targetNamespaces: ''}\n  \
     labels:";

/// Namespaces with operators. One operator watches its own namespace. One watches another
/// namespace. One watches two namespaces. One watches the namespaces that a label selector selects.
const FLEETS: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: own}
---
apiVersion: v1
kind: Namespace
metadata: {name: single}
---
apiVersion: v1
kind: Namespace
metadata: {name: multi}
---
apiVersion: v1
kind: Namespace
metadata: {name: chosen}
---
apiVersion: v1
kind: Namespace
metadata: {name: evil}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: own, namespace: own}
spec: {targetNamespaces: [own]}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: single, namespace: single}
spec: {targetNamespaces: [harbor]}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: multi, namespace: multi}
spec: {targetNamespaces: [harbor, own]}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: chosen, namespace: chosen}
spec: {selector: {matchLabels: {team: red}}}
---
";

#[tokio::test]
async fn groups_of_every_mode_match_the_reference() -> Result<(), Failure> {
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    // Builds the reference programs first, because this may take minutes.
    portolan().await?;
    let fleets = [
        csv("own", "tug.v1.0.0", "1.0.0"),
        csv("single", "lugger.v1.0.0", "1.0.0"),
        csv("multi", "ferry.v1.0.0", "1.0.0"),
        csv("chosen", "pilot.v1.0.0", "1.0.0"),
    ];
    berth
        .applies(&(FLEETS.to_owned() + &fleets.concat()))
        .await?;
    is(
        &berth,
        "harbor",
        &["ferry.v1.0.0", "ferry.v1.0.0:multi", "lugger.v1.0.0"],
    )
    .await?;
    is(
        &berth,
        "own",
        &["ferry.v1.0.0", "ferry.v1.0.0:multi", "tug.v1.0.0"],
    )
    .await?;
    rejected_operators_watch_nothing(&berth).await?;
    targets_change(&berth).await?;
    an_operator_is_replaced(&berth).await?;
    copies_go(&berth).await?;
    a_group_goes(&berth).await?;
    berth.assert_no_forbidden_requests()
}

/// OLM rejects operators without an OperatorGroup, and keeps their annotations. One of them has the
/// same name as an operator that is installed later, and is older than that operator.
async fn rejected_operators_watch_nothing(berth: &Berth) -> Result<(), Failure> {
    let forged = ["ferry.v1.0.0", "barge.v1.0.0"];
    for name in forged {
        let forged = csv("evil", name, "1.0.0").replace("  labels:", FORGED);
        berth.applies(&forged).await?;
        let csv = format!("csv/{name}");
        let rejected = "--for=jsonpath={.status.reason}=NoOperatorGroup";
        let wait = ["wait", &csv, "-n=evil", rejected, "--timeout=180s"];
        berth.run(&wait).await?;
    }
    berth.applies(&csv("own", "barge.v1.0.0", "1.0.0")).await?;
    is(
        berth,
        "own",
        &[
            "barge.v1.0.0",
            "ferry.v1.0.0",
            "ferry.v1.0.0:multi",
            "tug.v1.0.0",
        ],
    )
    .await?;
    is(berth, "evil", &["ferry.v1.0.0"]).await?;
    let home = "-o=jsonpath={.items[*].status.clusterServiceVersion.metadata.namespace}";
    let homes = berth.run(&["get", "installed", "-A", home]).await?;
    assert!(!homes.split(' ').any(|home| home == "evil"), "{homes}");
    let barge = Kind::ClusterServiceVersion.within(&berth.cluster().client()?, "own");
    barge
        .delete("barge.v1.0.0", &DeleteParams::default())
        .await?;
    is(
        berth,
        "own",
        &["ferry.v1.0.0", "ferry.v1.0.0:multi", "tug.v1.0.0"],
    )
    .await
}

/// The target namespaces change through a label, and then through the spec of the OperatorGroup.
async fn targets_change(berth: &Berth) -> Result<(), Failure> {
    berth
        .run(&["label", "namespace", "harbor", "multi", "team=red"])
        .await?;
    // OLM does not evaluate the selector when a label of a namespace changes. Until the
    // OperatorGroup changes again, OLM rejects the operator with NoTargetNamespaces.
    is(berth, "multi", &["ferry.v1.0.0"]).await?;
    reconcile_group(berth, "chosen", "first").await?;
    until_selected(berth, "chosen", &["harbor", "multi"]).await?;
    is(berth, "multi", &["ferry.v1.0.0", "pilot.v1.0.0"]).await?;
    berth.run(&["label", "namespace", "multi", "team-"]).await?;
    is(berth, "multi", &["ferry.v1.0.0", "pilot.v1.0.0"]).await?;
    reconcile_group(berth, "chosen", "again").await?;
    is(berth, "multi", &["ferry.v1.0.0"]).await?;

    patch(
        berth,
        Kind::OperatorGroup,
        ["multi", "multi"],
        json!({"spec": {"targetNamespaces": ["multi"]}}),
    )
    .await?;
    is(berth, "multi", &["ferry.v1.0.0", "ferry.v1.0.0:fleet"]).await?;
    is(berth, "own", &["ferry.v1.0.0", "tug.v1.0.0"]).await
}

/// Replaces an operator as OLM does in an upgrade. The new ClusterServiceVersion names the old one,
/// which is then deleted.
async fn an_operator_is_replaced(berth: &Berth) -> Result<(), Failure> {
    let next = csv("own", "tug.v1.1.0", "1.1.0");
    let next = next.replace(
        "  version: 1.1.0\n",
        "  version: 1.1.0\n  replaces: tug.v1.0.0\n",
    );
    berth.applies(&next).await?;
    is(berth, "own", &["ferry.v1.0.0", "tug.v1.1.0"]).await
}

async fn copies_go(berth: &Berth) -> Result<(), Failure> {
    let config = "
apiVersion: operators.coreos.com/v1
kind: OLMConfig
metadata: {name: cluster}
spec: {features: {disableCopiedCSVs: true}}
---
";
    // OLM copies the ClusterServiceVersion into newer namespaces when it reconciles the operator
    // again.
    let change = json!({"metadata": {"labels": {"round": "again"}}});
    let ferry = ["fleet", "ferry.v1.0.0"];
    patch(berth, Kind::ClusterServiceVersion, ferry, change).await?;
    until_copies(berth, true).await?;
    berth.applies(config).await?;
    until_copies(berth, false).await?;
    is(berth, "own", &["ferry.v1.0.0", "tug.v1.1.0"]).await
}

/// After the OperatorGroup is deleted, OLM rejects the operator, so it watches nothing.
async fn a_group_goes(berth: &Berth) -> Result<(), Failure> {
    let client = berth.cluster().client()?;
    let groups = Kind::OperatorGroup.within(&client, "single");
    groups.delete("single", &DeleteParams::default()).await?;
    is(berth, "harbor", &["ferry.v1.0.0", "pilot.v1.0.0"]).await
}

fn sorted<'n>(names: &[&'n str]) -> Vec<&'n str> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

/// Waits until a namespace has these operators, and until the responses equal the reference.
async fn is(berth: &Berth, namespace: &str, names: &[&str]) -> Result<(), Failure> {
    let wanted = sorted(names);
    until(format!("{namespace}: {wanted:?}"), PATIENCE, async || {
        let (reference, served) = (berth.reference().await?, berth.served().await?);
        if let Some(differs) = difference(&served, &reference) {
            return Ok(Seen::NotYet(differs));
        }
        let here = served
            .values()
            .filter(|it| it["metadata"]["namespace"] == namespace);
        let here: Vec<_> = here
            .map(|it| it["metadata"]["name"].as_str().unwrap_or_default())
            .collect();
        Ok(if sorted(&here) == wanted {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{here:?}"))
        })
    })
    .await
}

/// Makes OLM reconcile an OperatorGroup.
async fn reconcile_group(berth: &Berth, group: &str, round: &str) -> Result<(), Failure> {
    let change = json!({"metadata": {"annotations": {"round": round}}});
    patch(berth, Kind::OperatorGroup, [group, group], change).await
}

/// Waits until OLM has written the selected namespaces into the status of an OperatorGroup.
async fn until_selected(berth: &Berth, group: &str, namespaces: &[&str]) -> Result<(), Failure> {
    let groups = Kind::OperatorGroup.within(&berth.cluster().client()?, group);
    until("OLM to write the targets", PATIENCE, async || {
        let reported = groups.get(group).await?.data["status"]["namespaces"].clone();
        let names = reported
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        Ok(if sorted(&names.collect::<Vec<_>>()) == namespaces {
            Seen::Yes(())
        } else {
            Seen::NotYet(reported.to_string())
        })
    })
    .await
}

/// Waits until the operator that watches all namespaces is copied, or is no longer copied.
async fn until_copies(berth: &Berth, are_there: bool) -> Result<(), Failure> {
    let copies = [
        "get",
        "clusterserviceversions",
        "-n=chosen",
        "-l=olm.copiedFrom=fleet",
        "-o=name",
    ];
    until(format!("copies: {are_there}"), PATIENCE, async || {
        let copies = berth.lines(&copies).await?;
        Ok(if copies.is_empty() == are_there {
            Seen::NotYet(format!("{copies:?}"))
        } else {
            Seen::Yes(())
        })
    })
    .await
}

async fn patch(
    berth: &Berth,
    kind: Kind,
    [namespace, name]: [&str; 2],
    change: Value,
) -> Result<(), Failure> {
    let objects = kind.within(&berth.cluster().client()?, namespace);
    let change = Patch::Merge(change);
    objects
        .patch(name, &PatchParams::default(), &change)
        .await?;
    Ok(())
}
