//! A page as Markdown.

use super::{Access, Page, Register, Reset};
use std::fmt::Write;

impl Page {
    /// Tables of the registers and counters, with headings of the third level for the counters.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::from(
            "| offset | name | access | reset | bits | field | meaning |\n|---|---|---|---|---|---|---|\n",
        );
        self.registers.iter().for_each(|row| rows(&mut text, row));
        text.push_str("\n### Access\n\n| access | meaning |\n|---|---|\n");
        for access in Access::ALL.iter().filter(|access| self.uses(**access)) {
            let _ = writeln!(text, "| {} | {} |", access.name(), access.meaning());
        }
        if self.counters.is_empty() {
            return text;
        }
        text.push_str(
            "\n### Counters\n\nSaturating; writing 0 clears.\n\n| offset | name | bits |\n|---|---|---|\n",
        );
        for group in self.counters {
            for name in group.names {
                let offset = group.offset_of(name).unwrap_or_default();
                let _ = writeln!(text, "| 0x{offset:03X} | `{name}` | {} |", group.bits);
            }
        }
        text
    }

    fn uses(&self, access: Access) -> bool {
        access == Access::Counter || self.registers.iter().any(|row| row.mask(|found| found == access) != 0)
    }
}

fn rows(text: &mut String, register: &Register) {
    for (index, field) in register.layout.fields.iter().enumerate() {
        let [offset, name, reset] = match index {
            0 => [offset_of(register), format!("`{}`", register.name), reset_of(register)],
            _ => Default::default(),
        };
        let _ = writeln!(
            text,
            "| {offset} | {name} | {} | {reset} | {} | `{}` | {} |",
            register.access_of(field).name(),
            field.span(),
            field.name,
            field.meaning
        );
    }
}

fn offset_of(register: &Register) -> String {
    match register.count {
        1 => format!("0x{:03X}", register.offset),
        count => format!("0x{:03X} + 8i, i = 0..{}", register.offset, count - 1),
    }
}

fn reset_of(register: &Register) -> String {
    match register.reset {
        Reset::Value(value @ 0..=9) => value.to_string(),
        Reset::Value(value) => format!("0x{value:X}"),
        Reset::Build => "build".into(),
        Reset::Undescribed => String::new(),
    }
}
