//! Reads a catalog from an image while its registry does not respond.

use portolan_core_names::CatalogName;
use portolan_images::Reference;
use tokio::sync::watch;

use super::super::secrets::{NamedImage, Puller};
use super::readings::{LastRead, Named, Readings, next};
use crate::catalogs::Catalogs;
use crate::snapshot::SourceFailure;

/// The action if a catalog cannot be read from its source and was never read before.
#[derive(Debug, Clone)]
pub(in crate::source) enum Otherwise {
    /// Reports the error.
    Nothing,
    /// Report the failure, with a hint that there is an image that the flags do not permit to pull.
    Unpulled(String),
    /// Pull the image, with these credentials.
    Pull(Reference, Puller),
}

/// The last result of reading a catalog from its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CatalogNews {
    Nothing,
    /// The catalog was read from its source, so the image is not needed.
    Content,
    Lost(SourceFailure),
}

// === impl Otherwise ===

impl Otherwise {
    /// Returns the action for the image that an object names. Without an image, the error is only
    /// reported.
    pub(in crate::source) fn of(NamedImage { name, puller }: &NamedImage, pulls: bool) -> Self {
        match name.parse() {
            _ if name.is_empty() => Self::Nothing,
            // OLM may be able to resolve an image name without a registry host. This process
            // cannot.
            Err(_) => Self::Nothing,
            Ok(_) if !pulls => Self::Unpulled(name.clone()),
            Ok(reference) => Self::Pull(reference, puller.clone()),
        }
    }

    /// Adds the remedy to the failure of a catalog, if an image could be pulled.
    pub(in crate::source) fn with_remedy(&self, why: SourceFailure) -> SourceFailure {
        match self {
            Self::Nothing | Self::Pull(..) => why,
            Self::Unpulled(image) => SourceFailure {
                message: format!(
                    "{}; its image {image} is not read either (--pull-catalogs)",
                    why.message
                ),
                ..why
            },
        }
    }
}

/// Reads a catalog from its image while its source does not respond.
pub(super) async fn pull_while_lost(
    mut heard: watch::Receiver<CatalogNews>,
    (readings, image): (&Readings, &Named),
    (name, catalogs): (&CatalogName, &Catalogs),
) {
    let is_lost = |heard: &CatalogNews| matches!(heard, CatalogNews::Lost(_));
    // Wait until the source does not respond. The loop ends when the source is no longer watched.
    while heard.wait_for(is_lost).await.is_ok() {
        let reading = readings.reading(image.clone());
        let mut pulled = reading.news();
        let (mut last, mut told) = (None, heard.borrow().clone());
        loop {
            tokio::select! {
                biased;
                // The next attempt to pull the image may be much later. If the failure of the
                // source changes in the meantime, the new failure is reported.
                changed = heard.wait_for(|heard| *heard != told) => if changed.is_err() { break },
                pulled = next(&mut pulled) => last = Some(pulled),
            }
            // The source responds again. Another task reads the catalog and reports this.
            told = heard.borrow().clone();
            let CatalogNews::Lost(lost) = told.clone() else {
                break;
            };
            let Some(LastRead { content, why, .. }) = last.clone() else {
                continue;
            };
            let why = why.map(|why| SourceFailure {
                message: format!("{}; {}", lost.message, why.message),
                ..lost
            });
            match (content, why) {
                (Some(content), None) => catalogs.serves(name, content),
                (Some(content), Some(why)) => catalogs.outdated(name, content, why),
                (None, Some(why)) => catalogs.lost(name, why),
                (None, None) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
