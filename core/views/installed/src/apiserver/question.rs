//! Parses requests for Installed objects.

use crate::apiserver::accept::Form;
use crate::apiserver::options::{ListOptions, Since, WatchOptions};
use crate::apiserver::request::{Request, Subject, Verb};
use crate::apiserver::status::Status;

/// A request for Installed objects, with its parsed options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Gets one object.
    Get {
        /// The namespace.
        namespace: String,
        /// The name.
        name: String,
        /// The version that the response may have.
        since: Since,
        /// The format of the response.
        form: Form,
    },
    /// Lists the objects of one namespace or of all namespaces.
    List {
        /// The namespace. None for all namespaces.
        namespace: Option<String>,
        /// The options of the list.
        options: Box<ListOptions>,
        /// The format of the response.
        form: Form,
    },
    /// Watches the objects of one namespace or of all namespaces.
    Watch {
        /// The namespace. None for all namespaces.
        namespace: Option<String>,
        /// The options of the watch.
        options: Box<WatchOptions>,
        /// The format of the response.
        form: Form,
    },
}

// === impl Question ===

impl Question {
    /// Parses the options of a request. The caller must already have authorized it.
    ///
    /// # Errors
    ///
    /// Returns 405 if the server does not support the verb, or another error if the request is
    /// invalid.
    pub fn of<'a>(
        request: &Request,
        accept: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, Status> {
        let Request {
            verb,
            subject,
            query,
            ..
        } = request;
        let Subject::Installed { namespace, name } = subject else {
            return Err(Status::no_path());
        };
        if let Verb::Write(_) = verb {
            return Err(Status::method_not_allowed());
        }
        let form = Form::of(accept, query)?;
        let namespace = namespace.clone();
        Ok(match (verb, name) {
            (Verb::Watch, _) => Self::Watch {
                namespace,
                options: WatchOptions::of(query)?.into(),
                form,
            },
            (_, Some(name)) => Self::Get {
                namespace: namespace.unwrap_or_default(),
                name: name.clone(),
                since: Since::of(query)?,
                form,
            },
            (_, None) => Self::List {
                namespace,
                options: ListOptions::of(query)?.into(),
                form,
            },
        })
    }
}
