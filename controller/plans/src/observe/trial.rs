//! Dry runs: requests for the result of a write that the API server does not store.

use portolan_api::plan::OnImmutable;
use portolan_core_install::{
    Drift, Forced, Member, Members, ObjectRead, ObjectRef, Observation, OwnedField, Trial, manager,
};
use portolan_core_olm::messages::{is_of_dry_run, is_of_webhook};
use portolan_runtime::{FencedClient, Write, WriteFailure};
use serde_json::{Value, json};

use super::{Looker, ReadResult};
use crate::write::{applied, conflict, placed};

/// The result of the dry run of a manifest, with the resulting object.
pub(crate) struct Preview {
    pub(crate) trial: Trial,
    /// The fields that other managers own with other values. None if there are no such fields.
    pub(crate) conflicts: Option<Vec<OwnedField>>,
    /// The resulting object. None if it is unknown.
    pub(crate) after: Option<Value>,
}

impl Looker<'_> {
    /// Makes a dry run of a manifest for a new or existing object. Returns the result, and the
    /// fields that other managers own with other values.
    pub(super) async fn trial(
        &self,
        seen: &Observation,
        member: &Member,
    ) -> Result<(Trial, Option<Vec<OwnedField>>), WriteFailure> {
        let tried = self.tried(seen, member).await;
        self.judge(seen, member, tried).await
    }

    /// Makes a dry run like [`trial`](Self::trial), and also returns the resulting object. If other
    /// managers own fields, the resulting object comes from a forced dry run, so that it shows the
    /// complete change.
    pub(crate) async fn preview(
        &self,
        seen: &Observation,
        member: &Member,
    ) -> Result<Preview, WriteFailure> {
        let tried = self.tried(seen, member).await;
        let mut after = tried.as_ref().ok().cloned().flatten();
        let (trial, conflicts) = self.judge(seen, member, tried).await?;
        if conflicts.is_some()
            && let Some((_, Ok(forced))) = self.forced(seen, member).await?
        {
            after = Some(forced);
        }
        Ok(Preview {
            trial,
            conflicts,
            after,
        })
    }

    /// Makes a strict dry run of a member without force.
    async fn tried(
        &self,
        seen: &Observation,
        member: &Member,
    ) -> Result<Option<Value>, WriteFailure> {
        let tried = self.theirs_of(seen, member).dry_run().strict();
        let write = match uid(seen, member) {
            Some(uid) => applied(seen, member, uid, None)?.unforced(),
            None => Write::create_by_apply(member.applied(&seen.plan.lineage))?,
        };
        let write = placed(seen, member, write);
        let written = tried.write(&write).await?;
        Ok(written.map(|object| json!(object)))
    }

    /// Converts the outcome of a dry run to the result for the member.
    async fn judge(
        &self,
        seen: &Observation,
        member: &Member,
        tried: Result<Option<Value>, WriteFailure>,
    ) -> Result<(Trial, Option<Vec<OwnedField>>), WriteFailure> {
        match tried {
            Err(WriteFailure::Refused(sentence)) if !is_of_dry_run(&sentence) => {
                let is_change = uid(seen, member).is_some();
                let may_be_made_again = member.lifecycle.on_immutable == OnImmutable::Recreate;
                if is_change && may_be_made_again && self.takes_another(seen, member).await? {
                    return Ok((Trial::Immutable, None));
                }
                Ok((Trial::Refused(sentence), None))
            }
            Err(WriteFailure::FieldsOwned(fields)) => {
                let conflicts = fields.into_iter().map(conflict).collect();
                Ok((Trial::Accepted, Some(conflicts)))
            }
            ended => Ok((judged(ended)?, None)),
        }
    }

    /// Makes a dry run of the first run of a Job.
    pub(super) async fn job_trial(
        &self,
        seen: &Observation,
        members: &Members,
        place: usize,
    ) -> Result<ReadResult, WriteFailure> {
        let (Some(job), Ok(intent)) = (members.jobs().get(place), &seen.intent) else {
            return Ok(ReadResult::Moved(ObjectRef::default()));
        };
        let owner = seen.job_owner(intent);
        let write = Write::create_by_apply(job.manifest(owner, 1))?;
        let tried = self.theirs.dry_run().strict();
        let trial = judged(tried.write(&write).await)?;
        Ok(ReadResult::Trial(job.identity(owner, 1), trial, None))
    }

    /// Returns true if the API server accepts the manifest with another object name. In this case,
    /// the API server has rejected only the change of the existing object.
    async fn takes_another(
        &self,
        seen: &Observation,
        member: &Member,
    ) -> Result<bool, WriteFailure> {
        let mut other = member.applied(&seen.plan.lineage);
        other["metadata"]["name"] = json!(other_name(&member.identity.name));
        let write = placed(seen, member, Write::create(other)?);
        match self.theirs.dry_run().strict().write(&write).await {
            Ok(_) => Ok(true),
            Err(WriteFailure::Lost(sentence)) => Err(WriteFailure::Lost(sentence)),
            Err(_) => Ok(false),
        }
    }

    /// Returns the changes that a forced apply would make.
    pub(super) async fn forced_trial(
        &self,
        seen: &Observation,
        member: &Member,
    ) -> Result<ReadResult, WriteFailure> {
        let identity = member.identity.clone();
        let Some((before, tried)) = self.forced(seen, member).await? else {
            return Ok(ReadResult::Moved(identity));
        };
        let forced = match tried {
            Ok(after) => Forced::of(before, &after),
            // A rejected dry run counts as a change.
            Err(sentence) => Forced {
                version: resource_version(before).to_owned(),
                changed: vec![sentence],
            },
        };
        Ok(ReadResult::ForcedTrial(identity, forced))
    }

    /// Returns the changes that a forced apply would make to repair a member.
    pub(super) async fn drift(
        &self,
        seen: &Observation,
        member: &Member,
    ) -> Result<ReadResult, WriteFailure> {
        let identity = member.identity.clone();
        let Some((before, tried)) = self.forced(seen, member).await? else {
            return Ok(ReadResult::Moved(identity));
        };
        let drift = Drift::of(before, tried.as_ref().map_err(String::clone));
        Ok(ReadResult::Drift(identity, drift))
    }

    /// Returns the client whose field manager belongs to the lineage of a member.
    fn theirs_of(&self, seen: &Observation, member: &Member) -> FencedClient {
        let lineage = seen.lineage_of(&member.identity);
        self.theirs.managed_by(&manager(lineage))
    }

    /// Returns an object, with the result of a forced dry run or with the reason why the API server
    /// rejects the dry run. Returns None if the object has changed since it was read.
    async fn forced<'o>(
        &self,
        seen: &'o Observation,
        member: &Member,
    ) -> Result<Option<(&'o Value, Result<Value, String>)>, WriteFailure> {
        let Some(ObjectRead::Present(before)) = seen.objects.get(&member.identity) else {
            return Ok(None);
        };
        let uid = before.pointer("/metadata/uid").unwrap_or(&Value::Null);
        let write = applied(seen, member, uid, Some(resource_version(before)))?;
        let write = placed(seen, member, write);
        let theirs = self.theirs_of(seen, member).dry_run();
        let tried = match theirs.write(&write).await {
            Ok(Some(after)) => Ok(json!(after)),
            Ok(None) | Err(WriteFailure::Conflict(_)) => return Ok(None),
            Err(WriteFailure::Refused(sentence)) => Err(sentence),
            Err(WriteFailure::Lost(sentence)) if is_of_webhook(&sentence) => Err(sentence),
            Err(failure) => return Err(failure),
        };
        Ok(Some((before, tried)))
    }
}

/// Returns the uid of the existing object of a member. Returns None if the object does not exist.
fn uid<'o>(seen: &'o Observation, member: &Member) -> Option<&'o Value> {
    match seen.objects.get(&member.identity) {
        Some(ObjectRead::Present(object)) => object.pointer("/metadata/uid"),
        Some(ObjectRead::Absent | ObjectRead::Unreadable(_) | ObjectRead::Unanswered(_)) | None => {
            None
        }
    }
}

/// Returns a different name of the same length, which probably no object has.
fn other_name(name: &str) -> String {
    let turned = name.bytes().map(|byte| match byte {
        b'a'..=b'y' | b'0'..=b'8' => byte + 1,
        b'z' => b'a',
        b'9' => b'0',
        other => other,
    });
    let turned: Vec<_> = turned.collect();
    String::from_utf8_lossy(&turned).into_owned()
}

fn resource_version(object: &Value) -> &str {
    let version = object.pointer("/metadata/resourceVersion");
    version.and_then(Value::as_str).unwrap_or_default()
}

/// Converts the outcome of a dry run to the result for the manifest.
fn judged<T>(ended: Result<T, WriteFailure>) -> Result<Trial, WriteFailure> {
    match ended {
        Ok(_) | Err(WriteFailure::FieldsOwned(_)) => Ok(Trial::Accepted),
        Err(WriteFailure::Conflict(_)) => Ok(Trial::Undecided),
        Err(WriteFailure::Refused(sentence)) if is_of_dry_run(&sentence) => Ok(Trial::Undecided),
        Err(WriteFailure::Refused(sentence)) => Ok(Trial::Refused(sentence)),
        Err(WriteFailure::Lost(sentence)) if is_of_webhook(&sentence) => Ok(Trial::Undecided),
        Err(failure @ WriteFailure::Lost(_)) => Err(failure),
    }
}
