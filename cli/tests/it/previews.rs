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
