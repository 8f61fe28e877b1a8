//! `portolan approve`: approves an InstallPlan of OLM, the content of an Install, or the next version
//! of an Operator, as the current user.

mod content;
mod install;
mod install_plan;
mod operator;
mod permissions;
mod ruling;
mod target;

use std::io::{self, IsTerminal as _};

use clap::Parser;
use portolan_plans::grants::{ApprovalClient, NotApproved};
use portolan_proto::approval::v1::Review;
use portolan_world::Access;

use self::target::{Target, choose};
use crate::exit::{self, Exit};
use crate::facts::{ApprovalConnection, ObjectArgs, connect_cluster};
use crate::failure::Failure;
use crate::named::{self, Kind, Named};
use crate::scope::NamespaceArgs;
use crate::{print, review};

const NO_CLUSTER: &str = "no cluster found; select a cluster with --context or --kubeconfig";

/// The kinds that can be approved. For each kind except Install and Operator, the command approves
/// an InstallPlan of OLM.
pub(crate) const KINDS: [Kind; 6] = [
    Kind::InstallPlan,
    Kind::Subscription,
    Kind::Package,
    Kind::Csv,
    Kind::Install,
    Kind::Operator,
];

/// Approve an InstallPlan of OLM, an Install, or the next version of an Operator.
///
/// NAME is an InstallPlan, or a Subscription or package whose InstallPlan is pending, or an
/// Install. The command prints the content to approve, and asks for confirmation on a terminal.
///
/// For an InstallPlan the command prints the bundles, the objects and the decisions of the
/// policies, as `review` does. If policies deny the InstallPlan, the command fails unless
/// --override-policy names each of these policies. Without a terminal, --yes is required. If the
/// InstallPlan has changed since it was printed, nothing is approved.
///
/// For an Install the command prints the permissions of the content, grants these permissions to
/// the ServiceAccount of the Install, and sets spec.approval. You can grant only permissions that
/// you have. Without a terminal, --digest selects the approved content. --dry-run prints the
/// digest. The Install owns the created roles and bindings, so they are deleted with the Install.
///
/// For operator/NAME the command approves the next version of an Operator that waits for approval.
/// Without a terminal, --yes is required.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  the object is approved, or the InstallPlan was already approved; with --dry-run: approval is possible",
        "1  nothing waits for approval, the content has changed, or a policy, the user or the API \
         server rejects the approval";
        "portolan approve ferry",
        "portolan approve installplan/install-x7k2p -n harbor --dry-run",
        "portolan approve sub/ferry -n harbor --yes",
        "portolan approve ferry -n harbor --override-policy policies/ferry",
        "portolan approve install/plumbus",
        "portolan approve operator/crane --yes",
        "portolan approve install/plumbus --digest=sha256:0b5e..."
    )
)]
pub(crate) struct ApproveArgs {
    /// InstallPlan of OLM, Subscription, package or Install to approve. With KIND/NAME, the kind is
    /// installplan, sub, package, csv, install or operator.
    #[arg(value_name = "[NAMESPACE/]NAME|KIND/NAME")]
    name: Named,

    #[command(flatten)]
    whose: NamespaceArgs,

    /// Print the content to approve, and check the approval with a server-side dry run, without
    /// changing anything.
    #[arg(long, conflicts_with_all = ["digest", "yes"])]
    dry_run: bool,

    /// Approve the InstallPlan, or the next version of the Operator, without confirmation.
    #[arg(short, long)]
    yes: bool,

    /// Approve the InstallPlan although this OperatorPolicy or Policy denies it. Can be repeated.
    #[arg(long = "override-policy", value_name = "[NAMESPACE/]NAME")]
    overridden: Vec<String>,

    /// Approve only content of an Install with this digest, without confirmation. The digest is in
    /// status.pending and in the output of --dry-run.
    #[arg(long, value_name = "DIGEST", conflicts_with = "yes")]
    digest: Option<String>,

    /// Confirm that this ServiceAccount gets the permissions. Required if the Install uses the
    /// ServiceAccount of an OperatorGroup, and not a ServiceAccount that was created for the
    /// Install.
    #[arg(long, value_name = "NAMESPACE/NAME")]
    account: Option<String>,

    /// Namespace of the ServiceAccounts that are created for Installs.
    #[arg(long, value_name = "NAME", default_value = "portolan-installs")]
    installs_namespace: String,

    #[command(flatten)]
    access: Access,
}

// === impl ApproveArgs ===

impl ApproveArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let named = self.name.clone().among(&KINDS)?;
        match named.kind {
            Some(Kind::Install) => self.install(named.name).await,
            Some(Kind::Operator) => self.operator(named.name).await,
            Some(_) | None => self.other(named).await,
        }
    }

    /// Approves the InstallPlan or the Install that the name selects.
    async fn other(self, named: Named) -> Result<Exit, Failure> {
        let namespace = named::namespace(Some(&named), &self.whose.namespace)?;
        let has_install =
            named.kind.is_none() && namespace.is_empty() && self.has_install(&named).await?;
        let mut approval = ObjectArgs::of_cluster(&self.access)
            .local_approval(&namespace)
            .await?;
        let reviews = self
            .reviews(&mut approval, &named, &namespace, has_install)
            .await?;
        match choose(&named, &namespace, &reviews, has_install) {
            Ok(Target::Install(name)) => self.install(name).await,
            Ok(Target::Plan { namespace, name }) => self.plan(&mut approval, namespace, name).await,
            Err(target::NoTarget::Nothing(why)) => {
                print::error(&why);
                Ok(Exit::No)
            }
            Err(target::NoTarget::Unusable(why)) => Err(Failure::usage(why)),
        }
    }

    /// Returns the reviews of InstallPlans. The caller searches these reviews for the name.
    async fn reviews(
        &self,
        approval: &mut ApprovalConnection,
        named: &Named,
        namespace: &str,
        has_install: bool,
    ) -> Result<Vec<Review>, Failure> {
        let reviews = review::reviews(approval, namespace).await;
        match reviews {
            // A cluster without OLM can still have Installs.
            Err(_) if has_install && named.kind.is_none() => Ok(Vec::new()),
            reviews => reviews,
        }
    }

    /// Returns true if an Install has this name and the user may read it.
    async fn has_install(&self, named: &Named) -> Result<bool, Failure> {
        let cluster = connect_cluster(&self.access, NO_CLUSTER).await?;
        let client = ApprovalClient::of(cluster.client(), self.dry_run);
        match client.asked(&named.name).await {
            Ok(_) | Err(NotApproved::Nothing(_)) => Ok(true),
            Err(NotApproved::NotServed | NotApproved::NotFound(_) | NotApproved::Refused(_)) => {
                Ok(false)
            }
            Err(error @ NotApproved::Unanswered(_)) => Err(Failure::failed(error)),
        }
    }
}

/// Asks the user at the terminal for a confirmation. Returns the error of `otherwise` if standard
/// input is not a terminal.
fn is_confirmed(otherwise: impl FnOnce() -> String) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(otherwise()));
    }
    print::note("Type yes to approve:");
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    read.map_err(|error| Failure::failed_to("cannot read the reply of the user", &error))?;
    Ok(answer.trim() == "yes")
}
