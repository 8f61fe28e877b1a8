use prometheus_client::encoding::text::encode;
use rstest::rstest;
use serde_json::json;

use super::*;

fn policy(severity: &str) -> OperatorPolicy {
    let spec = json!({"severity": severity});
    OperatorPolicy::new("ferry", spec.into())
}

/// Every series of the gauge.
fn series(registry: &Registry) -> Vec<String> {
    let mut text = String::new();
    encode(&mut text, registry).expect("a text");
    let lines = text.lines();
    let of_policies = lines.filter(|line| line.starts_with("cluster_policy_governance_info{"));
    of_policies.map(str::to_owned).collect()
}

fn line(severity: &str, value: i64) -> String {
    format!(
        "cluster_policy_governance_info{{kind=\"OperatorPolicy\",policy=\"ferry\",\
         policy_namespace=\"west\",severity=\"{severity}\"}} {value}"
    )
}

/// Behavior 126.
#[rstest]
#[case::compliant(Some(Compliance::Compliant), 0)]
#[case::not_compliant(Some(Compliance::NonCompliant), 1)]
#[case::on_its_way(Some(Compliance::Pending), -1)]
#[case::on_its_way_out(Some(Compliance::Terminating), -1)]
#[case::not_known(None, -1)]
fn a_policy_is_a_series(#[case] compliance: Option<Compliance>, #[case] value: i64) {
    let (metrics, registry) = Metrics::new();
    let key = Key::new("west", "ferry");
    metrics.is(&key, Severity::of(&policy("High")), compliance);
    assert_eq!(series(&registry), [line("high", value)]);
}

/// Behavior 126.
#[test]
fn a_policy_that_changes_or_goes_leaves_no_series() {
    let (metrics, registry) = Metrics::new();
    let key = Key::new("west", "ferry");
    metrics.is(&key, Severity::of(&policy("low")), None);
    metrics.is(&key, Severity::of(&policy("none of these")), None);
    assert_eq!(series(&registry), [line("", -1)]);
    metrics.forget(&key);
    assert_eq!(series(&registry), Vec::<String>::new());
}
