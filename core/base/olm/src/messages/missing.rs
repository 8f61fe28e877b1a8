//! Messages about a missing object or API.

/// The text before an object name in messages of the kubelet and of API servers, with the kind of
/// the object.
const KINDS: [(&str, &str); 4] = [
    ("configmap \"", "ConfigMap"),
    ("persistentvolumeclaim \"", "PersistentVolumeClaim"),
    ("secret \"", "Secret"),
    ("serviceaccount \"", "ServiceAccount"),
];

/// The texts with which registries reject the credentials of a pull, in lower case.
const CREDENTIALS: [&str; 5] = [
    "authentication required",
    "authorization",
    "denied",
    "no basic auth credentials",
    "unauthorized",
];

/// Returns the kind and the name of a missing object, without which a Pod cannot be created or
/// started. The object is in the namespace of the Pod. Returns None for other messages.
pub fn missing_object(message: &str) -> Option<(&'static str, &str)> {
    KINDS.iter().find_map(|(before, kind)| {
        let mut places = message.match_indices(before);
        places.find_map(|(at, _)| {
            let rest = message.get(at + before.len()..)?;
            let (name, rest) = rest.split_once('"')?;
            let is_missing = rest.starts_with(" not found") && !name.is_empty();
            is_missing.then_some((*kind, name))
        })
    })
}

/// An object that a container refers to, and that is missing or incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingReference<'m> {
    /// `Secret` or `ConfigMap`.
    pub kind: &'static str,
    /// The name of the object.
    pub name: &'m str,
    /// The key that the object lacks. None if the object itself is missing.
    pub key: Option<&'m str>,
}

/// Returns the Secret or ConfigMap without which the kubelet cannot create a container. Returns None
/// for other messages.
pub fn missing_reference(message: &str) -> Option<MissingReference<'_>> {
    const REFERENCED: [&str; 2] = ["ConfigMap", "Secret"];
    let Some((_, rest)) = message.split_once("couldn't find key ") else {
        let (kind, name) = missing_object(message)?;
        let is_referenced = REFERENCED.contains(&kind);
        return is_referenced.then_some(MissingReference {
            kind,
            name,
            key: None,
        });
    };
    let (key, rest) = rest.split_once(" in ")?;
    let (kind, object) = rest.split_once(' ')?;
    let kind = REFERENCED.into_iter().find(|it| *it == kind)?;
    let object = object.split_whitespace().next()?.trim_end_matches('.');
    let name = object.split_once('/').map_or(object, |(_, name)| name);
    Some(MissingReference {
        kind,
        name,
        key: Some(key),
    })
}

/// Returns the names of the pull secrets that the kubelet cannot read, from its Event.
pub fn missing_pull_secrets(message: &str) -> impl Iterator<Item = &str> {
    let listed = message.split_once("image pull secrets (");
    let listed = listed.and_then(|(_, rest)| rest.split_once(')'));
    let names = listed.map_or("", |(names, _)| names).split(',');
    names.map(str::trim).filter(|name| !name.is_empty())
}

/// Returns true if a registry rejects the credentials of a pull, or requires credentials.
pub fn is_of_credentials(message: &str) -> bool {
    let message = message.to_lowercase();
    CREDENTIALS.iter().any(|words| message.contains(words))
}

/// Returns the registry in the reference of an image, such as `quay.io`. Returns None if the
/// reference contains no registry.
pub fn registry(image: &str) -> Option<&str> {
    let (host, _) = image.split_once('/')?;
    let is_host = host.contains(['.', ':']) || host == "localhost";
    is_host.then_some(host)
}

/// Returns the kind and the version of an API that a program uses but the API server does not
/// serve. Returns None for other messages.
pub fn unserved_api(message: &str) -> Option<(&str, &str)> {
    let (_, rest) = message.split_once("no matches for kind ")?;
    let (kind, rest) = rest.split_once(" in version ")?;
    let quotes = ['"', '\\', '\''];
    let version = rest.trim_start_matches(quotes);
    let is_end = |c: char| c.is_whitespace() || quotes.contains(&c) || [',', '}', ')'].contains(&c);
    let version = version.split(is_end).next()?;
    let kind = kind.trim_matches(quotes);
    (!kind.is_empty() && !version.is_empty()).then_some((kind, version))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::variable("secret \"chart\" not found", Some(("Secret", "chart")))]
    #[case::volume(
        "MountVolume.SetUp failed for volume \"tides\" : configmap \"tide-table\" not found",
        Some(("ConfigMap", "tide-table"))
    )]
    #[case::account(
        "pods \"tug-1-\" is forbidden: error looking up service account quay/pilot: serviceaccount \"pilot\" not found",
        Some(("ServiceAccount", "pilot"))
    )]
    #[case::claim("persistentvolumeclaim \"log\" not found", Some(("PersistentVolumeClaim", "log")))]
    #[case::existing("secret \"chart\" has no key", None)]
    #[case::nothing("", None)]
    fn missing_object_has_a_kind_and_a_name(
        #[case] message: &str,
        #[case] expected: Option<(&str, &str)>,
    ) {
        assert_eq!(missing_object(message), expected);
    }

    #[test]
    fn event_of_the_kubelet_lists_pull_secrets() {
        let message = "Unable to retrieve some image pull secrets (quay-pull, dock); attempting to pull the image may \
                       not succeed.";
        assert_eq!(
            missing_pull_secrets(message).collect::<Vec<_>>(),
            ["quay-pull", "dock"]
        );
        assert_eq!(missing_pull_secrets("nothing").count(), 0);
    }

    #[rstest]
    #[case::unauthorized("reading manifest 1: unauthorized: authentication required", true)]
    #[case::denied("pull access denied for tug", true)]
    #[case::not_found("manifest unknown", false)]
    fn rejected_credentials_are_recognized(#[case] message: &str, #[case] expected: bool) {
        assert_eq!(is_of_credentials(message), expected);
    }

    #[rstest]
    #[case::with_a_port("quay.example:5000/a/b:1", Some("quay.example:5000"))]
    #[case::without_a_host("library/tug:1", None)]
    #[case::name_only("tug", None)]
    fn image_names_its_registry(#[case] image: &str, #[case] expected: Option<&str>) {
        assert_eq!(registry(image), expected);
    }

    #[rstest]
    #[case::plain(
        "no matches for kind \"CronJob\" in version \"batch/v1beta1\"",
        Some(("CronJob", "batch/v1beta1"))
    )]
    #[case::in_json(
        r#"ERROR setup {"error": "no matches for kind \"Ingress\" in version \"extensions/v1beta1\""}"#,
        Some(("Ingress", "extensions/v1beta1"))
    )]
    #[case::other("no matches for tide", None)]
    fn unserved_api_has_a_kind_and_a_version(
        #[case] message: &str,
        #[case] expected: Option<(&str, &str)>,
    ) {
        assert_eq!(unserved_api(message), expected);
    }
}
