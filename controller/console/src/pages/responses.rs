//! The responses to requests.

use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, Response, StatusCode, header};
use portolan_core_console::login;
use ring::digest;

use super::HttpResponse;
use crate::NotAdmitted;

/// Returns the response to a visitor whose token is not accepted.
pub(super) fn not_admitted(why: &NotAdmitted) -> HttpResponse {
    let code = match why {
        NotAdmitted::Unknown => StatusCode::UNAUTHORIZED,
        NotAdmitted::Unanswered(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    page(code, login(Some(&why.to_string())))
}

/// Returns the policy of drawings, which always contain the same style.
pub(super) fn drawing_policy() -> HeaderValue {
    let style = portolan_core_console::drawing::svg::STYLE.as_bytes();
    let hash = STANDARD.encode(digest::digest(&digest::SHA256, style));
    let policy = format!("default-src 'none'; style-src 'sha256-{hash}'; frame-ancestors 'none'");
    HeaderValue::from_str(&policy).expect("a policy must be a header")
}

pub(super) fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST)
}

pub(super) fn not_there(text: String) -> HttpResponse {
    page(StatusCode::NOT_FOUND, text)
}

pub(super) fn page(code: StatusCode, text: String) -> HttpResponse {
    let mut page = file("text/html; charset=utf-8", text);
    *page.status_mut() = code;
    page
}

pub(super) fn file(kind: &'static str, text: String) -> HttpResponse {
    let mut file = Response::new(Body::from(text));
    file.headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    file
}

/// Leads to the first page, with a cookie.
pub(super) fn home(cookie: &str) -> HttpResponse {
    let mut home = Response::new(Body::empty());
    *home.status_mut() = StatusCode::SEE_OTHER;
    let headers = home.headers_mut();
    headers.insert(header::LOCATION, HeaderValue::from_static("/"));
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    home
}
