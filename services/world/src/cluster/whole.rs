//! Lists kinds page by page, as stored and complete.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use kube::Error;
use kube::core::{Selector, SelectorExt as _};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::timeout;

use super::ask::{ListQuery, Refused};
use super::{Cluster, Pace};
use crate::dump;
use crate::projection::KeptFields;
use crate::{Area, Kind, KindName, NotSeen, Projection, Trouble};

/// A kind in worlds, with the way to request all of its objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DumpedKind {
    group: fn() -> String,
    version: fn() -> String,
    kind: fn() -> String,
    plural: fn() -> String,
    query: fn(&Area) -> ListQuery,
    pub(crate) kept: fn(&Projection) -> KeptFields,
    is_metadata_only: bool,
    /// The labels of objects that worlds keep.
    selector: fn() -> Selector,
    sort: Sort,
    cut: &'static [FieldPath],
    /// The annotations of interest, where worlds keep all metadata.
    annotations: Option<&'static [&'static str]>,
}

/// The path of a value in an object: the names of fields, and `*` for each item of a list.
type FieldPath = &'static [&'static str];

/// The role of a kind for operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A kind of OLM: a namespace with such an object has an operator or a catalog.
    OfOlm,
    /// A kind with many objects all over a cluster: of interest only where there are operators.
    Runs,
    /// A few, wherever they are.
    Other,
}

/// Some objects of a kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct WholePage {
    /// The objects, each with its kind.
    pub(super) objects: Vec<Value>,
    /// The token with which the next page begins, if there is one.
    pub(super) next: Option<String>,
}

/// The reason why there is no page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoPage {
    /// The cluster does not know the kind.
    NotServed,
    /// The pages were requested too slowly, so listing starts again.
    Expired,
    /// They cannot be had.
    Trouble(Trouble),
}

/// A list of any kind.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    metadata: ListMeta,
    /// Null in some versions if the list is empty.
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

    /// Returns true if the object has the labels that worlds keep: those of objects of OLM.
    pub(super) fn has_labels(&self, object: &Value) -> bool {
        let labels = object["metadata"]["labels"].as_object();
        let labels = labels.into_iter().flatten();
        let labels: BTreeMap<_, _> = labels
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect();
        (self.selector)().matches(&labels)
    }

    /// Leaves out these large fields, which are not needed.
    pub(crate) fn without(self, cut: &'static [FieldPath]) -> Self {
        Self { cut, ..self }
    }

    /// Keeps only these annotations, and removes field managers, although worlds keep all metadata
    /// of the kind.
    pub(crate) fn annotated(self, annotations: &'static [&'static str]) -> Self {
        Self {
            annotations: Some(annotations),
            ..self
        }
    }

    /// Returns true if every namespace with such an object has an operator or a catalog.
    pub(super) fn is_of_olm(&self) -> bool {
        self.sort == Sort::OfOlm
    }

    /// Returns true if only namespaces with operators need it.
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

    /// Reports that they could not be listed, in one namespace or in all.
    pub(super) fn not_seen(&self, namespace: Option<String>, no: &NoPage) -> NotSeen {
        NotSeen {
            kind: self.name(),
            namespace,
            why: no.to_string(),
        }
    }

    /// Returns the stem of the file name for its objects, such as `deployments.apps`. There may be
    /// two for one kind, one of which has only metadata.
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

    /// Lists contain the kind of their objects only once, and metadata lists have another kind.
    /// Managed fields are half of many objects.
    pub(crate) fn kept(&self, mut object: Value, kept: &KeptFields) -> Value {
        object["apiVersion"] = self.api_version().into();
        object["kind"] = (self.kind)().into();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            if self.annotations.is_some() || !kept.keeps_managers() {
                metadata.remove("managedFields");
            }
            // Tools note whole objects in them, with all that is in those.
            let annotations = metadata.get_mut("annotations");
            if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
                annotations.retain(|name, _| match self.annotations {
                    Some(own) => own.contains(&name.as_str()),
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
