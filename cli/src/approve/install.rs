//! The approval of an Install: grants the permissions of its content, as the current user.

use portolan_core_names::text::shell_word;
use portolan_plans::grants::{Approval, ApprovalClient, NotApproved};
use serde_json::{Value, json};

use super::permissions::render;
use super::{ApproveArgs, NO_CLUSTER, is_confirmed};
use crate::exit::Exit;
use crate::facts::connect_cluster;
use crate::failure::Failure;
use crate::print;
use crate::program_name::ProgramName;

/// The Kustomize component with the CRD for Installs.
const COMPONENT: &str = "deploy/overlays/installs";

/// The Install to approve, with the flags of the command.
struct InstallApproval {
    install: String,
    args: ApproveArgs,
}

// === impl ApproveArgs ===

impl ApproveArgs {
    /// Approves an Install.
    pub(super) async fn install(self, install: String) -> Result<Exit, Failure> {
        if self.yes || !self.overridden.is_empty() {
            return Err(Failure::usage(format!(
                "--yes and --override-policy are for InstallPlans; to approve Install {install} without confirmation, use --digest"
            )));
        }
        let cluster = connect_cluster(&self.access, NO_CLUSTER).await?;
        let client = ApprovalClient::of(cluster.client(), self.dry_run);
        let approval = InstallApproval {
            install,
            args: self,
        };
        match approval.approve(&client).await {
            Ok(answered) => answered,
            Err(error @ NotApproved::NotServed) => Err(Failure::usage(format!(
                "{error}: the CRD is not installed; run `{} install crds`, or apply the Kustomize component {COMPONENT} to install the CRD and the controller",
                ProgramName::now().typed()
            ))),
            Err(error @ NotApproved::NotFound(_)) => Err(Failure::usage(format!(
                "{error}; to list existing Installs, run: kubectl get installs.operators.coreos.com"
            ))),
            Err(NotApproved::Nothing(sentence)) => {
                print::error(&sentence);
                Ok(Exit::No)
            }
            Err(NotApproved::Refused(why)) => {
                print::error(&format!("the API server rejects the request: {why}"));
                Ok(Exit::No)
            }
            Err(error @ NotApproved::Unanswered(_)) => Err(Failure::failed(error)),
        }
    }
}

// === impl InstallApproval ===

impl InstallApproval {
    async fn approve(&self, client: &ApprovalClient) -> Result<Result<Exit, Failure>, NotApproved> {
        let approval = client.asked(&self.install).await?;
        self.check_account(&approval)?;
        if self.args.dry_run {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": approval.objects});
            let said = print::text(&self.exactly(&approval));
            let said = said.and_then(|()| print::yaml(&list));
            return Ok(said.map(|()| Exit::Answered));
        }
        if let Some(ended) = self.confirm(&approval)? {
            return Ok(ended);
        }
        // Another user may have changed the Install since its content was printed.
        let now = client.asked(&self.install).await?;
        if now.digest != approval.digest {
            return Err(self.content_changed());
        }
        self.give(client, &approval).await
    }

    /// Checks that the ServiceAccount was created for the Install, or that the user named the
    /// ServiceAccount in a flag. Without this check, a user who can write statuses could redirect
    /// the permissions to another ServiceAccount.
    fn check_account(&self, approval: &Approval) -> Result<(), NotApproved> {
        let account = format!("{}/{}", approval.account.namespace, approval.account.name);
        let is_named = self.args.account.as_deref() == Some(&account);
        if is_named || approval.is_own(&self.args.installs_namespace) {
            return Ok(());
        }
        Err(NotApproved::Nothing(format!(
            "ServiceAccount {account} of Install {} was not created for this Install; to confirm the ServiceAccount, use --account={account}",
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

    /// Prints the content to approve, and asks the user for a confirmation. Returns `Some` if the
    /// command ends without an approval.
    fn confirm(&self, approval: &Approval) -> Result<Option<Result<Exit, Failure>>, NotApproved> {
        if let Some(digest) = &self.args.digest
            && *digest != approval.digest
        {
            return Err(self.content_changed());
        }
        if let Err(failure) = print::text(&render(&approval.account, &approval.permissions)) {
            return Ok(Some(Err(failure)));
        }
        if self.args.digest.is_some() {
            return Ok(None);
        }
        let otherwise = || {
            format!(
                "a confirmation requires a terminal; to approve this content without confirmation, use --digest={}",
                approval.digest
            )
        };
        match is_confirmed(otherwise) {
            Ok(true) => Ok(None),
            Ok(false) => Err(NotApproved::Nothing(format!(
                "{} is not approved",
                self.install
            ))),
            Err(failure) => Ok(Some(Err(failure))),
        }
    }

    fn content_changed(&self) -> NotApproved {
        NotApproved::Nothing(format!(
            "Install {} has changed since its content was displayed, so nothing was granted; run the command again to review the new content",
            self.install
        ))
    }

    /// Returns a shell comment with the command that approves only the printed content.
    fn exactly(&self, approval: &Approval) -> String {
        let account = self.args.account.as_ref();
        let account = account.map(|it| format!(" --account={}", shell_word(it)));
        format!(
            "# To approve exactly this content: {} approve {} --digest={}{}\n",
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
