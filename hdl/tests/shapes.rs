//! Shapes that these tests ask the registry for and the library does not have: made known as one that was compiled on demand is.

use flitforge_hdl::link::crc;
use flitforge_hdl::registry::shapes::{self, Extra};
use flitforge_hdl::time::{ring, token};
use std::sync::Once;

/// Builders with the lists of const arguments that are wanted.
macro_rules! extras {
    ($($module:ident::$builder:ident in $path:literal $([$($argument:literal),*])*;)*) => {
        &[$($(Extra {
            shape: extras!(@text $path $builder $($argument),*),
            build: $module::$builder::<$($argument),*>,
        },)*)*]
    };
    (@text $path:literal $builder:ident $first:literal $(, $next:literal)*) => {
        concat!("flitforge_hdl::", $path, "::", stringify!($builder), "::<", $first, $(", ", $next,)* ">")
    };
}

/// - Rings of all sizes, for the fields of a flit (46 bits) and a whole one (65), with a second register in every hop, and with
///   several edges per core clock.
/// - CRCs of every width and every size of the generator.
#[rustfmt::skip]
static EXTRAS: &[Extra] = extras! {
    ring::build_4_as in "time::ring" [46, 51, 4, 0] [46, 51, 4, 1];
    ring::build_8_as in "time::ring" [65, 70, 0, 0] [65, 70, 8, 0] [46, 51, 0, 1] [46, 51, 8, 1];
    ring::build_12_as in "time::ring" [46, 51, 0, 0] [65, 70, 0, 0] [46, 51, 12, 0] [65, 70, 12, 0] [46, 51, 0, 1] [46, 51, 12, 1];
    ring::build_16_as in "time::ring" [65, 70, 0, 0] [46, 51, 16, 0] [65, 70, 16, 0] [46, 51, 0, 1] [46, 51, 16, 1];
    ring::build_24_as in "time::ring" [65, 70, 0, 0] [46, 51, 24, 0] [65, 70, 24, 0] [46, 51, 0, 1] [46, 51, 24, 1];
    ring::build_32_as in "time::ring" [46, 51, 0, 0] [65, 70, 0, 0] [46, 51, 32, 0] [65, 70, 32, 0] [46, 51, 0, 1] [46, 51, 32, 1];
    ring::build_48_as in "time::ring" [46, 51, 0, 0] [65, 70, 0, 0] [46, 51, 48, 0] [65, 70, 48, 0] [46, 51, 0, 1] [46, 51, 48, 1];
    token::build_12_as in "time::token" [46, 51, 12, 0] [46, 51, 12, 12];
    token::build_16_as in "time::token" [46, 51, 16, 0] [46, 51, 16, 16];
    token::build_24_as in "time::token" [46, 51, 24, 0] [46, 51, 24, 24];
    token::build_32_as in "time::token" [46, 51, 32, 0] [46, 51, 32, 32];
    token::build_48_as in "time::token" [46, 51, 48, 0] [46, 51, 48, 48];
    crc::build_as in "link::crc"
        [66, 8, 4] [66, 9, 4] [66, 10, 4] [66, 11, 4] [66, 12, 4] [66, 13, 4] [66, 14, 4] [66, 15, 4] [66, 16, 4];
    crc::build_as in "link::crc"
        [68, 8, 4] [68, 9, 4] [68, 10, 4] [68, 11, 4] [68, 12, 4] [68, 13, 4] [68, 14, 4] [68, 15, 4] [68, 16, 4];
    crc::build_as in "link::crc"
        [132, 8, 4] [132, 9, 4] [132, 10, 4] [132, 11, 4] [132, 12, 4] [132, 13, 4] [132, 15, 4];
    crc::build_as in "link::crc"
        [136, 8, 4] [136, 9, 4] [136, 10, 4] [136, 11, 4] [136, 12, 4] [136, 13, 4] [136, 14, 4] [136, 15, 4] [136, 16, 4];
    crc::build_as in "link::crc"
        [264, 8, 6] [264, 9, 6] [264, 10, 6] [264, 11, 6] [264, 12, 6] [264, 13, 6] [264, 14, 6] [264, 15, 6];
    crc::build_as in "link::crc"
        [272, 8, 6] [272, 9, 6] [272, 10, 6] [272, 11, 6] [272, 12, 6] [272, 13, 6] [272, 14, 6] [272, 15, 6] [272, 16, 6];
    crc::build_as in "link::crc"
        [528, 8, 12] [528, 9, 12] [528, 10, 12] [528, 11, 12] [528, 12, 12] [528, 13, 12] [528, 14, 12] [528, 15, 12];
};

/// Makes them known.
pub fn add() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| assert!(shapes::add(EXTRAS).is_ok(), "shapes were added by something else"));
}
