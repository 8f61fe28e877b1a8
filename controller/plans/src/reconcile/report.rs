//! Reports about a plan: its status and its events.

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
    /// Reports that an object cannot be read, after this has lasted for a while.
    pub(super) async fn report_failed_reads(&mut self, halt: Halt) -> Halt {
        let Halt::Failure(why) = &halt else {
            return halt;
        };
        self.memory.record_reads(Some(why));
        if self.memory.failed_looks >= FAILED_LOOKS {
            let status = lookup_failed(&self.memory.observed, why);
            // The API server may also reject this write. It is retried after the next read.
            let _ = self.write_status(status, None).await;
        }
        halt
    }

    /// Returns true if the status can be written later, because it reports only repairs.
    pub(super) fn can_wait(&mut self, status: &Status, is_done: bool) -> bool {
        let Memory {
            observed,
            pending_status,
            ..
        } = &mut self.memory;
        // Another limit applies to the number of these repairs.
        let is_put_right = is_done && status.repairs != observed.status.repairs;
        self.has_put_right |= is_put_right;
        let Some(pending_status) = pending_status else {
            return is_put_right && only_repairs(&observed.status, status);
        };
        let now = Instant::now();
        if is_put_right {
            pending_status.repaired(now);
        }
        // The state after a repair is reported together with the repair.
        only_repairs(pending_status.written(), status)
            && (is_put_right || now < pending_status.due())
    }

    /// Schedules a status for a later write.
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

    /// Writes the status if it has changed. Returns true if it was written.
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

    /// Creates events. If an event cannot be written now, the recorder retries it later.
    pub(super) async fn record_events(&self, all: impl IntoIterator<Item = News>) {
        let (client, of) = (self.reconciler.writer.client(), &self.plan.metadata);
        for news in all {
            let _ = self.reconciler.recorder.record(client, of, news).await;
        }
    }

    /// Remembers a pending write. Of several writes in a row, the cache must show the last.
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
