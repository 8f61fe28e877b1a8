//! Tests of a plan that contains objects which a deleted plan has kept.

use std::sync::Arc;

use portolan_api::plan::Phase;
use portolan_core_install::{Lineages, manager};
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{definition, managers, run};
use crate::fleet::Fleet;
use crate::handover::{object, plan, reported};
use crate::kit::{config_map, plan_of, stage, with};
use crate::model::{End, Server, identity};
use crate::shell::Shell;

const GONE: &str =
    "already exists, because a deleted InstallPlan kept it; set spec.collisions to IfUnowned";

fn if_unowned(mut spec: Value) -> Value {
    spec["collisions"] = json!("IfUnowned");
    spec
}

fn with_value(value: &str) -> Value {
    with(config_map("a"), "/data/key", json!(value))
}

#[rstest]
#[case::same_manifest(&["value"])]
#[case::changed_manifest(&["new"])]
#[case::changed_twice(&["new", "newest"])]
fn plan_takes_over_objects_kept_by_deleted_plans(#[case] next: &[&str]) {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("plan", &plan(&[config_map("a"), definition()]));
    fleet.run(None);
    for value in next {
        fleet.delete("plan");
        assert!(!fleet.has("plan"));
        let definition = with(definition(), "/metadata/labels", json!({"value": value}));
        fleet.make("plan", &if_unowned(plan(&[with_value(value), definition])));
        fleet.run(None);
        assert_eq!(fleet.plan("plan").status.phase, Some(Phase::Ready));
        assert_same!(object(&fleet, &config_map("a"))["data"]["key"], *value);
    }
}

#[rstest]
#[case::object(config_map("a"), &format!("ConfigMap harbor/a {GONE}"))]
#[case::crd(
    definition(),
    &format!("CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example {GONE}")
)]
fn refused_collision_names_the_deleted_plan_of_the_object(
    #[case] kept: Value,
    #[case] expected: &str,
) {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("plan", &plan(std::slice::from_ref(&kept)));
    fleet.run(None);
    fleet.delete("plan");
    fleet.make("plan", &plan(&[kept]));
    fleet.run(None);
    assert_same!(
        reported(&fleet, "plan")[3],
        format!("Applied False ObjectNotOwned 1 object: {expected}")
    );
}

/// Returns a cluster with an object that a plan of this lineage applied. The object has these
/// labels.
fn applied_by(lineage: &str, labels: &Value) -> Server {
    let kept = with(with_value("old"), "/metadata/labels", labels.clone());
    let mut server = Server::new().with(kept);
    let entries = &mut server
        .objects
        .get_mut(&identity(&config_map("a")))
        .expect("it")["metadata"]["managedFields"][0];
    entries["manager"] = json!(manager(lineage));
    entries["operation"] = json!("Apply");
    server
}

const OTHER: &str = "already exists, and belongs to the InstallPlan harbor/other; remove it, or \
                     set spec.collisions to Adopt";
const UNSEEN: &str = "already exists, and belongs to an InstallPlan of the lineage u-gone, which \
                      may be in a namespace that the controller does not watch; remove it, or set \
                      spec.collisions to Adopt";

#[rstest]
#[case::lineage_has_plans("u-other", true, Some(OTHER))]
#[case::some_plans_are_unknown("u-other", false, Some(OTHER))]
#[case::lineage_has_no_plans("u-gone", true, None)]
#[case::lineage_is_unknown("u-gone", false, Some(UNSEEN))]
fn lineage_without_plans_owns_no_objects(
    #[case] lineage: &str,
    #[case] sees_all: bool,
    #[case] refusal: Option<&str>,
    #[values(true, false)] is_labelled: bool,
) {
    let labels = if is_labelled {
        json!({"plans.portolan.dev/lineage": lineage})
    } else {
        json!({"app": "x"})
    };
    let mut server = applied_by(lineage, &labels);
    let spec = if_unowned(json!({"stages": [stage("one", &[with_value("new")])]}));
    let mut shell = Shell::new(&spec, &server).with(|observed| {
        observed.living = Arc::new(Lineages::of([&plan_of("u-other", "other")], sees_all));
    });
    assert_eq!(shell.run(&mut server, None), End::Rest);
    let object = &server.objects[&identity(&config_map("a"))];
    match refusal {
        Some(sentence) => {
            assert_same!(server.status.members[0].message, sentence);
            assert_same!(object["data"]["key"], "old");
        }
        None => {
            assert_eq!(server.status.phase, Some(Phase::Ready));
            assert_same!(object["data"]["key"], "new");
        }
    }
}

#[test]
fn takes_fields_of_deleted_plans_but_not_of_other_owners() {
    let gone = json!({"plans.portolan.dev/lineage": "u-gone"});
    let mut server = applied_by("u-gone", &gone);
    server.edit(&config_map("a"), "/data/key", json!("theirs"), "somebody");
    let spec = if_unowned(json!({"stages": [stage("one", &[with_value("new")])]}));
    let said = run(&spec, &mut server);
    let object = &server.objects[&identity(&config_map("a"))];
    assert_same!(object["data"]["key"], "theirs");
    assert!(said[3].contains(".data.key of \"somebody\""), "{}", said[3]);
    assert_same!(
        managers(object),
        [
            format!("{} Apply", manager("u-gone")),
            "somebody Update".to_owned()
        ]
    );
}
