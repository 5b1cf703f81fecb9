//! The routes: one file, the same for every variant.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{self, ContentType};
use actix_web::{App, Error, HttpRequest, HttpResponse, Resource, web};

use super::metrics::{Metrics, RequestEnd};
use super::problem::problem;
use crate::executor::Executor;
use crate::job::{Job, JobError};
use crate::task::{Done, Outcome, Task, TaskError};

/// What the handlers of one event loop work with.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) executor: Rc<dyn Executor>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) max_n: u32,
}

/// The application of one event loop.
pub(crate) fn app(
    site: Site,
) -> App<impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse, Error = Error, InitError = ()>> {
    App::new()
        .app_data(web::Data::new(site))
        .service(get_only("/healthz").route(web::get().to(healthz)))
        .service(get_only("/hello").route(web::get().to(hello)))
        .service(get_only("/metrics").route(web::get().to(metrics)))
        // A segment may be empty here: "/fib/" is a wrong number, not an unknown route.
        .service(get_only("/fib/{n:[^/]*}").route(web::get().to(fib)))
        .service(get_only("/atan-tan/{num:[^/]*}").route(web::get().to(atan_tan)))
        .default_service(web::to(not_found))
}

/// A resource that refuses every method but GET.
fn get_only(path: &str) -> Resource {
    web::resource(path.to_owned()).default_service(web::to(method_not_allowed))
}

async fn healthz() -> HttpResponse {
    plain("ok".into())
}

async fn hello() -> HttpResponse {
    plain("hello".into())
}

async fn metrics(site: web::Data<Site>) -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(site.metrics.render())
}

async fn fib(request: HttpRequest, site: web::Data<Site>) -> HttpResponse {
    let job = Job::fib(request.match_info().query("n"), request.query_string());
    compute(&site, job).await
}

async fn atan_tan(request: HttpRequest, site: web::Data<Site>) -> HttpResponse {
    let job = Job::atan_tan(request.match_info().query("num"), request.query_string());
    compute(&site, job).await
}

async fn not_found(request: HttpRequest) -> HttpResponse {
    problem(StatusCode::NOT_FOUND, &format!("there is nothing at {}", request.path()))
}

async fn method_not_allowed(request: HttpRequest) -> HttpResponse {
    let detail = format!("{} takes GET, not {}", request.path(), request.method());
    let mut response = problem(StatusCode::METHOD_NOT_ALLOWED, &detail);
    response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("GET"));
    response
}

/// Has a job computed by the executor and answers with the result.
async fn compute(site: &Site, job: Result<Job, JobError>) -> HttpResponse {
    let request = site.metrics.request_started();
    let (response, end) = match job {
        Err(error) => (problem(StatusCode::BAD_REQUEST, &error.to_string()), RequestEnd::Invalid),
        Ok(Job::Fib { n, .. }) if n > site.max_n => {
            let detail = format!("n is {n}; this server computes at most {}", site.max_n);
            (problem(StatusCode::UNPROCESSABLE_ENTITY, &detail), RequestEnd::Invalid)
        }
        Ok(job) => reply(execute(site, job).await),
    };
    request.ended(end);
    response
}

/// The one door to the executor, where admission is decided: so far every job is admitted and none has a deadline.
///
/// When the client goes away, the server drops this future and with it the receiver, by which the task knows.
async fn execute(site: &Site, job: Job) -> Outcome {
    let (task, outcome) = Task::new(job, None, Arc::clone(&site.metrics));
    site.executor.execute(task);
    outcome.await.unwrap_or_else(|_| Err(TaskError::Failed("its thread ended without an answer".into())))
}

fn reply(outcome: Outcome) -> (HttpResponse, RequestEnd) {
    match outcome {
        Ok(done) => {
            let mut response = plain(done.answer.to_string());
            if let Ok(value) = header::HeaderValue::from_str(&server_timing(&done)) {
                response.headers_mut().insert(header::HeaderName::from_static("server-timing"), value);
            }
            (response, RequestEnd::Ok)
        }
        Err(error) => {
            let (status, end) = match error {
                TaskError::Invalid(_) => (StatusCode::UNPROCESSABLE_ENTITY, RequestEnd::Invalid),
                TaskError::Unsupported(_) => (StatusCode::NOT_IMPLEMENTED, RequestEnd::Invalid),
                TaskError::Failed(_) => (StatusCode::INTERNAL_SERVER_ERROR, RequestEnd::Failed),
                TaskError::Refused(_) => (StatusCode::SERVICE_UNAVAILABLE, RequestEnd::Refused),
                TaskError::Expired => (StatusCode::SERVICE_UNAVAILABLE, RequestEnd::Expired),
            };
            (problem(status, &error.to_string()), end)
        }
    }
}

fn plain(text: String) -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::plaintext()).body(text)
}

/// The value of `Server-Timing`, in milliseconds.
fn server_timing(done: &Done) -> String {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    format!("queue;dur={:.3}, compute;dur={:.3}, cpu;dur={:.3}", ms(done.queue), ms(done.compute), ms(done.cpu))
}
