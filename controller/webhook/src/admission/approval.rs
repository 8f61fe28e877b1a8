//! The approval of an Install: permission checks and the stamp.

use jiff::Timestamp;
use portolan_api::installs::{Install, Permission, Status};
use portolan_core_grants::{
    APPROVES, Approver, Giver, STAMP, Stamp, StampKey, account_name, approval_digest,
    content_digest, giver,
};
use portolan_core_install::Answers;
use portolan_core_names::text::{listed_up_to, pointer_step};
use serde_json::{Value, json};

use crate::admission::{Kind, Operation, Refused, Request, Response};

const FIELD: &str = "spec.approval";
/// The maximum number of rules in an error message.
const MOST: usize = 5;
/// The maximum length of a stamp. All annotations of an object together may have a quarter of a
/// megabyte.
const LONGEST: usize = 128 * 1024;

/// The decision about an approval.
#[derive(Debug, Clone, PartialEq)]
pub enum Approval {
    /// No stamp is needed. The response may be a rejection.
    Answered(Response),
    /// No stamp is needed. The JSON patch removes a stamp from the author, because it may belong to
    /// other content.
    Unstamped(Response, Value),
    /// The Install must be stamped if the user may grant the permissions.
    Asked(Box<ApprovalRequest>),
}

/// An approval of permissions.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRequest {
    stamp: Stamp,
    response: Response,
    has_annotations: bool,
}

/// Returns the decision about a request to approve an Install.
pub fn approval(request: &Request) -> Approval {
    let allowed = Response::allowed(request);
    if !begins(request) {
        return Approval::Answered(allowed);
    }
    if request.operation == Operation::Create {
        let sentence = "the required permissions are still unknown; spec.approval is reset to \
                        Unapproved if any are required";
        return Approval::Answered(allowed.warning(sentence));
    }
    match asked(request) {
        Ok(Some(stamp)) => {
            let annotations = &request.object["metadata"]["annotations"];
            Approval::Asked(Box::new(ApprovalRequest {
                has_annotations: annotations.is_object(),
                stamp,
                response: allowed,
            }))
        }
        Ok(None) => match without_stamp(request) {
            Some(patch) => Approval::Unstamped(allowed, patch),
            None => Approval::Answered(allowed),
        },
        Err(sentence) => Approval::Answered(refused(allowed, sentence)),
    }
}

/// Returns the stamp on an Install.
fn stamp(install: &Value) -> Option<&Value> {
    install["metadata"]["annotations"].get(STAMP)
}

/// Returns the JSON pointer to the stamp.
fn pointer() -> String {
    format!("/metadata/annotations/{}", pointer_step(STAMP))
}

/// Returns the patch that restores the previous stamp. Returns None if the author has not changed
/// it.
fn without_stamp(request: &Request) -> Option<Value> {
    let [before, now] = [&request.old_object, &request.object].map(stamp);
    if now.is_none() || now == before {
        return None;
    }
    Some(match before {
        Some(before) => json!([{"op": "add", "path": pointer(), "value": before}]),
        None => json!([{"op": "remove", "path": pointer()}]),
    })
}

/// Returns true if this request approves the Install.
fn begins(request: &Request) -> bool {
    let is_approved = |object: &Value| object["spec"]["approval"] == "Approved";
    let is_going = !request.object["metadata"]["deletionTimestamp"].is_null();
    request.kind == Some(Kind::Install)
        && request.operation != Operation::Other
        && !is_going
        && is_approved(&request.object)
        && !is_approved(&request.old_object)
}

/// Returns the stamp to write. Returns None if no permissions are missing.
fn asked(request: &Request) -> Result<Option<Stamp>, String> {
    let (old, new) = (&request.old_object, &request.object);
    let content = content_digest(&new["spec"]);
    if content_digest(&old["spec"]) != content {
        return Err(
            "is set together with other content; change the content first, and check which \
             permissions it requests"
                .to_owned(),
        );
    }
    // Users may write any status together with the spec. The status of the existing object was
    // written by the controller.
    let status: Option<Status> = serde_json::from_value(old["status"].clone()).ok();
    let status = status.unwrap_or_default();
    let install: Option<Install> = serde_json::from_value(json!({
        "metadata": old["metadata"], "spec": {},
    }))
    .ok();
    let metadata = install.map(|it| it.metadata).unwrap_or_default();
    if metadata.generation.is_none() || status.observed_generation != metadata.generation {
        return Err(
            "is set before the controller has reconciled the current Install; try again in a moment"
                .to_owned(),
        );
    }
    let permissions = status.pending.map(|it| it.permissions).unwrap_or_default();
    if permissions.is_empty() {
        return Ok(None);
    }
    let uid = metadata.uid.unwrap_or_default();
    let account = status.service_account_ref.unwrap_or_default();
    if account.name != account_name(&request.name, &uid) {
        return Err(format!(
            "would give permissions to {}/{}, which was not created for only this Install; approve \
             it with kubectl operator approve install/{} --account={}/{}",
            account.namespace, account.name, request.name, account.namespace, account.name
        ));
    }
    let digest = approval_digest(
        (&uid, &old["spec"]),
        &account,
        &status.resolved,
        &permissions,
    );
    names_digest(request, &digest)?;
    Ok(Some(Stamp {
        approver: request.user.clone(),
        install: uid,
        content,
        account,
        permissions,
        at: Timestamp::UNIX_EPOCH,
    }))
}

/// Checks that the change contains the digest of the approved content. A digest that was set
/// earlier may come from another user.
fn names_digest(request: &Request, digest: &str) -> Result<(), String> {
    let [before, now] = [&request.old_object, &request.object]
        .map(|it| it["metadata"]["annotations"][APPROVES].as_str());
    if now != Some(digest) {
        return Err(format!(
            "does not name the approved content; read status.pending, and set the annotation \
             {APPROVES} to its digest in the same change"
        ));
    }
    if before == now {
        return Err(format!(
            "needs the annotation {APPROVES} in the same change, but the annotation was set \
             before; remove the annotation first"
        ));
    }
    Ok(())
}

fn refused(response: Response, sentence: String) -> Response {
    Response {
        refused: vec![Refused {
            field: FIELD.to_owned(),
            sentence,
        }],
        ..response
    }
}

// === impl ApprovalRequest ===

impl ApprovalRequest {
    /// Returns the approver whose permissions are checked.
    pub fn approver(&self) -> &Approver {
        &self.stamp.approver
    }

    /// Returns the result of the check that the user may grant all permissions, based on the access
    /// reviews.
    pub fn giver(&self, answers: &Answers) -> Giver {
        giver(&self.stamp.permissions, answers)
    }

    /// Returns the rejection for a user who may not grant these permissions.
    pub fn refused(self, lacking: &[Permission]) -> Response {
        let rules = lacking.iter().map(|it| json!(it).to_string());
        let sentence = format!(
            "requires a user who can grant the permissions of the content, but user {} cannot \
             grant {}",
            self.stamp.approver.user,
            listed_up_to(MOST, rules)
        );
        refused(self.response, sentence)
    }

    /// Returns the response for a user who may grant the permissions, and the JSON patch with the
    /// stamp.
    pub fn stamped(mut self, key: &StampKey, now: Timestamp) -> (Response, Value) {
        self.stamp.at = now;
        let text = self.stamp.sealed(key);
        if text.len() > LONGEST {
            return (self.too_much(), json!([]));
        }
        let stamp = json!({
            "op": "add", "path": pointer(), "value": text,
        });
        let place = json!({"op": "add", "path": "/metadata/annotations", "value": {}});
        let patch = if self.has_annotations {
            json!([stamp])
        } else {
            json!([place, stamp])
        };
        (self.response, patch)
    }

    /// Rejects an approval with more permissions than can be checked in time.
    pub fn too_much(self) -> Response {
        let sentence = "requires more permissions than the webhook can check; approve it with \
            kubectl operator approve";
        refused(self.response, sentence.to_owned())
    }
}
