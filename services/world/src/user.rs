//! The user whose identity requests to an API server use.

use http::header::{HeaderName, InvalidHeaderValue};
use http::{HeaderMap, HeaderValue};

const USER: HeaderName = HeaderName::from_static("impersonate-user");
const GROUP: HeaderName = HeaderName::from_static("impersonate-group");

/// A user that requests impersonate. The API server checks that the process may impersonate this
/// user. Then it checks that this user may make the request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct User {
    /// The name.
    pub name: String,
    /// The groups of the user, without the groups that the API server adds itself. These are
    /// `system:authenticated` and, for a ServiceAccount without groups, its [own
    /// groups](Self::groups_of_service_account). The process needs a permission to impersonate each
    /// listed group.
    pub groups: Vec<String>,
}

impl User {
    /// Creates the user of a ServiceAccount. The API server adds the groups that all
    /// ServiceAccounts have.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        Self {
            name: format!("system:serviceaccount:{namespace}:{name}"),
            groups: Vec::new(),
        }
    }

    /// Returns the groups that all ServiceAccounts of a namespace have.
    pub fn groups_of_service_account(namespace: &str) -> [String; 3] {
        [
            "system:serviceaccounts".to_owned(),
            format!("system:serviceaccounts:{namespace}"),
            "system:authenticated".to_owned(),
        ]
    }

    /// Returns the headers that impersonate the user. A client that already impersonates another
    /// user must not send these headers, because the request would then have two users.
    ///
    /// # Errors
    /// Returns an error if a name is invalid.
    pub fn headers(&self) -> Result<HeaderMap, InvalidHeaderValue> {
        let mut headers = HeaderMap::new();
        headers.append(USER, HeaderValue::from_str(&self.name)?);
        for group in &self.groups {
            headers.append(GROUP, HeaderValue::from_str(group)?);
        }
        Ok(headers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_account_has_only_its_own_groups() {
        let headers = User::service_account("harbor", "installer").headers();
        let headers = headers.expect("headers");
        assert_eq!(headers[USER], "system:serviceaccount:harbor:installer");
        assert_eq!(headers.len(), 1);
    }

    #[test]
    fn each_group_has_a_header() {
        let user = User {
            name: "mate".to_owned(),
            groups: User::groups_of_service_account("harbor").to_vec(),
        };
        let headers = user.headers().expect("headers");
        let groups: Vec<_> = headers.get_all(GROUP).iter().collect();
        let expected = [
            "system:serviceaccounts",
            "system:serviceaccounts:harbor",
            "system:authenticated",
        ];
        assert_eq!(groups, expected);
        let odd = User {
            name: "a\nb".to_owned(),
            groups: Vec::new(),
        };
        odd.headers().expect_err("it must be no name");
    }
}
