//! What the flow is given: Verilog text, its top module and the ports of it.

use crate::error::{FlowError, FlowResult};
use serde::{Deserialize, Serialize};

/// A port's direction, seen from the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
}

/// One port of the top module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// Verilog name.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// Direction.
    pub direction: Direction,
    /// True for a clock.
    #[serde(default)]
    pub is_clock: bool,
    /// The clock port this port belongs to; absent: the first clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
}

impl Port {
    /// A clock input.
    pub fn clock(name: &str) -> Port {
        Port { name: name.into(), width: 1, direction: Direction::Input, is_clock: true, clock: None }
    }

    /// A data input.
    pub fn input(name: &str, width: usize) -> Port {
        Port { name: name.into(), width, direction: Direction::Input, is_clock: false, clock: None }
    }

    /// A data output.
    pub fn output(name: &str, width: usize) -> Port {
        Port { name: name.into(), width, direction: Direction::Output, is_clock: false, clock: None }
    }

    /// The same port, in the domain of another clock than the first.
    pub fn in_domain_of(mut self, clock: &str) -> Port {
        self.clock = Some(clock.into());
        self
    }
}

/// Verilog text with its interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The Verilog text, every module it needs included.
    pub verilog: String,
    /// The top module's name.
    pub top: String,
    /// The top module's ports.
    pub ports: Vec<Port>,
}

impl Source {
    /// Checks that the interface can be worked with.
    pub fn check(&self) -> FlowResult<()> {
        let fail = |message: String| Err(FlowError::Interface { block: self.top.clone(), message });
        if !is_identifier(&self.top) {
            return fail(format!("`{}` is not a Verilog module name", self.top));
        }
        for (index, port) in self.ports.iter().enumerate() {
            if !is_identifier(&port.name) {
                return fail(format!("port `{}` is not a Verilog identifier", port.name));
            }
            if port.width == 0 {
                return fail(format!("port `{}` has no bits; widths are at least 1", port.name));
            }
            if port.is_clock && (port.direction != Direction::Input || port.width != 1) {
                return fail(format!("clock `{}` is not a 1-bit input", port.name));
            }
            if self.ports[..index].iter().any(|other| other.name == port.name) {
                return fail(format!("port `{}` appears twice", port.name));
            }
            if let Some(clock) = &port.clock {
                if !self.clocks().any(|c| c.name == *clock) {
                    return fail(format!(
                        "port `{}` names clock `{clock}`, which is no clock port",
                        port.name
                    ));
                }
            }
        }
        Ok(())
    }

    /// The clock ports in order.
    pub fn clocks(&self) -> impl Iterator<Item = &Port> {
        self.ports.iter().filter(|p| p.is_clock)
    }

    /// The clock port a port belongs to: its own, or the first.
    pub fn domain_of<'a>(&'a self, port: &'a Port) -> Option<&'a str> {
        port.clock.as_deref().or_else(|| self.clocks().next().map(|c| c.name.as_str()))
    }
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_interfaces_are_refused_with_the_port() {
        let good = vec![Port::clock("clock"), Port::input("a", 4), Port::output("q", 4)];
        let source = |ports| Source { verilog: String::new(), top: "t".into(), ports };
        source(good.clone()).check().unwrap();
        let cases = [
            (Port::input("a", 1), "twice"),
            (Port::input("b", 0), "no bits"),
            (Port::input("b.c", 1), "identifier"),
            (Port::input("b", 1).in_domain_of("other"), "no clock port"),
            (Port { width: 2, ..Port::clock("c2") }, "1-bit input"),
        ];
        for (port, expected) in cases {
            let ports = good.iter().cloned().chain([port.clone()]).collect();
            let message = source(ports).check().unwrap_err().to_string();
            assert!(message.contains(expected) && message.contains(&port.name), "{message}");
        }
    }
}
