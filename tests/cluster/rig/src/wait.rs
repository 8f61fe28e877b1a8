//! Waiting for a condition, with an end and a memory of what was seen last.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use kube::Api;
use kube::api::DynamicObject;
use serde_json::Value;

use crate::failure::Failure;

/// The duration of a wait unless its caller says otherwise: longer than anything takes on a machine
/// that is busy with a build.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// A look that takes longer is given up, and taken again: a frozen server must not freeze a test. The
/// next one has twice the time: on a machine that is slow enough every look takes longer.
const LOOK: Duration = Duration::from_secs(10);
/// The pause between two looks: a tenth of the time that has been waited, and twice that of the look,
/// within these. Looks are most of what the programs under test share the machine with, and one by
/// `kubectl` costs as much as twenty others.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The result of a look at the world.
#[derive(Debug)]
pub enum Seen<T> {
    /// The value that was waited for.
    Yes(T),
    /// Something else, described for the reader of the failure.
    NotYet(String),
}

/// Looks again and again until the look shows what was waited for.
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
/// The patience ran out, or the look failed for another reason than an API server that cannot
/// answer at the moment. What it forbids or finds wrong (4xx, but for 404, 409 and 429) ends the
/// wait at once.
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
                // The last look has little time: what was seen before it says more.
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

/// Whether another answer may follow without anybody's doing: not if the server understood the
/// question and refused it.
fn is_passing(failure: &Failure) -> bool {
    let Failure::Ask(error) = failure else {
        return false;
    };
    match &**error {
        kube::Error::Api(status) => match status.code {
            // Not there yet, changed by somebody else, asked too often.
            404 | 409 | 429 => true,
            code => !(400..500).contains(&code),
        },
        _ => true,
    }
}

/// Waits until the object `name` holds `wanted` at `field`, a JSON pointer such as `/status/phase`.
///
/// # Errors
/// It did not within [`PATIENCE`]; the failure says what the field held last.
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

/// Waits until the object `name` exists and `holds` says yes; `what` describes that.
///
/// # Errors
/// It did not within [`PATIENCE`]; the failure shows the object's status as seen last.
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

/// Waits until the object `name` is gone.
///
/// # Errors
/// It was not within [`PATIENCE`].
pub async fn until_gone(objects: &Api<DynamicObject>, name: &str) -> Result<(), Failure> {
    until(format!("{name} to be gone"), PATIENCE, async || {
        Ok(match objects.get_opt(name).await? {
            None => Seen::Yes(()),
            Some(object) => Seen::NotYet(state(&object)),
        })
    })
    .await
}

/// The status in one line; an object without one is known by its version.
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
    async fn a_wait_in_vain_tells_what_was_seen_last() {
        let mut looks = 0;
        let waited = until("a third look", Duration::from_millis(200), async || {
            looks += 1;
            Ok::<Seen<()>, _>(Seen::NotYet(format!("look {}", looks.min(2))))
        });
        let told = waited.await.map_err(|failure| failure.to_string());
        assert_eq!(
            told,
            Err("waited 0 s for a third look; last seen: look 2".to_owned())
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
    async fn only_an_answer_that_may_change_is_asked_for_again(
        #[case] code: u16,
        #[case] is_asked_again: bool,
    ) {
        let mut looks = 0;
        let waited = until("another answer", PATIENCE, async || {
            looks += 1;
            match looks {
                1 => Err(refused(code)),
                _ => Ok(Seen::Yes(())),
            }
        });
        assert_eq!(waited.await.is_ok(), is_asked_again);
        assert_eq!(looks > 1, is_asked_again);
    }

    fn refused(code: u16) -> Failure {
        let status = Status {
            code,
            ..Status::default()
        };
        kube::Error::Api(Box::new(status)).into()
    }

    #[tokio::test]
    async fn a_look_that_fails_ends_the_wait() {
        let waited = until("nothing", PATIENCE, async || {
            Err::<Seen<()>, _>(Failure::FindGo)
        });
        assert!(matches!(waited.await, Err(Failure::FindGo)));
    }
}
