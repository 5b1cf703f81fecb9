//! The image that a request carries, read up to a limit.

use actix_http::body::BoxBody;
use actix_http::{HttpMessage as _, Request, Response};
use actix_service::{IntoServiceFactory, ServiceFactory, fn_service};
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap};
use actix_web::{HttpRequest, web};
use bytes::Bytes;
use futures_util::StreamExt as _;

use super::Shared;
use super::problem::Problem;
use crate::form;

/// Memory for a body before any of it has come; what a client merely announces does not take more.
const FIRST_BYTES: usize = 1 << 20;

/// The body, or the field `image` of a form. Its kind is for others to find out: no client is believed.
pub(super) async fn image(request: &HttpRequest, payload: web::Payload, max_body: usize) -> Result<Bytes, Problem> {
    let body = read(request.headers(), payload, max_body).await?;
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let image = match form::boundary(content_type)? {
        Some(boundary) => form::field(&body, &boundary, "image")?,
        None => body,
    };
    if image.is_empty() {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "there is no image in the request: it is empty"));
    }
    Ok(image)
}

/// The whole body, in one piece.
async fn read(headers: &HeaderMap, mut payload: web::Payload, max_body: usize) -> Result<Bytes, Problem> {
    let announced = announced(headers);
    if announced.is_some_and(|length| length > max_body as u64) {
        return Err(too_large(max_body));
    }
    let mut body = Vec::with_capacity(FIRST_BYTES.min(announced.map_or(0, |length| length as usize)));
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| {
            Problem::new(StatusCode::BAD_REQUEST, format_args!("the body could not be read: {error}")).closing()
        })?;
        if chunk.len() > max_body - body.len() {
            return Err(too_large(max_body));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.into())
}

fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(max_body: usize) -> Problem {
    let detail = format_args!("the body is larger than the {max_body} bytes that this server takes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail).closing()
}

/// Answers `Expect: 100-continue`: a client that asks beforehand need not send what is too large. Nothing has been routed
/// yet, so such a request is in no metric.
pub(crate) fn expect(
    shared: Shared,
) -> impl ServiceFactory<Request, Config = (), Response = Request, Error = Response<BoxBody>, InitError = ()> {
    let decide = move |request: Request| {
        let refused = announced(request.headers()).is_some_and(|length| length > shared.max_body as u64);
        let max_body = shared.max_body;
        async move { if refused { Err(too_large(max_body).response().into()) } else { Ok(request) } }
    };
    fn_service(decide).into_factory()
}
