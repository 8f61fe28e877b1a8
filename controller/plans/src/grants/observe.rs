//! Reads the facts that a decision about an Install requests.

mod given;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::{StreamExt, TryStreamExt};
use portolan_api::installs::Permission;
use portolan_core_grants::{
    AccountSight, Approvals, Ask, GUARD, ImageAnswer, ImageRef, Observation, StampKey, is_guarded,
};
use portolan_core_install::{Access, Discovery, ObjectRef};
use portolan_runtime::{FencedClient, ResourceRef, WriteFailure};
use serde_json::Value;

use crate::discovery::DiscoveryCache;
use crate::grants::{ApprovalKey, Images};
use crate::observe::{may, reviewed, role_of};

/// The maximum number of concurrent reads.
const AT_ONCE: usize = 8;

/// The result of reading one fact.
enum ReadResult {
    Discovery(Arc<Discovery>),
    Role(ObjectRef, Option<Value>),
    Review(Access, bool),
    Account(AccountSight),
    Image(ImageRef, ImageAnswer),
    Approvals(Approvals),
    Approver(Access, bool),
    Given(Vec<Permission>),
    Bound(Vec<Value>),
}

/// Reads all requested facts into the observation. Permission reviews check the ServiceAccount that
/// installs the content.
///
/// # Errors
/// Returns an error if a read fails.
pub(crate) async fn look(
    client: &FencedClient,
    discovery: &DiscoveryCache,
    (images, approvals): (&impl Images, Option<&ApprovalKey>),
    asks: impl IntoIterator<Item = Ask>,
    observed: &mut Observation,
) -> Result<(), WriteFailure> {
    let uid = observed.install.metadata.uid.clone().unwrap_or_default();
    let looks = asks
        .into_iter()
        .map(|ask| one(client, discovery, (images, approvals), (&uid, ask)));
    let looks = futures::stream::iter(looks).buffer_unordered(AT_ONCE);
    let found: Vec<_> = looks.try_collect().await?;
    for each in found {
        match each {
            ReadResult::Discovery(discovery) => observed.discovery = Some((*discovery).clone()),
            ReadResult::Role(identity, role) => observed.roles.insert(identity, role.as_ref()),
            ReadResult::Review(access, is_allowed) => {
                observed.answers.insert(access, is_allowed);
            }
            ReadResult::Account(object_read) => observed.account = Some(object_read),
            ReadResult::Approvals(approvals) => observed.approvals = approvals,
            ReadResult::Approver(access, is_allowed) => {
                observed.approver.insert(access, is_allowed);
            }
            ReadResult::Given(given) => observed.given = Some(given),
            ReadResult::Bound(bound) => observed.bound = Some(bound),
            ReadResult::Image(asked, answer) => {
                observed.images.insert(asked, answer);
            }
        }
    }
    Ok(())
}

async fn one(
    client: &FencedClient,
    discovery: &DiscoveryCache,
    (images, approvals): (&impl Images, Option<&ApprovalKey>),
    (install, ask): (&str, Ask),
) -> Result<ReadResult, WriteFailure> {
    Ok(match ask {
        Ask::Discovery => ReadResult::Discovery(discovery.read(client, false).await?),
        Ask::Key => ReadResult::Approvals(if is_guarded_on(client).await? {
            Approvals::Sealed(key(client, approvals).await?)
        } else {
            Approvals::Unguarded
        }),
        Ask::ReviewApprover(approver, access) => {
            let is_allowed = reviewed(client, approver.review(&access)).await?;
            ReadResult::Approver(access, is_allowed)
        }
        Ask::Image(asked) => {
            let answer = images.answer(&asked).await;
            ReadResult::Image(asked, answer)
        }
        Ask::Role(role) => {
            let found = role_of(client, &role).await?;
            ReadResult::Role(role, found)
        }
        Ask::Given(account) => {
            let given = given::given(client, (install, &account)).await?;
            ReadResult::Given(given)
        }
        Ask::Bound(roles) => ReadResult::Bound(given::bound_to(client, &roles).await?),
        Ask::Review(account, access) => {
            let account = (&*account.namespace, &*account.name);
            let is_allowed = may(client, account, &access).await?;
            ReadResult::Review(access, is_allowed)
        }
        Ask::Account(account) => {
            let at = ResourceRef::new("v1", "ServiceAccount", &*account.namespace, &account.name);
            let found = client.find(&at).await?;
            ReadResult::Account(found.map_or(AccountSight::Missing, |account| {
                let owners = account.metadata.owner_references.into_iter().flatten();
                AccountSight::Owned(owners.map(|owner| owner.uid).collect())
            }))
        }
    })
}

/// Returns true if the cluster has all objects that reject forged signatures of approvals.
async fn is_guarded_on(client: &FencedClient) -> Result<bool, WriteFailure> {
    let look = async |kind: &str| {
        let at = ResourceRef::new("admissionregistration.k8s.io/v1", kind, None, GUARD);
        let found = match client.find(&at).await {
            Err(WriteFailure::Refused(_)) => None,
            found => found?,
        };
        Ok::<_, WriteFailure>(found.map_or(Value::Null, |it| it.data))
    };
    let configuration = look("MutatingWebhookConfiguration").await?;
    let policy = look("ValidatingAdmissionPolicy").await?;
    let binding = look("ValidatingAdmissionPolicyBinding").await?;
    Ok(is_guarded(&configuration, &policy, &binding))
}

/// Returns the key that signs approvals. Returns None if the webhook has not created the key yet.
async fn key(
    client: &FencedClient,
    approvals: Option<&ApprovalKey>,
) -> Result<Option<StampKey>, WriteFailure> {
    let Some(ApprovalKey { namespace, secret }) = approvals else {
        return Ok(None);
    };
    let at = ResourceRef::new("v1", "Secret", &**namespace, secret);
    let found = client.find(&at).await?;
    let text = found.and_then(|it| Some(it.data.get("data")?.get("key")?.as_str()?.to_owned()));
    Ok(text.and_then(|text| StampKey::new(STANDARD.decode(text).ok()?)))
}
