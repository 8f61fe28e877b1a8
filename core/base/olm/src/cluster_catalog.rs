//! `ClusterCatalog`: a catalog of OLM v1. catalogd unpacks it and serves it over HTTP.

#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_core::ObjectMeta;
use serde::Deserialize;
use thiserror::Error;

use crate::condition::Condition;
use crate::resource::{resource, word};

/// The label with which a catalog can be selected by its name, as OLM v1 sets it on
/// ClusterCatalogs.
pub const CATALOG_NAME: &str = "olm.operatorframework.io/metadata.name";

/// A catalog that OLM v1 resolves from.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterCatalog {
    /// The name and versions.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: ClusterCatalogSpec,
    /// The state that catalogd reports.
    pub status: ClusterCatalogStatus,
}

resource!(
    ClusterCatalog,
    "clustercatalogs",
    "olm.operatorframework.io",
    "v1",
    ClusterResourceScope
);

/// The source of the content.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterCatalogSpec {
    /// The image with the content.
    pub source: CatalogImageSource,
    /// Catalogs with a higher priority are preferred.
    pub priority: i32,
    /// Decides if the catalog is served.
    #[serde(rename = "availabilityMode")]
    pub availability: Availability,
}

/// A source of content, or the resolved source.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CatalogImageSource {
    /// The only type of source.
    pub image: CatalogImage,
}

/// An image.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CatalogImage {
    /// The reference of the image. In a spec, it contains a tag or a digest. In a status, it
    /// contains a digest.
    pub r#ref: String,
}

word! {
    /// Decides if a ClusterCatalog is served. The default is yes.
    Availability {
        /// The catalog is served.
        Available = "Available",
        /// A user has disabled the catalog.
        Unavailable = "Unavailable",
    }
}

/// The state that catalogd reports.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterCatalogStatus {
    /// The conditions `Serving` and `Progressing`.
    pub conditions: Vec<Condition>,
    /// The image with the served content.
    pub resolved_source: Option<CatalogImageSource>,
    /// The URLs at which the catalog is served.
    pub urls: Option<CatalogUrls>,
    /// The time at which the content was unpacked.
    pub last_unpacked: Option<Time>,
}

/// The URLs at which the content is served.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CatalogUrls {
    /// The URL to which the paths of the API are appended.
    pub base: String,
}

/// The reason why the content of a ClusterCatalog is unavailable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotServed {
    /// A user has disabled the catalog.
    #[error("spec.availabilityMode is Unavailable")]
    SwitchedOff,
    /// catalogd has not published the address.
    #[error("status.urls.base is empty{}", behind_colon(.word))]
    NotYet {
        /// The last message of catalogd about its progress. Often empty.
        word: String,
    },
}

fn behind_colon(word: &str) -> String {
    match word {
        "" => String::new(),
        word => format!(": {word}"),
    }
}

// === impl ClusterCatalog ===

impl ClusterCatalog {
    /// Returns true if catalogd reports that it serves the content.
    pub fn is_serving(&self) -> bool {
        let serving = Condition::about(&self.status.conditions, "Serving");
        serving.is_some_and(Condition::is_true)
    }

    /// Returns the URL of the complete content, as JSON lines.
    ///
    /// # Errors
    ///
    /// Returns an error if catalogd does not serve the catalog, or does not serve it yet.
    pub fn all_url(&self) -> Result<String, NotServed> {
        if self.spec.availability == Availability::Unavailable {
            return Err(NotServed::SwitchedOff);
        }
        let base = self.status.urls.as_ref().map_or("", |urls| &urls.base);
        match base.trim_end_matches('/') {
            "" => Err(NotServed::NotYet {
                word: self.last_word(),
            }),
            base => Ok(format!("{base}/api/v1/all")),
        }
    }

    /// Returns the message of catalogd about its progress. Returns an empty text without a message.
    /// The message of `Serving` only repeats that the content is not served.
    fn last_word(&self) -> String {
        let mut conditions = self.status.conditions.iter();
        let progress = conditions.find(|condition| condition.r#type == "Progressing");
        progress.map_or_else(String::new, |progress| progress.message.clone())
    }
}
