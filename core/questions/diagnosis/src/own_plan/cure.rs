//! Adds cures to the causes of plans.

use portolan_api::installs::INSTALL;
use portolan_api::operator::OPERATOR;
use portolan_api::plan::{
    ABANDON, Breadth, CONTROLLER_ROLE, Collisions, ENABLED, GROUP, MemberOwner, MemberState,
    MemberStatus, OnDrift, RETRY, Reason, missing_roles,
};
use serde_json::{Value, json};

use super::{PlanCase, at_fault};
use crate::command::{self, OWN_PLANS, Target};
use crate::cure::Cure;
use crate::{Cause, Confidence, Object, Procedure, Step, deletion};

/// The ServiceAccount of the controller that executes plans. The name is the same in the Kustomize
/// overlay and in the Helm chart.
const CONTROLLER: &str = "portolan:portolan-controller";

const AUTHOR: &str = "the author of the plan";

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
                "the provider of the CRD of the kind",
                "Install this CRD. The plan continues by itself once the API server serves the \
                 kind.",
            ),
            Reason::PermissionMissing => self.permission(),
            Reason::ServiceAccountMissing => self.account(),
            Reason::NamespaceNotEnabled => self.enabled(),
            Reason::Suspended => self.suspended(),
            Reason::SelectionTooLarge => Cure::external(
                AUTHOR,
                "Create another plan whose transformations select fewer objects or have a larger \
                 `max`. Transformations are immutable.",
            ),
            Reason::WriteRejected => Cure::external(
                "the owner of the webhook, policy or quota that refuses the write",
                "Allow the write. The controller retries by itself.",
            ),
            Reason::StageDeadlineExceeded | Reason::MembersNotReady | Reason::MembersFailed => {
                Cure::external(
                    "the owner of the object",
                    "Repair the object: the status of the object shows the reason. The plan \
                     continues once the object is ready.",
                )
            }
            Reason::JobFailed => {
                Cure::external(AUTHOR, "Fix the error that the log of the Job reports.")
            }
            Reason::ObjectNotOwned | Reason::FieldConflict => match member.and_then(rival) {
                Some(rival) => return self.shared(cause, rival),
                None => self.collision(reason, member),
            },
            Reason::DriftContested => self.contested(),
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
        let mut cause = cause.cured(cure);
        if [Reason::DryRunRejected, Reason::WriteRejected].contains(&reason) {
            cause.confidence = Confidence::refused();
        }
        if cause.responsible.who.is_empty() {
            return cause;
        }
        let at_fault = if cause.is_at_fault_missing() {
            self.object()
        } else {
            cause.at_fault.clone()
        };
        let look = self.look(&at_fault, reason);
        cause.looked([look]).followed(self.later(reason))
    }

    fn look(self, at_fault: &Object, reason: Reason) -> Step {
        let kind = at_fault.kind.to_lowercase();
        match self.failed_job().filter(|_| reason == Reason::JobFailed) {
            Some(job) => self.look_at_run(job),
            None if *at_fault == self.object() => {
                let comment = format!("Show {}", self.target().called());
                Step::new(&comment, self.target().get())
            }
            None => Step::new(
                &format!("Show {at_fault} with its events"),
                Target::new(&kind, &at_fault.namespace, &at_fault.name).describe(),
            ),
        }
    }

    /// Returns the command that retries the plan, if the controller does not retry without a
    /// request.
    fn later(self, reason: Reason) -> Option<Procedure> {
        if reason == Reason::JobFailed {
            Some(self.retry(
                "After the error is fixed, run the Job again.",
                "The Job fails again if the error is not fixed.",
            ))
        } else if reason == Reason::DriftContested {
            Some(self.retry(
                "After the other client has stopped, repair the object again.",
                "Until the other client stops, the controller stops the repair again after three \
                 attempts.",
            ))
        } else {
            None
        }
    }

    /// Returns the cure for a reference to a missing object. If a namespace is missing, the cure
    /// creates it.
    fn reference(self) -> Cure {
        let namespace = self.status.missing_namespaces.first();
        match namespace {
            Some(namespace) => Cure::Safe(Procedure::command(
                "Create the namespace, if its name is correct.",
                command::create_namespace(namespace),
                "None: the plan continues by itself once the namespace exists.",
            )),
            None => Cure::external(
                "the provider of the referenced object",
                "Create the referenced object. The plan continues by itself once the object \
                 exists.",
            ),
        }
    }

    /// Returns the Operator that created the plan.
    fn operator(self) -> Option<&'a str> {
        OPERATOR.of(&self.plan.metadata)
    }

    /// Returns the cure for a plan whose content must change. The stages of a plan are immutable,
    /// so a corrected plan is necessary.
    fn another_plan(self) -> Cure {
        if let Some(operator) = self.operator() {
            return Cure::external(
                "the publisher of the bundle",
                &format!(
                    "Correct the bundle, because Operator {operator} creates the same plan from \
                     this bundle again. Another `spec.version` of the Operator may help."
                ),
            );
        }
        if INSTALL.of(&self.plan.metadata).is_some() {
            return Cure::external(
                "the author of the Install",
                "Change the content of the Install. The controller then creates another plan.",
            );
        }
        if self.status.has_begun() {
            return Cure::external(
                AUTHOR,
                "Create a corrected plan that replaces this plan. The stages of a plan are \
                 immutable.",
            );
        }
        Cure::Choice(vec![deletion::delete(
            "Delete the plan, and create a corrected plan with another name. The stages of a plan \
             are immutable.",
            &[self.target()],
            Vec::new(),
            "None: the plan has applied nothing.",
        )])
    }

    fn account_name(self) -> Option<String> {
        self.intent().map(|intent| intent.service_account)
    }

    fn permission(self) -> Cure {
        Cure::choice_or(
            self.rights().into_iter().collect(),
            Cure::external(
                "a user who can grant permissions in this cluster",
                "Grant the rules that the message lists to the ServiceAccount of the plan.",
            ),
        )
    }

    /// Returns the commands that grant the rules that the status lists as missing. Returns None if
    /// no rules can be granted.
    fn rights(self) -> Option<Procedure> {
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
                " {} missing rules are not included, because they grant more than the plan needs: \
                 review the output of `portolan plan permissions {name} -n {} --broad`.",
                roles.broad.len(),
                self.namespace
            );
        }
        let title = "Grant the missing rules to the ServiceAccount.";
        let grant = Step::manifest("Create the roles and bindings", list(&roles.manifests));
        Some(Procedure::of(title, vec![grant], &risk))
    }

    fn account(self) -> Cure {
        let Some(account) = self.account_name() else {
            return Cure::external("the owner of the namespace", "Create the ServiceAccount.");
        };
        Cure::Safe(Procedure::command(
            "Create the ServiceAccount. The plan then reports the rules that it needs.",
            command::create_account(self.namespace, &account),
            "None: the new ServiceAccount has no permissions yet.",
        ))
    }

    /// Returns the cure for a namespace in which plans are not enabled. The cure adds the missing
    /// label or role binding. A status from an older controller version does not show which of the
    /// two is missing, so the cure then adds both.
    fn enabled(self) -> Cure {
        let lacks_label = self.status.missing_namespace_label.is_some();
        let lacks_role = self.status.missing_controller_role.is_some();
        let is_unknown = !lacks_label && !lacks_role;
        let label = format!("{}=true", ENABLED.name());
        let label = Step::new(
            "Allow plans in this namespace to use its ServiceAccounts",
            command::label("namespaces", self.namespace, &label),
        );
        let binding = Step::new(
            "Allow the controller to impersonate the ServiceAccounts of this namespace",
            command::bind(
                "portolan-plans",
                self.namespace,
                CONTROLLER_ROLE,
                CONTROLLER,
            ),
        );
        let label = (lacks_label || is_unknown).then_some(label);
        let binding = (lacks_role || is_unknown).then_some(binding);
        let risk = "Users who can write plans in the namespace can use each ServiceAccount that \
                    they can impersonate. The controller gets the permissions of these \
                    ServiceAccounts. If the controller is not installed from the overlay, replace \
                    the name of the controller's ServiceAccount in the command.";
        let title = "Allow InstallPlans in this namespace.";
        let steps = label.into_iter().chain(binding).collect();
        Cure::Choice(vec![Procedure::of(title, steps, risk)])
    }

    /// Returns the cure for a suspended plan. If an Operator created the plan, the cure contains no
    /// command: the Operator waits, for example for an approval, and a manual resume would skip
    /// this step.
    fn suspended(self) -> Cure {
        match self.operator().filter(|_| !self.status.has_begun()) {
            Some(operator) => Cure::external(
                &format!("Operator {operator}, which starts the plan"),
                &format!(
                    "Run `portolan diagnose operator/{operator}` to find out why the plan must \
                     wait."
                ),
            ),
            None => Cure::Choice(vec![self.resume()]),
        }
    }

    fn resume(self) -> Procedure {
        Procedure::command(
            "Resume the plan.",
            self.target().merge(&json!({"spec": {"suspend": false}})),
            "The plan was suspended on purpose.",
        )
    }

    /// Returns the command that retries the plan with an annotation. The controller acts on each
    /// value of the annotation only once, so the value is the current time.
    fn retry(self, message: &str, risk: &str) -> Procedure {
        let line = format!("{} {RETRY}=\"$(date +%s)\"", self.target().annotate_with());
        Procedure::command(message, line, risk)
    }

    /// Adds the cure for an object that another plan owns. The cure does not let this plan adopt
    /// the object, because the other plan would then report the conflict.
    fn shared(self, cause: Cause, rival: &MemberOwner) -> Cause {
        let namespace = rival.namespace.as_deref().unwrap_or_default();
        let rival = Target::new(OWN_PLANS, namespace, &rival.name);
        let called = rival.called();
        let look = [self.target(), rival]
            .map(|target| Step::new(&format!("Show {}", target.called()), target.get()));
        let action = format!(
            "Remove the object from this plan or from {called}. Or create a plan that `replaces` \
             {called} and contains all objects of {called}. `collisions: Adopt` would only move \
             the conflict to {called}."
        );
        cause.cured(Cure::external(AUTHOR, &action)).looked(look)
    }

    /// Returns the cure for an object that existed before the plan. If the status contains no
    /// owner, the alternative that adopts only objects without an owner is first.
    fn collision(self, reason: Reason, member: Option<&MemberStatus>) -> Cure {
        let is = self.intent().map(|intent| intent.collisions);
        let may_ask = reason == Reason::ObjectNotOwned
            && is == Some(Collisions::Refuse)
            && member.is_none_or(|member| member.owner.is_none());
        let patch = |value: &str| self.target().merge(&json!({"spec": {"collisions": value}}));
        let unowned = may_ask.then(|| {
            Procedure::command(
                "Adopt objects without an owner.",
                patch("IfUnowned"),
                "The controller changes the objects to match the plan. It still does not adopt \
                 objects of other plans, controllers or tools.",
            )
        });
        let adopt = Procedure::command(
            "Adopt existing objects, even if they have an owner.",
            patch("Adopt"),
            "The controller changes the objects to match the plan, including fields of other \
             owners. The other owners may revert these changes. If the owner is another plan, \
             create instead a plan whose field `replaces` names the other plan; then there is no \
             conflict.",
        );
        Cure::Choice(unowned.into_iter().chain([adopt]).collect())
    }

    fn contested(self) -> Cure {
        let is_drift = self.intent().map(|intent| intent.on_drift);
        // The controller restores the field `onDrift` in plans of an Operator, so a user cannot
        // change it.
        let may_leave = is_drift != Some(OnDrift::Report) && self.operator().is_none();
        let leave = may_leave.then(|| {
            Procedure::command(
                "Leave the object to the other client. The controller then reports changes by \
                 other clients, and does not revert these changes.",
                self.target()
                    .merge(&json!({"spec": {"lifecycle": {"onDrift": "Report"}}})),
                "This setting applies to all objects of the plan whose resource has no setting of \
                 its own.",
            )
        });
        Cure::choice_or(
            leave.into_iter().collect(),
            Cure::external(
                "the owner of the other client",
                "Stop the client, or configure it so that it no longer changes the object.",
            ),
        )
    }

    /// Returns the cure for a blocked deletion. Each alternative removes one obstacle: missing
    /// permissions, finalizers, or the deletion itself.
    fn blocked(self, member: Option<&MemberStatus>) -> Cure {
        let finalizers = member.filter(|member| {
            member.state == MemberState::Terminating && !member.finalizers.is_empty()
        });
        let finalizers = finalizers.and_then(at_fault).map(|object| {
            let kind = object.kind.to_lowercase();
            let target = Target::new(&kind, &object.namespace, &object.name);
            Procedure::command(
                &format!(
                    "If no controller processes the finalizers of {object} any more, remove \
                          the finalizers."
                ),
                target.merge(&json!({"metadata": {"finalizers": null}})),
                "No controller runs the cleanup that the finalizers require. Resources outside the \
                 cluster may remain.",
            )
        });
        let is_going = self.plan.metadata.deletion_timestamp.is_some();
        let abandon = is_going.then(|| {
            Procedure::command(
                "Abandon the deletion of the plan. All remaining objects are kept.",
                format!("{} {ABANDON}=true", self.target().annotate_with()),
                "The controller never deletes the remaining objects.",
            )
        });
        Cure::choice_or(
            self.rights()
                .into_iter()
                .chain(finalizers)
                .chain(abandon)
                .collect(),
            Cure::external(
                "the owner of the objects that Kubernetes would also delete",
                "Delete these objects or move them to another namespace. The deletion of the plan \
                 then continues by itself.",
            ),
        )
    }
}

/// Returns the InstallPlan that owns the object of a member. Returns None for other owners.
fn rival(member: &MemberStatus) -> Option<&MemberOwner> {
    let owner = member.owner.as_ref()?;
    (owner.group == GROUP && owner.kind == "InstallPlan").then_some(owner)
}

/// Combines the manifests into one JSON list, because several YAML documents cannot be indented in
/// the output. JSON is valid YAML and needs no further escaping.
fn list(manifests: &[Value]) -> String {
    let items: Vec<_> = manifests.iter().map(Value::to_string).collect();
    let items = items.join(",\n");
    format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n{items}\n]}}\n")
}
