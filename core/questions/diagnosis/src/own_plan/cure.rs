//! Cures for plans.

use portolan_api::installs::INSTALL;
use portolan_api::operator::OPERATOR;
use portolan_api::plan::{
    ABANDON, Breadth, CONTROLLER_ROLE, Collisions, ENABLED, MemberState, MemberStatus, OnDrift,
    RETRY, Reason, missing_roles,
};
use serde_json::{Value, json};

use super::{PlanCase, guilty};
use crate::command::{self, JOBS, Target};
use crate::{Cause, Change, Cure, Fix, Object, Purpose, Step};

/// The ServiceAccount of the controller that executes plans, with its name in the overlay and the
/// chart.
const CONTROLLER: &str = "portolan:portolan-controller";

impl<'a> PlanCase<'a> {
    /// Adds the cure to the cause.
    pub(super) fn cured(
        self,
        cause: Cause,
        reason: Reason,
        member: Option<&MemberStatus>,
    ) -> Cause {
        let cure = match reason {
            Reason::SpecInvalid
            | Reason::ManifestInvalid
            | Reason::OrderInvalid
            | Reason::ManifestsChanged
            | Reason::LineagesDiffer
            | Reason::AlreadyReplaced
            | Reason::DryRunRejected => self.another_plan(),
            Reason::ReferenceMissing => self.reference(),
            Reason::KindNotServed => Cure::external(
                "The provider of the CRD of the kind. The plan continues by itself once the kind is served.",
            ),
            Reason::PermissionMissing => self.permission(),
            Reason::ServiceAccountMissing => self.account(),
            Reason::NamespaceNotEnabled => self.enabled(),
            Reason::Suspended => self.suspended(),
            Reason::SelectionTooLarge => Cure::external(
                "The author of the plan: transformations are immutable. Create another plan that \
                 selects fewer objects or has a larger `max`.",
            ),
            Reason::WriteRejected => self.webhook().unwrap_or_else(|| {
                Cure::external(
                    "The owner of the webhook, policy or quota that refuses the write. The plan \
                     retries by itself.",
                )
            }),
            Reason::StageDeadlineExceeded | Reason::MembersNotReady | Reason::MembersFailed => {
                self.webhook().unwrap_or_else(|| {
                    Cure::external(
                        "The owner of the object: its status names the reason. The plan continues \
                         once the object is ready.",
                    )
                })
            }
            Reason::JobFailed => Cure::Fixable(vec![self.retry(
                "Run the Job again after its error is fixed.",
                "The Job fails again if its error was not fixed.",
            )]),
            Reason::ObjectNotOwned | Reason::FieldConflict => self.collision(reason, member),
            Reason::DriftContested => Cure::Fixable(self.contested()),
            Reason::DeletionBlocked => self.blocked(member),
            Reason::Applying
            | Reason::NotObserved
            | Reason::RemovingLeftovers
            | Reason::HandingOver
            | Reason::Deleting
            | Reason::Waiting
            | Reason::PlanValid
            | Reason::PermissionsSufficient
            | Reason::AllApplied
            | Reason::Superseded
            | Reason::AllReady
            | Reason::NotDrifted
            | Reason::MembersDrifted
            | Reason::NotWatched
            | Reason::NotReplaced
            | Reason::HandedOver
            | Reason::ObjectsRemain => Cure::Time,
        };
        let steps = match cure {
            Cure::Time => Vec::new(),
            Cure::Fixable(_) | Cure::External(_) => self.look(&cause.guilty, reason),
        };
        Cause {
            steps,
            ..cause.cured(cure)
        }
    }

    fn look(self, guilty: &Object, reason: Reason) -> Vec<Step> {
        let kind = guilty.kind.to_lowercase();
        let line = match self.failed_job().filter(|_| reason == Reason::JobFailed) {
            Some(job) => Target::new(JOBS, self.namespace, job).log(),
            None if *guilty == self.object() => self.target().get(),
            None => Target::new(&kind, &guilty.namespace, &guilty.name).describe(),
        };
        vec![Step {
            purpose: Purpose::Look,
            message: "To look".to_owned(),
            command: line,
        }]
    }

    /// Returns the cure for a missing reference, such as a namespace that must be created.
    fn reference(self) -> Cure {
        let namespace = self.status.missing_namespaces.first();
        let fix = namespace.map(|namespace| {
            Fix::command(
                "Create the namespace, if its name is correct.",
                command::create_namespace(namespace),
                "None: the plan continues by itself once the namespace exists.",
            )
        });
        Cure::fixes_or(
            fix.into_iter().collect(),
            "The provider of the referenced object. The plan continues by itself once the object exists.",
        )
    }

    /// Returns the Operator that created the plan.
    fn operator(self) -> Option<&'a str> {
        OPERATOR.of(&self.plan.metadata)
    }

    /// Returns the cure that needs another plan, because the stages of a plan are immutable.
    fn another_plan(self) -> Cure {
        if let Some(operator) = self.operator() {
            return Cure::external(&format!(
                "The publisher of the bundle, because Operator {operator} creates the same plan \
                 from it again. Another `spec.version` may help."
            ));
        }
        if INSTALL.of(&self.plan.metadata).is_some() {
            return Cure::external(
                "The author of the Install: change its content. Another plan is created from it.",
            );
        }
        if self.status.has_begun() {
            return Cure::external(
                "The author of the plan: stages are immutable. Create a corrected plan that \
                 replaces this one.",
            );
        }
        Cure::Fixable(vec![Fix::command(
            "Delete it, and apply a corrected plan with another name. Stages are immutable.",
            self.target().delete(),
            "None: it has applied nothing.",
        )])
    }

    fn account_name(self) -> Option<String> {
        self.intent().map(|intent| intent.service_account)
    }

    fn permission(self) -> Cure {
        Cure::fixes_or(
            self.rights().into_iter().collect(),
            "A user who can grant permissions in this cluster: the ServiceAccount of the plan \
             needs the listed rules.",
        )
    }

    /// Grants the rules that the status lists.
    fn rights(self) -> Option<Fix> {
        let rules = &self.status.missing_rules;
        let roles = missing_roles(self.plan, rules, Breadth::Needed)?;
        if roles.manifests.is_empty() {
            return None;
        }
        let mut risk =
            "Every user of the ServiceAccount gets these permissions, even after the plan is \
             deleted."
                .to_owned();
        if !roles.broad.is_empty() {
            let name = self.plan.metadata.name.as_deref().unwrap_or_default();
            risk += &format!(
                " {} of the rules are left out, because they grant more than the plan needs: review the output of \
                 `portolan plan permissions {name} -n {} --broad`.",
                roles.broad.len(),
                self.namespace
            );
        }
        Some(Fix {
            message: "Grant the missing rules to the ServiceAccount.".to_owned(),
            change: Change::Manifest(list(&roles.manifests)),
            risk,
        })
    }

    fn account(self) -> Cure {
        let Some(account) = self.account_name() else {
            return Cure::external("The owner of the namespace: create the ServiceAccount.");
        };
        Cure::Fixable(vec![Fix::command(
            "Create the ServiceAccount. The plan then reports the rules that it needs.",
            command::create_account(self.namespace, &account),
            "None: it has no permissions yet.",
        )])
    }

    /// Adds the label or the binding, depending on which one is missing. Returns both for a status
    /// of an older version, which does not have that.
    fn enabled(self) -> Cure {
        let lacks_label = self.status.missing_namespace_label.is_some();
        let lacks_role = self.status.missing_controller_role.is_some();
        let is_unknown = !lacks_label && !lacks_role;
        let label = (lacks_label || is_unknown).then(|| {
            Fix::command(
                "Allow plans in this namespace to use its ServiceAccounts.",
                command::label(
                    "namespaces",
                    self.namespace,
                    &format!("{}=true", ENABLED.name()),
                ),
                "Users who can write plans in the namespace can use each ServiceAccount that they \
                 can impersonate.",
            )
        });
        let binding = (lacks_role || is_unknown).then(|| {
            Fix::command(
                "Allow the controller to impersonate the ServiceAccounts of this namespace.",
                command::bind(
                    "portolan-plans",
                    self.namespace,
                    CONTROLLER_ROLE,
                    CONTROLLER,
                ),
                "The controller gets their permissions. If it is not installed from the overlay, \
                 replace the name of its ServiceAccount.",
            )
        });
        Cure::Fixable(label.into_iter().chain(binding).collect())
    }

    /// Returns the cure for a suspended plan. Resuming the plan by hand would bypass what its
    /// Operator waits for, such as an approval.
    fn suspended(self) -> Cure {
        match self.operator().filter(|_| !self.status.has_begun()) {
            Some(operator) => Cure::external(&format!(
                "Operator {operator}, which starts the plan: `portolan diagnose \
                 operator/{operator}` reports the reason for the wait."
            )),
            None => Cure::Fixable(vec![self.resume()]),
        }
    }

    fn resume(self) -> Fix {
        Fix::command(
            "Resume the plan.",
            self.target().merge(&json!({"spec": {"suspend": false}})),
            "The plan was suspended on purpose.",
        )
    }

    /// Returns the fix that retries the plan. The controller handles each value of the annotation
    /// once, and the current time is always a new value.
    fn retry(self, message: &str, risk: &str) -> Fix {
        let line = format!("{} {RETRY}=\"$(date +%s)\"", self.target().annotate_with());
        Fix::command(message, line, risk)
    }

    /// Returns the cure for a foreign webhook that the API server cannot call for a member.
    fn webhook(self) -> Option<Cure> {
        let mut members = self.status.members.iter();
        let name = members.find_map(|member| member.failing_webhook.as_ref())?;
        Some(Cure::external(&format!(
            "The administrator of webhook {name}: the API server cannot call it, and refuses such \
             writes until it answers. A ValidatingWebhookConfiguration or a \
             MutatingWebhookConfiguration names it and its Service. The plan then continues by itself."
        )))
    }

    /// Returns the cure for an existing object. A status of an older version names no owner, so
    /// that the safer setting is returned first.
    fn collision(self, reason: Reason, member: Option<&MemberStatus>) -> Cure {
        let is = self.intent().map(|intent| intent.collisions);
        let may_ask = reason == Reason::ObjectNotOwned
            && is == Some(Collisions::Refuse)
            && member.is_none_or(|member| member.owner.is_none());
        let patch = |value: &str| self.target().merge(&json!({"spec": {"collisions": value}}));
        let unowned = may_ask.then(|| {
            Fix::command(
                "Adopt objects without an owner.",
                patch("IfUnowned"),
                "The objects are changed to match the plan. Objects of other plans, controllers \
                 or tools are still refused.",
            )
        });
        let adopt = Fix::command(
            "Adopt existing objects, even if they have an owner.",
            patch("Adopt"),
            "The objects are changed to match the plan, including fields of other owners. An \
             owner may change them back. If the owner is another plan, a plan that `replaces` it \
             avoids the conflict.",
        );
        Cure::Fixable(unowned.into_iter().chain([adopt]).collect())
    }

    fn contested(self) -> Vec<Fix> {
        let retry = self.retry(
            "Stop the other client from changing the object, then repair the object again.",
            "Until the other client stops, the repair is abandoned again after three attempts.",
        );
        let is_drift = self.intent().map(|intent| intent.on_drift);
        // An Operator restores the field of its plan.
        let may_leave = is_drift != Some(OnDrift::Report) && self.operator().is_none();
        let leave = may_leave.then(|| {
            Fix::command(
                "Leave the object to the other client. Changes by others are reported and not reverted.",
                self.target()
                    .merge(&json!({"spec": {"lifecycle": {"onDrift": "Report"}}})),
                "This applies to all objects of the plan whose resource has no other setting.",
            )
        });
        std::iter::once(retry).chain(leave).collect()
    }

    /// Returns the cure for a blocked deletion. The leftovers of a previous plan are removed once
    /// nothing holds them. The deletion of this plan may be abandoned.
    fn blocked(self, member: Option<&MemberStatus>) -> Cure {
        let finalizers = member.filter(|member| {
            member.state == MemberState::Terminating && !member.finalizers.is_empty()
        });
        let finalizers = finalizers.and_then(guilty).map(|object| {
            let kind = object.kind.to_lowercase();
            let target = Target::new(&kind, &object.namespace, &object.name);
            Fix::command(
                &format!("If no controller handles the finalizers of {object} any more, remove them."),
                target.merge(&json!({"metadata": {"finalizers": null}})),
                "The cleanup of the finalizers is skipped. Resources outside the cluster may remain.",
            )
        });
        let is_going = self.plan.metadata.deletion_timestamp.is_some();
        let abandon = is_going.then(|| {
            Fix::command(
                "Abandon its deletion. All remaining objects are kept.",
                format!("{} {ABANDON}=true", self.target().annotate_with()),
                "The remaining objects are never deleted automatically.",
            )
        });
        Cure::fixes_or(
            self.rights()
                .into_iter()
                .chain(finalizers)
                .chain(abandon)
                .collect(),
            "The owner of the objects that would be deleted with it. The deletion then continues by itself.",
        )
    }
}

/// Combines the manifests in one document, because several documents cannot be indented. JSON is
/// valid YAML and needs no further escaping.
fn list(manifests: &[Value]) -> String {
    let items: Vec<_> = manifests.iter().map(Value::to_string).collect();
    let items = items.join(",\n");
    format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n{items}\n]}}\n")
}
