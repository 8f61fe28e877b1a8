//! Tests of `portolan resolve --as-olm`: the predicted actions of OLM in a namespace, and the
//! reasons if OLM is stuck.

use insta::assert_snapshot;
use portolan_kit::{World, catalog, world};
use rstest::rstest;
use serde_json::{Value, json};

use crate::program::{portolan, transcript};

const HARBOR: &str = "
    ferry: 1.0.0 -> 1.1.0 -> 2.0.0; 2.0.0 requires rope >=1.0.0
    rope: 1.0.0; 1.0.0 provides harbor.test/v1/Rope
    winch: 1.0.0; 1.0.0 provides harbor.test/v1/Rope
    crane: 1.0.0; 1.0.0 requires harbor.test/v1/Steam";

/// Returns a namespace in which OLM installs operators.
fn harbor() -> World {
    world().namespace("harbor").operator_group()
}

fn automatic(subscription: &mut Value) {
    subscription["spec"]["installPlanApproval"] = json!("Automatic");
}

fn as_olm(dump: &World, line: &str) -> String {
    let folder = catalog(HARBOR).temp();
    let dumps = dump.temp();
    let file = dumps.join("dump.yaml");
    std::fs::write(&file, dump.to_yaml()).expect("the folder must be writable");
    let line = format!("resolve --as-olm --installed dump.yaml {line}");
    let mut asked = portolan(&line);
    let place = format!("olm/shop={}", folder.display());
    transcript(asked.args(["--catalog", &place]).current_dir(&*dumps))
}

#[test]
fn prints_bundles_of_each_pass_of_olm() {
    let dump = harbor()
        .subscription("ferry", "stable")
        .edit(automatic)
        .edit(|ferry| ferry["status"] = json!({"installedCSV": "ferry.v1.0.0"}))
        .csv("ferry.v1.0.0", "Succeeded");
    assert_snapshot!(as_olm(&dump, ""), @r"
    [stdout]
    After 2 passes, OLM has nothing more to do in namespace harbor.

    PASS   SUBSCRIPTION                            BUNDLE         REPLACES       CHANNEL   CATALOG
    1      ferry                                   ferry.v1.1.0   ferry.v1.0.0   stable    olm/shop
    2      ferry                                   ferry.v2.0.0   ferry.v1.1.0   stable    olm/shop
           rope-stable-shop-olm (created by OLM)   rope.v1.0.0    -              stable    olm/shop

    SUBSCRIPTION           STAYS AT       WHY
    ferry                  ferry.v2.0.0   the installed bundle is the head of its channel
    rope-stable-shop-olm   rope.v1.0.0    the installed bundle is the head of its channel
    [exit 0]
    ");
}

#[test]
fn keeps_bundle_at_channel_head() {
    let dump = harbor()
        .subscription("rope", "stable")
        .edit(automatic)
        .installed("rope.v1.0.0")
        .csv("rope.v1.0.0", "Succeeded");
    assert_snapshot!(as_olm(&dump, "-n harbor"), @r"
    [stdout]
    OLM has nothing more to do in namespace harbor.

    SUBSCRIPTION   STAYS AT      WHY
    rope           rope.v1.0.0   the installed bundle is the head of its channel
    [exit 0]
    ");
}

#[test]
fn wrong_channel_blocks_the_whole_namespace() {
    let dump = harbor()
        .subscription("ferry", "stable")
        .edit(automatic)
        .subscription("rope", "fast")
        .edit(automatic);
    assert_snapshot!(as_olm(&dump, ""), @r"
    [stdout]
    OLM cannot resolve the dependencies in namespace harbor, so no Subscription of the namespace is upgraded.

    Condition ResolutionFailed of every Subscription:
      reason: ConstraintsNotSatisfiable
      message: constraints not satisfiable: no operators found in channel fast of package rope in the catalog referenced by subscription rope, subscription rope exists

    Subscription harbor/rope
      Package rope has no channel fast in the catalog of the Subscription.
      Correct spec.channel, or delete the Subscription.
    [exit 1]
    ");
}

#[test]
fn csv_without_subscription_fails_whole_namespace() {
    let dump = harbor()
        .subscription("rope", "stable")
        .edit(automatic)
        .csv("winch.v1.0.0", "Succeeded")
        .edit(|csv| {
            csv["metadata"]["annotations"]["operatorframework.io/properties"] = json!(
                r#"{"properties": [
                    {"type": "olm.package", "value": {"packageName": "winch", "version": "1.0.0"}},
                    {"type": "olm.gvk",
                     "value": {"group": "harbor.test", "version": "v1", "kind": "Rope"}}
                ]}"#
            );
        });
    assert_snapshot!(as_olm(&dump, ""), @r"
    [stdout]
    OLM cannot resolve the dependencies in namespace harbor, so no Subscription of the namespace is upgraded.

    Condition ResolutionFailed of every Subscription:
      reason: ConstraintsNotSatisfiable
      message: constraints not satisfiable: @existing/harbor//winch.v1.0.0 and shop/olm/stable/rope.v1.0.0 provide Rope (harbor.test/v1), clusterserviceversion winch.v1.0.0 exists and is not referenced by a subscription, subscription rope exists, subscription rope requires shop/olm/stable/rope.v1.0.0

    ClusterServiceVersion harbor/winch.v1.0.0
      winch.v1.0.0 is installed, but no Subscription names this ClusterServiceVersion in status.installedCSV.
      Delete the ClusterServiceVersion winch.v1.0.0; OLM does not adopt it.

    Subscription harbor/rope
      The Subscription requires a provider of harbor.test/v1/Rope, but a namespace can have only one such operator.
      Keep only one of these operators, or move the other operator to another namespace.
    [exit 1]
    ");
}

#[test]
fn names_bundle_that_requires_missing_api() {
    let dump = harbor().subscription("crane", "stable").edit(automatic);
    assert_snapshot!(as_olm(&dump, ""), @r"
    [stdout]
    OLM cannot resolve the dependencies in namespace harbor, so no Subscription of the namespace is upgraded.

    Condition ResolutionFailed of every Subscription:
      reason: ConstraintsNotSatisfiable
      message: constraints not satisfiable: bundle crane.v1.0.0 requires an operator providing an API with group: harbor.test, version: v1, kind: Steam, subscription crane exists, subscription crane requires shop/olm/stable/crane.v1.0.0

    Bundle crane.v1.0.0 of channel stable of olm/shop
      crane.v1.0.0 requires an operator providing an API with group: harbor.test, version: v1, kind: Steam, but no visible catalog has such an operator that can be installed together with the other operators.
      Make a catalog with the required operator visible in the namespace, or choose another bundle.
    [exit 1]
    ");
}

#[test]
fn reports_missing_operator_group() {
    let dump = world().namespace("harbor").subscription("ferry", "stable");
    assert_snapshot!(as_olm(&dump, ""), @r"
    [stdout]
    OLM does nothing: there is no OperatorGroup in namespace harbor; OLM requires exactly one, and does not report this.
    If the namespace has an OperatorGroup, add the OperatorGroup to the dump: kubectl get sub,csv,og -n harbor -o yaml
    [exit 1]
    ");
}

#[test]
fn manual_approval_blocks_whole_namespace() {
    let dump = harbor()
        .subscription("ferry", "stable")
        .subscription("rope", "stable")
        .edit(automatic);
    assert_snapshot!(as_olm(&dump, ""), @r"
    [stdout]
    The InstallPlan of pass 1 waits for approval, because Subscription ferry has installPlanApproval Manual.

    PASS   SUBSCRIPTION   BUNDLE         REPLACES       CHANNEL   CATALOG
    1      ferry          ferry.v2.0.0   ferry.v1.1.0   stable    olm/shop
           rope           rope.v1.0.0    -              stable    olm/shop
    [exit 1]
    ");
}

#[test]
fn waits_for_existing_install_plans() {
    let dump = harbor()
        .subscription("ferry", "stable")
        .pending("", "ferry.v2.0.0", "install-1");
    assert_snapshot!(as_olm(&dump, ""), @r"
    [stdout]
    OLM does nothing in namespace harbor until the existing InstallPlans are complete, because all Subscriptions wait for the existing InstallPlans. Approve the InstallPlans of Subscription ferry.
    [exit 1]
    ");
}

#[test]
fn fail_forward_ignores_failed_plan() {
    let dump = world()
        .namespace("harbor")
        .operator_group()
        .edit(|group| {
            group["spec"]["upgradeStrategy"] = json!("TechPreviewUnsafeFailForward");
        })
        .subscription("rope", "stable")
        .pending("", "rope.v0.9.0", "install-1")
        .edit(automatic)
        .edit(|rope| {
            rope["status"]["conditions"] = json!([{"type": "InstallPlanFailed", "status": "True"}]);
        });
    assert_snapshot!(as_olm(&dump, ""), @r"
    [stdout]
    After 1 pass, OLM has nothing more to do in namespace harbor.

    PASS   SUBSCRIPTION   BUNDLE        REPLACES   CHANNEL   CATALOG
    1      rope           rope.v1.0.0   -          stable    olm/shop

    SUBSCRIPTION   STAYS AT      WHY
    rope           rope.v1.0.0   the installed bundle is the head of its channel
    [exit 0]
    ");
}

#[test]
fn copied_csv_counts_as_installed() {
    let dump = harbor()
        .subscription("rope", "stable")
        .installed("rope.v1.0.0")
        .edit(automatic)
        .copied_csv("rope.v1.0.0", "quay");
    assert_snapshot!(as_olm(&dump, ""), @r"
    [stdout]
    OLM has nothing more to do in namespace harbor.

    SUBSCRIPTION   STAYS AT      WHY
    rope           rope.v1.0.0   rope.v1.0.0 is a copy from another namespace, which OLM regards as installed
    [exit 0]
    ");
}

#[test]
fn operator_group_excludes_global_catalogs() {
    let dump = world()
        .namespace("harbor")
        .operator_group()
        .edit(|group| {
            let annotation = "olm.operatorframework.io/exclude-global-namespace-resolution";
            group["metadata"]["annotations"] = json!({annotation: "true"});
        })
        .subscription("rope", "stable");
    assert_snapshot!(as_olm(&dump, ""), @r"
    [stdout]
    OLM cannot resolve the dependencies in namespace harbor, so no Subscription of the namespace is upgraded.

    Condition ResolutionFailed of every Subscription:
      reason: ConstraintsNotSatisfiable
      message: constraints not satisfiable: no operators found from catalog shop in namespace olm referenced by subscription rope, subscription rope exists

    Subscription harbor/rope
      The Subscription names catalog olm/shop, which is empty or not visible in namespace harbor.
      Correct spec.source and spec.sourceNamespace, or delete the Subscription.
    [exit 1]
    ");
}

#[test]
fn prints_grpc_answer_as_json() {
    let dump = harbor().subscription("rope", "stable").edit(automatic);
    assert_snapshot!(as_olm(&dump, "-o json"), @r#"
    [stdout]
    {
      "catalogs": [
        {
          "name": "olm/shop",
          "digest": "sha256:0ae656e4fd9708a1663c32674e2938461a9b4aef3e4d9615047a4cd74ac9851d",
          "faultDigest": "",
          "stale": false
        }
      ],
      "unread": [],
      "stale": [],
      "passes": [
        {
          "installs": [
            {
              "bundle": "rope.v1.0.0",
              "version": "1.0.0",
              "package": "rope",
              "channel": "stable",
              "catalog": "olm/shop",
              "subscriptions": [
                "rope"
              ],
              "generated": false,
              "replaces": ""
            }
          ]
        }
      ],
      "settled": {
        "stays": [
          {
            "subscription": "rope",
            "installed": "rope.v1.0.0",
            "cause": {
              "code": "Head",
              "message": "the installed bundle is the head of its channel",
              "object": {
                "kind": "Subscription",
                "namespace": "harbor",
                "name": "rope"
              }
            },
            "successors": [],
            "obstacles": []
          }
        ]
      }
    }
    [exit 0]
    "#);
}

#[test]
fn requires_namespace_if_dump_has_several() {
    let dump = harbor()
        .subscription("ferry", "stable")
        .namespace("dock")
        .subscription("rope", "stable");
    assert_snapshot!(as_olm(&dump, ""), @"
    [stderr]
    error: dump.yaml: Subscriptions exist in several namespaces: dock, harbor; select one namespace with -n
    [exit 2]
    ");
}

#[test]
fn names_object_that_resolver_rejects() {
    let dump = harbor()
        .subscription("ferry", "stable")
        .edit(|ferry| ferry["spec"]["name"] = json!("Not A Package"));
    assert_snapshot!(as_olm(&dump, ""), @r#"
    [stderr]
    error: --installed: Subscription ferry: package: "Not A Package" is not a package name: at column 1, "N" is not a lower-case letter, digit, hyphen or dot
    [exit 2]
    "#);
}

#[test]
fn names_object_with_invalid_field() {
    let dump = harbor()
        .subscription("ferry", "stable")
        .edit(|ferry| ferry["spec"]["startingCSV"] = json!([1]));
    let output = as_olm(&dump, "");
    let expected = "harbor/ferry: spec.startingCSV: invalid type: sequence, expected a string \
                (--installed); use the output of `kubectl get sub,csv,og -o yaml`";
    assert!(output.contains(expected), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[rstest]
#[case::request(
    "resolve --catalog demo=. --as-olm --installed - ferry",
    "error: --as-olm does not accept requirements, because OLM uses the existing Subscriptions; omit \"ferry\""
)]
#[case::no_dump(
    "resolve --catalog demo=. --as-olm",
    "error: --as-olm requires the objects of a namespace; use --installed FILE with the output of"
)]
#[case::each(
    "resolve --catalog demo=. --as-olm --installed - --each",
    "the argument '--as-olm' cannot be used with '--each'"
)]
#[case::empty_dump(
    "resolve --catalog demo=. --as-olm --installed -",
    "error: standard input: no Subscription found; select the namespace with -n"
)]
#[case::bad_namespace(
    "resolve --catalog demo=. --as-olm --installed - -n Harbor",
    "error: --namespace: \"Harbor\" is not a namespace"
)]
#[case::bad_global_namespace(
    "resolve --catalog demo=. --as-olm --installed - -n harbor --global-namespace a/b",
    "error: --global-namespace: \"a/b\" is not a namespace"
)]
fn rejects_invalid_arguments(#[case] line: &str, #[case] message: &str) {
    let output = transcript(&mut portolan(line));
    assert!(output.contains(message), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}
