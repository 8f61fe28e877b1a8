//! Tests which operators an inventory lists, and which object manages each operator.

use portolan_api::OperatorPolicy;
use portolan_api::installs::Install;
use portolan_api::inventory::{Gap, InstalledOperator, Inventory, InventoryObjects, Manager};
use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_core_names::GroupKind;
use portolan_core_olm::{ClusterExtension, ClusterServiceVersion, FromJson, Subscription};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

/// The objects of a test.
#[derive(Default)]
struct World {
    csvs: Vec<ClusterServiceVersion>,
    subscriptions: Vec<Subscription>,
    policies: Vec<OperatorPolicy>,
    operators: Vec<Operator>,
    plans: Vec<InstallPlan>,
    extensions: Vec<ClusterExtension>,
    installs: Vec<Install>,
}

fn read<K: FromJson>(object: &Value) -> K {
    let (object, faults) = K::from_json(&object.to_string()).expect("an object");
    assert_eq!(faults, []);
    object
}

impl World {
    fn of(objects: &[Value]) -> Self {
        let mut world = Self::default();
        for object in objects {
            match object["kind"].as_str().expect("a kind") {
                "ClusterServiceVersion" => world.csvs.push(read(object)),
                "Subscription" => world.subscriptions.push(read(object)),
                "OperatorPolicy" => world.policies.push(read(object)),
                "Operator" => world.operators.push(read(object)),
                "InstallPlan" => world.plans.push(read(object)),
                "ClusterExtension" => world.extensions.push(read(object)),
                "Install" => world.installs.push(read(object)),
                other => panic!("no object of the inventory: {other}"),
            }
        }
        world
    }

    fn inventory(&self) -> Inventory {
        Inventory::of(&InventoryObjects {
            csvs: self.csvs.iter().collect(),
            subscriptions: self.subscriptions.iter().collect(),
            policies: self.policies.iter().collect(),
            operators: self.operators.iter().collect(),
            plans: self.plans.iter().collect(),
            extensions: self.extensions.iter().collect(),
            installs: self.installs.iter().collect(),
        })
    }
}

/// Returns one line for each operator: its object, package, bundle and version, and all other
/// fields that are not empty.
fn lines(objects: &[Value]) -> Vec<String> {
    let inventory = World::of(objects).inventory();
    inventory.operators().iter().map(line).collect()
}

fn line(operator: &InstalledOperator) -> String {
    let InstalledOperator {
        manager,
        object: _,
        subscription,
        policies,
        package,
        bundle,
        version,
        namespace,
        is_installed,
        next,
        versions,
        channels,
        catalog,
    } = operator;
    let title = operator.title();
    let mut line = format!("{manager}: {title}: {package} {bundle} {version} in {namespace}");
    let subscription = subscription.iter().map(|it| format!("subscription {it}"));
    let policies = policies.iter().map(|it| format!("policy {it}"));
    let next = next
        .iter()
        .map(|it| format!("next {} {}", it.bundle, it.version));
    let allowed = (!versions.is_empty()).then(|| format!("allows {versions}"));
    let channels = channels.iter().map(|it| format!("channel {it}"));
    let catalog = (!catalog.is_empty()).then(|| format!("catalog {catalog}"));
    let terms = allowed.into_iter().chain(channels).chain(catalog);
    let absent = (!is_installed).then(|| "not installed".to_owned());
    for more in subscription
        .chain(policies)
        .chain(next)
        .chain(absent)
        .chain(terms)
    {
        line.push_str("; ");
        line.push_str(&more);
    }
    line
}

fn csv(name: &str, version: &str, replaces: &str) -> Value {
    json!({
        "kind": "ClusterServiceVersion",
        "metadata": {
            "namespace": "harbor", "name": name, "labels": {"operators.coreos.com/ferry.harbor": ""},
        },
        "spec": {"version": version, "replaces": replaces},
        "status": {"phase": "Succeeded"},
    })
}

fn subscription(installed: &str, current: &str) -> Value {
    json!({
        "kind": "Subscription",
        "metadata": {"namespace": "harbor", "name": "sub"},
        "spec": {"name": "ferry"},
        "status": {"installedCSV": installed, "currentCSV": current},
    })
}

fn operator(status: &Value) -> Value {
    json!({
        "kind": "Operator",
        "metadata": {"name": "ferry"},
        "spec": {"packageName": "ferry", "namespace": "harbor"},
        "status": status,
    })
}

fn installed(version: &str) -> Value {
    json!({
        "versions": {"installed": version, "target": version},
        "bundle": {"name": format!("ferry.v{version}"), "catalog": "demo"},
        "plan": {"namespace": "portolan", "name": "ferry-1"},
    })
}

fn plan(name: &str) -> Value {
    json!({
        "kind": "InstallPlan",
        "metadata": {"namespace": "portolan", "name": name},
        "spec": {},
        "status": {"record": {"digest": "d"}},
    })
}

#[test]
fn subscription_and_its_csv_are_listed_as_one_operator() {
    let objects = [
        csv("ferry.v1.0.0", "1.0.0", ""),
        subscription("ferry.v1.0.0", "ferry.v1.0.0"),
    ];
    let expected = "OLM: ClusterServiceVersion harbor/ferry.v1.0.0: ferry ferry.v1.0.0 1.0.0 in harbor; \
                    subscription harbor/sub";
    assert_eq!(lines(&objects), [expected]);
}

#[test]
fn subscription_names_its_channel_and_catalog() {
    let mut subscription = subscription("ferry.v1.0.0", "ferry.v1.0.0");
    subscription["spec"] = json!({
        "name": "ferry", "channel": "stable", "source": "coastal", "sourceNamespace": "olm",
    });
    let expected = "OLM: Subscription harbor/sub: ferry ferry.v1.0.0  in harbor; subscription harbor/sub; \
                    channel stable; catalog olm/coastal";
    assert_eq!(lines(&[subscription]), [expected]);
}

#[test]
fn csv_without_a_subscription_is_listed_as_an_operator() {
    let objects = [csv("ferry.v1.0.0", "1.0.0", "")];
    let expected =
        "OLM: ClusterServiceVersion harbor/ferry.v1.0.0: ferry ferry.v1.0.0 1.0.0 in harbor";
    assert_eq!(lines(&objects), [expected]);
}

#[test]
fn copied_csv_is_no_operator() {
    let mut copy = csv("ferry.v1.0.0", "1.0.0", "");
    copy["status"] = json!({"phase": "Succeeded", "reason": "Copied"});
    assert!(lines(&[copy]).is_empty());
}

#[test]
fn bundle_being_installed_is_reported_as_next() {
    let objects = [
        csv("ferry.v1.0.0", "1.0.0", ""),
        csv("ferry.v1.1.0", "1.1.0", "ferry.v1.0.0"),
        subscription("ferry.v1.0.0", "ferry.v1.1.0"),
    ];
    let expected = "OLM: ClusterServiceVersion harbor/ferry.v1.0.0: ferry ferry.v1.0.0 1.0.0 in harbor; \
                    subscription harbor/sub; next ferry.v1.1.0 1.1.0";
    assert_eq!(lines(&objects), [expected]);
}

#[test]
fn bundle_that_waits_for_approval_is_not_reported_as_next() {
    let mut waiting = subscription("ferry.v1.0.0", "ferry.v1.1.0");
    waiting["status"]["conditions"] = json!([
        {"type": "InstallPlanPending", "status": "True", "reason": "RequiresApproval"},
    ]);
    let expected = "OLM: ClusterServiceVersion harbor/ferry.v1.0.0: ferry ferry.v1.0.0 1.0.0 in harbor; \
                    subscription harbor/sub";
    let objects = [csv("ferry.v1.0.0", "1.0.0", ""), waiting];
    assert_eq!(lines(&objects), [expected]);
}

#[test]
fn first_bundle_of_a_subscription_is_listed_as_not_yet_installed() {
    let objects = [
        csv("ferry.v1.0.0", "1.0.0", ""),
        subscription("", "ferry.v1.0.0"),
    ];
    let expected = "OLM: Subscription harbor/sub: ferry   in harbor; subscription harbor/sub; \
                    next ferry.v1.0.0 1.0.0; not installed";
    assert_eq!(lines(&objects), [expected]);
}

#[test]
fn subscription_without_its_csv_keeps_the_name_of_the_bundle() {
    let objects = [subscription("ferry.v1.0.0", "ferry.v1.0.0")];
    let expected =
        "OLM: Subscription harbor/sub: ferry ferry.v1.0.0  in harbor; subscription harbor/sub";
    assert_eq!(lines(&objects), [expected]);
}

#[test]
fn replaced_csv_is_not_listed_next_to_its_successor() {
    let objects = [
        csv("ferry.v1.0.0", "1.0.0", ""),
        csv("ferry.v1.1.0", "1.1.0", "ferry.v1.0.0"),
        subscription("ferry.v1.1.0", "ferry.v1.1.0"),
    ];
    assert_eq!(lines(&objects).len(), 1);
    let without_subscription = &objects[..2];
    let expected =
        "OLM: ClusterServiceVersion harbor/ferry.v1.1.0: ferry ferry.v1.1.0 1.1.0 in harbor";
    assert_eq!(lines(without_subscription), [expected]);
}

#[test]
fn lists_csvs_that_replace_each_other() {
    let objects = [
        csv("ferry.v1.0.0", "1.0.0", "ferry.v1.1.0"),
        csv("ferry.v1.1.0", "1.1.0", "ferry.v1.0.0"),
    ];
    assert_eq!(lines(&objects).len(), 2);
}

#[test]
fn enforced_policy_manages_its_subscription() {
    let policy = |name: &str, remediation: &str, kind: &str| {
        json!({
            "kind": "OperatorPolicy",
            "metadata": {"namespace": "local-cluster", "name": name},
            "spec": {
                "remediationAction": remediation,
                "complianceType": kind,
                "subscription": {"name": "ferry", "namespace": "harbor"},
                "upgradeApproval": "Automatic",
            },
        })
    };
    let objects = [
        csv("ferry.v1.0.0", "1.0.0", ""),
        subscription("ferry.v1.0.0", "ferry.v1.0.0"),
        policy("enforced", "enforce", "musthave"),
        policy("informs", "inform", "musthave"),
    ];
    let expected = "OLM: ClusterServiceVersion harbor/ferry.v1.0.0: ferry ferry.v1.0.0 1.0.0 in harbor; \
                    subscription harbor/sub; policy local-cluster/enforced";
    assert_eq!(lines(&objects), [expected]);
}

#[test]
fn operator_is_listed_once_without_its_plans() {
    let mut own = plan("ferry-1");
    own["metadata"]["labels"] = json!({"operators.portolan.dev/operator": "ferry"});
    let mut operator = operator(&installed("1.0.0"));
    operator["spec"]["version"] = json!("1.x");
    operator["spec"]["channels"] = json!(["stable", "fast"]);
    let expected = "Operator: Operator ferry: ferry ferry.v1.0.0 1.0.0 in harbor; allows 1.x; \
                    channel fast; channel stable; catalog demo";
    let objects = [operator, own];
    assert_eq!(lines(&objects), [expected]);
}

#[test]
fn operator_being_upgraded_names_its_next_bundle() {
    let mut status = installed("1.0.0");
    status["versions"]["target"] = json!("1.1.0");
    status["plan"]["name"] = json!("ferry-2");
    let mut next = plan("ferry-2");
    next["metadata"]["labels"] = json!({"operators.portolan.dev/operator": "ferry"});
    next["metadata"]["annotations"] = json!({"operators.portolan.dev/hop": json!({
        "installs": {"package": "ferry", "bundle": "ferry.v1.1.0", "version": "1.1.0"},
    }).to_string()});
    let expected = "Operator: Operator ferry: ferry ferry.v1.0.0 1.0.0 in harbor; next ferry.v1.1.0 1.1.0; catalog demo";
    assert_eq!(lines(&[operator(&status), next]), [expected]);
}

#[test]
fn new_operator_is_not_installed() {
    let objects = [operator(&json!({}))];
    let expected = "Operator: Operator ferry: ferry   in harbor; not installed";
    assert_eq!(lines(&objects), [expected]);
}

#[test]
fn adopted_operator_is_listed_once_in_every_step() {
    let adopted = |step: &str| {
        let mut status = installed("1.0.0");
        let adoption = json!({
            "namespace": "harbor", "clusterServiceVersion": "ferry.v1.0.0", "step": step,
        });
        status["adoption"] = adoption;
        operator(&status)
    };
    let of_olm = [
        csv("ferry.v1.0.0", "1.0.0", ""),
        subscription("ferry.v1.0.0", "ferry.v1.0.0"),
    ];
    let managers = |objects: &[Value]| {
        let inventory = World::of(objects).inventory();
        let managers = inventory.operators().iter().map(|it| it.manager);
        managers.collect::<Vec<_>>()
    };
    let with = |step| [&of_olm[..], &[adopted(step)]].concat();
    assert_eq!(managers(&with("Beside")), [Manager::Olm]);
    assert_eq!(managers(&with("Leaving")), [Manager::Operator]);
    let only_subscription = [of_olm[1].clone(), adopted("Leaving")];
    assert_eq!(managers(&only_subscription), [Manager::Operator]);
    assert_eq!(managers(&[adopted("Adopted")]), [Manager::Operator]);
    // A ClusterServiceVersion that exists after the adoption belongs to a new installation.
    let both = [Manager::Olm, Manager::Operator];
    assert_eq!(managers(&with("Adopted")), both);
}

#[test]
fn extension_is_listed_with_its_bundle() {
    let extension = |status: Value| {
        json!({
            "kind": "ClusterExtension",
            "metadata": {"name": "ferry"},
            "spec": {"namespace": "harbor", "source": {"catalog": {
                "packageName": "ferry", "version": "1.x", "channels": ["stable"],
            }}},
            "status": status,
        })
    };
    let bundle = json!({"install": {"bundle": {"name": "ferry.v1.0.0", "version": "1.0.0"}}});
    let expected = "ClusterExtension: ClusterExtension ferry: ferry ferry.v1.0.0 1.0.0 in harbor; allows 1.x; channel stable";
    assert_eq!(lines(&[extension(bundle)]), [expected]);
    let expected = "ClusterExtension: ClusterExtension ferry: ferry   in harbor; not installed; allows 1.x; channel stable";
    assert_eq!(lines(&[extension(json!({}))]), [expected]);
}

#[test]
fn install_is_listed_with_each_bundle_and_without_its_plan() {
    let resolved = |name: &str| {
        json!({
            "type": "ManifestImage", "digest": "d", "objects": 1,
            "bundle": {"name": name, "version": "1.0.0"},
        })
    };
    let install = json!({
        "kind": "Install",
        "metadata": {"name": "fleet", "uid": "u"},
        "spec": {},
        "status": {
            "resolved": [resolved("ferry.v1.0.0"), resolved("tug.v1.0.0")],
            "plan": {"namespace": "portolan", "name": "fleet-1"},
        },
    });
    let mut own = plan("fleet-1");
    own["metadata"]["labels"] = json!({"operators.portolan.dev/install": "u"});
    let expected = [
        "Install: Install fleet:  ferry.v1.0.0 1.0.0 in ",
        "Install: Install fleet:  tug.v1.0.0 1.0.0 in ",
    ];
    assert_eq!(lines(&[install, own]), expected);
}

#[test]
fn install_without_a_plan_is_listed_as_not_installed() {
    let install = json!({"kind": "Install", "metadata": {"name": "fleet"}, "spec": {}});
    let expected = "Install: Install fleet:    in ; not installed";
    assert_eq!(lines(&[install]), [expected]);
}

#[test]
fn plan_without_an_operator_is_listed_until_a_plan_replaces_it() {
    let mut replaced = plan("site-1");
    replaced["status"]["conditions"] = json!([{
        "type": "Replaced", "status": "True", "reason": "HandedOver", "message": "m",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }]);
    let mut waiting = plan("site-3");
    waiting["status"] = json!({});
    let expected = [
        "InstallPlan: InstallPlan portolan/site-2:    in portolan",
        "InstallPlan: InstallPlan portolan/site-3:    in portolan; not installed",
    ];
    assert_eq!(lines(&[replaced, plan("site-2"), waiting]), expected);
}

#[test]
fn operator_ignores_plan_in_another_namespace() {
    let mut foreign = plan("ferry-9");
    foreign["metadata"]["namespace"] = json!("tenant");
    foreign["metadata"]["labels"] = json!({"operators.portolan.dev/operator": "ferry"});
    let expected = [
        "Operator: Operator ferry: ferry ferry.v1.0.0 1.0.0 in harbor; catalog demo",
        "InstallPlan: InstallPlan tenant/ferry-9:    in tenant",
    ];
    assert_eq!(lines(&[operator(&installed("1.0.0")), foreign]), expected);
}

#[test]
fn plan_of_a_deleted_operator_is_listed_with_its_bundle() {
    let mut left = plan("ferry-1");
    left["metadata"]["labels"] = json!({"operators.portolan.dev/operator": "ferry"});
    left["metadata"]["annotations"] = json!({"operators.portolan.dev/hop": json!({
        "installs": {"package": "ferry", "bundle": "ferry.v1.0.0", "version": "1.0.0"},
    }).to_string()});
    let expected =
        "InstallPlan: InstallPlan portolan/ferry-1: ferry ferry.v1.0.0 1.0.0 in portolan";
    assert_eq!(lines(&[left]), [expected]);
}

#[test]
fn operators_are_found_by_package_and_namespace() {
    let objects = [
        csv("ferry.v1.0.0", "1.0.0", ""),
        operator(&installed("1.0.0")),
        plan("site-1"),
    ];
    let inventory = World::of(&objects).inventory();
    assert_eq!(inventory.of_package("ferry").count(), 2);
    assert_eq!(inventory.of_package("").count(), 0);
    assert_eq!(inventory.within("").count(), 3);
    assert_eq!(inventory.within("harbor").count(), 2);
    assert_eq!(inventory.within("portolan").count(), 1);
}

#[test]
fn gaps_name_the_kind_and_the_reason() {
    let gap = |kind: Option<&str>| Gap {
        kind: kind.map(|kind| GroupKind::new("example", kind)),
        reason: "forbidden".to_owned(),
    };
    let inventory = Inventory::default()
        .with_gap(gap(Some("Operator")))
        .with_gap(gap(Some("OperatorPolicy")))
        .with_gap(gap(None));
    let gaps = inventory.gaps().iter().map(Gap::to_string);
    let expected = [
        "forbidden",
        "cannot list Operators: forbidden",
        "cannot list OperatorPolicies: forbidden",
    ];
    assert_eq!(gaps.collect::<Vec<_>>(), expected);
}

fn hostile() -> impl Strategy<Value = Value> {
    let names = || select(vec!["", "a", "b", "c"]);
    let csvs = (names(), names(), any::<bool>()).prop_map(|(name, replaces, is_copied)| {
        let mut csv = csv(name, "1.0.0", replaces);
        if is_copied {
            csv["status"]["reason"] = json!("Copied");
        }
        csv
    });
    let subscriptions = (names(), names()).prop_map(|(one, other)| subscription(one, other));
    let steps = select(vec!["Beside", "Leaving", "Adopted", "New"]);
    let operators = (names(), steps).prop_map(|(csv, step)| {
        let adoption = json!({"namespace": "harbor", "clusterServiceVersion": csv, "step": step});
        operator(&json!({"adoption": adoption}))
    });
    prop_oneof![4 => csvs, 2 => subscriptions, 1 => operators]
}

proptest! {
    /// The order of objects has no effect. No object is listed twice. An operator of OLM is omitted
    /// only if an Operator replaces it.
    #[test]
    fn every_operator_is_listed_once(objects in proptest::collection::vec(hostile(), 0..8)) {
        let mut objects = objects;
        // In a cluster, only one object of a kind can have each name.
        objects.sort_by_key(|it| format!("{}{}", it["kind"], it["metadata"]["name"]));
        objects.dedup_by_key(|it| format!("{}{}", it["kind"], it["metadata"]["name"]));
        let world = World::of(&objects);
        let inventory = world.inventory();
        let mut reversed = objects.clone();
        reversed.reverse();
        prop_assert_eq!(&inventory, &World::of(&reversed).inventory());
        let mut seen = std::collections::BTreeSet::new();
        for operator in inventory.operators() {
            prop_assert!(seen.insert((&operator.object, &operator.subscription)));
        }
        let originals = world.csvs.iter().filter(|csv| !csv.is_copied()).count();
        let is_empty = inventory.operators().is_empty();
        prop_assert!(!is_empty || originals == 0 && world.operators.is_empty());
    }
}
