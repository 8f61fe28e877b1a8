//! Work that is done once, and whose result all tests share.

use std::sync::Arc;

use tokio::sync::OnceCell;

use crate::failure::Failure;

/// The result of work that one test does for all tests. The work is done only once, even if it
/// fails.
#[derive(Debug)]
pub(crate) struct Once<T>(OnceCell<Result<T, Arc<Failure>>>);

impl<T> Once<T> {
    pub(crate) async fn outcome<F>(&self, act: impl FnOnce() -> F) -> Result<&T, Failure>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let outcome = self
            .0
            .get_or_init(async || act().await.map_err(Arc::new))
            .await;
        outcome
            .as_ref()
            .map_err(Failure::shared("start the cluster that these tests share"))
    }
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(OnceCell::new())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test]
    async fn failed_start_is_not_retried_and_reported_to_all() {
        let (once, tries) = (Once::<()>::default(), Cell::new(0));
        let wait = || {
            once.outcome(async || {
                tries.set(tries.get() + 1);
                tokio::task::yield_now().await;
                Err(Failure::Supervise {
                    message: "all ports are taken".to_owned(),
                })
            })
        };
        let (first, second) = tokio::join!(wait(), wait());
        for outcome in [first, second, wait().await] {
            let outcome = outcome.map_err(|failure| format!("{failure:?}"));
            assert_eq!(
                outcome,
                Err(
                    "cannot start the cluster that these tests share: the supervisor failed: \
                     all ports are taken"
                        .to_owned()
                )
            );
        }
        assert_eq!(tries.get(), 1);
    }
}
