//! The two macros that turn one written table into types, constants and printable data.

/// Defines a module with one bit layout: a `LAYOUT` table, a `WIDTH`, and a module per field with
/// `LOW`, `WIDTH` and `FIELD`.
macro_rules! layout {
    ($(#[$doc:meta])* $name:ident, $title:literal, $width:literal bits, $source:literal,
     { $($field:ident [$low:literal +: $size:literal] $meaning:literal;)* }) => {
        $(#[$doc])*
        pub mod $name {
            use $crate::layout::Layout;
            /// Width of the whole layout in bits.
            pub const WIDTH: usize = $width;
            /// The layout as data.
            pub const LAYOUT: Layout = Layout {
                name: $title,
                width: $width,
                source: $source,
                fields: &[$($field::FIELD),*],
            };
            const _: () = assert!(LAYOUT.is_sound(), "fields overlap or leave the layout");
            $(
                #[doc = $meaning]
                pub mod $field {
                    use $crate::layout::Field;
                    /// Number of the field's lowest bit.
                    pub const LOW: usize = $low;
                    /// Width of the field in bits.
                    pub const WIDTH: usize = $size;
                    /// The field as data.
                    pub const FIELD: Field =
                        Field { name: stringify!($field), low: $low, width: $size, meaning: $meaning };
                }
            )*
        }
    };
}

/// Defines an enum whose variants carry a code on the wire, a printed name and a meaning.
macro_rules! coded_enum {
    ($(#[$doc:meta])* $name:ident : $repr:ident,
     { $($variant:ident = $code:literal, $text:literal, $meaning:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[repr($repr)]
        pub enum $name {
            $(
                #[doc = $meaning]
                $variant = $code,
            )*
        }
        impl $name {
            /// Every value, in the order of the codes in the chapter.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];
            /// The code on the wire.
            #[must_use]
            pub const fn code(self) -> $repr {
                self as $repr
            }
            /// The value with this code; `None` if the code is not defined.
            #[must_use]
            pub const fn from_code(code: $repr) -> Option<Self> {
                match code {
                    $($code => Some($name::$variant),)*
                    _ => None,
                }
            }
            /// The name the chapter uses.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }
            /// What it means, in a few words.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $($name::$variant => $meaning,)*
                }
            }
        }
    };
}
