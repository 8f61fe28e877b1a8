//! Reports the unsafe changes of CRDs that block updates, before any output is written.

use std::collections::BTreeMap;

use portolan_api::operator::Operator;
use portolan_core_generate::{Change, Generated};
use portolan_core_names::text::one_line;
use portolan_operators::{Acceptance, UpgradePath, compared_crds};
use portolan_world::AnyWorld;
use serde_json::Value;

use super::output;
use crate::bundle_manifests::RenderedBundles;
use crate::facts::ResolverConnection;
use crate::print;

/// Compares the CRDs on the upgrade path of each Operator that changes.
pub(super) async fn compare(
    generated: &mut Generated,
    resolver: &mut ResolverConnection,
    world: Option<&AnyWorld>,
) {
    let operators = generated.objects.iter();
    let operators = operators.filter_map(|it| Some((output::operator(it)?, it)));
    let operators: BTreeMap<_, _> = operators.collect();
    let mut silence = None;
    for change in &mut generated.changes {
        let Some(operator) = operators.get(change.name.as_str()) else {
            continue;
        };
        let Some(path) = change.path.clone() else {
            let why = "the resolver is too old to report the bundles; upgrade the resolver";
            change.crds.not_compared = Some(why.to_owned());
            continue;
        };
        let upgrade = UpgradePath {
            installed: path.installed,
            bundles: path.bundles,
            acceptance: acceptance(operator),
        };
        let mut bundles = RenderedBundles {
            resolver,
            catalog: path.catalog,
            package: path.package,
            options: None,
            silence: &mut silence,
        };
        change.crds = compared_crds(&upgrade, world, &mut bundles).await;
    }
}

/// Prints a warning for each unsafe change of a CRD that blocks an update, because a diff does not
/// show this. Without a diff, also prints the details of the changes.
pub(super) fn print_unsafe_updates(changes: &[Change], is_diff: bool) {
    for change in changes {
        for (sentence, lines) in change.unsafe_updates() {
            if is_diff {
                print::warn(&sentence);
            } else {
                print::tree(print::warn, &with_lines(&sentence, &lines));
            }
        }
        if let Some(sentence) = change.not_compared().filter(|_| !is_diff) {
            print::note(&sentence);
        }
    }
}

/// Returns a sentence and indented lines below it. The indentation ensures that text from bundle
/// authors never starts a line.
fn with_lines(sentence: &str, lines: &[String]) -> String {
    let lines = lines.iter().map(|line| format!("\n  {}", one_line(line)));
    format!("{}:{}", one_line(sentence), lines.collect::<String>())
}

/// Returns the unsafe changes that the spec of an Operator accepts. Ignores the status, which may
/// have the format of another version.
fn acceptance(operator: &Value) -> Acceptance {
    let mut written = operator.clone();
    if let Some(fields) = written.as_object_mut() {
        fields.remove("status");
    }
    let operator = serde_json::from_value::<Operator>(written);
    operator.map_or_else(|_| Acceptance::default(), |it| Acceptance::of(&it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_line_breaks_in_untrusted_text() {
        let lines = ["ships\nwarning: forged".to_owned(), "and 2 more".to_owned()];
        assert_eq!(
            with_lines("ferry waits before ferry\n.v1", &lines),
            "ferry waits before ferry .v1:\n  ships warning: forged\n  and 2 more"
        );
    }
}
