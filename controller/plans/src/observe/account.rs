//! Reads the ServiceAccount of a plan and its permissions.

use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec, SubjectAccessReview,
    SubjectAccessReviewSpec,
};
use kube::Api;
use kube::api::{ObjectMeta, PostParams};
use portolan_api::plan::ENABLED;
use portolan_core_install::{Access, Account, ObjectRef};
use portolan_runtime::{FencedClient, ResourceRef, User, WriteFailure};
use serde_json::{Value, json};

use super::Looker;

/// Returns true if a ServiceAccount has a permission.
///
/// # Errors
/// Returns an error if the API server does not respond.
pub(crate) async fn may(
    client: &FencedClient,
    (namespace, account): (&str, &str),
    access: &Access,
) -> Result<bool, WriteFailure> {
    let User { name, .. } = User::service_account(namespace, account);
    let groups = User::groups_of_service_account(namespace);
    reviewed(client, access.review(&name, &groups)).await
}

/// Returns true if a user has a permission.
///
/// # Errors
/// Returns an error if the API server does not respond.
pub(crate) async fn reviewed(
    client: &FencedClient,
    spec: SubjectAccessReviewSpec,
) -> Result<bool, WriteFailure> {
    let review = SubjectAccessReview {
        spec,
        ..SubjectAccessReview::default()
    };
    let reviews = Api::all(client.client());
    let params = PostParams::default();
    let answer = client.read(reviews.create(&params, &review)).await?;
    Ok(answer.status.is_some_and(|status| status.allowed))
}

/// Reads a role. Returns None if the role does not exist, or if the controller may not read the
/// role.
///
/// # Errors
/// Returns an error if the API server does not respond.
pub(crate) async fn role_of(
    client: &FencedClient,
    role: &ObjectRef,
) -> Result<Option<Value>, WriteFailure> {
    let version = format!("{}/v1", role.kind.group);
    let at = ResourceRef::new(
        &version,
        &role.kind.kind,
        role.namespace.as_deref(),
        &role.name,
    );
    match client.find(&at).await {
        Ok(found) => Ok(found.map(|role| json!(role))),
        Err(WriteFailure::Refused(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

impl Looker<'_> {
    pub(super) async fn account(&self) -> Result<Account, WriteFailure> {
        let namespace = ResourceRef::new("v1", "Namespace", None, self.namespace);
        let namespace = self.own.find(&namespace).await?;
        let metadata = namespace.map(|namespace| namespace.metadata);
        let metadata = metadata.unwrap_or_default();
        let account = self.account_in(&metadata).await?;
        // While the ServiceAccount is being deleted, its permissions may disappear at any time and
        // in any order.
        let leaves = metadata.deletion_timestamp.is_some() && account != Account::There;
        Ok(if leaves { Account::Leaving } else { account })
    }

    async fn account_in(&self, namespace: &ObjectMeta) -> Result<Account, WriteFailure> {
        let enabled = namespace
            .labels
            .as_ref()
            .and_then(|labels| labels.get(ENABLED.name()));
        if enabled.is_none_or(|word| word != "true") {
            return Ok(Account::NotEnabled);
        }
        if !self.may_impersonate().await? {
            return Ok(Account::NotGranted);
        }
        let account = ResourceRef::new("v1", "ServiceAccount", Some(self.namespace), self.account);
        match self.own.find(&account).await {
            Ok(Some(account)) if account.metadata.deletion_timestamp.is_none() => {
                Ok(Account::There)
            }
            Ok(_) => Ok(Account::Missing),
            Err(WriteFailure::Refused(_)) => Ok(Account::NotGranted),
            Err(failure) => Err(failure),
        }
    }

    async fn may_impersonate(&self) -> Result<bool, WriteFailure> {
        let review = SelfSubjectAccessReview {
            spec: SelfSubjectAccessReviewSpec {
                resource_attributes: Some(ResourceAttributes {
                    verb: Some("impersonate".to_owned()),
                    resource: Some("serviceaccounts".to_owned()),
                    namespace: Some(self.namespace.to_owned()),
                    name: Some(self.account.to_owned()),
                    ..ResourceAttributes::default()
                }),
                ..SelfSubjectAccessReviewSpec::default()
            },
            ..SelfSubjectAccessReview::default()
        };
        let reviews = Api::all(self.own.client());
        let params = PostParams::default();
        let answer = self.own.read(reviews.create(&params, &review)).await?;
        Ok(answer.status.is_some_and(|status| status.allowed))
    }
}
