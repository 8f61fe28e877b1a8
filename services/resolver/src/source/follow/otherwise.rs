//! What becomes of a catalog whose registry does not answer, and of which an image is known.

use std::time::Instant;

use portolan_core_names::CatalogName;
use portolan_images::Reference;
use tokio::sync::watch;

use super::super::secrets::{NamedImage, Puller};
use super::{Fetched, PulledImage, Source as _, rest};
use crate::catalogs::Catalogs;
use crate::snapshot::SourceFailure;

/// What is done where a catalog was never read.
#[derive(Debug, Clone)]
pub(in crate::source) enum Otherwise {
    /// It is told.
    Nothing,
    /// The same, and that there is an image that may not be pulled.
    Unpulled(String),
    /// The image is pulled, as somebody.
    Pull(Reference, Puller),
}

/// What a catalog was heard to be, beside its image.
#[derive(Debug, Clone)]
pub(super) enum Heard {
    Nothing,
    /// It was read, and is told from then on as if it had no image.
    Content,
    Lost(SourceFailure),
}

// === impl Otherwise ===

impl Otherwise {
    /// Of the image that an object names, if one does.
    pub(super) fn of(NamedImage { name, puller }: &NamedImage, pulls: bool) -> Self {
        match name.parse() {
            _ if name.is_empty() => Self::Nothing,
            // OLM itself may know a registry by heart; to us such a name leads nowhere.
            Err(_) => Self::Nothing,
            Ok(_) if !pulls => Self::Unpulled(name.clone()),
            Ok(reference) => Self::Pull(reference, puller.clone()),
        }
    }

    /// Why a catalog is not read, with what would help.
    pub(super) fn told(&self, why: SourceFailure) -> SourceFailure {
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
    mut heard: watch::Receiver<Heard>,
    mut image: PulledImage,
    (name, catalogs): (&CatalogName, &Catalogs),
) {
    let is_lost = |heard: &Heard| matches!(heard, Heard::Lost(_));
    let mut failing_since = None;
    loop {
        let why = match heard.wait_for(is_lost).await.as_deref() {
            Ok(Heard::Lost(why)) => why.clone(),
            // Nobody tells anything any more.
            Ok(Heard::Nothing | Heard::Content) | Err(_) => return,
        };
        let pulled = tokio::select! {
            biased;
            _ = heard.wait_for(|heard| !is_lost(heard)) => continue,
            pulled = image.next() => pulled,
        };
        match pulled {
            Ok(Fetched::Content(catalog, origin)) => {
                failing_since = None;
                if is_lost(&heard.borrow()) {
                    catalogs.read(name, *catalog, origin);
                }
            }
            Ok(Fetched::Unchanged) => catalogs.unchanged(name),
            Err(error) => {
                let of_image = SourceFailure::new(error.code(), &error);
                let message = format!("{}; {}", why.message, of_image.message);
                catalogs.lost(name, SourceFailure { message, ..why });
                rest(*failing_since.get_or_insert_with(Instant::now)).await;
            }
        }
    }
}

#[cfg(test)]
mod tests;
