//! Errors as `application/problem+json` (RFC 9457): which error has which status.

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use codecs::DecodeError;
use serde::Serialize;

use super::metrics::RequestEnd;
use crate::form::FormError;
use crate::job::JobError;
use crate::parameters::ParameterError;
use crate::store::{Full, NoName};
use crate::task::TaskError;

/// Why a request is not answered as it wished.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    /// In a sentence, for the client.
    detail: String,
    /// How the request is counted.
    pub(super) end: RequestEnd,
    /// Whether the connection ends: there is more of the request than anyone will read.
    closes: bool,
}

/// The body. `about:blank` says that the status tells the kind of problem; `detail` tells the rest.
#[derive(Serialize)]
struct Body<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: &'a str,
}

impl Problem {
    /// What the client did wrong.
    pub(super) fn new(status: StatusCode, detail: impl ToString) -> Self {
        Self { status, detail: detail.to_string(), end: RequestEnd::Invalid, closes: false }
    }

    pub(super) fn closing(self) -> Self {
        Self { closes: true, ..self }
    }

    pub(super) fn response(&self) -> HttpResponse {
        let (status, detail) = (self.status, self.detail.as_str());
        let title = status.canonical_reason().unwrap_or("Error");
        let body = Body { r#type: "about:blank", title, status: status.as_u16(), detail };
        let body = serde_json::to_string(&body).unwrap_or_default();
        let mut response = HttpResponse::build(status);
        if self.closes {
            response.force_close();
        }
        response.content_type("application/problem+json").body(body)
    }
}

/// Errors that always have the same status.
macro_rules! statuses {
    ($($error:ty: $status:ident,)*) => {
        $(impl From<$error> for Problem {
            fn from(error: $error) -> Self {
                Self::new(StatusCode::$status, error)
            }
        })*
    };
}

statuses! {
    JobError: BAD_REQUEST,
    ParameterError: BAD_REQUEST,
    FormError: BAD_REQUEST,
    NoName: BAD_REQUEST,
    Full: INSUFFICIENT_STORAGE,
}

impl From<DecodeError> for Problem {
    fn from(error: DecodeError) -> Self {
        let status = match error {
            DecodeError::NotAnImage | DecodeError::Unsupported(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            DecodeError::TooManyPixels { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            DecodeError::Corrupt(_) => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, error)
    }
}

impl From<TaskError> for Problem {
    fn from(error: TaskError) -> Self {
        let (status, end) = match error {
            TaskError::File(error) => return error.into(),
            TaskError::Invalid(_) => (StatusCode::UNPROCESSABLE_ENTITY, RequestEnd::Invalid),
            TaskError::Unsupported(_) => (StatusCode::NOT_IMPLEMENTED, RequestEnd::Invalid),
            TaskError::Failed(_) => (StatusCode::INTERNAL_SERVER_ERROR, RequestEnd::Failed),
            TaskError::Refused(_) => (StatusCode::SERVICE_UNAVAILABLE, RequestEnd::Refused),
            TaskError::Expired => (StatusCode::SERVICE_UNAVAILABLE, RequestEnd::Expired),
        };
        Self { end, ..Self::new(status, error) }
    }
}

pub(super) async fn not_found(request: HttpRequest) -> HttpResponse {
    Problem::new(StatusCode::NOT_FOUND, format_args!("there is nothing at {}", request.path())).response()
}

/// Says which methods there are.
pub(super) fn method_not_allowed(request: &HttpRequest, methods: &'static str) -> HttpResponse {
    let detail = format_args!("{} takes {methods}, not {}", request.path(), request.method());
    let mut response = Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail).response();
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    response
}
