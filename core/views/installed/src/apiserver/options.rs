//! Parses the options of lists and watches.

use std::time::Duration;

use crate::apiserver::query::QueryParameters;
use crate::apiserver::status::Status;
use crate::{Continue, Filter, NotAVersion, ResourceVersion};

/// The version that a response may have, which clients request with `resourceVersion`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Since {
    /// The newest version.
    #[default]
    Newest,
    /// Any version is accepted.
    Any,
    /// This version or a newer version.
    NotOlder(ResourceVersion),
    /// Exactly this version.
    Exact(ResourceVersion),
}

/// The options of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListOptions {
    /// The objects to list.
    pub filter: Filter,
    /// The maximum number of objects in the response.
    pub limit: usize,
    /// The object after which the page begins. None for the first page.
    pub behind: Option<Continue>,
    /// The version that the list may have.
    pub since: Since,
}

/// The options of a watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchOptions {
    /// The objects to watch.
    pub filter: Filter,
    /// The version at which the watch begins.
    pub since: Since,
    /// True if the watch begins with events for the existing objects (`sendInitialEvents`).
    pub with_those_there: bool,
    /// True if a bookmark must mark the end of the initial events.
    pub tells_those_there: bool,
    /// True if the watch must send bookmarks.
    pub bookmarks: bool,
    /// The time after which the watch ends. None if the client does not limit it.
    pub lasts: Option<Duration>,
}

const MATCH: &str = "resourceVersionMatch";
const INITIAL: &str = "sendInitialEvents";

// === impl Since ===

impl Since {
    /// Parses the version that a response with a single object may have.
    pub(crate) fn of(query: &QueryParameters) -> Result<Self, Status> {
        match query.first("resourceVersion") {
            None => Ok(Self::Newest),
            Some("0") => Ok(Self::Any),
            Some(text) => version(text).map(Self::NotOlder),
        }
    }

    /// Returns the version that must be reached before the response. Returns None if any version is
    /// allowed.
    pub fn version(&self) -> Option<&ResourceVersion> {
        match self {
            Self::Newest | Self::Any => None,
            Self::NotOlder(version) | Self::Exact(version) => Some(version),
        }
    }
}

fn version(text: &str) -> Result<ResourceVersion, Status> {
    text.parse().map_err(|error: NotAVersion| match error {
        NotAVersion::Garbage(_) => Status::invalid("resourceVersion", text, error),
        // The version comes from another release of the server, or from another kind. A client that
        // gets 410 lists again and continues.
        NotAVersion::OtherKind(_) | NotAVersion::OtherResources(..) => Status::expired(error),
    })
}

// === impl ListOptions ===

impl ListOptions {
    /// Parses the options from the query parameters.
    ///
    /// # Errors
    /// Returns 400 if a parameter is invalid, 410 if a version is from another release, and 422 if
    /// two parameters conflict.
    pub fn of(query: &QueryParameters) -> Result<Self, Status> {
        let filter = filter(query)?;
        let limit = limit(query)?;
        let behind = query.first("continue").map(Continue::parse).transpose();
        let behind = behind.map_err(Status::bad_request)?;
        let asked = query.first("resourceVersion");
        let matched = query.first(MATCH);
        if query.claim(INITIAL).is_some() {
            let why = "sendInitialEvents is forbidden for list";
            return Err(Status::invalid(INITIAL, "", why));
        }
        if behind.is_some() && asked.is_some_and(|version| version != "0") {
            let why = "specifying resource version is not allowed when using continue";
            return Err(Status::bad_request(why));
        }
        if matched.is_some() && behind.is_some() {
            let why = "resourceVersionMatch is forbidden when continue is provided";
            return Err(Status::invalid(MATCH, "", why));
        }
        let since = match (matched, Since::of(query)?) {
            (None | Some("NotOlderThan"), since @ (Since::Any | Since::NotOlder(_)))
            | (None, since @ Since::Newest) => since,
            (Some(_), Since::Newest) => {
                let why = "resourceVersionMatch is forbidden unless resourceVersion is provided";
                return Err(Status::invalid(MATCH, "", why));
            }
            (Some("Exact"), Since::NotOlder(version)) => Since::Exact(version),
            (Some("Exact"), _) => {
                let why = "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"";
                return Err(Status::invalid(MATCH, "", why));
            }
            (Some(other), _) => return Err(unknown_match(other)),
            (None, Since::Exact(_)) => unreachable!("only a match makes it exact"),
        };
        Ok(Self {
            filter,
            limit,
            behind,
            since,
        })
    }
}

fn unknown_match(value: &str) -> Status {
    let why = "supported values: \"Exact\", \"NotOlderThan\"";
    Status::invalid(MATCH, value, why)
}

// === impl WatchOptions ===

impl WatchOptions {
    /// Parses the options from the query parameters.
    ///
    /// # Errors
    /// Returns 400 if a parameter is invalid, 410 if a version is from another release, and 422 if
    /// two parameters conflict.
    pub fn of(query: &QueryParameters) -> Result<Self, Status> {
        let filter = filter(query)?;
        let lasts = number(query, "timeoutSeconds")?.map(Duration::from_secs);
        let (initial, matched) = (query.claim(INITIAL), query.first(MATCH));
        match (initial, matched) {
            (None, Some(_)) => {
                let why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
                return Err(Status::invalid(MATCH, "", why));
            }
            (Some(_), None | Some("Exact")) => {
                let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
                return Err(Status::invalid(MATCH, "", why));
            }
            (None, None) | (Some(_), Some("NotOlderThan")) => {}
            (Some(_), Some(other)) => return Err(unknown_match(other)),
        }
        if query.first("continue").is_some() {
            let why = "continue is forbidden for watch";
            return Err(Status::invalid("continue", "", why));
        }
        let since = Since::of(query)?;
        let bookmarks = query.claims("allowWatchBookmarks");
        Ok(Self {
            filter,
            with_those_there: initial.unwrap_or(since.version().is_none()),
            tells_those_there: initial == Some(true) && bookmarks,
            since,
            bookmarks,
            lasts: lasts.filter(|lasts| !lasts.is_zero()),
        })
    }
}

fn filter(query: &QueryParameters) -> Result<Filter, Status> {
    let text = |name| query.first(name).unwrap_or_default();
    let refused = |error| Status::bad_request(error);
    Ok(Filter {
        labels: text("labelSelector").parse().map_err(refused)?,
        fields: text("fieldSelector").parse().map_err(refused)?,
    })
}

/// Returns the maximum number of objects. Zero or a negative limit means that there is no maximum,
/// as for custom resources.
fn limit(query: &QueryParameters) -> Result<usize, Status> {
    let is_negative = |text: &str| text.parse::<i64>().is_ok_and(|number| number < 0);
    let limit = match query.first("limit") {
        Some(text) if is_negative(text) => None,
        Some(_) | None => number(query, "limit")?.filter(|limit| *limit > 0),
    };
    Ok(limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    }))
}

fn number(query: &QueryParameters, name: &str) -> Result<Option<u64>, Status> {
    let Some(text) = query.first(name) else {
        return Ok(None);
    };
    match text.parse() {
        Ok(number) => Ok(Some(number)),
        // The value is a number that Go accepts as an int64, but it is negative.
        Err(_) if text.parse::<i64>().is_ok() => Err(Status::bad_request(format!(
            "{name} is {text}, and must not be negative"
        ))),
        Err(_) => Err(Status::bad_request(format!(
            "{name} is {text:?}, which is not a number"
        ))),
    }
}
