//! The `flitforge` command.

fn main() -> std::process::ExitCode {
    flitforge::run(&flitforge::Program::PLAIN)
}
