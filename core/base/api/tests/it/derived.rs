//! Tests of the schemas that are derived from the types of statuses.

use kube_core::CustomResourceExt as _;
use portolan_api::installs::Install;
use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_api::policy::{Policy, PolicyBinding};
use rstest::rstest;
use serde::Serialize;
use serde_json::Value;

use crate::definition::each;

#[rstest]
#[case::operator(Operator::crd())]
#[case::install(Install::crd())]
#[case::install_plan(InstallPlan::crd())]
#[case::policy(Policy::crd())]
#[case::binding(PolicyBinding::crd())]
fn each_status_field_has_a_description_of_one_line(#[case] definition: impl Serialize) {
    let definition = serde_json::to_value(definition).expect("JSON");
    let whole = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let all = each(&whole["properties"]["status"], "");
    assert!(all.len() > 5, "{all:?}");
    for (path, schema) in all {
        let description = schema["description"].as_str().unwrap_or_default();
        let is_described = description.ends_with('.') && !description.contains('\n');
        assert!(is_described || path == ".conditions[]", "{path}");
        assert!(schema["type"].is_string(), "{path}");
        let refused = ["default", "uniqueItems", "$ref"].map(|it| schema.get(it));
        assert_eq!(refused, [None::<&Value>; 3], "{path}");
    }
}
