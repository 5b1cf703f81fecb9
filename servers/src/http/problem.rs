//! Errors as `application/problem+json` (RFC 9457).

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;

/// The body. `about:blank` says that the status tells the kind of problem; `detail` tells the rest.
#[derive(Serialize)]
struct Problem<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: &'a str,
}

/// A response that says what was wrong.
pub(super) fn problem(status: StatusCode, detail: &str) -> HttpResponse {
    let title = status.canonical_reason().unwrap_or("Error");
    let body = Problem { r#type: "about:blank", title, status: status.as_u16(), detail };
    let body = serde_json::to_string(&body).unwrap_or_default();
    HttpResponse::build(status).content_type("application/problem+json").body(body)
}
