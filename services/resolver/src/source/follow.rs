//! Watches the source of a catalog for as long as the process runs.

mod catalogd;
mod fallback;
mod folder;
mod image;
mod readings;
mod registry;

use std::future::Future;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use portolan_core_catalog::Catalog;
use portolan_core_names::CatalogName;
use portolan_world::registry::Dialer;
use tokio::sync::watch;

pub(super) use self::catalogd::AskedCatalogd;
pub(super) use self::fallback::Otherwise;
use self::fallback::{CatalogNews, pull_while_lost};
pub(super) use self::image::PulledImage;
pub use self::readings::Readings;
use self::readings::{Named, SharedListener};
use self::registry::OpenRegistry;
use super::secrets::NamedImage;
use super::{ContentOrigin, Location, ReadSource, SourceAccess, read_given};
use crate::budget::Budget;
use crate::catalogs::Catalogs;
use crate::mirrors::Mirrors;
use crate::snapshot::SourceFailure;

/// The minimum and the maximum pause after a failed attempt to read a source.
const PAUSES: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));

/// The result of reading a source.
#[derive(Debug)]
enum Fetched {
    /// The content of the source. It may be equal to the previous content.
    Content(Box<Catalog>, ContentOrigin),
    /// The source reports that its content has not changed.
    Unchanged,
}

/// A source of a catalog that is read repeatedly.
trait Source: Send {
    /// Reads the source. The first call reads immediately. Later calls wait until the content may
    /// have changed. After a failure, the next call reads immediately, but some sources first wait
    /// until their files have changed or are completely written.
    fn next(&mut self) -> impl Future<Output = Result<Fetched, ReadSource>> + Send;
}

/// Reads a source once.
pub(super) async fn once(
    location: Location,
    reach: &SourceAccess,
) -> Result<(Catalog, ContentOrigin), ReadSource> {
    let news = match location {
        Location::Folder(path) => read_once(path, ContentOrigin::folder).await?,
        Location::Listing(path) => read_once(path, ContentOrigin::listing).await?,
        Location::Registry(address) => {
            let budget = Budget::of_process(None);
            let mut registry = OpenRegistry::at(address, Dialer::default(), budget);
            registry.next().await?
        }
        Location::Catalogd(url) => AskedCatalogd::at(&url, reach).next().await?,
        Location::Image(reference) => PulledImage::given(reference, reach).next().await?,
    };
    match news {
        Fetched::Content(catalog, origin) => Ok((*catalog, origin)),
        Fetched::Unchanged => unreachable!("what is read first has no content before"),
    }
}

async fn read_once(
    path: PathBuf,
    origin: impl FnOnce(PathBuf) -> ContentOrigin,
) -> Result<Fetched, ReadSource> {
    let root = path.clone();
    let read = tokio::task::spawn_blocking(move || read_given(&root));
    let read = read.await.expect("reading a folder must not panic")?;
    Ok(Fetched::Content(Box::new(read), origin(path)))
}

/// Watches sources and updates their catalogs. Clones share the sources.
#[derive(Debug, Clone)]
pub(crate) struct Follower {
    reach: SourceAccess,
    catalogs: Catalogs,
    readings: Readings,
    /// The sources that this follower shares with other followers. None if there are no other
    /// followers.
    shared: Option<Readings>,
}

/// A catalog that is updated when its source is read.
struct CatalogListener<'a> {
    name: &'a CatalogName,
    catalogs: &'a Catalogs,
    otherwise: &'a Otherwise,
    heard: watch::Sender<CatalogNews>,
}

// === impl Follower ===

impl Follower {
    pub(crate) fn new(catalogs: &Catalogs, reach: &SourceAccess) -> Self {
        Self {
            reach: reach.clone(),
            catalogs: catalogs.clone(),
            readings: Readings::of(catalogs, reach),
            shared: None,
        }
    }

    /// Creates a follower that shares sources with other followers. Sources that do not depend on a
    /// follower are read once for all followers.
    pub(crate) fn sharing(catalogs: &Catalogs, shared: &Readings) -> Self {
        Self {
            shared: Some(shared.clone()),
            ..Self::new(catalogs, shared.reach())
        }
    }

    /// Connects to registries with this dialer.
    pub(super) fn by(self, dialer: Dialer) -> Self {
        Self {
            readings: self.readings.by(dialer),
            ..self
        }
    }

    /// Also uses these mirrors for images that objects name.
    pub(crate) fn through(self, mirrors: Option<Mirrors>) -> Self {
        Self {
            readings: self.readings.through(mirrors),
            ..self
        }
    }

    pub(crate) fn catalogs(&self) -> &Catalogs {
        &self.catalogs
    }

    /// Returns the action for a catalog that cannot be read and whose object names this image.
    pub(super) fn otherwise(&self, image: &NamedImage) -> Otherwise {
        Otherwise::of(image, self.reach.pulls_catalogs())
    }

    /// Updates the catalog from its source forever.
    pub(super) async fn follow(self, location: Location, name: CatalogName) {
        let at = (location, String::new());
        self.follow_or(at, name, Otherwise::Nothing).await;
    }

    /// Updates a catalog from its source forever. If the source does not respond, the content may
    /// come from an image. `edition` changes if the content at the same location changes.
    pub(super) async fn follow_or(
        self,
        (location, edition): (Location, String),
        name: CatalogName,
        otherwise: Otherwise,
    ) {
        let (heard, hearing) = watch::channel(CatalogNews::Nothing);
        let told = CatalogListener {
            name: &name,
            catalogs: &self.catalogs,
            otherwise: &otherwise,
            heard,
        };
        let following = self.update_from(Named::At(location, edition), &told);
        match &otherwise {
            Otherwise::Nothing | Otherwise::Unpulled(_) => following.await,
            Otherwise::Pull(reference, puller) => {
                let image = Named::Image(reference.clone(), puller.clone());
                let images = (self.common(), &image);
                let pulling = pull_while_lost(hearing, images, (&name, &self.catalogs));
                tokio::join!(following, pulling);
            }
        }
    }

    /// Records that a catalog has no source, except possibly an image. Returns the next action.
    pub(super) fn lost(
        self,
        name: CatalogName,
        why: SourceFailure,
        otherwise: Otherwise,
    ) -> Option<impl Future<Output = ()>> {
        let Otherwise::Pull(reference, puller) = otherwise else {
            self.catalogs.lost(&name, otherwise.with_remedy(why));
            return None;
        };
        Some(async move {
            let image = Named::Image(reference, puller);
            let (_heard, hearing) = watch::channel(CatalogNews::Lost(why));
            let images = (self.common(), &image);
            pull_while_lost(hearing, images, (&name, &self.catalogs)).await;
        })
    }

    async fn update_from(&self, source: Named, told: &CatalogListener<'_>) {
        match &self.shared {
            Some(shared) => shared.update_or(&self.readings, source, told).await,
            None => self.readings.update(source, told).await,
        }
    }

    /// Returns the sources that do not depend on this follower. They may be shared.
    fn common(&self) -> &Readings {
        self.shared.as_ref().unwrap_or(&self.readings)
    }
}

// === impl CatalogListener ===

impl CatalogListener<'_> {
    /// Records that the source responds, so that the image is not needed.
    fn heard(&self) {
        self.heard.send_replace(CatalogNews::Content);
    }

    fn lost(&self, why: SourceFailure) {
        let is_read = matches!(&*self.heard.borrow(), CatalogNews::Content);
        match self.otherwise {
            Otherwise::Pull(..) if !is_read => {
                self.heard.send_replace(CatalogNews::Lost(why));
            }
            otherwise => self.catalogs.lost(self.name, otherwise.with_remedy(why)),
        }
    }
}

/// Reads a source repeatedly. After a failure, retries with growing pauses and keeps the previous
/// content.
async fn follow_source(mut source: impl Source, listener: &SharedListener) {
    let mut failing_since = None;
    loop {
        match source.next().await {
            Ok(Fetched::Content(catalog, origin)) => {
                failing_since = None;
                listener.read(*catalog, origin);
            }
            Ok(Fetched::Unchanged) => {
                failing_since = None;
                listener.unchanged();
            }
            Err(error) => {
                listener.lost(SourceFailure::new(error.code(), &error));
                let since = *failing_since.get_or_insert_with(Instant::now);
                if error.is_too_much() {
                    // The source exceeds a limit. Another attempt would take the same time and
                    // would probably fail too, so the pause is the longest pause.
                    tokio::time::sleep(pause(Duration::MAX, fastrand::u64(..))).await
                } else {
                    rest(since).await
                }
            }
        }
    }
}

/// Waits before the next attempt. `since` is the time of the first failed attempt.
async fn rest(since: Instant) {
    tokio::time::sleep(pause(since.elapsed(), fastrand::u64(..))).await;
}

/// Returns the pause after a failed attempt. `failing_for` is the time since the first failure. The
/// pause is a tenth of this time. Therefore a source that was unavailable for seconds is read again
/// within a second, and a source that is unavailable for hours is rarely requested. `random`
/// reduces the pause by up to half, so that the clients of a source do not all retry at the same
/// time.
fn pause(failing_for: Duration, random: u64) -> Duration {
    let (shortest, longest) = PAUSES;
    let whole = (failing_for / 10).clamp(shortest, longest);
    // A fraction between 0 and 1, from the upper half of the random bits.
    let share = (random >> 32) as f64 / f64::from(u32::MAX);
    whole.mul_f64(1.0 - share / 2.0)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::at_first(0, 250)]
    #[case::after_ten_seconds(10, 1000)]
    #[case::after_a_minute(60, 6000)]
    #[case::after_an_hour(3600, 30_000)]
    fn delay_grows_with_the_outage_up_to_a_limit(#[case] seconds: u64, #[case] millis: u64) {
        let failing_for = Duration::from_secs(seconds);
        let whole = Duration::from_millis(millis);
        assert_eq!(pause(failing_for, 0), whole);
        assert_eq!(pause(failing_for, u64::MAX), whole / 2);
    }
}
