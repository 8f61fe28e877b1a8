//! The fallback for a catalog whose registry does not answer, and of which an image is known.

use portolan_core_names::CatalogName;
use portolan_images::Reference;
use tokio::sync::watch;

use super::super::secrets::{NamedImage, Puller};
use super::readings::{LastRead, Named, Readings, next};
use crate::catalogs::Catalogs;
use crate::snapshot::SourceFailure;

/// The fallback where a catalog was never read.
#[derive(Debug, Clone)]
pub(in crate::source) enum Otherwise {
    /// It is told.
    Nothing,
    /// The same, and that there is an image that may not be pulled.
    Unpulled(String),
    /// The image is pulled, as somebody.
    Pull(Reference, Puller),
}

/// The last news of a catalog, beside its image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CatalogNews {
    Nothing,
    /// It was read, and is told from then on as if it had no image.
    Content,
    Lost(SourceFailure),
}

// === impl Otherwise ===

impl Otherwise {
    /// Of the image that an object names, if one does.
    pub(in crate::source) fn of(NamedImage { name, puller }: &NamedImage, pulls: bool) -> Self {
        match name.parse() {
            _ if name.is_empty() => Self::Nothing,
            // OLM itself may know a registry by heart; to us such a name leads nowhere.
            Err(_) => Self::Nothing,
            Ok(_) if !pulls => Self::Unpulled(name.clone()),
            Ok(reference) => Self::Pull(reference, puller.clone()),
        }
    }

    /// Why a catalog is not read, with what would help.
    pub(in crate::source) fn told(&self, why: SourceFailure) -> SourceFailure {
        match self {
            Self::Nothing | Self::Pull(..) => why,
            Self::Unpulled(image) => SourceFailure {
                message: format!(
                    "{}; it is not read from its image {image} either (--pull-catalogs)",
                    why.message
                ),
                ..why
            },
        }
    }
}

/// Reads a catalog from its image for as long as it is heard of nowhere else.
pub(super) async fn pull_while_lost(
    mut heard: watch::Receiver<CatalogNews>,
    (readings, image): (&Readings, &Named),
    (name, catalogs): (&CatalogName, &Catalogs),
) {
    let is_lost = |heard: &CatalogNews| matches!(heard, CatalogNews::Lost(_));
    // Until nobody tells anything any more.
    while heard.wait_for(is_lost).await.is_ok() {
        let reading = readings.reading(image.clone());
        let mut pulled = reading.news();
        let (mut last, mut told) = (None, heard.borrow().clone());
        loop {
            tokio::select! {
                biased;
                // Nobody may ask for the image again for long, while the other reason is another one by now.
                changed = heard.wait_for(|heard| *heard != told) => if changed.is_err() { break },
                pulled = next(&mut pulled) => last = Some(pulled),
            }
            // Who reads it elsewhere from this moment on tells so.
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
