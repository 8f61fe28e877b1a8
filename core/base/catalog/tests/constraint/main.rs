//! Tests of constraints, and of the candidates that satisfy them.

mod hostile;
mod kinds;
mod rules;

use portolan_core_catalog::{Candidate, Catalog, Constraint, Reading};
use portolan_core_names::PackageName;
use serde_json::json;

/// The catalog with the candidate of these tests. It is version 1.4.0 of the package harbor, with
/// an API, a requirement of each kind, and two custom properties.
const HARBOR: &str = r#"
{"schema": "olm.package", "name": "harbor", "defaultChannel": "s"}
{"schema": "olm.channel", "package": "harbor", "name": "s", "entries": [{"name": "harbor.v1"}]}
{"schema": "olm.bundle", "package": "harbor", "name": "harbor.v1", "image": "r.test/h:1",
 "properties": [
  {"type": "olm.package", "value": {"packageName": "harbor", "version": "1.4.0"}},
  {"type": "olm.gvk", "value": {"group": "g.test", "version": "v1", "kind": "Berth"}},
  {"type": "olm.gvk.required", "value": {"group": "g.test", "version": "v1", "kind": "Crane"}},
  {"type": "olm.package.required", "value": {"packageName": "river", "versionRange": ">=2.0.0"}},
  {"type": "olm.constraint", "value": {"failureMessage": "deep", "cel": {"rule": "true"}}},
  {"type": "olm.maxOpenShiftVersion", "value": "4.14"},
  {"type": "olm.deprecated", "value": {}},
  {"type": "tide", "value": {"high": 4.5, "low": 1, "names": ["spring", "neap"]}},
  {"type": "flag", "value": "yellow"}]}
"#;

/// Returns true if the candidate harbor satisfies a constraint, which is JSON.
fn is_met(constraint: &str) -> bool {
    let catalog = Catalog::of([Reading::of("f", HARBOR.as_bytes())]);
    let package = &catalog.packages["harbor"];
    let candidate = Candidate::of(&package.name, &package.bundles["harbor.v1"]);
    Constraint::parse(constraint).is_met_by(&candidate)
}

/// Returns a constraint with this CEL rule.
fn rule(rule: &str) -> String {
    json!({"cel": {"rule": rule}}).to_string()
}

/// Returns the error of an invalid constraint.
fn flaw(constraint: &str) -> String {
    match Constraint::parse(constraint).clause() {
        Ok(clause) => panic!("it must be no constraint, and says {clause}"),
        Err(flaw) => flaw.to_owned(),
    }
}

fn package(name: &str) -> PackageName {
    PackageName::parse(name).expect("the name must parse")
}
