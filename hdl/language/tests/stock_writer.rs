//! rust-hdl's own checks and its own Verilog writer take a block of the language, too.

use crate::cases;
use crate::support::ready;
use flitforge_elaborate::drive::DriveBlock;
use rust_hdl::prelude::{check_all, ModuleDefines};
use std::process::Command;

struct Writer;

impl cases::Each for Writer {
    type Result = bool;
    fn case<B: DriveBlock + 'static>(&mut self, name: &str, make: &dyn Fn() -> B) -> bool {
        let mut ports = vec![];
        make().list("", &mut ports);
        let block = ready(make());
        let unconnected = check_all(&block);
        // What comes from outside is connected by nobody here; rust-hdl says nothing else.
        let said = unconnected.err().map_or(String::new(), |error| format!("{error:?}"));
        assert!(said.is_empty() || said.contains("OpenSignal"), "{name}: {said}");
        let mut defines = ModuleDefines::default();
        block.accept("top", &mut defines);
        let text = defines.defines();
        assert!(text.contains("module top("), "{name}: {text}");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("top.v");
        std::fs::write(&file, &text).expect("written");
        let Ok(output) = Command::new("iverilog").args(["-g2005", "-t", "null"]).arg(&file).output() else {
            println!("SKIPPED: iverilog missing");
            return false;
        };
        assert!(output.status.success(), "{name}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
        true
    }
}

#[test]
fn its_text_is_verilog() {
    cases::each(&mut Writer);
}
