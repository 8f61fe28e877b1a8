//! Requests the routes of all Operators. All callers share the response for the same Fleet.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use portolan_core_operator::{Answer, Ask, Fleet, Knowledge, Offers, Question, Survey};

use crate::Catalogs;

/// Requests the routes of all Operators in the current Fleet. Only one request runs at a time.
/// Callers that arrive during a request share the response to the next request.
#[derive(Debug)]
pub(crate) struct Surveys<C> {
    catalogs: Arc<C>,
    fleet: Mutex<Arc<Fleet>>,
    /// The number of requests that have started, with or without a response.
    begun: AtomicU64,
    asked: tokio::sync::Mutex<SurveyCache>,
}

/// The last response, and the last question.
#[derive(Debug, Default)]
struct SurveyCache {
    survey: Option<Survey>,
    /// The question, with the inputs from which it was computed.
    question: Option<(Arc<Fleet>, Arc<Offers>, Arc<Question>)>,
}

// === impl Surveys ===

impl<C: Catalogs> Surveys<C> {
    pub(crate) fn new(catalogs: Arc<C>) -> Self {
        Self {
            catalogs,
            fleet: Mutex::default(),
            begun: AtomicU64::new(0),
            asked: tokio::sync::Mutex::default(),
        }
    }

    /// Sets the Fleet for the following requests.
    pub(crate) fn see(&self, fleet: &Arc<Fleet>) {
        self.lock_fleet().clone_from(fleet);
    }

    /// Locks the Fleet. A panic of another holder leaves the Fleet consistent, so a poisoned lock
    /// is safe to use.
    fn lock_fleet(&self) -> MutexGuard<'_, Arc<Fleet>> {
        self.fleet.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the routes of all Operators in the current Fleet, or in a slightly newer Fleet.
    pub(crate) async fn newest(&self) -> Survey {
        let before = self.begun.load(Ordering::SeqCst);
        let mut asked = self.asked.lock().await;
        // Another caller has requested the routes after this caller arrived, so its response is
        // recent enough.
        if let Some(survey) = asked.survey.as_ref().filter(|it| it.number > before) {
            return survey.clone();
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let fleet = self.lock_fleet().clone();
        let offers = self.offers(&fleet).await;
        let routes = match &offers {
            Answer::Known(offers) => self.catalogs.routes(&asked.question(&fleet, offers)).await,
            Answer::Refused(sentence) => Answer::Refused(sentence.clone()),
            Answer::Unavailable(sentence) => Answer::Unavailable(sentence.clone()),
        };
        let survey = Survey {
            number,
            fleet,
            offers,
            routes,
        };
        asked.survey = Some(survey.clone());
        survey
    }

    async fn offers(&self, fleet: &Fleet) -> Answer<Arc<Offers>> {
        match self.catalogs.answer(&Ask::Offers(fleet.packages())).await {
            Knowledge::Offers(answer) => answer,
            other => Answer::Unavailable(format!("asked for offers, told {other:?}")),
        }
    }
}

// === impl SurveyCache ===

impl SurveyCache {
    /// Returns the question for a Fleet. If the question has not changed, returns the same
    /// allocation.
    fn question(&mut self, fleet: &Arc<Fleet>, offers: &Arc<Offers>) -> Arc<Question> {
        let question = match &self.question {
            Some((of, by, question)) if Arc::ptr_eq(of, fleet) && Arc::ptr_eq(by, offers) => {
                return question.clone();
            }
            Some((.., question)) => {
                let new = fleet.question(offers);
                if new == **question {
                    question.clone()
                } else {
                    Arc::new(new)
                }
            }
            None => Arc::new(fleet.question(offers)),
        };
        self.question = Some((fleet.clone(), offers.clone(), question.clone()));
        question
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use super::*;
    use futures::future::join_all;
    use portolan_core_operator::CommonRoute;

    /// Catalogs without packages that respond slowly.
    #[derive(Debug, Default)]
    struct Slow {
        asked: AtomicUsize,
        at_once: AtomicUsize,
    }

    impl Catalogs for Slow {
        async fn changed(&self) {
            std::future::pending().await
        }

        async fn answer(&self, _: &Ask) -> Knowledge {
            Knowledge::Offers(Answer::Known(Arc::default()))
        }

        async fn routes(&self, _: &Arc<Question>) -> Answer<Arc<Vec<CommonRoute>>> {
            assert_eq!(self.at_once.fetch_add(1, Ordering::SeqCst), 0);
            self.asked.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(1)).await;
            self.at_once.fetch_sub(1, Ordering::SeqCst);
            Answer::Known(Arc::default())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn concurrent_callers_share_one_response() {
        let slow = Arc::new(Slow::default());
        let surveys = Surveys::new(slow.clone());
        let first = surveys.newest();
        let later = async {
            tokio::time::sleep(Duration::from_millis(500)).await;
            let fleet = Arc::new(Fleet {
                is_updater_gone: true,
                ..Fleet::default()
            });
            surveys.see(&fleet);
            let all = join_all((0..8).map(|_| surveys.newest())).await;
            (fleet, all)
        };
        let (first, (fleet, all)) = tokio::join!(first, later);
        assert_eq!((first.number, slow.asked.load(Ordering::SeqCst)), (1, 2));
        for survey in all {
            assert_eq!(survey.number, 2);
            assert!(
                Arc::ptr_eq(&survey.fleet, &fleet),
                "it is of what is seen now"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn caller_after_a_response_starts_a_new_request() {
        let surveys = Surveys::new(Arc::new(Slow::default()));
        let numbers = [surveys.newest().await.number, surveys.newest().await.number];
        assert_eq!(numbers, [1, 2]);
    }
}
