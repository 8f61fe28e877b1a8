//! Polls a catalogd server for new content.

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use super::super::SourceAccess;
use super::super::catalogd::{Catalogd, Edition, Options, Read, ReadCatalogd};
use super::{ContentOrigin, Fetched, ReadSource, Source};

/// The pause between two requests. If the content is unchanged, a request costs only one round
/// trip.
const EVERY: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(in crate::source) struct AskedCatalogd {
    catalogd: Arc<Catalogd>,
    edition: Option<Arc<Edition>>,
    /// True if the last request got a response.
    is_answered: bool,
}

// === impl AskedCatalogd ===

impl AskedCatalogd {
    pub(in crate::source) fn at(url: &str, reach: &SourceAccess) -> Self {
        let options = Options {
            authority: reach.catalogd_ca(),
            ..Options::default()
        };
        let catalogd = Catalogd::new(url, options);
        let catalogd = catalogd.expect("the URL must have been parsed before");
        Self {
            catalogd: Arc::new(catalogd),
            edition: None,
            is_answered: false,
        }
    }

    /// Writes the current content to a file.
    pub(in crate::source) async fn copy(&self, to: File) -> Result<(), ReadCatalogd> {
        self.catalogd.copy(to).await
    }
}

impl Source for AskedCatalogd {
    async fn next(&mut self) -> Result<Fetched, ReadSource> {
        if std::mem::replace(&mut self.is_answered, false) {
            tokio::time::sleep(EVERY).await;
        }
        let read = self.catalogd.read(self.edition.as_deref()).await?;
        self.is_answered = true;
        match read {
            Read::Unchanged => Ok(Fetched::Unchanged),
            Read::Changed(catalog, edition) => {
                let edition = Arc::new(edition);
                let origin = ContentOrigin::catalogd(&self.catalogd, &edition);
                self.edition = Some(edition);
                Ok(Fetched::Content(Box::new(catalog), origin))
            }
        }
    }
}
