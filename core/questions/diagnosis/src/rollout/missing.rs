//! Finds missing objects without which Pods cannot start.

use std::collections::BTreeSet;

use portolan_core_olm::messages::{
    is_of_credentials, missing_object, missing_pull_secrets, registry,
};

use super::blame::{Blame, Failing};
use crate::command::{self, SECRETS, Target};
use crate::cure::{Cure, administrator};
use crate::words::sentence;
use crate::{Evidence, Object, Procedure, Step};

/// A missing object in the namespace of a Pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Absent(Object);

// === impl Absent ===

impl Absent {
    pub(crate) fn new(object: Object) -> Self {
        Self(object)
    }

    /// Returns the missing object that a message of Kubernetes names. Returns None if the message
    /// names no such object.
    pub(crate) fn of(namespace: &str, message: &str) -> Option<Self> {
        let (kind, name) = missing_object(message)?;
        Some(Self(Object::new(kind, namespace, name)))
    }

    pub(crate) fn object(&self) -> &Object {
        let Self(object) = self;
        object
    }

    pub(crate) fn cure(&self) -> Cure {
        let Self(object) = self;
        let content = match &*object.kind {
            "Secret" | "ConfigMap" => " with the content that the Pod needs",
            _ => "",
        };
        let action = format!("Create {object}{content}. Kubernetes then starts the Pod by itself.");
        Cure::external(&administrator(object), &action)
    }

    pub(crate) fn evidence(&self) -> Evidence {
        Evidence::absent(self.object().clone())
    }

    /// Returns a sentence about the missing object, followed by the message about the Pod.
    pub(crate) fn message(&self, of_pod: &str) -> String {
        format!("{} does not exist. {}", self.object(), sentence(of_pod))
    }
}

/// Returns the missing object if Kubernetes cannot create or start the Pod without it.
pub(super) fn object(failing: Failing<'_>) -> Option<Blame> {
    let namespace = &failing.fact.observed.object.namespace;
    let absent = Absent::of(namespace, &failing.fact.message)?;
    let message = absent.message(&failing.message());
    Some(Blame {
        shown: vec![absent.evidence()],
        ..Blame::new(absent.object().clone(), &message, absent.cure())
    })
}

/// Returns the missing pull secret if the registry rejects a pull because of missing credentials.
pub(super) fn pull_secret(failing: Failing<'_>) -> Option<Blame> {
    let warnings = failing.warnings().filter(|event| event.is_of_pull_secret());
    let names: BTreeSet<_> = warnings
        .flat_map(|event| missing_pull_secrets(&event.message))
        .collect();
    let name = names
        .first()
        .filter(|_| is_of_credentials(&failing.fact.message))?;
    let namespace = &failing.fact.observed.object.namespace;
    let at_fault = Object::new("Secret", namespace, *name);
    let mut containers = failing.pod?.containers();
    let image = containers.find(|one| !one.status.ready && one.status.state.waiting.is_some());
    let image = image.as_ref().map_or("", |container| container.image());
    let message = format!(
        "{at_fault}, a pull secret of the Pod, does not exist. {}",
        sentence(&failing.message())
    );
    let action = format!(
        "Create {at_fault} with valid credentials. Kubernetes then pulls the image by itself."
    );
    let cure = Cure::advised(
        &administrator(&at_fault),
        &action,
        vec![credentials(&at_fault, image)],
    );
    Some(Blame {
        look: Some(show_secret(&at_fault)),
        shown: names
            .iter()
            .map(|name| Evidence::absent(Object::new("Secret", namespace, *name)))
            .collect(),
        ..Blame::new(at_fault, &message, cure)
    })
}

/// Returns the command that shows whether a pull secret exists, without its content.
pub(crate) fn show_secret(secret: &Object) -> Step {
    let target = Target::new(SECRETS, &secret.namespace, &secret.name);
    Step::new(&format!("Check if {secret} exists"), target.exists())
}

/// Returns the command that creates a pull secret for an image. A person inserts the credentials.
pub(crate) fn credentials(secret: &Object, image: &str) -> Procedure {
    let server = registry(image).map(|registry| format!("--docker-server={registry}"));
    let login = ["--docker-username=USER", "--docker-password=PASSWORD"];
    let values = server.into_iter().chain(login.map(str::to_owned));
    let command = command::create("secret docker-registry", secret, values);
    let title = format!("Create {secret}. Replace USER and PASSWORD with valid credentials.");
    Procedure::command(&title, command, TYPED)
}

/// The risk of a command with a secret value.
pub(crate) const TYPED: &str = "The shell may keep the values in its history.";
