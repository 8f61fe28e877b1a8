//! Decides about approvals of Installs. A stamp is a signed annotation that names the approver.

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
/// The maximum length of a stamp. All annotations of an object together may have at most 256 KiB.
const LONGEST: usize = 128 * 1024;

/// The decision about a request that may approve an Install.
#[derive(Debug, Clone, PartialEq)]
pub enum Approval {
    /// No stamp is needed. The response may reject the request.
    Answered(Response),
    /// No stamp is needed, but the author has written a stamp. The JSON patch restores the previous
    /// stamp, because the stamp of the author may belong to other content.
    Unstamped(Response, Value),
    /// The Install must be stamped if the approver may grant the permissions.
    Asked(Box<ApprovalRequest>),
}

/// An approval that grants permissions. The permissions of the approver must be checked.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRequest {
    stamp: Stamp,
    response: Response,
    has_annotations: bool,
}

/// Decides about a request. If the request does not approve an Install, it is allowed.
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

/// Returns the stamp of an Install.
fn stamp(install: &Value) -> Option<&Value> {
    install["metadata"]["annotations"].get(STAMP)
}

/// Returns the JSON pointer of the stamp.
fn pointer() -> String {
    format!("/metadata/annotations/{}", pointer_step(STAMP))
}

/// Returns the JSON patch that restores the previous stamp. Returns None if the author has written
/// no other stamp.
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

/// Returns true if this request changes `spec.approval` of an Install to Approved.
fn begins(request: &Request) -> bool {
    let is_approved = |object: &Value| object["spec"]["approval"] == "Approved";
    let is_going = !request.object["metadata"]["deletionTimestamp"].is_null();
    request.kind == Some(Kind::Install)
        && request.operation != Operation::Other
        && !is_going
        && is_approved(&request.object)
        && !is_approved(&request.old_object)
}

/// Returns the stamp for the Install, without its time. Returns None if the Install needs no
/// permissions. Returns an error if this request cannot approve the Install.
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
    // Only the status of the existing object comes from the controller. The author of the request
    // can write any status into the new object.
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

/// Checks that the request sets the annotation with the digest of the approved content. An
/// annotation that was set earlier is not accepted, because it may come from another user.
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
    /// Returns the user who approves the Install.
    pub fn approver(&self) -> &Approver {
        &self.stamp.approver
    }

    /// Decides if the approver may grant all permissions. May request access reviews. `answers`
    /// contains the results of earlier access reviews.
    pub fn giver(&self, answers: &Answers) -> Giver {
        giver(&self.stamp.permissions, answers)
    }

    /// Returns a response that rejects the request, because the approver may not grant these
    /// permissions.
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

    /// Returns a response that allows the request, and the JSON patch that adds the stamp. If the
    /// stamp is too long, the response rejects the request.
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

    /// Returns a response that rejects the request, because it has more permissions than the
    /// webhook can check.
    pub fn too_much(self) -> Response {
        let sentence = "requires more permissions than the webhook can check; approve it with \
            kubectl operator approve";
        refused(self.response, sentence.to_owned())
    }
}
