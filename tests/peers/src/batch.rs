//! Sends queries over one stream, as fast as the server accepts them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::uri::PathAndQuery;
use tonic::Request;

use crate::failure::Failure;
use crate::question::Question;
use crate::raw::Raw;
use crate::server::Server;

/// The first byte of a message with an answer (field 1). A message with an error begins with
/// another byte.
const ANSWER: u8 = 1 << 3 | 2;

/// The measurements of the stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream {
    pub(crate) per_second: f64,
    /// The CPU time of the server for each answer.
    pub(crate) processor_time: Duration,
}

/// Sends the queries over one stream, again and again, for this time. Omits the first eighth of the
/// time from the measurement.
pub(crate) async fn drive(
    server: &Server,
    questions: &Arc<[Question]>,
    lasting: Duration,
) -> Result<Stream, Failure> {
    answers(server, questions, lasting / 8).await?;
    let spent = server.processor_time()?;
    let begun = Instant::now();
    let answers = answers(server, questions, lasting).await?;
    let elapsed = begun.elapsed();
    let spent = server.processor_time()? - spent;
    Ok(Stream {
        per_second: answers as f64 / elapsed.as_secs_f64(),
        processor_time: spent.div_f64(answers as f64),
    })
}

async fn answers(
    server: &Server,
    questions: &Arc<[Question]>,
    lasting: Duration,
) -> Result<u32, Failure> {
    let method = questions[0].method;
    let failed = |status: tonic::Status| Failure::Call {
        method,
        status: status.into(),
    };
    let mut client = tonic::client::Grpc::new(server.connection());
    let ready = client.ready().await;
    ready.map_err(|error| failed(tonic::Status::unavailable(error.to_string())))?;
    let asked = tokio_stream::iter(messages(Arc::clone(questions), Instant::now() + lasting));
    let path = PathAndQuery::from_static(method);
    let stream = client.streaming(Request::new(asked), path, Raw).await;
    let mut stream = stream.map_err(failed)?.into_inner();
    let mut answers = 0;
    while let Some(message) = stream.message().await.map_err(failed)? {
        if message.first() != Some(&ANSWER) {
            let refused = format!("{method} refuses what opm lists");
            return Err(Failure::Expect(refused));
        }
        answers += 1;
    }
    Ok(answers)
}

/// Returns the queries again and again, until the given time.
fn messages(questions: Arc<[Question]>, until: Instant) -> impl Iterator<Item = Bytes> {
    (0..)
        .map(move |at: usize| questions[at % questions.len()].message.clone())
        .take_while(move |_| Instant::now() < until)
}
