//! The constructs, each with its Verilog; the reference page is made of these files.

use crate::support::{same_everywhere, verilog_of};
use flitforge_elaborate::drive::DriveBlock;

/// What can be done with every case.
pub trait Each {
    /// What comes of it.
    type Result;
    /// Does it with one.
    fn case<B: DriveBlock + 'static>(&mut self, name: &str, make: &dyn Fn() -> B) -> Self::Result;
}

/// Each case: its file, and how its block is made.
macro_rules! cases {
    ($($name:ident: $make:expr;)*) => {
        $(
            mod $name;
            #[test]
            fn $name() {
                let text = verilog_of($make, "top");
                written(stringify!($name), &text);
                same_everywhere(stringify!($name), || $make, 1000);
            }
        )*
        /// Something done with every case.
        pub fn each<E: Each>(what: &mut E) -> Vec<E::Result> {
            vec![$(what.case(stringify!($name), &|| $make)),*]
        }
        /// Names and sources, in the order of the page.
        pub const CASES: &[(&str, &str)] = &[$((stringify!($name), include_str!(concat!(stringify!($name), ".rs")))),*];
    };
}

cases! {
    ports: ports::Case::<8>::default();
    registers: registers::Case::default();
    lets: lets::Case::default();
    bits: bits::Case::default();
    numbers: numbers::Case::<5, 6>::default();
    packed: packed::Case::default();
    states: states::Case::default();
    functions: functions::Case::default();
    steps: steps::Case::default();
    arrays: arrays::Case::<3>::default();
    children: children::Case::default();
    interfaces: interfaces::Case::default();
    clocks: clocks::Case::default();
    constructors: constructors::Case::<4>::new(100).expect("a table");
}

/// The Verilog that is written down for a case.
pub fn file(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(format!("{name}.v"))
}

#[track_caller]
fn written(name: &str, text: &str) {
    if std::env::var_os("FLITFORGE_BLESS").is_some() {
        std::fs::write(file(name), text).expect("written");
    }
    let known = std::fs::read_to_string(file(name)).expect("the text of the case");
    assert!(known == text, "{name}: other Verilog than in {name}.v; FLITFORGE_BLESS=1 writes it:\n{text}");
}
