//! The stream of replies to a request. The operators of OLM come first, one namespace after the
//! other. Portolan's own objects follow.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::vec;

use futures::stream::{self, Stream, StreamExt as _};
use portolan_core_diagnosis::{Asked, Diagnosis, OwnObjects, Subject, diagnose_own};
use portolan_proto::diagnosis::v1 as pb;
use portolan_shell::BlockingPool;
use tonic::Status;

use crate::facts::DiagnosisFacts;
use crate::question::{Question, RequestError};
use crate::wire;

/// A function that diagnoses the operators of a namespace.
type Diagnose = fn(&DiagnosisFacts, &str, Asked) -> Vec<Diagnosis>;

/// The reply about one operator.
type Reply = Result<pb::DiagnoseResponse, Status>;

/// The replies to one caller. Each namespace is diagnosed when the caller is ready to receive its
/// replies. If the caller disconnects, no more namespaces are diagnosed.
#[derive(Debug)]
pub(crate) struct Telling {
    /// The facts about operators of OLM. None if the request does not select such operators.
    pub(crate) look: Option<Arc<DiagnosisFacts>>,
    /// Portolan's own objects. None after their replies were sent.
    own: Option<OwnObjects>,
    question: Question,
    pool: BlockingPool,
    pub(crate) diagnose: Diagnose,
    /// The namespaces that have not been sent yet.
    rest: vec::IntoIter<Arc<str>>,
    is_found: bool,
    /// The error of the first namespace whose diagnosis has failed.
    failed: Option<Status>,
    /// The operators that the request does not select. If the requested name does not exist, the
    /// error suggests a similar name of them.
    others: Vec<Subject>,
}

// === impl Telling ===

impl Telling {
    pub(crate) fn of(
        look: Option<DiagnosisFacts>,
        own: OwnObjects,
        question: Question,
        pool: BlockingPool,
    ) -> Self {
        let namespace = question.namespace.as_deref();
        let rest = look.as_ref().map(|look| look.namespaces(namespace));
        let unseen = look.as_ref().map(|look| look.are_operators_seen(namespace));
        Self {
            own: question.own().map(|_| own),
            question,
            pool,
            diagnose: DiagnosisFacts::diagnoses,
            rest: rest.unwrap_or_default().into_iter(),
            is_found: false,
            failed: unseen.and_then(Result::err).map(Status::from),
            look: look.map(Arc::new),
            others: Vec::new(),
        }
    }

    pub(crate) fn into_stream(self) -> impl Stream<Item = Reply> + Send {
        let telling = stream::unfold(Some(self), |telling| async move {
            let mut telling = telling?;
            let told = match telling.rest.next() {
                Some(namespace) => telling.replies(namespace).await,
                None => match telling.own.take() {
                    Some(own) => telling.own_replies(own).await,
                    None => return Some((telling.end(), None)),
                },
            };
            Some((told, Some(telling)))
        });
        telling.flat_map(stream::iter)
    }

    /// Returns the replies about a namespace. If its diagnosis fails, its operators are reported as
    /// unknown, and the other namespaces are still diagnosed.
    async fn replies(&mut self, namespace: Arc<str>) -> Vec<Reply> {
        let diagnoses = match self.diagnoses(namespace.clone()).await {
            Ok(diagnoses) => Ok(diagnoses),
            Err(failed) => self.undiagnosed(namespace, failed).await,
        };
        self.meant_or_failed(diagnoses)
    }

    /// Returns the replies about Portolan's own objects.
    async fn own_replies(&mut self, own: OwnObjects) -> Vec<Reply> {
        let question = self.question.clone();
        let diagnosed = move || {
            let asked = question.own().unwrap_or_default();
            Ok((diagnose_own(&own, asked), own.trouble(asked)))
        };
        let (diagnoses, trouble) = match self.pool.run(diagnosed).await {
            Ok((diagnoses, trouble)) => (Ok(diagnoses), trouble),
            Err(failed) => (Err(failed), None),
        };
        let replies = self.meant_or_failed(diagnoses);
        // The requested object may be among the objects that cannot be listed.
        if let Some(trouble) = trouble.filter(|_| self.question.name.is_some() && !self.is_found) {
            self.failed
                .get_or_insert(RequestError::Unseen(trouble).into());
        }
        replies
    }

    fn meant_or_failed(&mut self, diagnoses: Result<Vec<Diagnosis>, Status>) -> Vec<Reply> {
        match diagnoses {
            Ok(diagnoses) => self.meant(diagnoses),
            Err(failed) => {
                self.failed.get_or_insert(failed);
                Vec::new()
            }
        }
    }

    /// Returns a diagnosis for each operator of a namespace, which reports the operator as unknown.
    async fn undiagnosed(
        &self,
        namespace: Arc<str>,
        failed: Status,
    ) -> Result<Vec<Diagnosis>, Status> {
        let Some(look) = self.look.clone() else {
            return Ok(Vec::new());
        };
        let undiagnosed = move || Ok(look.undiagnosed(&namespace, failed.message()));
        self.pool.run(undiagnosed).await
    }

    /// Diagnoses a namespace. If the diagnoses need details from catalogs, requests these details
    /// and diagnoses the namespace again.
    async fn diagnoses(&self, namespace: Arc<str>) -> Result<Vec<Diagnosis>, Status> {
        let Some(look) = self.look.clone() else {
            return Ok(Vec::new());
        };
        let first = self.diagnosed(&look, &namespace, Asked::new()).await?;
        let untold: BTreeSet<_> = first.iter().filter_map(|one| one.untold.clone()).collect();
        if untold.is_empty() {
            return Ok(first);
        }
        let asked = look.ask(untold).await;
        self.diagnosed(&look, &namespace, asked).await
    }

    /// Diagnoses a namespace on another thread, because this can take long if OLM cannot resolve
    /// the namespace.
    async fn diagnosed(
        &self,
        look: &Arc<DiagnosisFacts>,
        namespace: &Arc<str>,
        asked: Asked,
    ) -> Result<Vec<Diagnosis>, Status> {
        let (look, namespace) = (look.clone(), namespace.clone());
        let diagnose = self.diagnose;
        let diagnosed = move || Ok(diagnose(&look, &namespace, asked));
        self.pool.run(diagnosed).await
    }

    fn meant(&mut self, diagnoses: Vec<Diagnosis>) -> Vec<Reply> {
        let all = diagnoses.into_iter();
        let (meant, others): (Vec<_>, Vec<_>) =
            all.partition(|diagnosis| self.question.means(&diagnosis.subject));
        self.is_found |= !meant.is_empty();
        self.others
            .extend(others.into_iter().map(|other| other.subject));
        meant.iter().map(wire::encode).map(Ok).collect()
    }

    fn end(&mut self) -> Vec<Reply> {
        let is_answered = self.question.name.is_some() && self.is_found;
        if let Some(failed) = self.failed.take().filter(|_| !is_answered) {
            return vec![Err(failed)];
        }
        let refusal = self.question.unknown(self.is_found, &self.others);
        let refused = refusal.map(Status::from);
        refused.map(Err).into_iter().collect()
    }
}
