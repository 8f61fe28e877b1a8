//! The requests about the health of catalogs.

use portolan_core_names::text::some;
use std::sync::Arc;

use super::{NAMED, RequestError, meant, within};
use crate::snapshot::{Asked, Snapshot};

/// The request for the health of one catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GetCatalog {
    /// The namespace. None searches all namespaces.
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
}

/// The request for the health of all catalogs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListCatalogs {
    /// The namespace. None for all namespaces.
    pub(crate) namespace: Option<String>,
}

// === impl GetCatalog ===

impl GetCatalog {
    pub(crate) fn ask<'a>(
        &'a self,
        snapshot: &'a Snapshot,
    ) -> Result<&'a Arc<Asked>, RequestError> {
        let found = self.named(snapshot, self.namespace.as_deref());
        match found.as_slice() {
            [only] => Ok(only),
            [] => match &snapshot.unseen.catalogs {
                Some(why) => Err(RequestError::Unseen(format!(
                    "catalogs cannot be listed: {why}"
                ))),
                None => Err(self.unknown(snapshot)),
            },
            several => Err(RequestError::Field {
                field: "namespace",
                message: format!(
                    "{} matches {}; select one",
                    self.name,
                    some(NAMED, subjects(several))
                ),
            }),
        }
    }

    fn named<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        namespace: Option<&'a str>,
    ) -> Vec<&'a Arc<Asked>> {
        let asked = snapshot.asked(namespace);
        asked
            .filter(|asked| asked.catalog.subject.name == self.name)
            .collect()
    }

    fn unknown(&self, snapshot: &Snapshot) -> RequestError {
        let namespace = self.namespace.as_deref();
        let hint = match self.named(snapshot, None).as_slice() {
            [] => {
                let known = snapshot.asked(namespace);
                meant(
                    &self.name,
                    known.map(|asked| asked.catalog.subject.name.as_str()),
                )
            }
            elsewhere => format!("; there is {}", some(NAMED, subjects(elsewhere))),
        };
        RequestError::UnknownCatalog {
            name: self.name.clone(),
            message: format!(
                "there is no CatalogSource {}{}{hint}",
                self.name,
                within(namespace)
            ),
        }
    }
}

fn subjects(catalogs: &[&Arc<Asked>]) -> Vec<String> {
    let subjects = catalogs.iter().map(|asked| &asked.catalog.subject);
    subjects
        .map(|subject| format!("{}/{}", subject.namespace, subject.name))
        .collect()
}

// === impl ListCatalogs ===

impl ListCatalogs {
    pub(crate) fn ask<'a>(
        &'a self,
        snapshot: &'a Snapshot,
    ) -> Result<Vec<&'a Arc<Asked>>, RequestError> {
        if let Some(why) = &snapshot.unseen.catalogs {
            return Err(RequestError::Unseen(format!(
                "catalogs cannot be listed: {why}"
            )));
        }
        Ok(snapshot.asked(self.namespace.as_deref()).collect())
    }
}
