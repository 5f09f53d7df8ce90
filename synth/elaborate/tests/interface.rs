//! What tools see of a design besides its text: the interface description, and the text module by module.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::support;
use crate::support::build::{assign, bits, constant, design, module, signal};
use flitforge_elaborate::graph::*;
use flitforge_elaborate::interface::{describe, Direction, Interface, Port, PortField, PortShape};
use flitforge_elaborate::verilog::{file, parts, write, Options, Technology};

/// One port of every direction and shape.
fn every_shape() -> Design {
    let mut module = module("link_end_w8");
    signal(&mut module, "clock", 1, SignalKind::Input, Shape::Clock);
    signal(&mut module, "flits_in.data", 8, SignalKind::Input, Shape::Signed);
    signal(&mut module, "pads[3]", 4, SignalKind::InOut, Shape::Bits);
    let state = Shape::Enum("State".into(), vec!["Idle".into(), "Busy".into()]);
    let fields = vec![
        Field { name: "valid".into(), offset: 0, width: 1, shape: Shape::Bits },
        Field { name: "state".into(), offset: 1, width: 1, shape: state.clone() },
    ];
    let out = signal(&mut module, "lane[2].out", 2, SignalKind::Output, Shape::Struct(fields));
    let visible = signal(&mut module, "state", 1, SignalKind::Output, state);
    bits(&mut module, "inner", 3, SignalKind::Local);
    module.body = vec![assign(out, constant(2, 1)), assign(visible, constant(1, 1))];
    design(module)
}

#[test]
fn the_description_holds_every_port_in_order() {
    let port = |name: &str, path: &str, width, direction, shape| Port {
        name: name.into(),
        path: path.into(),
        width,
        direction,
        shape,
    };
    let state = PortShape::Enum { name: "State".into(), variants: vec!["Idle".into(), "Busy".into()] };
    let fields = vec![
        PortField { name: "valid".into(), offset: 0, width: 1, shape: PortShape::Bits },
        PortField { name: "state".into(), offset: 1, width: 1, shape: state.clone() },
    ];
    let expected = Interface {
        module: "link_end_w8".into(),
        ports: vec![
            port("clock", "clock", 1, Direction::Input, PortShape::Clock),
            port("flits_in_data", "flits_in.data", 8, Direction::Input, PortShape::Signed),
            port("pads_3", "pads[3]", 4, Direction::InOut, PortShape::Bits),
            port("lane_2_out", "lane[2].out", 2, Direction::Output, PortShape::Struct { fields }),
            port("state", "state", 1, Direction::Output, state),
        ],
    };
    assert_eq!(describe(&every_shape()), expected);
}

#[test]
fn the_description_survives_json() {
    let interface = describe(&every_shape());
    let text = serde_json::to_string(&interface).expect("serialises");
    assert_eq!(serde_json::from_str::<Interface>(&text).expect("parses"), interface);
    let json: serde_json::Value = serde_json::from_str(&text).expect("parses");
    assert_eq!(json["ports"][2]["direction"], "in_out");
    assert_eq!(json["ports"][3]["shape"]["struct"]["fields"][1]["shape"]["enum"]["variants"][1], "Busy");
}

/// A memory below a top, and a foreign module.
fn hierarchy() -> Design {
    let mut ram = support::ram::registered(512, 36, vec![]).modules.remove(0);
    ram.name = "store".into();
    let mut foreign = module("pad");
    let pin = bits(&mut foreign, "pin", 1, SignalKind::Input);
    foreign.foreign = Some(Foreign {
        body: "PAD pad (.I(pin));".into(),
        cores: "(* blackbox *)\nmodule PAD (input wire I);\nendmodule\n".into(),
        ..Default::default()
    });
    assert_eq!(pin, SignalId(0));
    let mut top = module("top");
    let mut ports = vec![];
    for (_, port) in ram.ports() {
        ports.push(signal(&mut top, &port.path, port.width, port.kind.clone(), port.shape.clone()));
    }
    let lowest = bits(&mut top, "pad.pin", 1, SignalKind::InstanceInput);
    let data = *ports.last().expect("ports");
    top.signals[data.0 as usize].kind = SignalKind::InstanceOutput;
    let low = Expr { width: 1, kind: ExprKind::Slice { value: Expr::read(data, 36).into(), offset: 0 } };
    top.body.push(assign(lowest, low));
    let instance =
        |path: &str, module, ports| Instance { path: path.into(), name: path.into(), module, ports };
    top.instances.push(instance("words", ModuleId(0), ports));
    top.instances.push(instance("pad", ModuleId(1), vec![lowest]));
    Design { modules: vec![ram, foreign, top], top: ModuleId(2) }
}

#[test]
fn a_design_in_parts_is_the_whole_text() {
    for technology in [Technology::Generic, Technology::Ecp5] {
        let (design, options) = (hierarchy(), Options { technology });
        let parts = parts(&design, &options);
        let store = if technology == Technology::Ecp5 { "store_ecp5" } else { "store" };
        let names: Vec<&str> = parts.modules.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, [store, "pad", "top"]);
        let primitives: Vec<&str> =
            parts.primitives.iter().map(|primitive| primitive.name.as_str()).collect();
        let expected: &[&str] = if technology == Technology::Ecp5 { &["PAD", "DP16KD"] } else { &["PAD"] };
        assert_eq!(primitives, expected);
        for (name, text) in &parts.modules {
            assert!(text.contains(&format!("\nmodule {name} (\n")), "{text}");
            assert_eq!(text.matches("\nmodule ").count(), 1, "{text}");
            assert_eq!(text.starts_with(&format!("`ifndef FLITFORGE_{name}\n")), name != "top", "{text}");
        }
        let declarations = parts.primitives.iter().map(|primitive| primitive.declaration.as_str());
        let whole = file(declarations.chain(parts.modules.iter().map(|(_, text)| text.as_str())));
        assert!(whole.starts_with("`default_nettype none\n") && whole.ends_with("\n`default_nettype wire\n"));
        assert_eq!(whole, write(&design, &options));
    }
}

#[test]
fn a_design_without_black_boxes_has_no_primitives() {
    let parts = parts(&every_shape(), &Options::default());
    assert_eq!((parts.primitives.len(), parts.modules.len()), (0, 1));
    assert_eq!(parts.modules[0].0, "link_end_w8");
}
