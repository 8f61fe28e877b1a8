//! The way of all Operators together: asked for once for a Fleet, whoever wants it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use portolan_core_operator::{Answer, Ask, Fleet, Knowledge, Offers, Question, Survey};

use crate::Catalogs;

/// Who asks for the routes of all Operators: always for those that are seen now, and never for two Fleets at
/// once. Whoever comes meanwhile has all that comes meanwhile answered together.
#[derive(Debug)]
pub(crate) struct Surveys<C> {
    catalogs: Arc<C>,
    fleet: Mutex<Arc<Fleet>>,
    asked: tokio::sync::Mutex<Asked>,
}

/// What was asked last.
#[derive(Debug, Default)]
struct Asked {
    number: u64,
    /// The question, and what it was made from.
    question: Option<(Arc<Fleet>, Arc<Offers>, Arc<Question>)>,
}

// === impl Surveys ===

impl<C: Catalogs> Surveys<C> {
    pub(crate) fn new(catalogs: Arc<C>) -> Self {
        Self {
            catalogs,
            fleet: Mutex::default(),
            asked: tokio::sync::Mutex::default(),
        }
    }

    /// Has this Fleet asked about from now on.
    pub(crate) fn see(&self, fleet: &Arc<Fleet>) {
        self.seen().clone_from(fleet);
    }

    /// A panic elsewhere leaves it as whole as it was.
    fn seen(&self) -> MutexGuard<'_, Arc<Fleet>> {
        self.fleet.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The routes of all Operators that are seen now.
    pub(crate) async fn newest(&self) -> Survey {
        let mut asked = self.asked.lock().await;
        let fleet = self.seen().clone();
        let offers = self.offers(&fleet).await;
        let routes = match &offers {
            Answer::Known(offers) => self.catalogs.routes(&asked.question(&fleet, offers)).await,
            Answer::Refused(sentence) => Answer::Refused(sentence.clone()),
            Answer::Unavailable(sentence) => Answer::Unavailable(sentence.clone()),
        };
        asked.number += 1;
        Survey {
            number: asked.number,
            fleet,
            offers,
            routes,
        }
    }

    async fn offers(&self, fleet: &Fleet) -> Answer<Arc<Offers>> {
        match self.catalogs.answer(&Ask::Offers(fleet.packages())).await {
            Knowledge::Offers(answer) => answer,
            other => Answer::Unavailable(format!("asked for offers, told {other:?}")),
        }
    }
}

// === impl Asked ===

impl Asked {
    /// The question of a Fleet. One that is the same as before is the very same.
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
