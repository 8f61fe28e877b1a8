//! What the page about policies shows, as it is read.

use portolan_api::Intent;
use serde_json::{Value, json};

use crate::policies::policy;

const PAGE: &str = include_str!("../../../docs/operator-policy.md");

/// The lines of the page that are shown as they are written, from the one that is `first`.
fn block(first: &str) -> String {
    let lines = PAGE.lines().skip_while(|line| line.trim() != first);
    let block = lines.map_while(|line| line.strip_prefix("    "));
    block.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_pinned_policy_of_the_page_is_valid_and_restricts() {
    let mut json: Value = serde_saphyr::from_str(&block("spec:")).expect("YAML");
    json["metadata"] = json!({"name": "sloop", "namespace": "managed"});
    let intent = Intent::parse(&policy(json)).expect("a valid policy");
    assert!(intent.is_enforced() && intent.restricts(), "{intent:?}");
}
