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
            | Reason::ServerRefuses => self.another_plan(),
            Reason::ReferenceMissing => self.reference(),
            Reason::KindNotServed => Cure::external(
                "Whoever brings the definition of the kind. It goes on by itself once that is served.",
            ),
            Reason::PermissionMissing => self.permission(),
            Reason::ServiceAccountMissing => self.account(),
            Reason::NamespaceNotEnabled => self.enabled(),
            Reason::Suspended => self.suspended(),
            Reason::SelectionTooLarge => Cure::external(
                "Whoever wrote the plan: its transformations never change, so one that selects less, \
                 or has a larger `max`, is another plan.",
            ),
            Reason::WriteRefused => self.webhook().unwrap_or_else(|| {
                Cure::external(
                    "Whoever refuses the write: a webhook, a policy or a quota. The plan tries again by \
                     itself.",
                )
            }),
            Reason::StageStuck | Reason::MembersNotReady | Reason::MembersFailed => {
                self.webhook().unwrap_or_else(|| {
                    Cure::external(
                        "Whoever owns the object: it says itself what keeps it. The plan goes on once it is \
                         ready.",
                    )
                })
            }
            Reason::JobFailed => Cure::Fixable(vec![self.retry(
                "Have the Job run again, once what it says is put right.",
                "It fails as before if nothing was put right.",
            )]),
            Reason::CollisionRefused | Reason::FieldsOwned => self.collision(reason, member),
            Reason::DriftContested => Cure::Fixable(self.contested()),
            Reason::DeletionBlocked => self.blocked(member),
            Reason::Applying
            | Reason::NotLookedAt
            | Reason::RemovingLeftovers
            | Reason::HandingOver
            | Reason::Deleting
            | Reason::Waiting
            | Reason::PlanValid
            | Reason::PermissionsHeld
            | Reason::AllApplied
            | Reason::Resting
            | Reason::AllReady
            | Reason::NotDrifted
            | Reason::MembersDrifted
            | Reason::NotWatched
            | Reason::NotReplaced
            | Reason::HandedOver
            | Reason::Abandoned => Cure::Time,
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
                "Make the namespace, if the name is what was meant.",
                command::create_namespace(namespace),
                "None: the plan goes on by itself once it is there.",
            )
        });
        Cure::fixes_or(
            fix.into_iter().collect(),
            "Whoever brings what it refers to. It goes on by itself once that is there.",
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
                "Whoever publishes the bundle, as Operator {operator} makes the same plan of it again. Another version \
                 of `spec.version` may do."
            ));
        }
        if INSTALL.of(&self.plan.metadata).is_some() {
            return Cure::external(
                "Whoever wrote the Install: another plan is made of other content.",
            );
        }
        if self.status.has_begun() {
            return Cure::external(
                "Whoever wrote the plan: its stages never change, so what is right is another plan, \
                 which replaces this one.",
            );
        }
        Cure::Fixable(vec![Fix::command(
            "Delete it, and apply what is right as a plan of another name: its stages never change.",
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
            "Whoever may give rights in this cluster: the ServiceAccount of the plan needs the \
             rules that are named.",
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
            "Whoever may act as it may do that, too, also when the plan is gone.".to_owned();
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
            message: "Give the ServiceAccount the rules that it lacks.".to_owned(),
            change: Change::Manifest(list(&roles.manifests)),
            risk,
        })
    }

    fn account(self) -> Cure {
        let Some(account) = self.account_name() else {
            return Cure::external("Whoever owns the namespace: make the ServiceAccount.");
        };
        Cure::Fixable(vec![Fix::command(
            "Make the ServiceAccount. Next the plan says which rules it needs.",
            command::create_account(self.namespace, &account),
            "None: it may do nothing yet.",
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
                "Let plans of this namespace act as its ServiceAccounts.",
                command::label(
                    "namespaces",
                    self.namespace,
                    &format!("{}=true", ENABLED.name()),
                ),
                "Who may write plans there may use them, as far as they may impersonate them.",
            )
        });
        let binding = (lacks_role || is_unknown).then(|| {
            Fix::command(
                "Let the controller act as the ServiceAccounts of this namespace.",
                command::bind(
                    "portolan-plans",
                    self.namespace,
                    CONTROLLER_ROLE,
                    CONTROLLER,
                ),
                "The controller may do what they may do. Where it is not installed as the overlay \
                 has it, its ServiceAccount is another one.",
            )
        });
        Cure::Fixable(label.into_iter().chain(binding).collect())
    }

    /// Returns the cure for a suspended plan. Resuming the plan by hand would bypass what its
    /// Operator waits for, such as an approval.
    fn suspended(self) -> Cure {
        match self.operator().filter(|_| !self.status.has_begun()) {
            Some(operator) => Cure::external(&format!(
                "Operator {operator}, which has it begin: `portolan diagnose operator/{operator}` says what it \
                 waits for."
            )),
            None => Cure::Fixable(vec![self.resume()]),
        }
    }

    fn resume(self) -> Fix {
        Fix::command(
            "Let it go on.",
            self.target().merge(&json!({"spec": {"suspend": false}})),
            "Somebody has suspended it for a reason.",
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
            "Whoever runs the webhook {name}: the API server cannot ask it, and takes no such write until it answers. \
             It stands in a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration, with the Service that is \
             asked. The plan goes on by itself then."
        )))
    }

    /// Returns the cure for an existing object. A status of an older version names no owner, so
    /// that the safer setting is returned first.
    fn collision(self, reason: Reason, member: Option<&MemberStatus>) -> Cure {
        let is = self.intent().map(|intent| intent.collisions);
        let may_ask = reason == Reason::CollisionRefused
            && is == Some(Collisions::Refuse)
            && member.is_none_or(|member| member.owner.is_none());
        let patch = |value: &str| self.target().merge(&json!({"spec": {"collisions": value}}));
        let unowned = may_ask.then(|| {
            Fix::command(
                "Take over what nobody claims.",
                patch("IfUnowned"),
                "The objects become as the plan has them. What a plan, a controller or a tool claims \
                 is refused still.",
            )
        });
        let adopt = Fix::command(
            "Take over what is there, whoever has it.",
            patch("Adopt"),
            "The objects become as the plan has them, with the fields of others; who owns them may \
             change them back. Where that is another plan, a plan that `replaces` it takes its place in peace.",
        );
        Cure::Fixable(unowned.into_iter().chain([adopt]).collect())
    }

    fn contested(self) -> Vec<Fix> {
        let retry = self.retry(
            "Have who writes it leave it alone, then have it put right again.",
            "Until the other one stops, it is given up again after three times.",
        );
        let is_drift = self.intent().map(|intent| intent.on_drift);
        // An Operator restores the field of its plan.
        let may_leave = is_drift != Some(OnDrift::Report) && self.operator().is_none();
        let leave = may_leave.then(|| {
            Fix::command(
                "Leave it to the other one: what others change is told, and not put right.",
                self.target()
                    .merge(&json!({"spec": {"lifecycle": {"onDrift": "Report"}}})),
                "That is so of all objects of the plan whose resource does not say otherwise.",
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
                &format!("If nobody is left who does what the finalizers of {object} wait for, take them off."),
                target.merge(&json!({"metadata": {"finalizers": null}})),
                "What they wait for is not done: something outside of the cluster may stay.",
            )
        });
        let is_going = self.plan.metadata.deletion_timestamp.is_some();
        let abandon = is_going.then(|| {
            Fix::command(
                "Give up its deletion: all that is left stays.",
                format!("{} {ABANDON}=true", self.target().annotate_with()),
                "Nobody deletes what is left afterwards.",
            )
        });
        Cure::fixes_or(
            self.rights()
                .into_iter()
                .chain(finalizers)
                .chain(abandon)
                .collect(),
            "Whoever owns what would be lost with it, or may let it go. It goes on by itself then.",
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
