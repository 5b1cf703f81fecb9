//! Scenario files small enough for tests.

/// Everything but servers and request, and over in no time.
pub const SHORT: &str = "
concurrency = \"1-3\"
connections = \"keep-alive\"
requests = { per_client = 4, least = 12 }
warm_up = { concurrency = 1, least = 2, most = 2 }
";

/// F(n).
pub fn fib(n: u32) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

/// A scenario of fib(n) for these servers; `more` holds the other keys, such as [`SHORT`].
pub fn scenario(servers: &[&str], n: u32, more: &str) -> String {
    format!(
        "name = \"small\"\ntitle = \"fib({n}) for tests\"\nservers = {servers:?}\n{more}\n\
         [request]\npath = \"/fib/{n}?salt={{salt}}\"\n[expect]\nbase = {}\nplus_salt = true\n",
        fib(n)
    )
}
