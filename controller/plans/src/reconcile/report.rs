//! Writes the status of a plan and creates its events.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::plan::Status;
use portolan_core_install::{Event, lookup_failed, only_repairs, time_to_ready};
use portolan_runtime::{Expected, News, ObservedObject, PendingWrite, WriteFailure};
use serde_json::json;
use tokio::time::Instant;

use super::{FAILED_LOOKS, Halt, Plan};
use crate::memory::Memory;
use crate::news::{event_news, news};
use crate::pending_status::PendingStatus;
use crate::write::{API_VERSION, KIND};

impl Plan<'_> {
    /// Reports in the status that facts cannot be read, if this has lasted for some time.
    pub(super) async fn report_failed_reads(&mut self, halt: Halt) -> Halt {
        let Halt::Failure(why) = &halt else {
            return halt;
        };
        self.memory.record_reads(Some(why));
        if self.memory.failed_looks >= FAILED_LOOKS {
            let status = lookup_failed(&self.memory.observed, why);
            // This write may fail, too. It is repeated after the next failed read.
            let _ = self.write_status(status, None).await;
        }
        halt
    }

    /// Returns true if writing the status can be delayed, because it reports only repairs.
    pub(super) fn can_wait(&mut self, status: &Status, is_done: bool) -> bool {
        let Memory {
            observed,
            pending_status,
            ..
        } = &mut self.memory;
        // The rate of repairs has a separate limit.
        let is_put_right = is_done && status.repairs != observed.status.repairs;
        self.has_put_right |= is_put_right;
        let Some(pending_status) = pending_status else {
            return is_put_right && only_repairs(&observed.status, status);
        };
        let now = Instant::now();
        if is_put_right {
            pending_status.repaired(now);
        }
        // Changes that follow a repair are reported together with the repair.
        only_repairs(pending_status.written(), status)
            && (is_put_right || now < pending_status.due())
    }

    /// Delays writing a status.
    pub(super) fn defer_status(&mut self, status: Status) {
        let news = news(
            self.plan,
            &self.memory.observed.status,
            &status,
            (self.reconciler.now)(),
        );
        let before = std::mem::replace(&mut self.memory.observed.status, status);
        let pending_status = &mut self.memory.pending_status;
        pending_status
            .get_or_insert_with(|| PendingStatus::begin(before, Instant::now()))
            .add(news);
    }

    /// Writes the status if it has changed. Returns true if the status was written.
    pub(super) async fn write_status(
        &mut self,
        status: Status,
        event: Option<Event>,
    ) -> Result<bool, Halt> {
        let pending_status = self.memory.pending_status.as_ref();
        let before =
            json!(pending_status.map_or(&self.memory.observed.status, PendingStatus::written));
        let seen = ObservedObject::of(API_VERSION, KIND, &self.plan.metadata);
        let schema = &self.reconciler.schema;
        let written = schema
            .write(&self.own, seen, &before, json!(status))
            .await
            .map_err(|failure| match failure {
                WriteFailure::Conflict(_) => Halt::Conflict,
                failure => Halt::Failure(format!("cannot write the status: {failure}")),
            })?;
        let pending_status = self
            .memory
            .pending_status
            .take()
            .map(PendingStatus::into_news);
        let Some(written) = written else {
            self.record_events(pending_status.into_iter().flatten())
                .await;
            return Ok(false);
        };
        self.expect_write(written.pending);
        let now = (self.reconciler.now)();
        let told = event.map(|event| event_news(self.plan, event, now));
        let news = news(self.plan, &self.memory.observed.status, &status, now);
        let all = pending_status.into_iter().flatten().chain(news).chain(told);
        self.record_events(all).await;
        self.count_time_to_ready(&status);
        self.memory.observed.status = status;
        Ok(true)
    }

    fn count_time_to_ready(&self, status: &Status) {
        let created = self.plan.metadata.creation_timestamp.as_ref();
        let before = &self.memory.observed.status;
        let took = created.and_then(|Time(created)| time_to_ready(*created, before, status));
        if let Some(took) = took {
            self.reconciler.metrics.count_ready(took);
        }
    }

    /// Creates events. If the outcome of an event is unknown, the recorder creates the event again
    /// later.
    pub(super) async fn record_events(&self, all: impl IntoIterator<Item = News>) {
        let (client, of) = (self.reconciler.writer.client(), &self.plan.metadata);
        for news in all {
            let _ = self.reconciler.recorder.record(client, of, news).await;
        }
    }

    /// Records a write of the plan itself. After several writes, the cache must contain the last
    /// one.
    pub(super) fn expect_write(&mut self, pending: Option<PendingWrite>) {
        let Some(pending) = pending else {
            return;
        };
        if let Expected::Version(version) = &pending.after {
            let version = version.parse().ok();
            self.memory.written = version.map(|version| (version, Instant::now()));
        }
        self.pending = Some(PendingWrite {
            before: self.plan.metadata.resource_version.clone(),
            ..pending
        });
    }
}
