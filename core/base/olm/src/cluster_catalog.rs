//! `ClusterCatalog`: a catalog of OLM v1. catalogd unpacks it and serves it over HTTP.

#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_core::ObjectMeta;
use serde::Deserialize;
use thiserror::Error;

use crate::condition::Condition;
use crate::resource::{resource, word};

/// The label that OLM v1 sets on each ClusterCatalog, with the name of the catalog. Selectors use
/// it to select a catalog by its name.
pub const CATALOG_NAME: &str = "olm.operatorframework.io/metadata.name";

/// A catalog from which OLM v1 resolves operators.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterCatalog {
    /// The metadata, such as the name and the resource version.
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
    /// Determines whether catalogd serves the catalog.
    #[serde(rename = "availabilityMode")]
    pub availability: Availability,
}

/// The source of the content. In a status, the source to which it was resolved.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CatalogImageSource {
    /// The image with the content. An image is the only type of source.
    pub image: CatalogImage,
}

/// An image.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CatalogImage {
    /// The reference of the image. In a spec, it has a tag or a digest. In a status, it has a
    /// digest.
    pub r#ref: String,
}

word! {
    /// Determines whether catalogd serves a ClusterCatalog. By default, catalogd serves it.
    Availability {
        /// catalogd serves the catalog.
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
    /// The image whose content catalogd serves.
    pub resolved_source: Option<CatalogImageSource>,
    /// The URLs at which catalogd serves the catalog.
    pub urls: Option<CatalogUrls>,
    /// The time at which catalogd unpacked the content.
    pub last_unpacked: Option<Time>,
}

/// The URLs at which catalogd serves the content.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CatalogUrls {
    /// The base URL. Clients append the path of an API to it.
    pub base: String,
}

/// The reason why the content of a ClusterCatalog is unavailable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotServed {
    /// A user has disabled the catalog.
    #[error("spec.availabilityMode is Unavailable")]
    SwitchedOff,
    /// catalogd has not published the URL of the catalog yet.
    #[error("status.urls.base is empty{}", behind_colon(.word))]
    NotYet {
        /// The message of the condition `Progressing`. Often empty.
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

    /// Returns the URL of the complete content as JSON lines.
    ///
    /// # Errors
    ///
    /// Returns an error if a user has disabled the catalog, or if catalogd has not published its
    /// URL.
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

    /// Returns the message of the condition `Progressing`, or an empty text if there is no message.
    /// The message of the condition `Serving` only repeats that catalogd does not serve the
    /// content.
    fn last_word(&self) -> String {
        let mut conditions = self.status.conditions.iter();
        let progress = conditions.find(|condition| condition.r#type == "Progressing");
        progress.map_or_else(String::new, |progress| progress.message.clone())
    }
}
