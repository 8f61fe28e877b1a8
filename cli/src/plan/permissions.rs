//! `portolan plan permissions`: prints the roles that the ServiceAccount of a plan needs and does
//! not have. kubectl can apply the output.

use clap::Parser;
use portolan_api::plan::{
    Breadth, ConditionType, InstallPlan, MissingRule, Reason, Status, missing_roles,
};
use portolan_core_names::text::one_line;
use serde_json::json;

use super::facts::PlanArgs;
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::{self, Format, OBJECTS};

/// Print roles and bindings that grant the missing permissions to the ServiceAccount of an
/// InstallPlan.
///
/// Prints Roles for permissions in a namespace, and ClusterRoles for permissions in the whole
/// cluster. Review the roles before you apply them, because a plan has all permissions of its
/// ServiceAccount. The names of the roles depend on their rules, so roles that you apply later do
/// not replace earlier roles.
///
/// Rules that grant more than the plan needs are omitted, and listed in a warning. These rules are
/// `escalate`, `impersonate`, `bind` of any role, `*`, and rules for all namespaces that the plan
/// needs only in a namespace that it creates. --broad also prints these rules.
///
/// The rules are read from the status of the plan. Nothing is applied.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  the roles are printed, or the ServiceAccount has all permissions",
        "1  the missing permissions are unknown, or roles cannot grant all of them";
        "portolan plan permissions ferry-7087355c -n harbor",
        "portolan plan permissions ferry-7087355c -n harbor | kubectl apply -f -"
    )
)]
pub(crate) struct PlanPermissionsArgs {
    /// Name of the plan.
    #[arg(value_name = "NAME")]
    plan: String,

    /// Namespace of the plan. Default: search all namespaces.
    #[arg(short, long, value_name = "NAMESPACE")]
    #[arg(default_value = "", hide_default_value = true)]
    namespace: String,

    /// Also print rules that grant more than the plan needs.
    #[arg(long)]
    broad: bool,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "yaml", value_parser = Format::among(OBJECTS))]
    output: Format,

    #[command(flatten)]
    facts: PlanArgs,
}

// === impl PlanPermissionsArgs ===

impl PlanPermissionsArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let plans = self.facts.read(&self.namespace).await?;
        let plan = plans.named(&self.plan)?;
        let none = Status::default();
        let status = plan.status.as_ref().unwrap_or(&none);
        if status.missing_rules.is_empty() {
            return Ok(without_rules(plan, status));
        }
        let breadth = if self.broad {
            Breadth::All
        } else {
            Breadth::Needed
        };
        let Some(roles) = missing_roles(plan, &status.missing_rules, breadth) else {
            let name = &self.plan;
            return Err(Failure::usage(format!(
                "the spec of plan {name} is invalid"
            )));
        };
        if let Some(warning) = broad(&roles.broad, self.broad) {
            print::warn(&warning);
        }
        if roles.manifests.is_empty() {
            return Ok(Exit::No);
        }
        if plan.metadata.generation != status.observed_generation {
            print::warn("the plan has changed since the controller checked its permissions");
        }
        let objects = roles.manifests.iter().collect::<Vec<_>>();
        let objects = print::objects(self.output, &objects)?;
        let heading = match self.output {
            Format::Json => String::new(),
            _ => heading(plan),
        };
        print::text(&(heading + &objects))?;
        if status.more_missing_rules > 0 {
            let more = status.more_missing_rules;
            print::warn(&format!(
                "{more} more rules are missing; apply the printed roles, and run the command again"
            ));
        }
        Ok(Exit::Answered)
    }
}

/// Prints the reason why a plan has no list of missing rules, and returns the exit code.
fn without_rules(plan: &InstallPlan, status: &Status) -> Exit {
    let name = plan.metadata.name.as_deref().unwrap_or_default();
    let permitted = status.condition(ConditionType::Permitted);
    let why = match permitted {
        Some(said) if said.status == "True" => {
            print::note(&format!("No permissions are missing for {name}."));
            return Exit::Answered;
        }
        Some(said) if said.reason == Reason::PermissionMissing.as_str() => {
            "the status was written by another version of the controller, and does not list the rules"
        }
        Some(said) => &said.message,
        None => "no controller has checked the plan yet",
    };
    print::note(&format!(
        "The missing permissions of {name} are unknown: {why}."
    ));
    Exit::No
}

/// Returns the comment at the start of the output, above the roles.
fn heading(plan: &InstallPlan) -> String {
    let metadata = &plan.metadata;
    let [namespace, name] =
        [&metadata.namespace, &metadata.name].map(|it| one_line(it.as_deref().unwrap_or_default()));
    format!("# Missing permissions of InstallPlan {namespace}/{name}.\n")
}

/// Returns a warning about the rules that grant more permissions than the plan needs.
fn broad(rules: &[MissingRule], is_printed: bool) -> Option<String> {
    let named: Vec<_> = rules.iter().map(|rule| json!(rule).to_string()).collect();
    let what = if is_printed {
        "so review these rules before you apply the roles"
    } else {
        "so they are omitted; use --broad to print these rules"
    };
    (!named.is_empty()).then(|| {
        let rules = one_line(&named.join(", "));
        format!("some rules grant more than the plan needs, {what}: {rules}")
    })
}
