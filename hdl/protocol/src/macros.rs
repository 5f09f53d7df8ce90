//! The two macros that turn one written table into types, constants and printable data.

/// Defines a module with one bit layout: a `LAYOUT` table, a `WIDTH`, and a module per field with
/// `LOW`, `WIDTH` and `FIELD`.
macro_rules! layout {
    ($(#[$doc:meta])* $name:ident, $title:literal, $width:literal bits, $source:literal, { $($fields:tt)* }) => {
        $(#[$doc])*
        pub mod $name {
            layout_items! { $title, $width, $source, { $($fields)* } }
        }
    };
}

/// What stands in the module of a layout.
#[doc(hidden)]
#[macro_export]
macro_rules! layout_items {
    ($title:expr, $width:literal, $source:literal,
     { $($field:ident [$low:literal +: $size:literal] $meaning:literal;)* }) => {
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
    };
}

/// Defines the registers of a page: a constant with the offset of each, a module with its layout and its fields as a
/// Rust value, the list `REGISTERS`, and a macro by which `#[register_page]` of flitforge-base makes hardware of the table.
///
/// `registers! { name_table, "source", default reset; rows ; groups }` stands in the module `name`: `#[register_page(path::name, ..)]` finds both. A
/// row is `NAME[count] = offset, access except { field: access } reset(value), module, { fields }`: `[count]` where it stands for
/// several, 8 bytes apart, `except` where the access of fields differs, `reset` where it is not the default of the page. After a `;`
/// there may be groups of counters, `GROUP = offset, bits, { NAMES }`: each becomes a constant of type `Counters`.
#[macro_export]
macro_rules! registers {
    ($table:ident, $source:literal, $default:expr; $($rows:tt)*) => {
        $crate::registers!(@table ($) $table { $($rows)* });
        $crate::registers!(@rows $source, $default; $($rows)*);
    };
    (@table ($dollar:tt) $table:ident { $($rows:tt)* }) => {
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $table {
            ([$dollar($dollar user:tt)*] $dollar($dollar given:tt)*) => {
                $dollar($dollar user)*! { $dollar($dollar given)* { $($rows)* } }
            };
        }
    };
    (@rows $source:literal, $default:expr; $($(#[$doc:meta])* $name:ident $([$count:literal])? = $offset:expr, $access:ident
        $(except { $($other:ident: $other_access:ident),* })? $(reset($reset:expr))?, $module:ident, { $($fields:tt)* })*
        $(; $($(#[$group_doc:meta])* $group:ident = $first:expr, $bits:expr, { $($counter:ident),* $(,)? })*)?) => {
        $(
            $(#[$doc])*
            pub const $name: u32 = $offset;
            $(#[$doc])*
            pub mod $module {
                #[allow(unused_imports, reason = "few resets use constants")]
                use super::*;
                $crate::layout_items! { "Register", 64, $source, { $($fields)* } }
                $crate::register_value! {
                    $crate::register::Register {
                        offset: super::$name,
                        name: stringify!($name),
                        layout: LAYOUT,
                        access: $crate::register::Access::$access,
                        exceptions: &[$($((stringify!($other), $crate::register::Access::$other_access)),*)?],
                        reset: $crate::registers!(@reset $default $(, $reset)?),
                        count: $crate::registers!(@count $($count)?),
                    },
                    { $($fields)* }
                }
                $crate::registers!(@writable $access $(except $($other)*)?);
            }
        )*
        /// Every register but the counters, by offset.
        pub const REGISTERS: &[$crate::register::Register] =
            &[$(<$module::Value as $crate::register::RegisterValue>::REGISTER),*];
        $($(
            $(#[$group_doc])*
            pub const $group: $crate::register::Counters =
                $crate::register::Counters { bits: $bits, offset: $first, names: &[$(stringify!($counter)),*] };
        )*)?
    };
    (@reset $default:expr) => { $default };
    (@reset $default:expr, $reset:expr) => { $reset };
    (@count) => { 1 };
    (@count $count:literal) => { $count };
    (@writable Read) => {};
    (@writable Counter $($rest:tt)*) => {};
    (@writable $access:ident $(except $($other:ident)*)?) => {
        impl $crate::register::Writable for Value {}
    };
}

/// The fields of a register as a Rust value.
#[doc(hidden)]
#[macro_export]
macro_rules! register_value {
    ($register:expr, { $($field:ident [$low:literal +: $size:literal] $meaning:literal;)* }) => {
        /// The register's fields.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Value {
            $(
                #[doc = $meaning]
                pub $field: u64,
            )*
        }
        impl $crate::register::RegisterValue for Value {
            const REGISTER: $crate::register::Register = $register;
            fn decode(word: u64) -> Self {
                Value { $($field: $field::FIELD.get(word.into()),)* }
            }
            fn fields(&self) -> Vec<u64> {
                vec![$(self.$field),*]
            }
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
