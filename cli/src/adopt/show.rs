//! The output of a dry run of `adopt`.

use portolan_core_names::ObjectRef;
use portolan_operators::{
    HELD_VERSION, NotWritten, OlmOwner, OperatorClient, disowned, is_release,
};
use serde_json::Value;

use super::Adoption;
use crate::explain::answer::diff;
use crate::failure::Failure;
use crate::print;

/// The objects of an adoption.
#[derive(Default)]
struct Objects {
    /// The objects that the Operator owns after the adoption.
    kept: Vec<Value>,
    /// The Secrets with the Helm release of OLM v1.
    releases: Vec<Value>,
}

// === impl Adoption ===

impl Adoption {
    /// Prints the steps of the adoption: the objects that it deletes and those that it keeps.
    pub(super) async fn print_plan(&self, client: Option<&OperatorClient>) -> Result<(), Failure> {
        let installs = &self.present.installs;
        let mut text = format!("{} {}\n", installs.package, installs.version);
        let (kept, releases) = match client {
            None => {
                let owner = self.owner_kind();
                let line = format!(
                    "  keep    all objects of the {owner} (a cluster is required to list them)\n"
                );
                (line, Vec::new())
            }
            Some(client) => match self.objects(client).await {
                Ok(Objects { kept, releases }) => {
                    let stays = kept.iter().map(ObjectRef::versioned);
                    let lines = stays.map(|it| format!("  keep    {it}\n")).collect();
                    (lines, releases)
                }
                Err(error) => {
                    let owner = self.owner_kind();
                    let line = format!(
                        "  keep    all objects of the {owner} (cannot be listed: {error})\n"
                    );
                    (line, Vec::new())
                }
            },
        };
        let object = &self.present.object;
        match &self.owner {
            OlmOwner::Csv(_) => {
                if let Some(subscription) = &self.subscription {
                    text.push_str(&format!("  delete  {subscription}\n"));
                }
                text.push_str(&format!("  delete  {object}\n{kept}"));
            }
            OlmOwner::Extension(_) => {
                let plan = self.operator["metadata"]["name"].as_str();
                let plan = plan.unwrap_or_default();
                text.push_str(&format!(
                    "  create  InstallPlan {plan}-1 of the existing objects\n  hold    {object} at \
                     version {HELD_VERSION}\n{kept}  delete  {object}\n"
                ));
                let goes = releases.iter().map(ObjectRef::versioned);
                text.extend(goes.map(|it| format!("  delete  {it}\n")));
            }
        }
        print::text(&text)
    }

    /// Prints the objects that the adoption deletes, and the changes of the objects that it keeps.
    pub(super) async fn print_differences(
        &self,
        client: Option<&OperatorClient>,
    ) -> Result<(), Failure> {
        let Some(client) = client else {
            return Err(Failure::usage(
                "-o diff requires a cluster, because files do not contain all objects of OLM; omit --world",
            ));
        };
        let objects = self.objects(client).await;
        let Objects { kept, releases } =
            objects.map_err(|error| Failure::usage(error.to_string()))?;
        let mut text = String::new();
        let releases = releases
            .iter()
            .map(|it| ObjectRef::versioned(it).to_string());
        let goes = self.subscription.iter().chain([&self.present.object]);
        for goes in goes.cloned().chain(releases) {
            text.push_str(&format!("--- {goes}\n+++ (deleted)\n"));
        }
        for object in &kept {
            let id = ObjectRef::versioned(object);
            let changed = diff(Some(object), disowned(object));
            if !changed.is_empty() {
                text.push_str(&format!(
                    "--- {id}, of OLM\n+++ {id}, of the Operator\n{changed}"
                ));
            }
        }
        print::text(&text)
    }

    async fn objects(&self, client: &OperatorClient) -> Result<Objects, NotWritten> {
        let package = &self.present.installs.package;
        let held = client.held_by_olm(&self.owner, package).await?;
        let (releases, kept) = held.into_iter().partition(|it| is_release(&self.owner, it));
        Ok(Objects { kept, releases })
    }

    fn owner_kind(&self) -> &'static str {
        match self.owner {
            OlmOwner::Csv(_) => "ClusterServiceVersion",
            OlmOwner::Extension(_) => "ClusterExtension",
        }
    }
}
