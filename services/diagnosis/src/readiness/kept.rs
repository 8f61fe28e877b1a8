//! The last answers about readiness, kept until their facts change.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use portolan_resolver::Snapshot;
use tokio::time::Instant;

use super::{AskedReadiness, Assessment, WatchedObjects};

/// The maximum number of questions whose answers are kept.
const MOST: usize = 16;

/// The maximum age of an answer. Time windows, the release of the cluster and the reports of
/// OpenShift can change without a change of a watched object.
const LONGEST: Duration = Duration::from_secs(60);

/// The last answers to different questions, the latest question last.
#[derive(Default)]
pub(super) struct KeptAnswers(Mutex<Vec<(AskedReadiness, Entry)>>);

/// The last answer to a question. An assessment locks it, so that requests with the same question
/// wait for the same answer.
pub(super) type Entry = Arc<tokio::sync::Mutex<Option<KeptAnswer>>>;

/// An answer, and the facts that it is based on.
pub(super) struct KeptAnswer {
    /// The objects, which are watched as long as the answer is kept.
    pub(super) watched: WatchedObjects,
    /// The catalogs. A changed catalog is another snapshot.
    pub(super) catalogs: Vec<Arc<Snapshot>>,
    /// The time at which the assessment began.
    pub(super) at: Instant,
    pub(super) answer: Arc<Assessment>,
}

// === impl KeptAnswers ===

impl KeptAnswers {
    /// Returns the entry of a question. Forgets the answer to the oldest question if there are too
    /// many.
    pub(super) fn entry(&self, asked: &AskedReadiness) -> Entry {
        let Self(entries) = self;
        let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
        let at = entries.iter().position(|(of, _)| of == asked);
        let (of, entry) = match at {
            Some(at) => entries.remove(at),
            None => (asked.clone(), Entry::default()),
        };
        entries.push((of, Arc::clone(&entry)));
        if entries.len() > MOST {
            entries.remove(0);
        }
        entry
    }
}

// === impl KeptAnswer ===

impl KeptAnswer {
    /// Returns the answer if its facts are the same at a time.
    pub(super) fn current(
        &mut self,
        catalogs: &[Arc<Snapshot>],
        now: Instant,
    ) -> Option<Arc<Assessment>> {
        let mut pairs = self.catalogs.iter().zip(catalogs);
        let has_same_catalogs = self.catalogs.len() == catalogs.len()
            && pairs.all(|(one, other)| Arc::ptr_eq(one, other));
        let is_young = now < self.at + LONGEST;
        let is_current = has_same_catalogs && is_young && !self.watched.have_changed();
        is_current.then(|| Arc::clone(&self.answer))
    }
}

#[cfg(test)]
mod tests {
    use portolan_kit::TempFolder;
    use portolan_world::{AnyWorld, Files};

    use super::*;

    fn asked(namespace: &str) -> AskedReadiness {
        AskedReadiness {
            namespace: Some(namespace.to_owned()),
            ..AskedReadiness::default()
        }
    }

    #[tokio::test]
    async fn kept_answer_expires_with_age_or_changed_catalogs() {
        let folder = TempFolder::empty();
        let world = AnyWorld::Files(Files::at(&folder));
        let mut watched = WatchedObjects::of(&world, "");
        watched.known().await;
        let (at, catalogs) = (Instant::now(), vec![Arc::new(Snapshot::default())]);
        let mut kept = KeptAnswer {
            watched,
            catalogs: catalogs.clone(),
            at,
            answer: Arc::default(),
        };
        assert!(kept.current(&catalogs, at).is_some());
        assert!(kept.current(&catalogs, at + LONGEST).is_none());
        let changed = [Arc::new(Snapshot::default())];
        assert!(kept.current(&changed, at).is_none());
        assert!(kept.current(&[], at).is_none());
    }

    /// A caller may ask about thousands of namespaces.
    #[test]
    fn oldest_questions_are_forgotten() {
        let kept = KeptAnswers::default();
        let first = kept.entry(&asked("first"));
        for at in 1..MOST {
            kept.entry(&asked(&format!("n{at}")));
        }
        assert!(Arc::ptr_eq(&first, &kept.entry(&asked("first"))));
        let second = kept.entry(&asked("n1"));
        kept.entry(&asked("another"));
        assert!(Arc::ptr_eq(&second, &kept.entry(&asked("n1"))));
        for at in 0..MOST {
            kept.entry(&asked(&format!("m{at}")));
        }
        assert!(!Arc::ptr_eq(&first, &kept.entry(&asked("first"))));
    }
}
