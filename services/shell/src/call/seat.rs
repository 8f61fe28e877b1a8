//! The slot of a running call, and the caller that holds the slot.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::Status;

use super::Kind;
use crate::shares::{Holder, NoPlace, Share, Shares};

/// The slot of a running call. The slot is taken until the call ends.
#[derive(Debug)]
pub(super) struct Seat(Mutex<Seated>);

#[derive(Debug)]
struct Seated {
    holder: Holder,
    place: Occupancy,
}

#[derive(Debug)]
enum Occupancy {
    None,
    Shared(Share),
    /// A slot that belongs to one connection.
    Own {
        _permit: OwnedSemaphorePermit,
    },
}

/// The bytes of a response. They are counted until they are sent or dropped.
struct Unsent {
    data: Bytes,
    _share: Share,
}

// === impl Seat ===

impl Seat {
    /// Creates the seat for a call of this holder. The seat has no slot yet.
    pub(super) fn of(holder: Holder) -> Self {
        Self(Mutex::new(Seated {
            holder,
            place: Occupancy::None,
        }))
    }

    pub(super) fn take(&self, places: &Shares) -> Result<(), NoPlace> {
        let mut seated = self.seated();
        seated.place = Occupancy::Shared(places.take(seated.holder.clone(), 1)?);
        Ok(())
    }

    pub(super) fn take_of_connection(&self, places: &Arc<Semaphore>) -> Result<(), Status> {
        let permit = Arc::clone(places).try_acquire_owned().map_err(|_| {
            Status::resource_exhausted(
                "this connection has too many health checks at a time; use one watch for each \
                 service",
            )
        })?;
        self.seated().place = Occupancy::Own { _permit: permit };
        Ok(())
    }

    /// Transfers the slot to another holder.
    pub(super) fn pass_to(&self, holder: Holder) -> Result<(), NoPlace> {
        let mut seated = self.seated();
        if let Occupancy::Shared(share) = &mut seated.place {
            share.pass_to(holder.clone())?;
        }
        seated.holder = holder;
        Ok(())
    }

    /// Counts the bytes of the response for the holder until they are sent.
    pub(super) fn counted(&self, data: Bytes, answering: &Shares) -> Result<Bytes, Status> {
        if data.is_empty() {
            return Ok(data);
        }
        let holder = self.seated().holder.clone();
        let share = answering.take(holder, data.len());
        let share = share.map_err(|full| {
            let whose = match full {
                NoPlace::Own => {
                    "this caller has not read earlier responses yet, and these \
                    responses are"
                }
                NoPlace::All => {
                    "callers of this server have not read all responses yet, and these \
                    responses are"
                }
            };
            Status::resource_exhausted(format!(
                "{whose} too large for another response of {} bytes; read responses as they \
                 arrive, wait a moment, or use another replica",
                data.len()
            ))
        })?;
        Ok(Bytes::from_owner(Unsent {
            data,
            _share: share,
        }))
    }

    pub(super) fn release(&self) {
        self.seated().place = Occupancy::None;
    }

    fn seated(&self) -> MutexGuard<'_, Seated> {
        // No code that holds this lock can panic while the state is inconsistent, so a poisoned
        // lock is safe to use.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the error for a call that is rejected because the limit of concurrent calls is reached.
pub(super) fn full(full: NoPlace, kind: Kind) -> Status {
    let kind = match kind {
        Kind::Call => "calls",
        Kind::Stream => "streams",
        Kind::Reflection => "reflection calls",
    };
    Status::resource_exhausted(match full {
        NoPlace::Own => format!(
            "this caller has reached the maximum of {kind} for one caller, a quarter of all; wait \
             until one of them ends"
        ),
        NoPlace::All => format!(
            "this server has reached its maximum of {kind} (--max-concurrent-calls); wait a \
             moment, or use another replica"
        ),
    })
}

// === impl Unsent ===

impl AsRef<[u8]> for Unsent {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}
