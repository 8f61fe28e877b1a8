//! Sources that several catalogs share. Each source is opened and read only once.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;

use portolan_core_catalog::Catalog;
use portolan_images::Reference;
use portolan_world::registry::Dialer;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::super::secrets::Puller;
use super::super::{Location, SourceAccess};
use super::folder::WatchedFolder;
use super::registry::OpenRegistry;
use super::{AskedCatalogd, CatalogListener, ContentOrigin, PulledImage, follow_source};
use crate::budget::Budget;
use crate::catalogs::{Catalogs, SharedTexts};
use crate::mirrors::Mirrors;
use crate::snapshot::{Content, SourceFailure};

/// The sources that are being read. A source is read while at least one catalog uses it. Clones
/// share the sources.
///
/// Several worlds may share the sources, for example if each user of the console has a separate
/// world. Shared sources are read with the flags and over the network, and never with the
/// permissions of one world. Each world determines its catalogs and their locations.
#[derive(Debug, Clone)]
pub struct Readings {
    reach: SourceAccess,
    dialer: Dialer,
    budget: Budget,
    texts: Arc<SharedTexts>,
    open: Arc<Mutex<BTreeMap<Named, Weak<SharedReading>>>>,
}

/// The identity of a source. Sources with equal identities are read only once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Named {
    /// The content at a location. The text changes if the content at the same location changes.
    At(Location, String),
    /// An image that an object names, with the credentials to pull it.
    Image(Reference, Puller),
}

/// A source that is read until this value is dropped.
#[derive(Debug)]
pub(super) struct SharedReading {
    heard: watch::Receiver<LastRead>,
    _task: AbortOnDropHandle<()>,
}

/// The result of the last attempt to read a source.
#[derive(Debug, Clone, Default)]
pub(super) struct LastRead {
    pub(super) content: Option<Arc<Content>>,
    /// The reason why the content may be outdated. None if the content is current.
    pub(super) why: Option<SourceFailure>,
    has_panicked: bool,
}

/// The catalogs that one source updates.
pub(super) struct SharedListener {
    texts: Arc<SharedTexts>,
    heard: watch::Sender<LastRead>,
}

// === impl Readings ===

impl Readings {
    /// Creates an empty set of sources with these options.
    pub fn new(reach: SourceAccess) -> Self {
        Self::of(&Catalogs::within(Budget::of_process(None)), &reach)
    }

    /// Creates an empty set of sources. It shares equal contents with these catalogs.
    pub(super) fn of(catalogs: &Catalogs, reach: &SourceAccess) -> Self {
        Self {
            reach: reach.clone(),
            dialer: Dialer::default(),
            budget: catalogs.budget().clone(),
            texts: Arc::clone(catalogs.texts()),
            open: Arc::default(),
        }
    }

    /// Connects to registries with this dialer.
    pub(super) fn by(self, dialer: Dialer) -> Self {
        Self { dialer, ..self }
    }

    /// Also uses these mirrors for images that objects name.
    pub(super) fn through(self, mirrors: Option<Mirrors>) -> Self {
        Self {
            reach: self.reach.through(mirrors),
            ..self
        }
    }

    /// Creates an empty set of catalogs that shares contents with these sources.
    pub(crate) fn catalogs(&self) -> Catalogs {
        Catalogs::sharing(&self.texts, self.budget.clone())
    }

    pub(crate) fn reach(&self) -> &SourceAccess {
        &self.reach
    }

    /// Updates a catalog from a source forever. If the source is already being read, the catalog
    /// gets the latest result immediately.
    pub(super) async fn update(&self, source: Named, told: &CatalogListener<'_>) {
        let reading = self.reading(source);
        let mut heard = reading.news();
        loop {
            next(&mut heard).await.update(told);
        }
    }

    /// Updates a catalog from a registry. If the network does not reach the registry, uses the
    /// sources `by`, which may reach the registry in another way.
    pub(super) async fn update_or(&self, by: &Self, source: Named, told: &CatalogListener<'_>) {
        let has_another_way = match &source {
            Named::At(Location::Registry(address), _) => by.dialer.can_forward_to(address),
            Named::At(..) | Named::Image(..) => false,
        };
        if !has_another_way {
            return self.update(source, told).await;
        }
        let reading = self.reading(source.clone());
        let mut heard = reading.news();
        loop {
            let now = next(&mut heard).await;
            if now.content.is_some() || now.why.is_none() {
                now.update(told);
                continue;
            }
            let mut over_network = heard.clone();
            tokio::select! {
                () = by.update(source.clone(), told) => {}
                _ = over_network.wait_for(|heard| heard.content.is_some()) => {
                    heard.mark_changed();
                }
            }
        }
    }

    pub(super) fn reading(&self, source: Named) -> Arc<SharedReading> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.get(&source).and_then(Weak::upgrade) {
            return known;
        }
        open.retain(|_, reading| reading.strong_count() > 0);
        let reading = Arc::new(self.begin(source.clone()));
        open.insert(source, Arc::downgrade(&reading));
        reading
    }

    fn begin(&self, source: Named) -> SharedReading {
        let (sender, heard) = watch::channel(LastRead::default());
        let listener = SharedListener {
            texts: Arc::clone(&self.texts),
            heard: sender,
        };
        let this = self.clone();
        let task = async move { this.read(source, &listener).await };
        SharedReading {
            heard,
            _task: AbortOnDropHandle::new(tokio::spawn(task)),
        }
    }

    /// Reads a source repeatedly.
    async fn read(&self, source: Named, listener: &SharedListener) {
        let Self { reach, dialer, .. } = self;
        match source {
            Named::At(Location::Folder(path), _) => {
                follow_source(WatchedFolder::at(path, ContentOrigin::folder), listener).await
            }
            Named::At(Location::Listing(path), _) => {
                follow_source(WatchedFolder::at(path, ContentOrigin::listing), listener).await
            }
            Named::At(Location::Registry(address), _) => {
                let registry = OpenRegistry::at(address, dialer.clone(), self.budget.clone());
                follow_source(registry, listener).await
            }
            Named::At(Location::Catalogd(url), _) => {
                follow_source(AskedCatalogd::at(&url, reach), listener).await
            }
            Named::At(Location::Image(reference), _) => {
                follow_source(PulledImage::given(reference, reach), listener).await
            }
            Named::Image(reference, puller) => {
                follow_source(PulledImage::named(reference, puller, reach), listener).await
            }
        }
    }
}

// === impl SharedReading ===

impl SharedReading {
    /// Returns a receiver of the results. The receiver gets the latest result first.
    pub(super) fn news(&self) -> watch::Receiver<LastRead> {
        let mut heard = self.heard.clone();
        heard.mark_changed();
        heard
    }
}

/// Waits for the next result. The task that reads the source runs while a catalog uses the source.
/// The task ends earlier only if the runtime shuts down.
///
/// # Panics
///
/// Panics if the reading task has panicked.
pub(super) async fn next(heard: &mut watch::Receiver<LastRead>) -> LastRead {
    let changed = heard.changed().await;
    let last = heard.borrow_and_update().clone();
    assert!(!last.has_panicked, "reading a source must not panic");
    match changed {
        Ok(()) => last,
        Err(_) => pending().await,
    }
}

// === impl LastRead ===

impl LastRead {
    fn update(self, told: &CatalogListener<'_>) {
        let Self {
            content,
            why,
            has_panicked: _,
        } = self;
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

impl SharedListener {
    /// Passes new content to the catalogs.
    pub(super) fn read(&self, catalog: Catalog, origin: ContentOrigin) {
        let older = self.heard.borrow().content.clone();
        let content = self.texts.content(older.as_ref(), catalog, origin);
        let content = match older {
            Some(older) if older.is_same(&content) => {
                older.read_from(&content);
                older
            }
            Some(_) | None => content,
        };
        self.heard.send_replace(LastRead {
            content: Some(content),
            ..LastRead::default()
        });
    }

    /// Reports to the catalogs that the content is unchanged.
    pub(super) fn unchanged(&self) {
        self.heard.send_modify(|heard| heard.why = None);
    }

    /// Reports to the catalogs that the content cannot be read.
    pub(super) fn lost(&self, why: SourceFailure) {
        self.heard.send_modify(|heard| heard.why = Some(why));
    }
}

impl Drop for SharedListener {
    fn drop(&mut self) {
        if thread::panicking() {
            self.heard.send_modify(|heard| heard.has_panicked = true);
        }
    }
}

#[cfg(test)]
mod tests;
