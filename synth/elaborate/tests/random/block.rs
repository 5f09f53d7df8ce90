//! Random blocks: expressions, and state machines, as Rust source.

use super::expression::{Type, Writer, WIDTHS};
use super::statement::Target;
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;

/// Outputs of a block of expressions.
pub const OUTPUTS: usize = 6;

/// A field of a block.
struct Field {
    name: String,
    kind: String,
    port: bool,
}

fn signal(name: &str, direction: &str, ty: Type) -> Field {
    let kind = format!("Signal<{direction}, {}>", ty.text());
    Field { name: name.into(), kind, port: direction != "Local" }
}

fn register(name: &str, kind: &str) -> Field {
    Field { name: name.into(), kind: format!("DFF<{kind}>"), port: false }
}

/// The struct, its logic and its ports.
fn block(name: &str, fields: &[Field], body: &str) -> String {
    let mut text = format!("#[derive(LogicBlock, Default)]\nstruct {name} {{\n");
    for field in fields {
        text += &format!("    {}: {},\n", field.name, field.kind);
    }
    let ports: Vec<&str> =
        fields.iter().filter(|field| field.port).map(|field| field.name.as_str()).collect();
    let ports = ports.join(", ");
    text + &format!(
        "}}\nimpl Logic for {name} {{\n    #[hdl_gen]\n    fn update(&mut self) {{\n{body}    }}\n}}\n\
         drive_ports!(impl[] {name} {{ {ports} }});\n\n"
    )
}

/// Two inputs of each of three widths, two bits and three signed numbers.
fn inputs(writer: &mut Writer) -> Vec<Field> {
    let mut widths: Vec<u32> = vec![];
    while widths.len() < 3 {
        let width = writer.pick(&WIDTHS[1..]);
        if !widths.contains(&width) {
            widths.push(width);
        }
    }
    let signed = [writer.pick(&[4, 8, 12]), writer.pick(&[16, 31, 33])];
    let mut list = vec![("f".to_string(), Type::Bool), ("g".to_string(), Type::Bool)];
    for (width, names) in widths.into_iter().zip([["a", "b"], ["c", "d"], ["m", "n"]]) {
        list.extend(names.map(|name| (name.to_string(), Type::Bits(width))));
    }
    list.extend([("s".into(), Type::Signed(signed[0])), ("s_other".into(), Type::Signed(signed[0]))]);
    list.push(("s_wide".into(), Type::Signed(signed[1])));
    for (name, ty) in &list {
        writer.readable.push((format!("self.{name}.val()"), *ty));
    }
    let lanes = Type::Bits(writer.pick(&[3, 8, 33]));
    let lane = format!("self.k[{}].val()", writer.below(4));
    writer.readable.push((lane, lanes));
    let mut fields: Vec<Field> = list.iter().map(|(name, ty)| signal(name, "In", *ty)).collect();
    fields.push(Field { name: "k".into(), kind: format!("[Signal<In, {}>; 4]", lanes.text()), port: true });
    fields
}

fn any_type(writer: &mut Writer) -> Type {
    let width = writer.pick(&WIDTHS);
    match writer.below(6) {
        0 => Type::Bool,
        1 => Type::Signed(width),
        _ => Type::Bits(width),
    }
}

/// A block of expressions: locals and outputs, each assigned by a random statement and read by later ones; a struct whose
/// fields are assigned one by one; a child, one input of which is read before it is assigned.
pub fn expressions(random: &mut ChaCha8Rng, name: &str) -> String {
    let mut writer = Writer { random, readable: vec![] };
    let (child, pair) = (format!("{name}Child"), format!("{name}Pair"));
    let mut text = child_block(&mut writer, &child);
    let mut fields = inputs(&mut writer);
    let mut body = String::from("        self.early.next = self.child.p.val();\n");
    fields.push(signal("early", "Out", Type::Bits(8)));
    for number in 0..OUTPUTS + 2 {
        let (name, direction) = match number {
            1 | 4 => (format!("l{number}"), "Local"),
            _ => (format!("y{number}"), "Out"),
        };
        let ty = any_type(&mut writer);
        body += &assigned_and_read(&mut writer, &format!("self.{name}"), ty);
        fields.push(signal(&name, direction, ty));
        match number {
            2 => {
                text += &pair_of(&mut writer, &pair, &mut body);
                fields.push(Field {
                    name: "pair".into(),
                    kind: format!("Signal<Local, {pair}>"),
                    port: false,
                });
            }
            3 => {
                body += &assigned_and_read(&mut writer, "self.child.p", Type::Bits(8));
                body += &assigned_and_read(&mut writer, "self.child.q", Type::Signed(5));
                writer.readable.push(("self.child.r.val()".into(), Type::Bits(9)));
                fields.push(Field { name: "child".into(), kind: child.clone(), port: false });
            }
            _ => {}
        }
    }
    text + &block(name, &fields, &body)
}

/// A random statement that assigns `signal`, which may be read from then on.
fn assigned_and_read(writer: &mut Writer, signal: &str, ty: Type) -> String {
    let (target, read) = (format!("{signal}.next"), format!("{signal}.val()"));
    let depth = 2 + writer.below(3);
    // the input of a child is no accumulator
    let in_order = (!signal.contains("child")).then(|| read.clone());
    let text = writer.assigned(&Target { text: &target, ty, read: in_order }, depth, "        ");
    writer.readable.push((read, ty));
    text
}

fn child_block(writer: &mut Writer, name: &str) -> String {
    writer.readable = vec![("self.p.val()".into(), Type::Bits(8)), ("self.q.val()".into(), Type::Signed(5))];
    writer.readable.push(("self.p.val().get_bits::<5>(1)".into(), Type::Bits(5)));
    let value = writer.expression(Type::Bits(9), 3).whole();
    writer.readable.clear();
    let fields = [
        signal("p", "In", Type::Bits(8)),
        signal("q", "In", Type::Signed(5)),
        signal("r", "Out", Type::Bits(9)),
    ];
    block(name, &fields, &format!("        self.r.next = {value};\n"))
}

/// The struct `name`, and the assignment of its fields.
fn pair_of(writer: &mut Writer, name: &str, body: &mut String) -> String {
    let types = [Type::Bits(writer.pick(&WIDTHS[1..])), Type::Bool, Type::Bits(writer.pick(&WIDTHS[1..]))];
    let mut text =
        format!("#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]\nstruct {name} {{\n");
    let mut read = vec![];
    for (field, ty) in ["low", "bit", "high"].into_iter().zip(types) {
        let target = format!("self.pair.next.{field}");
        *body += &writer.plainly(&Target { text: &target, ty, read: None }, 2, "        ");
        text += &format!("    {field}: {},\n", ty.text());
        read.push((format!("self.pair.val().{field}"), ty));
    }
    writer.readable.append(&mut read);
    text + "}\n"
}

/// A state machine with a counter, an accumulator and a flag.
pub fn machine(random: &mut ChaCha8Rng, name: &str) -> String {
    let mut writer = Writer { random, readable: vec![] };
    let mut fields = vec![Field { name: "clock".into(), kind: "Signal<In, Clock>".into(), port: true }];
    fields.extend(inputs(&mut writer));
    let variants = 2 + writer.below(5) as usize;
    let (count, sum) = (writer.pick(&[2, 3, 4, 8]), writer.pick(&[5, 8, 16, 33, 64]));
    let state = format!("{name}State");
    let names: Vec<String> = (0..variants).map(|number| format!("{state}::S{number}")).collect();
    let registers = [("count", Type::Bits(count)), ("sum", Type::Bits(sum)), ("flag", Type::Bool)];
    fields.push(register("state", &state));
    for (name, ty) in registers {
        fields.push(register(name, &ty.text()));
        writer.readable.push((format!("self.{name}.q.val()"), ty));
    }
    let outputs = [
        ("shown", Type::Bits(4)),
        ("value", Type::Bits(sum)),
        ("busy", Type::Bool),
        ("next", Type::Bits(count)),
    ];
    fields.extend(outputs.iter().map(|(name, ty)| signal(&format!("{name}_"), "Out", *ty)));
    for name in &names {
        writer.readable.push((format!("(self.state.q.val() == {name})"), Type::Bool));
    }
    let mut body = String::from("        dff_setup!(self, clock, state, count, sum, flag);\n");
    // what a register gets next is read before it is known: rust-hdl settles that
    let early = writer.below(2) == 0;
    let ahead =
        "        self.next_.next = self.count.d.val();\n        self.busy_.next = self.flag.d.val();\n";
    if early {
        body += ahead;
    }
    body += "        self.value_.next = self.sum.q.val();\n";
    let complete = writer.below(2) == 0;
    if !complete {
        body += "        self.shown_.next = 15.into();\n";
    }
    body += &states(&mut writer, &names, complete, &registers);
    if !early {
        body += ahead;
    }
    let variants: Vec<String> = (0..variants).map(|number| format!("S{number}")).collect();
    let mut text = String::new();
    let _ = write!(
        text,
        "#[derive(Copy, Clone, Debug, PartialEq, LogicState)]\nenum {state} {{ {} }}\n",
        variants.join(", ")
    );
    text + &block(name, &fields, &body)
}

/// The `match` over the states. A complete one has an arm for each, and may have a rest that never runs.
fn states(writer: &mut Writer, names: &[String], complete: bool, registers: &[(&str, Type)]) -> String {
    let mut text = String::from("        match self.state.q.val() {\n");
    let arms = if complete { names.len() } else { 1 + writer.below(names.len() as u32) as usize };
    for (number, name) in names[..arms].iter().enumerate() {
        text += &format!("            {name} => {{\n                self.shown_.next = {number}.into();\n");
        for _ in 0..1 + writer.below(2) {
            let pick = writer.below(registers.len() as u32) as usize;
            let (register, ty) = registers[pick];
            let target = format!("self.{register}.d.next");
            let depth = 1 + writer.below(3);
            let target = Target { text: &target, ty, read: None };
            text += &writer.assigned(&target, depth, "                ");
        }
        for step in 0..1 + writer.below(2) {
            // the first step goes round, so that every state is reached and something happens
            let next = match step {
                0 => names[(number + 1) % names.len()].clone(),
                _ => names[writer.below(names.len() as u32) as usize].clone(),
            };
            let condition = match step {
                0 => writer.pick(&["self.f.val()", "!self.g.val()", "self.f.val() | self.g.val()"]).into(),
                _ => writer.expression(Type::Bool, 2).whole(),
            };
            text += &format!(
                "                if {condition} {{\n                    self.state.d.next = {next};\n                }}\n"
            );
        }
        text += "            }\n";
    }
    if !complete || writer.below(2) == 0 {
        let rest = match complete {
            true => "{}".into(),
            false => format!("self.state.d.next = {}", names[0]),
        };
        text += &format!("            _ => {rest},\n").replace("{},", "{}");
    }
    text + "        }\n"
}
