//! The custom resources that have a field, and the field managers that write it.

use std::collections::BTreeSet;

use portolan_core_names::text::cite;
use serde_json::Value;

/// The maximum number of custom resources that are named.
const NAMED: usize = 3;
/// The maximum number of field managers that are named.
const MOST_MANAGERS: usize = 10;

/// The custom resources that have a field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldUse {
    /// The number of custom resources.
    pub all: usize,
    /// The number of custom resources that have the field.
    pub having: usize,
    /// The first custom resources that have the field, each as NAMESPACE/NAME.
    pub examples: Vec<String>,
    /// The field managers that have written the field.
    pub managers: BTreeSet<String>,
}

/// A path in a schema, such as `.spec.ships[].name` or `.spec.berths[*]`. The empty path is the
/// whole object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPath(String);

/// A step of a path. The rest of the path follows.
enum Step<'p> {
    End,
    Items(&'p str),
    Values(&'p str),
    /// A key, which may itself contain points.
    Key(&'p str),
}

// === impl FieldPath ===

impl FieldPath {
    /// Returns the path. Returns None if the text does not contain the exact keys, because
    /// they are too long or contain control characters.
    pub fn parse(text: &str) -> Option<Self> {
        let is_exact = !text.contains("...") && !text.contains("\\u{");
        is_exact.then(|| Self(text.to_owned()))
    }

    /// Returns true if the path is the whole object.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }
}

// === impl FieldUse ===

impl FieldUse {
    /// Counts a custom resource.
    pub fn add(&mut self, path: &FieldPath, object: &Value) {
        self.all += 1;
        if !has(object, &path.0) {
            return;
        }
        self.having += 1;
        let metadata = &object["metadata"];
        if self.examples.len() < NAMED {
            self.examples.push(name(metadata));
        }
        let entries = metadata["managedFields"].as_array().into_iter().flatten();
        let owners = entries.filter(|entry| owns(&entry["fieldsV1"], &path.0, true));
        for owner in owners.filter_map(|entry| entry["manager"].as_str()) {
            if self.managers.len() < MOST_MANAGERS {
                self.managers.insert(cite(owner));
            }
        }
    }
}

fn name(metadata: &Value) -> String {
    let text = |field: &str| metadata[field].as_str().unwrap_or_default();
    cite(&match text("namespace") {
        "" => text("name").to_owned(),
        namespace => format!("{namespace}/{}", text("name")),
    })
}

fn step(path: &str) -> Step<'_> {
    if path.is_empty() {
        return Step::End;
    }
    if let Some(rest) = path.strip_prefix("[]") {
        return Step::Items(rest);
    }
    if let Some(rest) = path.strip_prefix("[*]") {
        return Step::Values(rest);
    }
    Step::Key(path.strip_prefix('.').unwrap_or(path))
}

/// Returns the path after a key, if the path begins with it.
fn after<'p>(path: &'p str, key: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(key)?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
}

/// Returns true if a value has a field.
fn has(value: &Value, path: &str) -> bool {
    let fields = || value.as_object().into_iter().flatten();
    match step(path) {
        Step::End => true,
        Step::Items(rest) => {
            let mut items = value.as_array().into_iter().flatten();
            items.any(|item| has(item, rest))
        }
        Step::Values(rest) => fields().any(|(_, value)| has(value, rest)),
        Step::Key(path) => {
            fields().any(|(key, value)| after(path, key).is_some_and(|rest| has(value, rest)))
        }
    }
}

/// Returns true if a set of managed fields contains a field. A field without fields below it is
/// managed as a whole.
fn owns(fields: &Value, path: &str, is_root: bool) -> bool {
    let Some(all) = fields.as_object() else {
        return false;
    };
    if all.is_empty() {
        return !is_root;
    }
    let mut all = all.iter();
    match step(path) {
        // Every manager of an object writes some field of it.
        Step::End => true,
        Step::Items(rest) => all.any(|(key, below)| {
            let is_item = ["k:", "v:", "i:"].iter().any(|it| key.starts_with(it));
            is_item && owns(below, rest, false)
        }),
        Step::Values(rest) => {
            all.any(|(key, below)| key.starts_with("f:") && owns(below, rest, false))
        }
        Step::Key(path) => all.any(|(key, below)| {
            let rest = key.strip_prefix("f:").and_then(|key| after(path, key));
            rest.is_some_and(|rest| owns(below, rest, false))
        }),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn ship(name: &str, spec: Value, managed: Value) -> Value {
        let entries = managed.as_object().expect("managers").iter();
        let entries =
            entries.map(|(manager, fields)| json!({"manager": manager, "fieldsV1": fields}));
        json!({
            "metadata": {
                "namespace": "docks", "name": name, "managedFields": entries.collect::<Vec<_>>(),
            },
            "spec": spec,
        })
    }

    #[rstest]
    #[case::field(".spec.flag", json!({"flag": ""}), true)]
    #[case::null(".spec.flag", json!({"flag": null}), true)]
    #[case::other_field(".spec.flag", json!({"flags": 1}), false)]
    #[case::nested_field(".spec.crew.captain", json!({"crew": {"captain": "ada"}}), true)]
    #[case::key_with_points(".spec.a.b.c", json!({"a.b": {"c": 1}}), true)]
    #[case::item(".spec.boats[].name", json!({"boats": [{}, {"name": "a"}]}), true)]
    #[case::no_item(".spec.boats[].name", json!({"boats": [{}]}), false)]
    #[case::empty_list(".spec.boats[]", json!({"boats": []}), false)]
    #[case::value_of_map(".spec.berths[*].length", json!({"berths": {"a": {"length": 1}}}), true)]
    #[case::field_of_another_type(".spec.flag.color", json!({"flag": "red"}), false)]
    #[case::whole_object("", json!({}), true)]
    fn finds_field_of_schema_in_object(
        #[case] path: &str,
        #[case] spec: Value,
        #[case] expected: bool,
    ) {
        assert_eq!(has(&json!({"spec": spec}), path), expected);
    }

    #[rstest]
    #[case::writer(".spec.flag", json!({"f:spec": {".": {}, "f:flag": {}}}), true)]
    #[case::writer_of_another_field(".spec.flag", json!({"f:spec": {"f:flags": {}}}), false)]
    #[case::writer_of_whole_parent(".spec.flag", json!({"f:spec": {}}), true)]
    #[case::writer_of_subfield(".spec.crew", json!({"f:spec": {"f:crew": {"f:captain": {}}}}), true)]
    #[case::item(
        ".spec.boats[].name", json!({"f:spec": {"f:boats": {"k:{\"name\":\"a\"}": {"f:name": {}}}}}),
        true
    )]
    #[case::value_of_map(".spec.berths[*]", json!({"f:spec": {"f:berths": {"f:a": {}}}}), true)]
    #[case::nothing(".spec.flag", json!({}), false)]
    fn finds_manager_of_field(#[case] path: &str, #[case] fields: Value, #[case] expected: bool) {
        assert_eq!(owns(&fields, path, true), expected);
    }

    #[test]
    fn counts_custom_resources_with_the_field() {
        let path = FieldPath::parse(".spec.flag").expect("a path");
        let kubectl = json!({"kubectl": {"f:spec": {"f:flag": {}}}, "ferryman": {"f:status": {}}});
        let mut used = FieldUse::default();
        for name in ["anna", "berta", "cora", "dora"] {
            used.add(&path, &ship(name, json!({"flag": "red"}), kubectl.clone()));
        }
        used.add(
            &path,
            &ship(
                "emma",
                json!({}),
                json!({"other": {"f:spec": {"f:flag": {}}}}),
            ),
        );
        let expected = FieldUse {
            all: 5,
            having: 4,
            examples: vec![
                "docks/anna".into(),
                "docks/berta".into(),
                "docks/cora".into(),
            ],
            managers: ["kubectl".to_owned()].into(),
        };
        assert_eq!(used, expected);
    }

    #[rstest]
    #[case::shortened(".spec.a...")]
    #[case::escaped(".spec.a\\u{200b}")]
    fn rejects_path_without_exact_keys(#[case] text: &str) {
        assert_eq!(FieldPath::parse(text), None);
    }
}
