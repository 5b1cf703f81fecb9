//! `println!` and `eprintln!` for this crate. Those of the standard library panic when the reader has gone, as in
//! `loadgen list | head -1`: here that is no reason to end, least of all in the middle of a sweep.
//! Colours are taken out where they are not wanted.

macro_rules! println {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(anstream::stdout(), $($text)*);
    }};
}

macro_rules! eprintln {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(anstream::stderr(), $($text)*);
    }};
}
