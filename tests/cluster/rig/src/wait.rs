//! Waits until a condition is true. After a timeout, the error contains the last state.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use kube::Api;
use kube::api::DynamicObject;
use serde_json::Value;

use crate::failure::Failure;

/// The default timeout of a wait. It is longer than each operation takes, even if the machine is
/// busy with a build.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// The time limit of the first check. A check that takes longer is cancelled and repeated, so that
/// a frozen server cannot block a test. The next check has twice the time, because checks take
/// longer on a slow machine.
const LOOK: Duration = Duration::from_secs(10);
/// The minimum pause between two checks. The pause is a tenth of the elapsed time plus twice the
/// duration of the check, but at most LONGEST_PAUSE. Pauses are needed because checks use the same
/// CPUs as the tested programs. A check with `kubectl` costs as much as twenty other checks.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The result of a check.
#[derive(Debug)]
pub enum Seen<T> {
    /// The condition is true. Contains the value that was waited for.
    Yes(T),
    /// The condition is not true yet. Contains a description of the state for the error.
    NotYet(String),
}

/// Repeats a check until its condition is true.
///
/// ```no_run
/// # async fn example(cluster: portolan_rig::Cluster) -> Result<(), portolan_rig::Failure> {
/// use portolan_rig::{PATIENCE, Seen, until};
///
/// let record = until("alice to write", PATIENCE, async || {
///     let written = cluster.audit()?.by("alice").writes().first().cloned();
///     Ok(written.map_or_else(|| Seen::NotYet("nothing yet".into()), Seen::Yes))
/// })
/// .await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The wait timed out, or the check failed for a reason other than an unavailable API server. A
/// response that the request is forbidden or invalid (4xx, except 404, 409 and 429) ends the wait
/// at once.
pub async fn until<T>(
    what: impl Into<String>,
    patience: Duration,
    mut look: impl AsyncFnMut() -> Result<Seen<T>, Failure>,
) -> Result<T, Failure> {
    let begun = Instant::now();
    let (mut seen, mut longest) = (None, LOOK);
    while begun.elapsed() < patience {
        let looked = Instant::now();
        let left = patience.saturating_sub(begun.elapsed());
        seen = Some(
            match tokio::time::timeout(left.min(longest), look()).await {
                Ok(Ok(Seen::Yes(found))) => return Ok(found),
                Ok(Ok(Seen::NotYet(seen))) => seen,
                Ok(Err(failure)) if is_passing(&failure) => format!("{failure:?}"),
                Ok(Err(failure)) => return Err(failure),
                // The last check had little time, so the error contains the state before it.
                Err(_) if left < longest && seen.is_some() => break,
                Err(_) => {
                    longest *= 2;
                    "no answer at all".to_owned()
                }
            },
        );
        let pause = (begun.elapsed() / 10).max(looked.elapsed() * 2);
        let pause = pause.clamp(PAUSE, LONGEST_PAUSE);
        tokio::time::sleep(pause).await;
    }
    Err(Failure::Wait {
        what: what.into(),
        waited: begun.elapsed(),
        seen: seen.unwrap_or_else(|| "nothing".to_owned()),
    })
}

/// Returns true if a repeated request may succeed. A request that the server understood and
/// rejected would fail again.
fn is_passing(failure: &Failure) -> bool {
    let Failure::Ask(error) = failure else {
        return false;
    };
    match &**error {
        kube::Error::Api(status) => match status.code {
            // The codes for not found, conflict, and too many requests.
            404 | 409 | 429 => true,
            code => !(400..500).contains(&code),
        },
        _ => true,
    }
}

/// Waits until a field of the object `name` has the value `wanted`. `field` is a JSON pointer such
/// as `/status/phase`.
/// # Errors
/// The wait timed out after [`PATIENCE`]. The error contains the last value of the field.
pub async fn until_field(
    objects: &Api<DynamicObject>,
    name: &str,
    field: &str,
    wanted: impl Into<Value>,
) -> Result<DynamicObject, Failure> {
    let wanted = wanted.into();
    until_object(objects, name, &format!("{field} = {wanted}"), |object| {
        object.data.pointer(field) == Some(&wanted)
    })
    .await
}

/// Waits until the object `name` exists and `holds` returns true for it. `what` describes this
/// condition.
/// # Errors
/// The wait timed out after [`PATIENCE`]. The error contains the last status of the object.
pub async fn until_object(
    objects: &Api<DynamicObject>,
    name: &str,
    what: &str,
    holds: impl Fn(&DynamicObject) -> bool,
) -> Result<DynamicObject, Failure> {
    until(format!("{name}: {what}"), PATIENCE, async || {
        Ok(match objects.get_opt(name).await? {
            None => Seen::NotYet("no such object".to_owned()),
            Some(object) if holds(&object) => Seen::Yes(object),
            Some(object) => Seen::NotYet(state(&object)),
        })
    })
    .await
}

/// Waits until the object `name` no longer exists.
///
/// # Errors
/// The object still exists after [`PATIENCE`].
pub async fn until_gone(objects: &Api<DynamicObject>, name: &str) -> Result<(), Failure> {
    until(format!("{name} to be gone"), PATIENCE, async || {
        Ok(match objects.get_opt(name).await? {
            None => Seen::Yes(()),
            Some(object) => Seen::NotYet(state(&object)),
        })
    })
    .await
}

/// Returns the status of the object in one line. Returns its version if the object has no status.
fn state(object: &DynamicObject) -> String {
    match object.data.get("status") {
        Some(status) => format!("status {status}"),
        None => format!(
            "no status, resourceVersion {}",
            object.metadata.resource_version.as_deref().unwrap_or("?")
        ),
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;
    use rstest::rstest;

    use super::*;

    #[tokio::test]
    async fn timed_out_wait_reports_the_last_state() {
        let mut looks = 0;
        let waited = until("a third check", Duration::from_millis(200), async || {
            looks += 1;
            Ok::<Seen<()>, _>(Seen::NotYet(format!("check {}", looks.min(2))))
        });
        let error = waited.await.map_err(|failure| failure.to_string());
        assert_eq!(
            error,
            Err("waited 0 s for a third check; last seen: check 2".to_owned())
        );
    }

    #[rstest]
    #[case::wrong(400, false)]
    #[case::forbidden(403, false)]
    #[case::not_there(404, true)]
    #[case::changed(409, true)]
    #[case::invalid(422, false)]
    #[case::too_often(429, true)]
    #[case::broken(500, true)]
    #[tokio::test]
    async fn only_temporary_errors_are_retried(#[case] code: u16, #[case] is_retried: bool) {
        let mut looks = 0;
        let waited = until("another answer", PATIENCE, async || {
            looks += 1;
            match looks {
                1 => Err(refused(code)),
                _ => Ok(Seen::Yes(())),
            }
        });
        assert_eq!(waited.await.is_ok(), is_retried);
        assert_eq!(looks > 1, is_retried);
    }

    fn refused(code: u16) -> Failure {
        let status = Status {
            code,
            ..Status::default()
        };
        kube::Error::Api(Box::new(status)).into()
    }

    #[tokio::test]
    async fn failed_check_ends_the_wait() {
        let waited = until("nothing", PATIENCE, async || {
            Err::<Seen<()>, _>(Failure::FindGo)
        });
        assert!(matches!(waited.await, Err(Failure::FindGo)));
    }
}
