//! The routes: one table, the same for every variant.

use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::{App, Error, Resource, web};

use super::problem::{method_not_allowed, not_found};
use super::{Site, compute, convolve, simple, store};

/// The application of one event loop.
pub(crate) fn app(
    site: Site,
) -> App<impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse, Error = Error, InitError = ()>> {
    App::new()
        .app_data(web::Data::new(site))
        .service(resource("/healthz", "GET").route(web::get().to(simple::healthz)))
        .service(resource("/hello", "GET").route(web::get().to(simple::hello)))
        .service(resource("/metrics", "GET").route(web::get().to(simple::metrics)))
        // A segment may be empty here: "/fib/" is a wrong number, not an unknown route.
        .service(resource("/fib/{n:[^/]*}", "GET").route(web::get().to(compute::fib)))
        .service(resource("/atan-tan/{num:[^/]*}", "GET").route(web::get().to(compute::atan_tan)))
        .service(resource("/convolve", "POST").route(web::post().to(convolve::sent)))
        .service(resource("/images/{name:[^/]*}/convolve", "POST").route(web::post().to(convolve::stored)))
        .service(
            resource("/images/{name:[^/]*}", "GET, PUT, DELETE")
                .route(web::get().to(store::get))
                .route(web::put().to(store::put))
                .route(web::delete().to(store::delete)),
        )
        .default_service(web::to(not_found))
}

/// A resource that refuses every method but those of its routes.
fn resource(path: &str, methods: &'static str) -> Resource {
    let refuse = move |request| async move { method_not_allowed(&request, methods) };
    web::resource(path.to_owned()).default_service(web::to(refuse))
}
