//! Operators that a person creates and deletes, one at a time.

use kube::api::{DeleteParams, ListParams, PostParams};
use kube::{Api, Client};
use portolan_api::operator::Operator;
use thiserror::Error;

/// Creates and deletes Operators of a cluster, and nothing else.
#[derive(Debug, Clone)]
pub struct OperatorClient {
    operators: Api<Operator>,
    is_dry_run: bool,
}

/// An Operator that was not written.
#[derive(Debug, Error)]
pub enum NotWritten {
    /// The cluster does not know the kind.
    #[error("the cluster does not know Operators of operators.operatorframework.io")]
    NotServed,
    /// It is there already.
    #[error("Operator {0} is there already")]
    Exists(String),
    /// It is not there.
    #[error("there is no Operator {0}")]
    NotFound(String),
    /// The API server refuses it, in these words.
    #[error("{0}")]
    Refused(String),
    /// There is no answer.
    #[error("ask the cluster")]
    Unanswered(#[source] Box<kube::Error>),
}

// === impl OperatorClient ===

impl OperatorClient {
    /// Writes through this client; in a dry run the API server only says what it would do.
    pub fn of(client: Client, is_dry_run: bool) -> Self {
        Self {
            operators: Api::all(client),
            is_dry_run,
        }
    }

    /// Makes an Operator, and returns it as the API server has it.
    ///
    /// # Errors
    /// It is not made.
    pub async fn create(&self, operator: &Operator) -> Result<Operator, NotWritten> {
        self.served().await?;
        let params = PostParams {
            dry_run: self.is_dry_run,
            ..PostParams::default()
        };
        let name = operator.metadata.name.as_deref().unwrap_or_default();
        let created = self.operators.create(&params, operator).await;
        created.map_err(|error| NotWritten::of(name, error))
    }

    /// Deletes an Operator. That it is gone is not waited for.
    ///
    /// # Errors
    /// It is not deleted.
    pub async fn delete(&self, name: &str) -> Result<(), NotWritten> {
        self.served().await?;
        let params = DeleteParams {
            dry_run: self.is_dry_run,
            ..DeleteParams::default()
        };
        let deleted = self.operators.delete(name, &params).await;
        deleted
            .map(drop)
            .map_err(|error| NotWritten::of(name, error))
    }

    /// Makes sure that the kind is there. Who may not list it may be allowed to write it.
    async fn served(&self) -> Result<(), NotWritten> {
        let params = ListParams::default().limit(1);
        match self.operators.list_metadata(&params).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Err(NotWritten::NotServed),
            Ok(_) | Err(kube::Error::Api(_)) => Ok(()),
            Err(error) => Err(NotWritten::Unanswered(Box::new(error))),
        }
    }
}

// === impl NotWritten ===

impl NotWritten {
    fn of(name: &str, error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) if status.code == 404 => Self::NotFound(name.to_owned()),
            kube::Error::Api(status) if status.code == 409 => Self::Exists(name.to_owned()),
            kube::Error::Api(status) if status.code < 500 => Self::Refused(status.message.clone()),
            other => Self::Unanswered(Box::new(other)),
        }
    }
}
