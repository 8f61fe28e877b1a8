//! The fields of the input document on which the Rego rule of a Policy is evaluated.

use portolan_core_names::nearest;
use portolan_core_names::text::cite;
use portolan_core_rules::rego::Rule;

/// The fields of the input document, sorted. If a listed field has subfields, they are not listed.
/// `docs/policy-input.schema.json` is the schema of the document.
pub const INPUT_FIELDS: &[&str] = &[
    "apiVersion",
    "move.from.bundle",
    "move.from.version",
    "move.to.bundle",
    "move.to.version",
    "operator.kind",
    "operator.labels",
    "operator.name",
    "operator.namespace",
    "operator.packageName",
    "time",
];

/// The field with labels, whose subfields users define.
const LABELS: &str = "operator.labels";

/// Returns a sentence for each field that the rule reads but that the input document never has.
pub fn unknown_inputs(rule: &Rule) -> Vec<String> {
    let paths = rule.inputs().iter().map(|parts| parts.join("."));
    let unknown = paths.filter(|path| !is_known(path));
    unknown
        .map(|path| {
            let hint = nearest(&path, INPUT_FIELDS.iter())
                .map_or_else(String::new, |near| format!("; did you mean input.{near}?"));
            format!(
                "the rule reads {}, which does not exist{hint}",
                cite(&format!("input.{path}"))
            )
        })
        .collect()
}

/// Returns true if the path is a field of the document, or a parent of a field.
fn is_known(path: &str) -> bool {
    let is_within = |field: &str| {
        let rest = field.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let labels = path.strip_prefix(LABELS);
    let is_label = labels.is_some_and(|rest| rest.starts_with('.'));
    is_label || INPUT_FIELDS.iter().any(|field| is_within(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(condition: &str) -> Vec<String> {
        unknown_inputs(&Rule::parse(&format!("allow if {condition}")).expect("a rule"))
    }

    #[test]
    fn each_field_of_the_input_schema_is_known() {
        for field in INPUT_FIELDS {
            assert_eq!(unknown(&format!("input.{field}")), [""; 0]);
        }
        assert_eq!(unknown("input.operator.labels.tier"), [""; 0]);
        assert_eq!(unknown("not input.move.from"), [""; 0]);
    }

    #[test]
    fn mistyped_input_field_is_rejected_with_the_most_similar_field() {
        let expected = "the rule reads input.move.to.versoin, which does not exist; did you mean \
                        input.move.to.version?";
        assert_eq!(unknown("input.move.to.versoin == \"1\""), [expected]);
        let expected = "the rule reads input.time.hour, which does not exist";
        assert_eq!(unknown("input.time.hour == 3"), [expected]);
        assert_eq!(
            unknown("input.cluster"),
            ["the rule reads input.cluster, which does not exist"]
        );
    }
}
