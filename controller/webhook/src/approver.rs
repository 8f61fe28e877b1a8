//! Handles approvals of Installs: checks the permissions of the approver and stamps the Install. If
//! a check is not possible, the approval is rejected.

mod cluster;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response as HttpResponse};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use kube::Client;
use portolan_core_certificate::CertificateName;
use portolan_core_grants::Giver;
use portolan_core_install::Answers;
use portolan_shell::with_causes;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::admission::{Approval, ApprovalRequest, Request, Response, approval};
use crate::metrics::{Metrics, ReviewOutcome};

/// The URL path of approvals, which the webhook configuration contains.
const PATH: &str = "/approve";
/// The maximum size of a request in bytes. A request contains the existing and the new object.
const LARGEST: usize = 8 * 1024 * 1024;
/// The maximum times for receiving and for checking a request. Their sum is less than the timeout
/// of API servers.
const READING: Duration = Duration::from_secs(1);
const LOOKING: Duration = Duration::from_secs(8);

/// Handles approvals. Clones share the state.
#[derive(Clone)]
pub(crate) struct Approver {
    client: Client,
    /// The Secret with the key that signs stamps.
    secret: CertificateName,
    metrics: Metrics,
}

/// A response with a JSON patch of the object.
struct Stamped {
    response: Response,
    patch: Value,
}

/// The HTTP status code and the reason if a request cannot be checked. API servers then reject the
/// approval.
type NoAnswer = (StatusCode, String);

// === impl Approver ===

impl Approver {
    pub(crate) fn new(client: Client, secret: CertificateName, metrics: Metrics) -> Self {
        Self {
            client,
            secret,
            metrics,
        }
    }

    pub(crate) fn routes(self) -> Router {
        let state = Arc::new(self);
        Router::new().route(PATH, post(answer)).with_state(state)
    }

    async fn approved(&self, body: Body) -> Result<(Request, Stamped), NoAnswer> {
        let bytes = timeout(READING, to_bytes(body, LARGEST)).await;
        let unread = |sentence: &str| (StatusCode::BAD_REQUEST, sentence.to_owned());
        let bytes = bytes.map_err(|_| unread("the request was not received in time"))?;
        let bytes = bytes.map_err(|_| unread("the request is too large or incomplete"))?;
        let request = Request::parse(&bytes).map_err(|why| unread(&with_causes(&why)))?;
        let stamped = match approval(&request) {
            Approval::Answered(response) => Stamped::without(response),
            Approval::Unstamped(response, patch) => Stamped { response, patch },
            Approval::Asked(asked) => {
                let stamped = timeout(LOOKING, self.stamped(*asked)).await;
                let late = |_| {
                    let sentence = "the permissions of the approver could not be checked in time; \
                     try again"
                        .to_owned();
                    (StatusCode::GATEWAY_TIMEOUT, sentence)
                };
                stamped
                    .map_err(late)?
                    .map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, with_causes(&error)))?
            }
        };
        Ok((request, stamped))
    }

    /// Checks the permissions of the approver. If they suffice, stamps the Install.
    async fn stamped(&self, asked: ApprovalRequest) -> Result<Stamped, cluster::Failure> {
        let mut answers = Answers::default();
        loop {
            match asked.giver(&answers) {
                Giver::TooMany => return Ok(Stamped::without(asked.too_much())),
                Giver::Asks(asks) => {
                    answers.extend(cluster::reviews(&self.client, asked.approver(), asks).await?);
                }
                Giver::MayNot(lacking) => return Ok(Stamped::without(asked.refused(&lacking))),
                Giver::May => {
                    let key = cluster::key(&self.client, &self.secret).await?;
                    let (response, patch) = asked.stamped(&key, Timestamp::now());
                    return Ok(Stamped { response, patch });
                }
            }
        }
    }
}

// === impl Stamped ===

impl Stamped {
    fn without(response: Response) -> Self {
        Self {
            response,
            patch: json!([]),
        }
    }

    fn to_json(&self) -> Value {
        let mut review = self.response.to_json();
        if self.response.is_allowed() && self.patch != json!([]) {
            review["response"]["patchType"] = json!("JSONPatch");
            review["response"]["patch"] = json!(STANDARD.encode(self.patch.to_string()));
        }
        review
    }
}

async fn answer(State(approver): State<Arc<Approver>>, body: Body) -> HttpResponse {
    let began = Instant::now();
    let (kind, answer, response) = match approver.approved(body).await {
        Ok((request, stamped)) => {
            let answer = ReviewOutcome::of(&stamped.response);
            let (name, user) = (&request.name, &request.user.user);
            let is_stamped = stamped.patch != json!([]);
            let is_allowed = stamped.response.is_allowed();
            tracing::info!(
                name,
                user,
                is_stamped,
                is_allowed,
                "an Install was approved"
            );
            let json = [(header::CONTENT_TYPE, "application/json")];
            let response = (json, stamped.to_json().to_string()).into_response();
            (request.kind, answer, response)
        }
        Err((status, sentence)) => {
            tracing::warn!(error = sentence, "an approval cannot be checked");
            (
                None,
                ReviewOutcome::Unread,
                (status, sentence).into_response(),
            )
        }
    };
    approver.metrics.answered(kind, answer, began.elapsed());
    response
}
