//! The preview of the console and `portolan explain` report the same decisions of the controller.

use std::fs;
use std::path::Path;

use portolan_kit::TempFolder;
use rstest::rstest;
use serde_json::{Value, json};

use crate::console::Browser;
use crate::program::{portolan, run};
use crate::up::demo;

fn object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": kind,
        "metadata": {"name": name}, "spec": spec,
    })
}

fn write(file: &Path, objects: &[Value]) {
    let texts: Vec<_> = objects.iter().map(Value::to_string).collect();
    fs::write(file, texts.join("\n---\n")).expect("a file");
}

/// The sample world. OLM manages the package ferry in it.
fn whole() -> TempFolder {
    demo()
}

fn without_catalogs() -> TempFolder {
    let world = demo();
    fs::remove_dir_all(world.join("catalogsources")).expect("a folder");
    world
}

/// The package skiff requires a package that no catalog has.
fn with_skiff() -> TempFolder {
    let world = demo();
    let catalog = "schema: olm.package\nname: skiff\ndefaultChannel: stable\n---\n\
        schema: olm.channel\npackage: skiff\nname: stable\nentries: [{name: skiff.v1.0.0}]\n---\n\
        schema: olm.bundle\npackage: skiff\nname: skiff.v1.0.0\n\
        image: registry.example/skiff:v1.0.0\nproperties:\n\
        - {type: olm.package, value: {packageName: skiff, version: 1.0.0}}\n\
        - {type: olm.package.required, value: {packageName: absent, versionRange: '>=1.0.0'}}\n";
    let file = world.join("catalogsources/olm/coastal/skiff.yaml");
    fs::write(file, catalog).expect("a file");
    world
}

/// Crane 1.0.0 is installed, and this Policy must allow its upgrades.
fn with_policy(spec: &Value) -> TempFolder {
    let world = demo();
    let hop = json!({
        "catalog": "olm/inland", "generation": 1, "image": "registry.example/crane:v1.0.0",
        "installs": {"bundle": "crane.v1.0.0", "package": "crane", "version": "1.0.0"},
        "number": 1, "options": "namespace= watch= config=",
    });
    let condition = |type_: &str, reason: &str| {
        json!({
            "type": type_, "status": "True", "reason": reason, "message": "as it must be",
            "lastTransitionTime": "2026-11-20T08:03:00Z",
        })
    };
    let plan = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {
            "name": "crane-1", "namespace": "portolan", "uid": "uid-of-crane-1", "generation": 1,
            "annotations": {"operators.portolan.dev/hop": hop.to_string()},
            "labels": {
                "operators.portolan.dev/operator": "crane", "plans.portolan.dev/name": "crane",
            },
        },
        "spec": {"serviceAccountName": "portolan-installer", "stages": [], "suspend": false},
        "status": {
            "observedGeneration": 1, "phase": "Ready", "record": {"digest": "a", "found": {}},
            "conditions": [
                condition("Valid", "PlanValid"), condition("Permitted", "PermissionsHeld"),
                condition("Applied", "AllApplied"), condition("Ready", "AllReady"),
            ],
        },
    });
    let mut crane = object(
        "Operator",
        "crane",
        &json!({"packageName": "crane", "version": "1.0.0"}),
    );
    crane["metadata"]["generation"] = json!(1);
    crane["metadata"]["uid"] = json!("uid-of-crane");
    crane["metadata"]["finalizers"] = json!(["operators.portolan.dev/plans"]);
    crane["status"] = json!({
        "observedGeneration": 1, "versions": {"installed": "1.0.0", "target": "1.0.0"},
        "bundle": {"name": "crane.v1.0.0", "catalog": "olm/inland"},
        "plan": {"namespace": "portolan", "name": "crane-1"},
    });
    let bound = json!({
        "subjects": [{"kind": "Operator", "name": "crane"}], "policyRef": [{"name": "tides"}],
    });
    let all = [
        crane,
        plan,
        object("Policy", "tides", spec),
        object("PolicyBinding", "tides", &bound),
    ];
    write(&world.join("cluster/operators.yaml"), &all);
    world
}

/// The windows of the Policy are one minute long, at New Year.
fn with_closed_window() -> TempFolder {
    with_policy(&json!({"schedule": [{"start": "0 0 1 1 *", "end": "1 0 1 1 *"}]}))
}

fn with_denying_rule() -> TempFolder {
    with_policy(&json!({"opaPolicy": "allow := false"}))
}

/// Returns the lines about an Operator in the output of `explain`, with its state first.
fn explained(world: &Path, (name, version): (&str, &str)) -> Vec<String> {
    let folder = TempFolder::empty();
    let file = folder.join("operator.json");
    let spec = json!({"packageName": name, "version": version});
    write(&file, &[object("Operator", name, &spec)]);
    let line = format!("explain --world {} -f {}", world.display(), file.display());
    let output = run(&mut portolan(&line));
    let text = String::from_utf8(output.stdout.clone()).expect("text");
    let title = format!("operator/{name}: ");
    let lines = text.lines().skip_while(|line| !line.starts_with(&title));
    let block = lines.enumerate();
    let block = block.take_while(|(at, line)| *at == 0 || line.starts_with("  "));
    let block: Vec<_> = block.map(|(_, line)| line.trim().to_owned()).collect();
    assert!(!block.is_empty(), "{name}: {output:?}");
    block
}

/// Returns the lines about an Operator on the page of a preview, with its state first.
fn previewed(world: &Path, change: &str, (name, version): (&str, &str)) -> Vec<String> {
    let browser = Browser::on(&format!("console --world {}", world.display()));
    let place = format!("/preview?change={change}&operator={name}&version={version}");
    let page = browser.until(&place, "What the controller would decide");
    let title = format!("<h3>operator/{name}: ");
    let (_, block) = page.split_once(&title).unwrap_or_else(|| panic!("{page}"));
    let (state, block) = block.split_once("</h3><ul>").expect("a list");
    let (items, _) = block.split_once("</ul>").expect("the end of the list");
    let items = items.split("<li>").skip(1);
    let items = items.map(|item| item.trim_end_matches("</li>").to_owned());
    let lines = std::iter::once(format!("operator/{name}: {state}")).chain(items);
    let pairs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    let plain = lines.map(|line| {
        let replaced = |line: String, (name, is): &(&str, &str)| line.replace(name, is);
        pairs.iter().fold(line, replaced)
    });
    plain.collect()
}

/// Each case has a text that shows the reason of its name.
#[rstest]
#[case::new_package(whole, "add", ("buoy", "0.5.0"), "buoy.v0.5.0")]
#[case::package_managed_by_olm(whole, "add", ("ferry", "1.3.0"), "InstalledByOlm")]
#[case::dependency_missing(with_skiff, "add", ("skiff", "1.0.0"), "absent")]
#[case::package_missing(whole, "add", ("lantern", "1.0.0"), "lantern")]
#[case::catalog_missing(without_catalogs, "add", ("buoy", "0.5.0"), "")]
#[case::window_closed(with_closed_window, "upgrade", ("crane", "1.1.0"), "tides")]
#[case::held_by_a_policy(with_denying_rule, "upgrade", ("crane", "1.1.0"), "tides")]
fn preview_and_explain_report_the_same_decisions(
    #[case] world: fn() -> TempFolder,
    #[case] change: &str,
    #[case] wanted: (&str, &str),
    #[case] reason: &str,
) {
    let world = world();
    let explained = explained(&world, wanted);
    assert!(explained.join("\n").contains(reason), "{explained:?}");
    assert_eq!(previewed(&world, change, wanted), explained);
}
