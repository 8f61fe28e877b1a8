//! The requests to the resolver about the content of bundle images, for Installs. Responses are
//! cached while this process runs.

use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use jiff::Timestamp;
use portolan_core_operatorpolicy as policy;
use portolan_plans::grants::{ImageAnswer, ImageFault, ImageRef, Images};
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::{Connection, LONGEST_ANSWER};
use tokio::time::Instant;
use tonic::{Code, Status};

use super::cache::{self, AnswerCache, Fetched};
use super::operators::PULL;
use super::status::why_after;
use super::streams::RESOLVER;
use super::{Clock, wire};

const METHOD: &str = "RenderBundle";
/// The maximum number of cached images. An image with its manifests may have several megabytes.
const MOST: usize = 16;

/// The requests to the resolver about images, with all cached responses.
pub(crate) struct BundleImages {
    client: ResolverClient<Connection>,
    clock: Clock,
    answers: AnswerCache<ImageRef, (), ImageAnswer>,
}

// === impl BundleImages ===

impl BundleImages {
    /// Creates the client for this resolver. An unreachable resolver is not an error here, because
    /// later responses report it.
    pub(crate) fn over(resolver: Connection) -> Self {
        let clock = Clock(Arc::new(Timestamp::now));
        Self {
            client: ResolverClient::new(resolver).max_decoding_message_size(LONGEST_ANSWER),
            answers: AnswerCache::new(RESOLVER, clock.clone()).keeping(MOST),
            clock,
        }
    }

    /// Converts the time of the next request to a timestamp.
    fn time(&self, again: Instant) -> Timestamp {
        self.clock.now() + again.saturating_duration_since(Instant::now())
    }
}

impl Images for BundleImages {
    async fn answer(&self, image: &ImageRef) -> ImageAnswer {
        let ended = self.answers.ask(cache::Question {
            about: image.clone(),
            state: (),
            round: 0,
            method: METHOD,
            call: fetched(self.client.clone(), image.clone()).map(Ok).boxed(),
            deadline: PULL,
        });
        let ended = ended.await;
        let again = ended.again.map(|again| self.time(again));
        let fault = |sentence: String| ImageFault {
            is_invalid: false,
            sentence,
            again,
        };
        match &ended.answer {
            policy::Answer::Found(ImageAnswer::Failed(failed)) => ImageAnswer::Failed(ImageFault {
                again,
                ..failed.clone()
            }),
            policy::Answer::Found(read) => read.clone(),
            policy::Answer::NotFound(sentence) => ImageAnswer::Failed(fault(sentence.clone())),
            policy::Answer::Unavailable(unavailable) => {
                ImageAnswer::Failed(fault(unavailable.to_string()))
            }
            policy::Answer::NotAsked => {
                ImageAnswer::Failed(fault("the service has not been queried".to_owned()))
            }
        }
    }
}

impl fmt::Debug for BundleImages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BundleImages")
    }
}

/// Requests the content that an image installs. The content of a digest never changes. The content
/// of a tag may change, and an unavailable registry may become available.
async fn fetched(mut client: ResolverClient<Connection>, image: ImageRef) -> Fetched<ImageAnswer> {
    let rendered = client.render_bundle(wire::encode_image(&image)).await;
    let answer = match rendered {
        Ok(rendered) => wire::decode_image(rendered.get_ref()),
        Err(status) => ImageAnswer::Failed(unread(&image.image, &status)),
    };
    let is_current = match &answer {
        ImageAnswer::Read(_) => true,
        ImageAnswer::Failed(fault) => fault.is_invalid && image.image.contains('@'),
    };
    Fetched { answer, is_current }
}

fn unread(image: &str, status: &Status) -> ImageFault {
    let why = why_after(status, METHOD, PULL);
    // The status has a source only if the client has created it because of a missing response.
    let is_away = std::error::Error::source(status).is_some();
    ImageFault {
        is_invalid: status.code() == Code::InvalidArgument,
        sentence: if is_away {
            format!("the {RESOLVER}, which reads image {image}, does not answer: {why}")
        } else {
            why
        },
        again: None,
    }
}
