//! The content of the pages of a visitor. All open pages with the same address share one
//! computation for each change of the world.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use portolan_core_console::{ConsolePage, Shown};
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::Instant;

use crate::freshness::RequestTime;

/// The maximum number of pages of a visitor whose content is kept.
const PAGES: usize = 32;
/// The maximum size of a page whose content is kept, in bytes. Files of graphs can be larger.
const LARGEST: usize = 100_000;

/// The content of pages, as a visitor with the same permissions sees it. Sessions of the visitor
/// share it, so it must not contain the token of a session.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// By the address of the page.
    pages: Mutex<BTreeMap<String, Page>>,
}

#[derive(Debug)]
struct Page {
    used: Instant,
    kept: Arc<AsyncMutex<Option<Kept>>>,
}

/// The content of a page when it was computed last.
#[derive(Debug)]
struct Kept {
    asked: RequestTime,
    shown: Arc<Shown>,
}

// === impl Contents ===

impl Contents {
    /// Returns the content of a page. Computes the content unless it was computed after the last
    /// change. Simultaneous requests wait for the same computation.
    ///
    /// # Cancel safety
    /// If the future is dropped early, the next request computes the content.
    pub(crate) async fn of<F>(
        &self,
        place: &ConsolePage,
        now: impl Fn() -> RequestTime,
        compute: impl FnOnce(RequestTime) -> F,
    ) -> Arc<Shown>
    where
        F: Future<Output = Shown>,
    {
        let came = now();
        let page = self.page(place.href().as_str());
        let mut kept = page.lock().await;
        if let Some(kept) = &*kept
            && kept.asked.is_late_enough_for(came)
        {
            return Arc::clone(&kept.shown);
        }
        // The content may lack changes that occur during the computation.
        let asked = now();
        let shown = Arc::new(compute(asked).await);
        // A missing page may exist soon, and a page retries after an error.
        let is_kept = shown.is_there && shown.text.len() <= LARGEST;
        *kept = is_kept.then(|| Kept {
            asked,
            shown: Arc::clone(&shown),
        });
        shown
    }

    /// Drops all content, because the visitor has made a change.
    pub(crate) fn forget(&self) {
        self.pages().clear();
    }

    fn page(&self, address: &str) -> Arc<AsyncMutex<Option<Kept>>> {
        let used = Instant::now();
        let mut pages = self.pages();
        if let Some(page) = pages.get_mut(address) {
            page.used = used;
            return Arc::clone(&page.kept);
        }
        if pages.len() >= PAGES {
            let oldest = pages.iter().min_by_key(|(_, page)| page.used);
            if let Some(oldest) = oldest.map(|(address, _)| address.clone()) {
                pages.remove(&oldest);
            }
        }
        let kept = Arc::default();
        let page = Page {
            used,
            kept: Arc::clone(&kept),
        };
        pages.insert(address.to_owned(), page);
        kept
    }

    /// Locks the pages. A panic of another holder leaves them intact.
    fn pages(&self) -> MutexGuard<'_, BTreeMap<String, Page>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

    use futures::future::join_all;
    use portolan_core_console::{Filter, FirstRow, Form};

    use super::*;

    /// Content that is computed slowly. Counts the computations.
    #[derive(Default)]
    struct Slow {
        contents: Contents,
        changes: AtomicU64,
        computed: AtomicUsize,
    }

    impl Slow {
        async fn get(&self, place: &ConsolePage) -> Arc<Shown> {
            let now = || RequestTime::now(self.changes.load(Ordering::SeqCst));
            let compute = |asked: RequestTime| async move {
                self.computed.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                Shown {
                    is_there: *place != ConsolePage::Overview,
                    form: Form::Html,
                    text: format!("{} changes", asked.changes),
                }
            };
            self.contents.of(place, now, compute).await
        }

        async fn get_from_all_pages(&self, place: &ConsolePage) {
            join_all((0..100).map(|_| self.get(place))).await;
        }

        fn change(&self) {
            self.changes.fetch_add(1, Ordering::SeqCst);
        }

        fn count(&self) -> usize {
            self.computed.swap(0, Ordering::SeqCst)
        }
    }

    fn operators() -> ConsolePage {
        ConsolePage::Operators(Filter::NONE)
    }

    #[tokio::test(start_paused = true)]
    async fn hundred_open_pages_need_one_computation_for_each_change() {
        let slow = Slow::default();
        for changes in 0..3 {
            slow.get_from_all_pages(&operators()).await;
            assert_eq!(slow.count(), 1);
            let shown = slow.get(&operators()).await;
            assert_eq!(shown.text, format!("{changes} changes"));
            slow.change();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_address_is_computed_once() {
        let slow = Slow::default();
        let all = [
            operators(),
            ConsolePage::Diagnose(FirstRow::TOP),
            ConsolePage::Diagnose(FirstRow::after(50)),
        ];
        join_all(all.iter().map(|place| slow.get_from_all_pages(place))).await;
        assert_eq!(slow.count(), all.len());
    }

    #[tokio::test(start_paused = true)]
    async fn missing_page_is_computed_again() {
        let slow = Slow::default();
        slow.get(&ConsolePage::Overview).await;
        slow.get(&ConsolePage::Overview).await;
        assert_eq!(slow.count(), 2);
    }

    /// The next page that the visitor opens shows the change, before the world reports it.
    #[tokio::test(start_paused = true)]
    async fn change_of_the_visitor_drops_all_content() {
        let slow = Slow::default();
        slow.get(&operators()).await;
        slow.contents.forget();
        slow.get(&operators()).await;
        assert_eq!(slow.count(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn number_of_kept_pages_is_limited() {
        let slow = Slow::default();
        for at in 0..3 * PAGES {
            slow.get(&ConsolePage::Diagnose(FirstRow::after(at))).await;
        }
        assert_eq!(slow.contents.pages().len(), PAGES);
    }

    /// A visitor may close a page while its content is computed.
    #[tokio::test(start_paused = true)]
    async fn request_after_an_ended_request_is_answered() {
        let slow = Slow::default();
        let place = operators();
        {
            let mut ended = Box::pin(slow.get(&place));
            assert!(futures::poll!(&mut ended).is_pending());
        }
        assert_eq!(slow.get(&place).await.text, "0 changes");
    }
}
