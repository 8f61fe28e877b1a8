//! `portolan approve`: grants an Install the permissions of its content, as the current user.

mod permissions;

use std::io::{self, IsTerminal as _};

use clap::Parser;
use portolan_core_names::text::shell_word;
use portolan_plans::grants::{Approval, ApprovalClient, NotApproved};
use portolan_world::Access;
use serde_json::{Value, json};

use self::permissions::render;
use crate::exit::{self, Exit};
use crate::facts::connect_cluster;
use crate::failure::Failure;
use crate::print;
use crate::program_name::ProgramName;

const NO_CLUSTER: &str = "no cluster found to approve Installs on";
/// The component that brings the kind.
const COMPONENT: &str = "deploy/overlays/installs";

/// Approve an Install: grant its ServiceAccount the permissions of its content, and set
/// spec.approval.
///
/// Prints the permissions, and asks for confirmation on a terminal. Without a terminal, --digest
/// selects the approved content; --dry-run prints the digest. If the content has changed since, the
/// digest differs, and approval is refused.
///
/// The roles and bindings are created with your permissions: you can grant only permissions that
/// you have. The Install owns them, and they are deleted with it.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  the Install is approved; with --dry-run: approval can be requested",
        "1  nothing to approve, the content changed, approval was not confirmed, or the cluster refuses it";
        "portolan approve install/plumbus",
        "portolan approve install/plumbus --dry-run",
        "portolan approve install/plumbus --digest=sha256:0b5e..."
    )
)]
pub(crate) struct ApproveArgs {
    /// Install to approve, as install/NAME.
    #[arg(value_name = "install/NAME", value_parser = parse_install)]
    install: String,

    /// Print the roles and bindings, and the command that creates exactly these, without changing
    /// anything.
    #[arg(long, conflicts_with = "digest")]
    dry_run: bool,

    /// Approve only content with this digest, without confirmation. The digest is in status.pending
    /// and in the output of --dry-run.
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,

    /// Grant the permissions to this ServiceAccount, which the Install inherited from an
    /// OperatorGroup, instead of one that was created for the Install.
    #[arg(long, value_name = "NAMESPACE/NAME")]
    account: Option<String>,

    /// Namespace of the ServiceAccounts that are created for Installs.
    #[arg(long, value_name = "NAME", default_value = "portolan-installs")]
    installs_namespace: String,

    #[command(flatten)]
    access: Access,
}

/// Parses "install/plumbus".
fn parse_install(text: &str) -> Result<String, String> {
    let kinds = ["install", "installs", "install.operators.coreos.com"];
    let named = text.split_once('/');
    let named = named.filter(|(kind, name)| kinds.contains(kind) && !name.is_empty());
    let (_, name) = named
        .ok_or_else(|| format!("`{text}` is not an Install; use a form such as install/plumbus"))?;
    Ok(name.to_owned())
}

// === impl ApproveArgs ===

impl ApproveArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let cluster = connect_cluster(&self.access, NO_CLUSTER).await?;
        let client = ApprovalClient::of(cluster.client(), self.dry_run);
        match self.approve(&client).await {
            Ok(answered) => answered,
            Err(error @ NotApproved::NotServed) => Err(Failure::usage(format!(
                "{error}: their CRD is not installed; apply an overlay with the component {COMPONENT}"
            ))),
            Err(error @ NotApproved::NotFound(_)) => Err(Failure::usage(format!(
                "{error}; kubectl get installs.operators.coreos.com lists existing ones"
            ))),
            Err(NotApproved::Nothing(sentence)) => {
                print::error(&sentence);
                Ok(Exit::No)
            }
            Err(NotApproved::Refused(why)) => {
                print::error(&format!("the cluster refuses it: {why}"));
                Ok(Exit::No)
            }
            Err(error @ NotApproved::Unanswered(_)) => Err(Failure::failed(error)),
        }
    }

    async fn approve(&self, client: &ApprovalClient) -> Result<Result<Exit, Failure>, NotApproved> {
        let approval = client.asked(&self.install).await?;
        self.check_account(&approval)?;
        if self.dry_run {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": approval.objects});
            let said = print::text(&self.exactly(&approval));
            let said = said.and_then(|()| print::yaml(&list));
            return Ok(said.map(|()| Exit::Answered));
        }
        if let Some(ended) = self.confirm(&approval)? {
            return Ok(ended);
        }
        // Another user may have changed it in the meantime.
        let now = client.asked(&self.install).await?;
        if now.digest != approval.digest {
            return Err(self.content_changed());
        }
        self.give(client, &approval).await
    }

    /// Checks that the ServiceAccount belongs to the Install, or is named by the user. Otherwise a
    /// user who may write statuses could redirect permissions.
    fn check_account(&self, approval: &Approval) -> Result<(), NotApproved> {
        let account = format!("{}/{}", approval.account.namespace, approval.account.name);
        let is_named = self.account.as_deref() == Some(&account);
        if is_named || approval.is_own(&self.installs_namespace) {
            return Ok(());
        }
        Err(NotApproved::Nothing(format!(
            "{} acts as ServiceAccount {account}, which was not created for it; to confirm, use --account={account}",
            self.install
        )))
    }

    async fn give(
        &self,
        client: &ApprovalClient,
        approval: &Approval,
    ) -> Result<Result<Exit, Failure>, NotApproved> {
        for object in &approval.objects {
            client.give(object).await?;
            if let Err(failure) = print::text(&format!("{} given\n", object_name(object))) {
                return Ok(Err(failure));
            }
        }
        client.approve(approval).await?;
        let line = format!("install.operators.coreos.com/{} approved\n", self.install);
        Ok(print::text(&line).map(|()| Exit::Answered))
    }

    /// Prints what is approved, and checks that the user means it; `Some` is the end of a command that approves nothing.
    fn confirm(&self, approval: &Approval) -> Result<Option<Result<Exit, Failure>>, NotApproved> {
        if let Some(digest) = &self.digest
            && *digest != approval.digest
        {
            return Err(self.content_changed());
        }
        if let Err(failure) = print::text(&render(&approval.account, &approval.permissions)) {
            return Ok(Some(Err(failure)));
        }
        if self.digest.is_some() {
            return Ok(None);
        }
        if !io::stdin().is_terminal() {
            let failure = Failure::usage(format!(
                "cannot ask for confirmation without a terminal; to approve this content, use --digest={}",
                approval.digest
            ));
            return Ok(Some(Err(failure)));
        }
        print::note("Type yes to approve this:");
        let mut answer = String::new();
        match io::stdin().read_line(&mut answer) {
            Ok(_) if answer.trim() == "yes" => Ok(None),
            Ok(_) => Err(NotApproved::Nothing(format!(
                "{} is not approved",
                self.install
            ))),
            Err(error) => Ok(Some(Err(Failure::failed_to("read the answer", &error)))),
        }
    }

    fn content_changed(&self) -> NotApproved {
        NotApproved::Nothing(format!(
            "{} has changed since it was displayed, and nothing was granted; review the new content",
            self.install
        ))
    }

    /// Returns the comment with the command that approves exactly the printed content.
    fn exactly(&self, approval: &Approval) -> String {
        let account = self.account.as_ref();
        let account = account.map(|it| format!(" --account={}", shell_word(it)));
        format!(
            "# To approve exactly this: {} approve {} --digest={}{}\n",
            ProgramName::now().typed(),
            shell_word(&format!("install/{}", self.install)),
            approval.digest,
            account.unwrap_or_default()
        )
    }
}

/// Returns the kubectl name of a role or binding, with its namespace.
fn object_name(object: &Value) -> String {
    let text = |at: &str| {
        object
            .pointer(at)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let kind = text("/kind").to_lowercase();
    let name = text("/metadata/name");
    match text("/metadata/namespace") {
        "" => format!("{kind}.rbac.authorization.k8s.io/{name}"),
        namespace => format!("{kind}.rbac.authorization.k8s.io/{name} in {namespace}"),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::short("install/plumbus", Some("plumbus"))]
    #[case::long("install.operators.coreos.com/a.b", Some("a.b"))]
    #[case::a_name_alone("plumbus", None)]
    #[case::another_kind("operator/plumbus", None)]
    #[case::no_name("install/", None)]
    fn parses_install_with_its_kind(#[case] text: &str, #[case] name: Option<&str>) {
        assert_eq!(parse_install(text).ok().as_deref(), name);
    }
}
