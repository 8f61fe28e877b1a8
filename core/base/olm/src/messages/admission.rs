//! Messages of API servers about an object that a webhook or a policy rejected.

/// The rejection of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Denial<'a> {
    /// The webhook or policy that rejected the object.
    pub by: Denier<'a>,
    /// The policy that the webhook enforces. None if its message names no policy.
    pub policy: Option<&'a str>,
    /// The path of the invalid field, such as `spec/replicas`. None if the message names no field.
    pub field: Option<&'a str>,
    /// The message of the webhook or policy.
    pub words: &'a str,
}

/// The webhook or policy that rejected an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denier<'a> {
    /// An admission webhook. Contains the name of the webhook in its configuration.
    Webhook(&'a str),
    /// A ValidatingAdmissionPolicy. Contains its name.
    Policy(&'a str),
}

/// Returns the rejection that a message reports. Returns None for other messages.
pub fn denial(message: &str) -> Option<Denial<'_>> {
    let (by, words) = by_webhook(message).or_else(|| by_policy(message))?;
    Some(Denial {
        by,
        policy: policy(words),
        field: field(words),
        words: words.trim(),
    })
}

fn by_webhook(message: &str) -> Option<(Denier<'_>, &str)> {
    let (_, rest) = message.split_once("admission webhook \"")?;
    let (name, rest) = rest.split_once('"')?;
    let words = rest.strip_prefix(" denied the request")?;
    Some((Denier::Webhook(name), words.trim_start_matches(':')))
}

fn by_policy(message: &str) -> Option<(Denier<'_>, &str)> {
    let (_, rest) = message.split_once("ValidatingAdmissionPolicy '")?;
    let (name, rest) = rest.split_once('\'')?;
    let (_, words) = rest.split_once("denied request: ")?;
    Some((Denier::Policy(name), words))
}

/// Returns the policy in the message of a webhook. Kyverno lists its policies, and Gatekeeper
/// begins with the name of the constraint in brackets.
fn policy(words: &str) -> Option<&str> {
    let listed = words.split_once("following policies");
    let name = match listed {
        Some((_, rest)) => rest
            .trim_start_matches([':', ' ', '\n', '\r', '\t'])
            .split(':')
            .next(),
        None => words.trim().strip_prefix('[')?.split(']').next(),
    };
    let is_name = |name: &&str| !name.is_empty() && !name.contains(char::is_whitespace);
    name.filter(is_name)
}

fn field(words: &str) -> Option<&str> {
    let (_, rest) = words.split_once("failed at path ")?;
    let is_end = |c: char| c.is_whitespace() || ['\'', '"'].contains(&c);
    let path = rest.split(is_end).next()?.trim_matches('/');
    (!path.is_empty()).then_some(path)
}

// === impl Denial ===

impl Denial<'_> {
    /// Returns true if the webhook or policy rejected the resources of a container: its requests
    /// and limits.
    pub fn is_about_resources(&self) -> bool {
        let is_field = self.field.is_some_and(|path| path.contains("/resources"));
        let words = self.words.to_lowercase();
        let names = |all: &[&str]| all.iter().any(|word| words.contains(word));
        is_field || (names(&["limit", "request"]) && names(&["memory", "cpu"]))
    }

    /// Returns the index of the container whose field is invalid, in the rejected Pod template.
    pub fn container(&self) -> Option<usize> {
        let (_, rest) = self.field?.split_once("/containers/")?;
        rest.split('/').next()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::kyverno(
        "install strategy failed: admission webhook \"validate.kyverno.svc\" denied the request: \n\nresource \
         Deployment/quay/tug was blocked due to the following policies \n\nneeds-cpu:\n  auto: 'validation error: \
         set it. rule auto failed at path /spec/template/spec/containers/1/resources/requests/'\n",
        (Denier::Webhook("validate.kyverno.svc"), Some("needs-cpu"), Some("spec/template/spec/containers/1/resources/requests"))
    )]
    #[case::gatekeeper(
        "admission webhook \"validation.gatekeeper.sh\" denied the request: [no-root] container <tug> runs as root",
        (Denier::Webhook("validation.gatekeeper.sh"), Some("no-root"), None)
    )]
    #[case::own_policy(
        "deployments.apps \"tug\" is forbidden: ValidatingAdmissionPolicy 'papers' with binding 'all' denied request: \
         no papers",
        (Denier::Policy("papers"), None, None)
    )]
    #[case::without_explanation(
        "admission webhook \"customs.example\" denied the request without explanation",
        (Denier::Webhook("customs.example"), None, None)
    )]
    fn denial_names_webhook_policy_and_field(
        #[case] message: &str,
        #[case] expected: (Denier<'_>, Option<&str>, Option<&str>),
    ) {
        let found = denial(message).map(|it| (it.by, it.policy, it.field));
        assert_eq!(found, Some(expected));
    }

    #[test]
    fn position_of_the_container_is_in_the_path() {
        let message = "admission webhook \"a\" denied the request: failed at path /spec/template/spec/containers/2/image/";
        assert_eq!(denial(message).and_then(|it| it.container()), Some(2));
    }

    #[rstest]
    #[case::field("failed at path /spec/containers/0/resources/limits/", true)]
    #[case::words("Memory limits are required", true)]
    #[case::image("the image must have a digest", false)]
    #[case::rate("request rate limit exceeded", false)]
    fn recognizes_denial_about_resource_requests_and_limits(
        #[case] words: &str,
        #[case] expected: bool,
    ) {
        let message = format!("admission webhook \"a\" denied the request: {words}");
        assert_eq!(
            denial(&message).map(|it| it.is_about_resources()),
            Some(expected)
        );
    }

    #[test]
    fn returns_no_denial_for_unreachable_webhook() {
        assert_eq!(denial("failed calling webhook \"a\": EOF"), None);
    }
}
