//! What is refused, and where the error points: the files of `ui` with what the compiler says of each.
//!
//! `TRYBUILD=overwrite` writes what it says.

#[test]
fn refusals() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
