//! Work that one test does for all.

use std::sync::Arc;

use tokio::sync::OnceCell;

use crate::failure::Failure;

/// The result of work that one test does for all: it is done once, also when it fails.
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
    async fn what_did_not_start_is_not_tried_again_and_all_are_told_why() {
        let (once, tries) = (Once::<()>::default(), Cell::new(0));
        let wait = || {
            once.outcome(async || {
                tries.set(tries.get() + 1);
                tokio::task::yield_now().await;
                Err(Failure::Supervise {
                    said: "all ports are taken".to_owned(),
                })
            })
        };
        let (first, second) = tokio::join!(wait(), wait());
        for told in [first, second, wait().await] {
            let told = told.map_err(|failure| format!("{failure:?}"));
            assert_eq!(
                told,
                Err(
                    "cannot start the cluster that these tests share: the supervisor did not obey: \
                     all ports are taken"
                        .to_owned()
                )
            );
        }
        assert_eq!(tries.get(), 1);
    }
}
