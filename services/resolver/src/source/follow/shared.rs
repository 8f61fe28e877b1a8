//! Registries that several catalogs come from: each is connected to once, and read once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use portolan_core_catalog::Catalog;
use portolan_registry::Dialer;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::super::registry::Address;
use super::registry::OpenRegistry;
use super::{CatalogListener, Listener, Origin, tell};
use crate::catalogs::Catalogs;
use crate::snapshot::{Content, SourceFailure};

/// The registries that are read now, each for as long as a catalog comes from it. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Registries {
    catalogs: Catalogs,
    dialer: Dialer,
    open: Arc<Mutex<BTreeMap<Address, Weak<SharedRegistry>>>>,
}

/// A registry that is read, until this is dropped.
#[derive(Debug)]
struct SharedRegistry {
    heard: watch::Receiver<LastRead>,
    _task: AbortOnDropHandle<()>,
}

/// The last outcome of reading a registry.
#[derive(Debug, Clone, Default)]
struct LastRead {
    content: Option<Arc<Content>>,
    /// The reason why that may not be what it has now.
    why: Option<SourceFailure>,
}

/// All catalogs that come from one registry.
struct SharedListener {
    catalogs: Catalogs,
    heard: watch::Sender<LastRead>,
}

// === impl Registries ===

impl Registries {
    pub(super) fn of(catalogs: &Catalogs) -> Self {
        Self {
            catalogs: catalogs.clone(),
            dialer: Dialer::default(),
            open: Arc::default(),
        }
    }

    /// The same, which reaches them by these.
    pub(super) fn by(self, dialer: Dialer) -> Self {
        Self { dialer, ..self }
    }

    /// Tells what a registry says, for ever. Who comes late is told at once what was said before.
    pub(super) async fn tell(&self, address: Address, told: &CatalogListener<'_>) {
        let reading = self.reading(address);
        let mut heard = reading.heard.clone();
        heard.mark_changed();
        // The sender lives as long as the task, which does not end by itself.
        while heard.changed().await.is_ok() {
            let now = heard.borrow_and_update().clone();
            now.tell(told);
        }
    }

    fn reading(&self, address: Address) -> Arc<SharedRegistry> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.get(&address).and_then(Weak::upgrade) {
            return known;
        }
        open.retain(|_, reading| reading.strong_count() > 0);
        let registry = OpenRegistry::at(
            address.clone(),
            self.dialer.clone(),
            self.catalogs.budget().clone(),
        );
        let reading = Arc::new(SharedRegistry::begin(registry, &self.catalogs));
        open.insert(address, Arc::downgrade(&reading));
        reading
    }
}

// === impl SharedRegistry ===

impl SharedRegistry {
    fn begin(registry: OpenRegistry, catalogs: &Catalogs) -> Self {
        let (sender, heard) = watch::channel(LastRead::default());
        let listener = SharedListener {
            catalogs: catalogs.clone(),
            heard: sender,
        };
        let task = async move { tell(registry, &listener).await };
        Self {
            heard,
            _task: AbortOnDropHandle::new(tokio::spawn(task)),
        }
    }
}

// === impl LastRead ===

impl LastRead {
    fn tell(self, told: &CatalogListener<'_>) {
        let Self { content, why } = self;
        let CatalogListener { name, catalogs, .. } = told;
        if content.is_some() {
            told.heard();
        }
        match (content, why) {
            (Some(content), None) => catalogs.serves(name, content),
            (Some(content), Some(why)) => catalogs.outdated(name, content, why),
            (None, Some(why)) => told.lost(why),
            (None, None) => {}
        }
    }
}

// === impl SharedListener ===

impl Listener for SharedListener {
    fn read(&self, catalog: Catalog, origin: Origin) {
        let older = self.heard.borrow().content.clone();
        let content = self.catalogs.content(older.as_ref(), catalog, origin);
        let content = match older {
            Some(older) if older.is_same(&content) => {
                older.read_from(&content);
                older
            }
            Some(_) | None => content,
        };
        self.heard.send_replace(LastRead {
            content: Some(content),
            why: None,
        });
    }

    fn unchanged(&self) {
        self.heard.send_modify(|heard| heard.why = None);
    }

    fn lost(&self, why: SourceFailure) {
        self.heard.send_modify(|heard| heard.why = Some(why));
    }
}

#[cfg(test)]
mod tests;
