//! Sends calls in a closed loop. The number of running calls is fixed, and each response starts the
//! next call.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::uri::PathAndQuery;
use tokio::task::JoinSet;
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::failure::Failure;
use crate::question::Question;
use crate::raw::Raw;
use crate::server::Server;

/// The number of connections, the number of running calls, and the duration of a load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    /// The number of running calls on all connections together.
    pub(crate) in_flight: usize,
    pub(crate) lasting: Duration,
}

/// The measured values of a load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    pub(crate) per_second: f64,
    /// The median duration of a call.
    pub(crate) median: Duration,
    /// The duration that only one of 100 calls exceeds.
    pub(crate) p99: Duration,
    /// The CPU time of the server for each call.
    pub(crate) processor_time: Duration,
    /// The mean size of a response in bytes.
    pub(crate) bytes: f64,
    /// The peak memory of the server until the end of the load, in bytes.
    pub(crate) memory: u64,
}

/// The calls of one loop, in which one call is running.
#[derive(Debug, Default)]
struct Loop {
    times: Vec<Duration>,
    bytes: usize,
}

// === impl Load ===

impl Load {
    /// Sends the queries in order, again and again.
    pub(crate) async fn drive(
        &self,
        server: &Server,
        questions: &Arc<[Question]>,
    ) -> Result<Flow, Failure> {
        let channels: Vec<_> = (0..self.connections).map(|_| server.connection()).collect();
        // Runs without a measurement first, to open the connections and to fill the caches.
        self.round(&channels, questions, self.lasting / 4).await?;
        let spent = server.processor_time()?;
        let begun = Instant::now();
        let mut all = self.round(&channels, questions, self.lasting).await?;
        let elapsed = begun.elapsed();
        let spent = server.processor_time()? - spent;
        all.times.sort_unstable();
        let calls = all.times.len();
        let last = calls.checked_sub(1);
        let last = last.ok_or_else(|| Failure::Expect("no call was answered".to_owned()))?;
        Ok(Flow {
            per_second: calls as f64 / elapsed.as_secs_f64(),
            median: all.times[last / 2],
            p99: all.times[last * 99 / 100],
            processor_time: spent.div_f64(calls as f64),
            bytes: all.bytes as f64 / calls as f64,
            memory: server.peak_memory()?,
        })
    }

    async fn round(
        &self,
        channels: &[Channel],
        questions: &Arc<[Question]>,
        lasting: Duration,
    ) -> Result<Loop, Failure> {
        let until = Instant::now() + lasting;
        let mut loops = JoinSet::new();
        for (at, channel) in (0..self.in_flight).zip(channels.iter().cycle()) {
            let (channel, questions) = (channel.clone(), Arc::clone(questions));
            let stride = self.in_flight;
            loops.spawn(async move {
                let turns = questions.iter().cycle().skip(at).step_by(stride);
                one_loop(&channel, turns, until).await
            });
        }
        let mut all = Loop::default();
        for done in loops.join_all().await {
            let Loop { times, bytes } = done?;
            all.times.extend(times);
            all.bytes += bytes;
        }
        Ok(all)
    }
}

async fn one_loop(
    channel: &Channel,
    questions: impl Iterator<Item = &Question>,
    until: Instant,
) -> Result<Loop, Failure> {
    let mut done = Loop::default();
    for question in questions {
        let begun = Instant::now();
        if begun >= until {
            break;
        }
        let answer = call(channel, question).await;
        let answer = answer.map_err(|status| Failure::Call {
            method: question.method,
            status: status.into(),
        })?;
        done.bytes += answer.len();
        done.times.push(begun.elapsed());
    }
    Ok(done)
}

/// Makes a call, and returns the response without decoding it.
pub(crate) async fn call(channel: &Channel, question: &Question) -> Result<Bytes, Status> {
    let mut client = tonic::client::Grpc::new(channel.clone());
    client = client.max_decoding_message_size(usize::MAX);
    let ready = client.ready().await;
    ready.map_err(|error| Status::unavailable(error.to_string()))?;
    let request = Request::new(question.message.clone());
    let path = PathAndQuery::from_static(question.method);
    let answer = client.unary(request, path, Raw).await?;
    Ok(answer.into_inner())
}
