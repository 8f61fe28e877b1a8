//! `portolan install --profile`: applies the objects of a profile.

use std::collections::BTreeSet;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use jiff::Timestamp;
use portolan_api::crds;
use portolan_controller::{
    CrdInstaller, Deletion, INSTALLER, MANAGED_BY, NotIssued, ObjectInstaller,
};
use portolan_world::Access;
use serde_json::{Value, json};

use super::crds::report;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print::{self, Format};
use crate::program_name::ProgramName;

const LOOK: &str = include_str!("../../../deploy/profiles/look.yaml");
const MANAGE: &str = include_str!("../../../deploy/profiles/manage.yaml");

/// The namespace in which Portolan is installed.
pub(crate) const NAMESPACE: &str = "portolan";
/// The services that need a TLS certificate.
pub(crate) const CERTIFIED: [&str; 5] = ["approval", "console", "diagnosis", "health", "resolver"];
/// The maximum time to wait until a CRD is established.
const ESTABLISHED: Duration = Duration::from_secs(60);

/// A set of objects to install.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// Reads the cluster, and changes nothing.
    Look,
    /// Also installs and upgrades operators.
    Manage,
}

#[derive(Debug, Parser)]
pub(super) struct ProfileArgs {
    /// Components to install, with their permissions.
    #[arg(long, required = true)]
    profile: Option<Profile>,

    /// Image of Portolan. Default: portolan, with the version of this program.
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,

    /// Send server-side dry runs, and change nothing.
    #[arg(long)]
    dry_run: bool,

    /// Print the objects without CRDs and certificates, and do not connect to a cluster.
    #[arg(short, long, value_name = "yaml", value_parser = ["yaml"])]
    output: Option<String>,

    /// Overwrite fields that other field managers have set to other values.
    #[arg(long)]
    force_conflicts: bool,

    #[command(flatten)]
    access: Access,
}

/// The state of a running installation.
struct Progress {
    suffix: &'static str,
    exit: Exit,
}

// === impl ProfileArgs ===

impl ProfileArgs {
    pub(super) async fn run(self) -> Result<Exit, Failure> {
        let Some(profile) = self.profile else {
            return Err(Failure::usage("--profile is required: look or manage"));
        };
        let objects = manifests(profile, self.image.as_deref())?;
        if self.output.is_some() {
            let objects: Vec<_> = objects.iter().collect();
            return print::text(&print::objects(Format::Yaml, &objects)?).map(|()| Exit::Answered);
        }
        let client = self.access.client().await.map_err(Failure::refused)?;
        let mut progress = Progress {
            suffix: if self.dry_run { " (dry run)" } else { "" },
            exit: Exit::Answered,
        };
        if profile == Profile::Manage {
            let installer = CrdInstaller::new(client.clone(), self.dry_run);
            self.crds(&installer.forcing(self.force_conflicts), &mut progress)
                .await?;
        }
        let installer = ObjectInstaller::new(client, self.dry_run).forcing(self.force_conflicts);
        let (namespaces, others): (Vec<_>, Vec<_>) = objects
            .into_iter()
            .partition(|object| object["kind"] == "Namespace");
        progress.apply(&installer, &namespaces).await?;
        progress
            .apply(&installer, &certificates(&installer).await?)
            .await?;
        progress.apply(&installer, &others).await?;
        if progress.exit == Exit::Answered {
            progress.delete(&installer, &outdated(profile)?).await?;
        }
        if progress.exit == Exit::Answered && !self.dry_run {
            let program = ProgramName::now();
            print::note(&format!(
                "to wait until Portolan runs: {} check --wait 2m",
                program.typed()
            ));
        }
        Ok(progress.exit)
    }

    async fn crds(&self, installer: &CrdInstaller, progress: &mut Progress) -> Result<(), Failure> {
        for (name, crd) in crds() {
            let applied = match installer.apply(&crd).await {
                Ok(_) if self.dry_run => Ok(()),
                Ok(_) => installer.until_established(&name, ESTABLISHED).await,
                Err(error) => Err(error),
            };
            match applied {
                Ok(()) => progress.done(&format!("customresourcedefinition/{name} applied"))?,
                Err(error) => progress.exit = report(&name, error)?,
            }
        }
        Ok(())
    }
}

// === impl Progress ===

impl Progress {
    async fn apply(
        &mut self,
        installer: &ObjectInstaller,
        objects: &[Value],
    ) -> Result<(), Failure> {
        for object in objects {
            match installer.apply(object).await {
                Ok(change) => self.done(&format!("{} {}", reference(object), change))?,
                Err(error) if error.is_unknown() => return Err(Failure::failed(error)),
                Err(error) => {
                    self.failed(&format!("{} is not applied: {error}", reference(object)));
                }
            }
        }
        Ok(())
    }

    async fn delete(
        &mut self,
        installer: &ObjectInstaller,
        objects: &[Value],
    ) -> Result<(), Failure> {
        for object in objects {
            match installer.delete(object).await {
                Ok(Deletion::Deleted) => self.done(&format!("{} deleted", reference(object)))?,
                Ok(Deletion::Absent | Deletion::Kept(_)) => {}
                Err(error) if error.is_unknown() => return Err(Failure::failed(error)),
                Err(error) => {
                    self.failed(&format!("{} is not deleted: {error}", reference(object)));
                }
            }
        }
        Ok(())
    }

    fn done(&self, line: &str) -> Result<(), Failure> {
        print::text(&format!("{line}{}\n", self.suffix))
    }

    fn failed(&mut self, message: &str) {
        print::error(message);
        self.exit = Exit::No;
    }
}

/// Returns the objects of a profile. Each object has the label of its installer.
pub(crate) fn manifests(profile: Profile, image: Option<&str>) -> Result<Vec<Value>, Failure> {
    let text = match profile {
        Profile::Look => LOOK,
        Profile::Manage => MANAGE,
    };
    let mut objects: Vec<Value> = serde_saphyr::from_multiple(text).map_err(Failure::failed)?;
    for object in &mut objects {
        object["metadata"]["labels"][MANAGED_BY] = json!(INSTALLER);
        let container = "/spec/template/spec/containers/0/image";
        if let (Some(image), Some(value)) = (image, object.pointer_mut(container)) {
            *value = json!(image);
        }
    }
    Ok(objects)
}

/// Returns Secrets with new certificates, for certificates that are missing or expire soon.
async fn certificates(installer: &ObjectInstaller) -> Result<Vec<Value>, Failure> {
    let missing = installer.missing_certificates(NAMESPACE, &CERTIFIED, Timestamp::now());
    let missing = missing.await.map_err(|error| match error {
        NotIssued::Read(error) if error.is_unknown() => Failure::failed(error),
        NotIssued::Read(_) | NotIssued::OtherAuthority { .. } | NotIssued::Make(_) => {
            Failure::refused(error)
        }
    })?;
    Ok(missing.into_iter().map(|secret| secret.manifest).collect())
}

/// Returns the objects that the other profile contains and this profile does not contain.
fn outdated(profile: Profile) -> Result<Vec<Value>, Failure> {
    let other = match profile {
        Profile::Look => Profile::Manage,
        Profile::Manage => Profile::Look,
    };
    let kept: BTreeSet<_> = manifests(profile, None)?.iter().map(reference).collect();
    let mut outdated = manifests(other, None)?;
    outdated.retain(|object| !kept.contains(&reference(object)));
    outdated.reverse();
    Ok(outdated)
}

/// Returns the name of an object in the format of kubectl, such as `deployment/portolan-health`.
pub(crate) fn reference(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = text(&object["kind"]).to_lowercase();
    format!("{kind}/{}", text(&object["metadata"]["name"]))
}

#[cfg(test)]
mod tests {
    use portolan_controller::certificate_secrets;

    use super::*;

    fn references(profile: Profile) -> BTreeSet<String> {
        let objects = manifests(profile, None).expect("manifests");
        objects.iter().map(reference).collect()
    }

    #[test]
    fn look_profile_has_no_controller_and_manage_profile_contains_look_profile() {
        let (look, manage) = (references(Profile::Look), references(Profile::Manage));
        assert!(look.is_subset(&manage), "{:?}", look.difference(&manage));
        assert!(!look.iter().any(|name| name.contains("portolan-controller")));
        assert!(manage.contains("deployment/portolan-controller"));
    }

    #[test]
    fn look_profile_deletes_objects_that_only_manage_profile_contains() {
        let outdated = outdated(Profile::Look).expect("manifests");
        let names: Vec<_> = outdated.iter().map(reference).collect();
        assert!(names.contains(&"deployment/portolan-webhook".to_owned()));
        assert!(!names.contains(&"deployment/portolan-health".to_owned()));
        assert!(outdated_is_empty(Profile::Manage));
    }

    fn outdated_is_empty(profile: Profile) -> bool {
        outdated(profile).expect("manifests").is_empty()
    }

    #[test]
    fn objects_have_their_label_and_the_image() {
        for object in manifests(Profile::Manage, Some("mine:1")).expect("manifests") {
            assert_eq!(object["metadata"]["labels"][MANAGED_BY], INSTALLER);
            if object["kind"] == "Deployment" {
                let container = &object["spec"]["template"]["spec"]["containers"][0];
                assert_eq!(container["image"], "mine:1");
            }
        }
    }

    /// The installer creates a certificate for each service that mounts one.
    #[test]
    fn each_mounted_certificate_is_created() {
        let objects = manifests(Profile::Manage, None).expect("manifests");
        let own: Vec<_> = objects.iter().map(reference).collect();
        let volumes = objects.iter().filter_map(|object| {
            let volumes = object.pointer("/spec/template/spec/volumes")?;
            volumes.as_array()
        });
        for secret in volumes
            .flatten()
            .filter_map(|it| it["secret"]["secretName"].as_str())
        {
            let is_created = certificate_secrets(&CERTIFIED)
                .iter()
                .any(|it| it == secret);
            assert!(
                is_created || own.contains(&format!("secret/{secret}")),
                "{secret}"
            );
        }
    }
}
