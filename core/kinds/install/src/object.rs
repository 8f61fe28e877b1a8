//! The identity of objects, and functions that read their JSON.

use std::fmt;

use portolan_api::plan::sentence;
use portolan_core_names::text::{listed, write_object};
use serde_json::Value;

/// The kind of an object, whatever its version.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Empty for the oldest kinds, such as ConfigMap.
    pub group: String,
    pub kind: String,
}

/// The identity of an object: it tells it from all others, now and in all versions of its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    pub kind: Kind,
    /// None for objects that lie in no namespace.
    pub namespace: Option<String>,
    pub name: String,
}

impl Kind {
    pub fn new(group: &str, kind: &str) -> Self {
        Self {
            group: group.to_owned(),
            kind: kind.to_owned(),
        }
    }

    /// The kind that an object says it is of.
    pub fn of(object: &Value) -> Self {
        let (group, _) = split(text(object, "/apiVersion"));
        Self::new(group, text(object, "/kind"))
    }

    /// Whether it is that kind of that group.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }

    /// Whether its objects make other kinds known.
    pub fn is_definition(&self) -> bool {
        self.is("apiextensions.k8s.io", "CustomResourceDefinition")
    }

    /// Whether other objects lie in its objects.
    pub fn is_namespace(&self) -> bool {
        self.is("", "Namespace")
    }

    /// Whether others keep data in its objects that are lost with them: such an object goes only
    /// where the plan says so of it.
    pub fn is_precious(&self) -> bool {
        self.is_definition() || self.is_namespace() || self.is("", "PersistentVolumeClaim")
    }

    /// The kind of what runs between stages.
    pub fn job() -> Self {
        Self::new("batch", "Job")
    }

    /// Whether its objects say who answers for a group.
    pub fn is_api_service(&self) -> bool {
        self.is("apiregistration.k8s.io", "APIService")
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group.as_str() {
            "" => f.write_str(&self.kind),
            group => write!(f, "{}.{group}", self.kind),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            namespace,
            name,
        } = self;
        write_object(f, kind, namespace.as_deref().unwrap_or_default(), name)
    }
}

/// Group and version of an `apiVersion`.
pub(crate) fn split(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// The text at a JSON pointer; empty where there is none.
pub(crate) fn text<'v>(json: &'v Value, pointer: &str) -> &'v str {
    let text = json.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default()
}

/// The items of the list at a JSON pointer; none where there is no list.
pub(crate) fn items<'v>(json: &'v Value, pointer: &str) -> &'v [Value] {
    let list = json.pointer(pointer).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// Whether an object has been deleted and is still there.
pub(crate) fn is_terminating(object: &Value) -> bool {
    !text(object, "/metadata/deletionTimestamp").is_empty()
}

/// The finalizers that hold an object that is being deleted, as the end of a sentence; empty if
/// there are none.
pub(crate) fn held_by(object: &Value) -> String {
    let finalizers = items(object, "/metadata/finalizers");
    match listed(finalizers.iter().filter_map(Value::as_str)).as_str() {
        "" => String::new(),
        finalizers => format!(", {}", sentence::held_by(finalizers)),
    }
}

/// Whether a JSON pointer leads to what another one leads to, or into it.
pub(crate) fn is_within(pointer: &str, of: &str) -> bool {
    let rest = pointer.strip_prefix(of);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A JSON pointer as a path, such as `.spec.containers[0].image`.
pub(crate) fn path(pointer: &str) -> String {
    let steps = pointer.split('/').skip(1);
    let steps = steps.map(|step| match step.parse::<usize>() {
        Ok(at) => format!("[{at}]"),
        Err(_) => format!(".{}", step.replace("~1", "/").replace("~0", "~")),
    });
    steps.collect()
}
