//! A page as a C header.

use super::{Page, Register, Reset, BYTES};
use std::fmt::Write;

impl Page {
    /// The page as a C header: `FLITFORGE_PAGE_REGISTER` is a byte offset, `_FIELD_LOW`, `_FIELD_WIDTH` and
    /// `_FIELD_MASK` are those of a field in its 64-bit word. `command` is what writes the file.
    #[must_use]
    pub fn c_header(&self, command: &str) -> String {
        let prefix = format!("FLITFORGE_{}", self.name.to_uppercase());
        let mut text = format!(
            "/* {}, {}. Written by `{command}`. Do not edit. */\n\n#ifndef {prefix}_H\n#define {prefix}_H\n\n\
             #include <stdint.h>\n\n/* Bytes of the page, and from one register to the next. */\n\
             #define {prefix}_PAGE_BYTES 0x{:X}u\n#define {prefix}_REGISTER_BYTES {BYTES}u\n",
            self.title, self.source, self.bytes
        );
        for register in self.registers {
            define(&mut text, &prefix, register);
        }
        for group in self.counters {
            let _ = writeln!(text, "\n/* Counters of {} bits, saturating; writing 0 clears. */", group.bits);
            for name in group.names {
                let offset = group.offset_of(name).unwrap_or_default();
                let _ = writeln!(text, "#define {prefix}_COUNT_{name} 0x{offset:03X}u");
            }
        }
        let _ = writeln!(text, "\n#endif /* {prefix}_H */");
        text
    }
}

fn define(text: &mut String, prefix: &str, register: &Register) {
    let name = format!("{prefix}_{}", register.name);
    let _ = writeln!(text, "\n/* {}: {}. */", register.name, register.access.name());
    let _ = match register.count {
        1 => writeln!(text, "#define {name} 0x{:03X}u", register.offset),
        count => writeln!(
            text,
            "#define {name}(i) (0x{:03X}u + {BYTES}u * (i))\n#define {name}_COUNT {count}u",
            register.offset
        ),
    };
    if let Reset::Value(reset) = register.reset {
        let _ = writeln!(text, "#define {name}_RESET UINT64_C(0x{reset:X})");
    }
    for field in register.layout.fields {
        let (field_name, access) = (field.name.to_uppercase(), register.access_of(field));
        let note = match access == register.access {
            true => field.meaning.to_owned(),
            false => format!("{}: {}", access.name(), field.meaning),
        };
        let _ = writeln!(
            text,
            "#define {name}_{field_name}_LOW {}u /* {note} */\n#define {name}_{field_name}_WIDTH {}u\n\
             #define {name}_{field_name}_MASK UINT64_C(0x{:X})",
            field.low,
            field.width,
            field.mask()
        );
    }
}
