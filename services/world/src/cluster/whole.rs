//! Lists kinds page by page. The objects are complete, as the API server sends them.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use kube::Error;
use kube::core::{Selector, SelectorExt as _};
use portolan_core_olm::TOOL_ANNOTATIONS;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::timeout;

use super::ask::{ListQuery, Refused};
use super::{Cluster, Pace};
use crate::dump;
use crate::projection::KeptFields;
use crate::{Area, Kind, KindName, NotSeen, Projection, Trouble};

/// A kind of a dump, with everything that is needed to list and to reduce its objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DumpedKind {
    group: fn() -> String,
    version: fn() -> String,
    kind: fn() -> String,
    plural: fn() -> String,
    query: fn(&Area) -> ListQuery,
    pub(crate) kept: fn(&Projection) -> KeptFields,
    is_metadata_only: bool,
    /// The label selector of the objects that worlds read.
    selector: fn() -> Selector,
    sort: Sort,
    /// Returns true if a dump contains the object with this name.
    is_named: fn(&str) -> bool,
    cut: &'static [FieldPath],
    /// The annotations to keep. Annotations that identify a tool are also kept. None keeps all
    /// annotations.
    annotations: Option<&'static [&'static str]>,
}

/// The path of a field in an object: field names, and `*` for each item of a list.
type FieldPath = &'static [&'static str];

/// The namespaces in which the objects of a kind are relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A kind of OLM. A namespace with such an object has an operator or a catalog.
    OfOlm,
    /// A kind with many objects, such as Pods. Its objects are relevant only in namespaces with
    /// operators.
    Runs,
    /// A kind with few objects. Its objects are relevant in all namespaces.
    Other,
}

/// A page of the objects of a kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct WholePage {
    /// The objects, each with its kind.
    pub(super) objects: Vec<Value>,
    /// The token of the next page; None on the last page.
    pub(super) next: Option<String>,
}

/// The reason why a page cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoPage {
    /// The API server does not serve the kind.
    NotServed,
    /// The API server no longer keeps the state of the list, because the pages were requested too
    /// slowly. The list must start again.
    Expired,
    /// The objects cannot be read.
    Trouble(Trouble),
}

/// A list of objects of any kind.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    metadata: ListMeta,
    /// The objects. Some versions of API servers send null for an empty list.
    items: Option<Vec<Value>>,
}

// === impl DumpedKind ===

impl DumpedKind {
    pub(crate) fn of<K: Kind>() -> Self {
        Self {
            group: || K::group(&()).into_owned(),
            version: || K::version(&()).into_owned(),
            kind: || K::kind(&()).into_owned(),
            plural: || K::plural(&()).into_owned(),
            query: ListQuery::of::<K>,
            kept: Projection::of::<K>,
            is_metadata_only: K::METADATA_ONLY,
            selector: K::selector,
            sort: Sort::Other,
            is_named: |_| true,
            cut: &[],
            annotations: None,
        }
    }

    pub(crate) fn of_olm<K: Kind>() -> Self {
        Self {
            sort: Sort::OfOlm,
            ..Self::of::<K>()
        }
    }

    pub(crate) fn running<K: Kind>() -> Self {
        Self {
            query: ListQuery::with_any_labels::<K>,
            sort: Sort::Runs,
            ..Self::of::<K>()
        }
    }

    /// Returns true if the label selector of the kind selects the object.
    pub(super) fn has_labels(&self, object: &Value) -> bool {
        let labels = object["metadata"]["labels"].as_object();
        let labels = labels.into_iter().flatten();
        let labels: BTreeMap<_, _> = labels
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect();
        (self.selector)().matches(&labels)
    }

    /// Limits the dump to the objects whose names this function accepts.
    pub(crate) fn named(self, is_named: fn(&str) -> bool) -> Self {
        Self { is_named, ..self }
    }

    /// Returns true if a dump contains the object with this name.
    pub(super) fn has_name(&self, object: &Value) -> bool {
        let name = object["metadata"]["name"].as_str();
        (self.is_named)(name.unwrap_or_default())
    }

    /// Removes these fields from the dump. They are large and not needed.
    pub(crate) fn without(self, cut: &'static [FieldPath]) -> Self {
        Self { cut, ..self }
    }

    /// Keeps only these annotations and the annotations that identify a tool. Also removes managed
    /// fields. Without this call, the dump contains all metadata of the kind.
    pub(crate) fn annotated(self, annotations: &'static [&'static str]) -> Self {
        Self {
            annotations: Some(annotations),
            ..self
        }
    }

    /// Returns true if an object of this kind shows that its namespace has an operator or a
    /// catalog.
    pub(super) fn is_of_olm(&self) -> bool {
        self.sort == Sort::OfOlm
    }

    /// Returns true if the objects of this kind are relevant only in namespaces with operators.
    pub(super) fn runs(&self) -> bool {
        self.sort == Sort::Runs
    }

    /// Returns the name of the kind.
    pub(crate) fn name(&self) -> KindName {
        KindName {
            group: (self.group)(),
            kind: (self.kind)(),
            metadata_only: self.is_metadata_only,
        }
    }

    /// Returns the record in the dump that the kind could not be listed, in one namespace or in all
    /// namespaces.
    pub(super) fn not_seen(&self, namespace: Option<String>, no: &NoPage) -> NotSeen {
        NotSeen {
            kind: self.name(),
            namespace,
            why: no.to_string(),
        }
    }

    /// Returns the name of the file for the objects of the kind, without its extension, such as
    /// `deployments.apps`. A kind may have a second file for objects with only metadata.
    pub(crate) fn file_stem(&self) -> String {
        let plural = if self.is_metadata_only {
            format!("{}-metadata", (self.plural)())
        } else {
            (self.plural)()
        };
        dump::file_stem(&plural, &(self.group)())
    }

    fn api_version(&self) -> String {
        match (self.group)() {
            group if group.is_empty() => (self.version)(),
            group => format!("{group}/{}", (self.version)()),
        }
    }

    /// Returns the object as the dump contains it. The kind is set, because items of a list have no
    /// kind and items of a metadata list have another kind. Unneeded managed fields are removed,
    /// because they are half of many objects.
    pub(crate) fn kept(&self, mut object: Value, kept: &KeptFields) -> Value {
        object["apiVersion"] = self.api_version().into();
        object["kind"] = (self.kind)().into();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            if self.annotations.is_some() || !kept.keeps_managers() {
                metadata.remove("managedFields");
            }
            // Some tools store copies of whole objects in annotations, so only selected annotations
            // are kept.
            let annotations = metadata.get_mut("annotations");
            if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
                let is_of_tool = |name: &str| TOOL_ANNOTATIONS.iter().any(|it| it.is_named(name));
                annotations.retain(|name, _| match self.annotations {
                    Some(own) => own.contains(&name.as_str()) || is_of_tool(name),
                    None => kept.keeps_annotation(name),
                });
            }
        }
        for path in self.cut {
            cut(&mut object, path);
        }
        object
    }
}

fn cut(from: &mut Value, path: &[&str]) {
    match (path, from) {
        ([name], Value::Object(fields)) => {
            fields.remove(*name);
        }
        (["*", rest @ ..], Value::Array(items)) => {
            items.iter_mut().for_each(|item| cut(item, rest))
        }
        ([name, rest @ ..], Value::Object(fields)) => {
            if let Some(value) = fields.get_mut(*name) {
                cut(value, rest);
            }
        }
        _ => {}
    }
}

// === impl Cluster ===

impl Cluster {
    /// Requests a page of a kind in an area.
    ///
    /// # Errors
    /// Returns an error if there is no page.
    pub(super) async fn page(
        &self,
        kind: &DumpedKind,
        area: &Area,
        from: Option<String>,
    ) -> Result<WholePage, NoPage> {
        let Pace { answer, .. } = self.inner.pace;
        let query = (kind.query)(area);
        let request = query.list(from);
        let request = request.map_err(|error| Refused::from(Error::BuildRequest(error)))?;
        let asked = self.inner.client.request::<Answer>(request);
        let told = timeout(answer, asked).await;
        let told = told.map_err(|_| NoPage::Trouble(Trouble::Silent(answer)))?;
        let Answer { metadata, items } = match told.map_err(Refused::from) {
            Ok(answer) => answer,
            Err(refused) => {
                let told = query.most_specific(refused, &self.inner.client, &self.inner.pace);
                return Err(told.await.into());
            }
        };
        let kept = (kind.kept)(self.inner.stores.projection());
        Ok(WholePage {
            objects: items
                .into_iter()
                .flatten()
                .map(|item| kind.kept(item, &kept))
                .collect(),
            next: metadata.continue_.filter(|token| !token.is_empty()),
        })
    }
}

impl From<Refused> for NoPage {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::NotServed => Self::NotServed,
            Refused::Gone => Self::Expired,
            Refused::Trouble(trouble) => Self::Trouble(trouble),
        }
    }
}

impl fmt::Display for NoPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotServed => f.write_str("the cluster has no such kind"),
            Self::Expired => f.write_str(
                "the list takes so long that the API server no longer \
             has its version",
            ),
            Self::Trouble(trouble) => trouble.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cut_removes_only_the_given_paths() {
        let version = |name: &str| json!({"name": name, "schema": {"type": "object"}});
        let mut object = json!({
            "metadata": {"annotations": {"big": "x", "small": "y"}},
            "spec": {"versions": [version("v1"), version("v2")]},
        });
        cut(&mut object, &["metadata", "annotations", "big"]);
        cut(&mut object, &["spec", "versions", "*", "schema"]);
        cut(&mut object, &["spec", "icon", "data"]);
        let wanted = json!({
            "metadata": {"annotations": {"small": "y"}},
            "spec": {"versions": [{"name": "v1"}, {"name": "v2"}]},
        });
        assert_eq!(object, wanted);
    }
}
