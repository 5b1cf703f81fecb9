//! Images that clients leave with the server: in memory, bounded, gone with the process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use codecs::Format;

/// What an image costs beyond its bytes: its name and its place in the table, generously.
const ENTRY_BYTES: u64 = 512;

/// The longest name.
const MOST_CHARACTERS: usize = 64;

/// A name that an image can have: 1 to 64 letters, digits, dots, hyphens and underscores of ASCII, no dot first. So it
/// is no path, whatever it is used for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Name(String);

/// A name that no image can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name has 1 to {MOST_CHARACTERS} of the characters A-Z a-z 0-9 . _ - and does not begin with a dot; {0:?} is none"
)]
pub(crate) struct NoName(String);

impl Name {
    pub(crate) fn new(name: &str) -> Result<Self, NoName> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let is_name =
            (1..=MOST_CHARACTERS).contains(&name.len()) && name.bytes().all(allowed) && !name.starts_with('.');
        if is_name { Ok(Self(name.into())) } else { Err(NoName(name.chars().take(MOST_CHARACTERS).collect())) }
    }
}

/// An image as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) format: Format,
    pub(crate) file: Bytes,
}

/// There is no room for an image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store has {free} bytes left, and the image takes {needed}; delete others first")]
pub(crate) struct Full {
    needed: u64,
    free: u64,
}

/// The store, shared by all threads of a server.
#[derive(Debug)]
pub(crate) struct Store {
    most_bytes: u64,
    contents: Mutex<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    images: HashMap<Name, Stored>,
    /// What they cost together.
    bytes: u64,
}

impl Store {
    pub(crate) fn new(most_bytes: u64) -> Self {
        Self { most_bytes, contents: Mutex::default() }
    }

    /// Keeps an image, in place of one of the same name. Whether there was one.
    pub(crate) fn put(&self, name: Name, format: Format, file: &[u8]) -> Result<bool, Full> {
        let needed = cost(file);
        let mut contents = self.lock();
        let replaced = contents.images.get(&name).map(|image| cost(&image.file));
        let others = contents.bytes - replaced.unwrap_or(0);
        let free = self.most_bytes - others;
        if needed > free {
            return Err(Full { needed, free });
        }
        contents.bytes = others + needed;
        // A copy of its own: what came may be a part of something larger.
        contents.images.insert(name, Stored { format, file: Bytes::copy_from_slice(file) });
        Ok(replaced.is_some())
    }

    pub(crate) fn get(&self, name: &Name) -> Option<Stored> {
        self.lock().images.get(name).cloned()
    }

    /// Whether there was one.
    pub(crate) fn delete(&self, name: &Name) -> bool {
        let mut contents = self.lock();
        let Some(image) = contents.images.remove(name) else { return false };
        contents.bytes -= cost(&image.file);
        true
    }

    /// Nothing panics while it is held.
    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cost(file: &[u8]) -> u64 {
    file.len() as u64 + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Name {
        Name::new(name).unwrap()
    }

    #[test]
    fn names_are_no_paths() {
        let long = "a".repeat(64);
        for good in ["a", "photo.jpg", "A-z_0.9", "-", "_", "a..b", &long] {
            assert!(Name::new(good).is_ok(), "{good}");
        }
        let too_long = "a".repeat(65);
        for bad in ["", ".", "..", ".hidden", "a/b", "a\\b", "a%2Fb", "a b", "a\0", "\n", "ä", "a:b", &too_long] {
            assert!(Name::new(bad).is_err(), "{bad:?}");
        }
        assert!(Name::new(&"x".repeat(10_000)).unwrap_err().to_string().len() < 300);
    }

    #[test]
    fn what_was_put_is_got_until_it_is_deleted() {
        let store = Store::new(10_000);
        assert_eq!(store.get(&name("a")), None);
        assert_eq!(store.put(name("a"), Format::Png, b"first"), Ok(false));
        assert_eq!(store.put(name("a"), Format::Jpeg, b"second"), Ok(true));
        let stored = Stored { format: Format::Jpeg, file: Bytes::from_static(b"second") };
        assert_eq!(store.get(&name("a")), Some(stored));
        assert!(store.delete(&name("a")));
        assert!(!store.delete(&name("a")));
    }

    #[test]
    fn it_is_bounded() {
        let store = Store::new(2 * ENTRY_BYTES + 100);
        assert_eq!(store.put(name("a"), Format::Png, &[0; 60]), Ok(false));
        assert_eq!(store.put(name("b"), Format::Png, &[0; 40]), Ok(false));
        assert_eq!(store.put(name("c"), Format::Png, &[]), Err(Full { needed: ENTRY_BYTES, free: 0 }));
        // In place of the old one there is room, but for no more.
        assert_eq!(store.put(name("a"), Format::Png, &[1; 60]), Ok(true));
        assert!(store.put(name("a"), Format::Png, &[1; 61]).is_err());
        assert_eq!(store.get(&name("a")).unwrap().file, [1; 60].as_slice());
        store.delete(&name("b"));
        assert_eq!(store.put(name("c"), Format::Png, &[2; 40]), Ok(false));
    }
}
