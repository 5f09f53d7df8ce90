//! Latencies counted in the design itself: registers between two stops.

use super::{Column, ColumnError};
use crate::ring_name;
use flitforge_elaborate::flat::node::{NodeId, Op};
use flitforge_elaborate::flat::{operands, Flat, Source};
use flitforge_elaborate::Design;
use flitforge_protocol::time_ring::RingDirection;
use std::collections::{HashMap, VecDeque};

const COLUMN: &str = "static";

/// Registers that a slot passes from the ring register of a stop to that of another one; those of data and of control bits must
/// be as many.
pub fn static_column(design: &Design, stops: u32) -> Result<Column, ColumnError> {
    let flat = Flat::new(design)?;
    let readers = readers(&flat);
    let number: HashMap<&str, u32> =
        flat.registers.iter().zip(0..).map(|(register, number)| (register.path.as_str(), number)).collect();
    let of = |ring: RingDirection, stop: u32, part: &str| {
        number.get(format!("{}[{stop}].{part}", ring_name(ring)).as_str()).copied()
    };
    let mut distances: HashMap<(u32, u32, &str), Vec<Option<u32>>> = HashMap::new();
    for (ring, from) in
        RingDirection::ALL.into_iter().flat_map(|ring| (0..stops).map(move |from| (ring, from)))
    {
        for part in ["data", "control"] {
            if let Some(start) = of(ring, from, part) {
                distances.insert((ring as u32, from, part), distances_from(start, &readers));
            }
        }
    }
    Column::of(stops, |way| {
        let cycles = |part: &'static str| {
            let end = of(way.ring, way.to, part)?;
            distances.get(&(way.ring as u32, way.from, part))?[end as usize]
        };
        match (cycles("data"), cycles("control")) {
            (Some(data), Some(control)) if data == control => Ok(data),
            (Some(data), Some(control)) => {
                Err(way.wrong(COLUMN, format!("data take {data} cycles, control bits {control}")))
            }
            _ => Err(way.wrong(COLUMN, "no way through the design")),
        }
    })
}

/// For each register those that load something made of it.
fn readers(flat: &Flat) -> Vec<Vec<u32>> {
    let mut readers = vec![vec![]; flat.registers.len()];
    let mut seen = vec![u32::MAX; flat.nodes.len()];
    for (reader, register) in (0u32..).zip(&flat.registers) {
        let mut open: Vec<NodeId> =
            [Some(register.d), register.enable, register.clear].into_iter().flatten().collect();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node.0 as usize], reader) == reader {
                continue;
            }
            let op = &flat.nodes.node(node).op;
            if let Op::Source(source) = op {
                if let Some(Source::Register(read)) = flat.sources.get(*source as usize) {
                    readers[*read as usize].push(reader);
                }
            }
            open.extend(operands(op));
        }
    }
    readers
}

/// Registers on the shortest way to each register.
fn distances_from(start: u32, readers: &[Vec<u32>]) -> Vec<Option<u32>> {
    let mut distances = vec![None; readers.len()];
    distances[start as usize] = Some(0);
    let mut open = VecDeque::from([(start, 0)]);
    while let Some((register, distance)) = open.pop_front() {
        for reader in &readers[register as usize] {
            let entry = &mut distances[*reader as usize];
            if entry.is_none() {
                *entry = Some(distance + 1);
                open.push_back((*reader, distance + 1));
            }
        }
    }
    distances
}
