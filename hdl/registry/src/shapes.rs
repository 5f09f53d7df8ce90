//! Shapes: the const parameters that a block has for given values, and which of them are built in.
//!
//! A block's widths follow from a few values that a user gives. [`shapes!`](crate::shapes!) says once how they follow, as a
//! template, and which values this library is compiled with: those of the presets, and those that a board, a test or an example asks
//! the registry for. All others are refused with the shape that would be needed, and the `flitforge` command compiles that one
//! [on demand](add).

use crate::config::ConfigError;
pub use crate::shape::Shape;
use crate::{BuiltBlock, Settings};

use std::cell::RefCell;
use std::sync::OnceLock;

/// What builds a block from its values.
pub type Builder = fn(&Settings) -> Result<BuiltBlock, ConfigError>;

/// A shape that is not in this library but was compiled on demand.
#[derive(Clone, Copy, Debug)]
pub struct Extra {
    /// The shape's text, as [`Shape`] writes it.
    pub shape: &'static str,
    /// The builder with these const arguments.
    pub build: Builder,
}

static EXTRAS: OnceLock<&'static [Extra]> = OnceLock::new();

/// Adds shapes that were compiled on demand, once in a process.
///
/// # Errors
/// There are some already; they stay.
pub fn add(extras: &'static [Extra]) -> Result<(), &'static [Extra]> {
    EXTRAS.set(extras)
}

/// Shapes that were compiled on demand.
pub fn extras() -> &'static [Extra] {
    EXTRAS.get().copied().unwrap_or_default()
}

/// One `shapes!` in the sources.
#[derive(Debug)]
pub struct Template {
    /// Path of the generic builder, in the crate of its family or by the facade.
    pub builder: &'static str,
    /// Names of the values.
    pub names: &'static [&'static str],
    /// How the const arguments follow from the values, in brackets.
    pub arguments: &'static str,
    /// Values that are built in because a preset has them, in parentheses.
    pub presets: &'static [&'static str],
    /// Values that are built in for something else, and the file that uses them, from the root.
    pub others: &'static [(&'static str, &'static str)],
    /// The source file, as the compiler names it.
    pub file: &'static str,
    /// Line in it.
    pub line: u32,
}

/// A template with the values that were asked for.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The template.
    pub template: &'static Template,
    /// The values, as the template's lists write them.
    pub values: String,
    /// What they give.
    pub shape: Shape,
}

thread_local! {
    static VISITS: RefCell<Option<Vec<Visit>>> = const { RefCell::new(None) };
}

/// The templates that `work` goes through on this thread.
pub fn observe<T>(work: impl FnOnce() -> T) -> (T, Vec<Visit>) {
    let before = VISITS.replace(Some(vec![]));
    let result = work();
    (result, VISITS.replace(before).unwrap_or_default())
}

impl Template {
    /// Notes that `values` were asked for. For `shapes!`.
    pub fn visit(&'static self, values: &[usize], arguments: &[usize]) -> Shape {
        let shape = Shape { builder: by_facade(self.builder), arguments: arguments.into() };
        VISITS.with_borrow_mut(|visits| {
            if let Some(visits) = visits {
                visits.push(Visit { template: self, values: in_parentheses(values), shape: shape.clone() });
            }
        });
        shape
    }

    /// Builds a shape that is not built in, or says that it is not. For `shapes!`.
    pub fn on_demand(
        &'static self,
        settings: &Settings,
        values: &[usize],
        shape: Shape,
    ) -> Result<BuiltBlock, ConfigError> {
        let text = shape.to_string();
        if let Some(extra) = extras().iter().find(|extra| extra.shape == text) {
            return (extra.build)(settings);
        }
        let built_in = self.presets.iter().chain(self.others.iter().map(|(values, _)| values));
        let built_in: Vec<&str> = built_in.copied().collect();
        let fix = format!("`flitforge` compiles it on demand, and Rust code names it: `{text}`");
        let mut error = ConfigError::new(
            settings.block(),
            &self.names.join(", "),
            in_parentheses(values),
            built_in.join(" or "),
            fix,
        );
        error.shape = Some(Box::new(shape));
        Err(error)
    }
}

/// The path of something in the crate of a family, by the facade: that of `flitforge_hdl_link_types::position` is
/// `flitforge_hdl::link::position`.
fn by_facade(path: &str) -> String {
    let of_family = path.strip_prefix("flitforge_hdl_").and_then(|path| path.split_once("::"));
    of_family.map_or_else(
        || path.into(),
        |(family, rest)| format!("flitforge_hdl::{}::{rest}", family.trim_end_matches("_types")),
    )
}

fn in_parentheses(values: &[usize]) -> String {
    let values: Vec<String> = values.iter().map(usize::to_string).collect();
    format!("({})", values.join(", "))
}

/// Bits of an address of `depth` words, a power of two.
pub const fn log2(depth: usize) -> usize {
    depth.next_power_of_two().trailing_zeros() as usize
}

/// Builds a block of the shape that its values need.
///
/// ```text
/// shapes! {
///     settings: (width, depth, mode = mode.code()) => build_as [width, width + 1, log2(depth), mode];
///     presets { (64, 512, 1) (8, 16, 0) }
///     others { (8, 512, 0) in "boards/src/designs/clock_tree.rs" }
/// }
/// ```
///
/// The names are settings of the block, or have a value (a `usize`). The numbers in brackets are the const arguments of the
/// public function `build_as`, which has no other generics and takes the settings. `presets` are what the presets need and `others`
/// what the file that is named asks the registry for; a test sees to both. Where the public path of the function is not that of the
/// module with `shapes!`, it is said: `build_as of prim::fifo [..]`.
#[macro_export]
macro_rules! shapes {
    ($settings:ident: $names:tt => $builder:ident of $($module:ident)::+ [$($argument:tt)*];
        presets { $($preset:tt)* } $(others { $($other:tt in $user:literal)* })?) => {
        $crate::shapes!(@all $settings $names $builder [$($argument)*]
            [concat!("flitforge_hdl", $("::", stringify!($module),)+ "::", stringify!($builder))]
            [$($preset)*] [$($($other in $user)*)?])
    };
    ($settings:ident: $names:tt => $builder:ident $arguments:tt;
        presets { $($preset:tt)* } $(others { $($other:tt in $user:literal)* })?) => {
        $crate::shapes!(@all $settings $names $builder $arguments
            [concat!(module_path!(), "::", stringify!($builder))]
            [$($preset)*] [$($($other in $user)*)?])
    };
    (@all $settings:ident $names:tt $builder:ident $arguments:tt [$path:expr]
        [$($preset:tt)*] [$($other:tt in $user:literal)*]) => {{
        static TEMPLATE: $crate::shapes::Template = $crate::shapes::Template {
            builder: $path,
            names: $crate::shapes!(@names $names),
            arguments: stringify!($arguments),
            presets: &[$(stringify!($preset)),*],
            others: &[$((stringify!($other), $user)),*],
            file: file!(),
            line: line!(),
        };
        $crate::shapes!(@read $settings $names);
        let shape = TEMPLATE.visit(
            $crate::shapes!(@list $names),
            $crate::shapes!(@arguments $arguments),
        );
        match $crate::shapes!(@tuple $names) {
            $($crate::shapes!(@values $preset) =>
                $crate::shapes!(@call $builder $settings $names $preset $arguments),)*
            $($crate::shapes!(@values $other) =>
                $crate::shapes!(@call $builder $settings $names $other $arguments),)*
            _ => TEMPLATE.on_demand($settings, $crate::shapes!(@list $names), shape),
        }
    }};
    (@read $settings:ident ($($name:ident $(= $value:expr)?),*)) => {
        $(let $name: usize = $crate::shapes!(@one $settings $name $(= $value)?);)*
    };
    (@one $settings:ident $name:ident) => { $settings.size(stringify!($name))? };
    (@one $settings:ident $name:ident = $value:expr) => { $value };
    (@names ($($name:ident $(= $value:expr)?),*)) => { &[$(stringify!($name)),*] };
    (@list ($($name:ident $(= $value:expr)?),*)) => { &[$($name),*] };
    (@tuple ($($name:ident $(= $value:expr)?),*)) => { ($($name,)*) };
    (@values ($($value:literal),*)) => { ($($value,)*) };
    (@arguments [$($argument:expr),*]) => { &[$($argument),*] };
    (@call $builder:ident $settings:ident $names:tt $values:tt [$($argument:expr),*]) => {
        $builder::<$({ $crate::shapes!(@bind $names $values); $argument }),*>($settings)
    };
    (@bind ($($name:ident $(= $value:expr)?),*) ($($literal:literal),*)) => {
        $(#[allow(unused_variables)] let $name: usize = $literal;)*
    };
}
