//! Finds the permissions that the ServiceAccount of a plan lacks.

use std::collections::BTreeSet;

use portolan_api::plan::{Intent, OnImmutable, Reason, Source};
use portolan_core_names::ObjectRef;
use portolan_core_names::text::listed_up_to;

use super::account::unusable_account;
use super::decision::Ask;
use super::observation::Observation;
use super::report::{Missing, UndatedCondition};
use super::{Halt, discovery, transform};
use crate::discovery::Discovery;
use crate::manifest::{Member, Members};
use crate::permissions::{Access, Grant, Needs};

/// The maximum number of rules or roles in one message. The limit exists because the size of a
/// status is limited.
const MOST: usize = 20;

/// The permissions that a plan lacks.
pub(super) struct Lacking {
    pub(super) said: UndatedCondition,
    pub(super) missing: Missing,
}

/// Returns the permissions that the ServiceAccount needs to carry out the plan, and to delete these
/// objects of earlier plans.
pub(super) fn needs(
    observed: &Observation,
    members: &Members,
    discovery: &Discovery,
    (intent, deleted): (&Intent, &[&Member]),
) -> Needs {
    let known = discovery.with_definitions(members);
    let goes = |member: &&Member| {
        let is_made_again = member.lifecycle.on_immutable == OnImmutable::Recreate;
        is_made_again || member.is_deleted_with(intent.on_plan_deletion)
    };
    let going = members.iter().filter(goes);
    let going = going.chain(deleted.iter().copied());
    let namespace = observed.plan.identity.namespace.as_deref();
    let needs = Needs::of(members, &known, &observed.roles);
    let needs = needs.and_delete(going, &known).and_run(members, namespace);
    needs.and_take(transform::places(&intent.transformations), discovery)
}

/// Returns the missing permissions if the ServiceAccount may not read Secrets that the plan refers
/// to. They include the permissions for these Secrets, and for all members that can be read.
/// Returns None if the ServiceAccount may read the Secrets.
pub(super) fn denied_secrets(
    observed: &Observation,
    intent: &Intent,
) -> Result<Option<Lacking>, Halt> {
    let secrets = observed.contents.secrets.iter();
    let denied: BTreeSet<_> = secrets
        .filter(|(_, found)| found.is_err())
        .map(|(name, _)| name.as_str())
        .collect();
    if denied.is_empty() || unusable_account(observed, intent)?.is_some() {
        return Ok(None);
    }
    let discovery = discovery(observed)?;
    let known = without_secrets(intent, &denied);
    let members = Members::read(&known, &observed.plan.identity, &observed.contents);
    let members = members.unwrap_or_default();
    let unknown = observed.roles.unknown(&members);
    if !unknown.is_empty() {
        return Err(Halt::Ask(unknown.into_iter().map(Ask::Role).collect()));
    }
    let access = |name: &&str| Access {
        verb: "get".to_owned(),
        resource: "secrets".to_owned(),
        namespace: observed.plan.identity.namespace.clone(),
        name: Some((*name).to_owned()),
        ..Access::default()
    };
    let needs = needs(observed, &members, discovery, (&known, &[]));
    lacking(observed, intent, &needs.and_hold(denied.iter().map(access)))
}

/// Returns a copy of the plan without the resources whose manifests are stored in these Secrets.
fn without_secrets(intent: &Intent, secrets: &BTreeSet<&str>) -> Intent {
    let mut known = intent.clone();
    for stage in &mut known.stages {
        stage.ready.clear();
        stage.resources.retain(|resource| match &resource.source {
            Source::Secret(name) => !secrets.contains(name.as_str()),
            Source::Inline(_) | Source::ResourceManifest(_) => true,
        });
    }
    known
}

/// Returns the permissions that the ServiceAccount of a plan lacks. Returns None if no permission
/// is missing.
pub(super) fn lacking(
    observed: &Observation,
    intent: &Intent,
    needs: &Needs,
) -> Result<Option<Lacking>, Halt> {
    let account = &intent.service_account;
    let reviews = needs.reviews(&observed.answers);
    if !reviews.is_empty() {
        return Err(Halt::Ask(reviews.into_iter().map(Ask::Review).collect()));
    }
    let missing = needs.missing(&observed.answers);
    if missing.is_empty() {
        return Ok(None);
    }
    let mut sentence = format!(
        "the ServiceAccount {account} lacks rules, {}",
        list_rules(&missing)
    );
    let large = needs.large(&observed.answers);
    if !large.is_empty() {
        let roles = listed_up_to(MOST, large);
        sentence.push_str(&format!(
            ". The rules of {roles} are too many to be checked one by one"
        ));
    }
    sentence.push_str(&format!("; {}", remedy(observed)));
    Ok(Some(Lacking {
        said: UndatedCondition::no(Reason::PermissionMissing, sentence),
        missing: Missing {
            rules: missing.iter().map(Grant::missing_rule).collect(),
            ..Missing::default()
        },
    }))
}

/// Returns the rules as text. Only the first [`MOST`] rules are listed.
fn list_rules(missing: &[Grant]) -> String {
    let mut told: Vec<_> = missing.iter().take(MOST).map(ToString::to_string).collect();
    if let Some(more) = missing.len().checked_sub(MOST).filter(|more| *more > 0) {
        told.push(format!("and {more} more"));
    }
    told.join("; ")
}

/// Returns the end of a sentence with the command that prints roles with the missing rules.
fn remedy(observed: &Observation) -> String {
    let ObjectRef {
        namespace, name, ..
    } = &observed.plan.identity;
    let namespace = namespace.as_deref().unwrap_or_default();
    format!("`portolan plan permissions {name} -n {namespace}` prints the roles to apply")
}
