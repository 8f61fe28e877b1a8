//! The identity of objects, and functions that read their JSON.

use std::fmt;

use portolan_api::plan::MOST_FINALIZERS;
use portolan_core_names::text::{cut, listed, write_object};
use serde_json::Value;

/// The maximum length of a finalizer in a status: of a subdomain, a slash and a name.
const LONGEST_FINALIZER: usize = 253 + 1 + 63;

/// The kind of an object, in any version.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Empty for the core group, with kinds such as ConfigMap.
    pub group: String,
    pub kind: String,
}

/// The identity of an object, which is unique across all versions of its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    pub kind: Kind,
    /// None for cluster-scoped objects.
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

    /// Returns the kind that an object names.
    pub fn of(object: &Value) -> Self {
        let (group, _) = split(text(object, "/apiVersion"));
        Self::new(group, text(object, "/kind"))
    }

    /// Returns true if the group and the kind are these.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }

    /// Returns true if its objects define other kinds.
    pub fn is_definition(&self) -> bool {
        self.is("apiextensions.k8s.io", "CustomResourceDefinition")
    }

    /// Returns true if its objects contain other objects.
    pub fn is_namespace(&self) -> bool {
        self.is("", "Namespace")
    }

    /// Returns true if others keep data in its objects, which is lost with them. Such an object is
    /// deleted only if the plan explicitly allows it.
    pub fn is_precious(&self) -> bool {
        self.is_definition() || self.is_namespace() || self.is("", "PersistentVolumeClaim")
    }

    /// Returns the kind that runs between stages.
    pub fn job() -> Self {
        Self::new("batch", "Job")
    }

    /// Returns true if its objects name the server of an API group.
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

/// Returns the group and the version of an `apiVersion`.
pub(crate) fn split(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// Returns the text at a JSON pointer; empty if there is none.
pub(crate) fn text<'v>(json: &'v Value, pointer: &str) -> &'v str {
    let text = json.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default()
}

/// Returns the items of the list at a JSON pointer; empty if there is no list.
pub(crate) fn items<'v>(json: &'v Value, pointer: &str) -> &'v [Value] {
    let list = json.pointer(pointer).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// Returns true if an object was deleted and still exists.
pub(crate) fn is_terminating(object: &Value) -> bool {
    !text(object, "/metadata/deletionTimestamp").is_empty()
}

/// Returns the finalizers that keep an object that is being deleted, as the end of a sentence that
/// continues with `link`; empty if there are no finalizers.
pub(crate) fn held_by(object: &Value, link: &str) -> String {
    match listed(finalizers(object)).as_str() {
        "" => String::new(),
        finalizers => format!("{link}held by {finalizers}"),
    }
}

/// Returns the finalizers that block the deletion of an object, as many of them as a status holds;
/// empty if the object is not being deleted.
pub(crate) fn holding(object: &Value) -> Vec<String> {
    let finalizers = finalizers(object).filter(|_| is_terminating(object));
    let finalizers = finalizers.map(|name| cut(name, LONGEST_FINALIZER));
    finalizers.take(MOST_FINALIZERS).collect()
}

fn finalizers(object: &Value) -> impl Iterator<Item = &str> {
    let finalizers = items(object, "/metadata/finalizers").iter();
    finalizers.filter_map(Value::as_str)
}

/// Returns true if a JSON pointer equals another one, or points into its value.
pub(crate) fn is_within(pointer: &str, of: &str) -> bool {
    let rest = pointer.strip_prefix(of);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Converts a JSON pointer to a path, such as `.spec.containers[0].image`.
pub(crate) fn path(pointer: &str) -> String {
    let steps = pointer.split('/').skip(1);
    let steps = steps.map(|step| match step.parse::<usize>() {
        Ok(at) => format!("[{at}]"),
        Err(_) => format!(".{}", step.replace("~1", "/").replace("~0", "~")),
    });
    steps.collect()
}
