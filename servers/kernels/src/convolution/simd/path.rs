//! Which width of SIMD.

use core::str::FromStr;

/// A way through the same arithmetic; all give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// No SIMD of its own (the compiler may find some).
    Portable,
    /// 128 bits: SSE2, or Wasm's `simd128`.
    Simd128,
    /// 256 bits: AVX2.
    Simd256,
    /// 512 bits: AVX-512 F, BW.
    Simd512,
}

impl Path {
    /// Every path, from the narrowest to the widest.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Simd128, Self::Simd256, Self::Simd512];

    /// The name: `portable`, `simd128`, `simd256` or `simd512`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Simd128 => "simd128",
            Self::Simd256 => "simd256",
            Self::Simd512 => "simd512",
        }
    }

    /// Whether this build and this CPU have it. Without the feature `std` only what the compiler was told counts.
    pub fn is_available(self) -> bool {
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        let (avx2, avx512) = (
            std::arch::is_x86_feature_detected!("avx2"),
            std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512bw"),
        );
        #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
        let (avx2, avx512) = (
            cfg!(all(target_arch = "x86_64", target_feature = "avx2")),
            cfg!(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw")),
        );
        match self {
            Self::Portable => true,
            Self::Simd128 => cfg!(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))),
            Self::Simd256 => avx2,
            Self::Simd512 => avx512,
        }
    }

    /// The paths that exist here.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|path| path.is_available())
    }

    /// The widest that exists here.
    pub fn best() -> Self {
        Self::available().last().unwrap_or(Self::Portable)
    }
}

impl FromStr for Path {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|path| path.name() == name).ok_or(())
    }
}
