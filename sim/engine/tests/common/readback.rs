//! Waveform files, read back by `wellen`.

use std::collections::BTreeMap;
use std::path::Path;
use wellen::simple::read;
use wellen::{ScopeType, SignalValue};

/// A variable of a file.
#[derive(Debug)]
pub struct Variable {
    pub width: Option<u32>,
    /// State names by their bits.
    pub states: Vec<(String, String)>,
    /// Times in picoseconds with bits or text.
    pub changes: Vec<(u64, String)>,
}

impl Variable {
    /// The value that shows at a time: state name, text, or bits.
    pub fn at(&self, time: u64) -> &str {
        let (_, value) = self.changes.iter().rev().find(|(from, _)| *from <= time).expect("a value by then");
        let state = self.states.iter().find(|(bits, _)| bits == value);
        state.map_or(value, |(_, name)| name)
    }

    /// As a number.
    pub fn number_at(&self, time: u64) -> u64 {
        u64::from_str_radix(self.at(time), 2).expect("known bits")
    }

    pub fn last(&self) -> u64 {
        self.number_at(u64::MAX)
    }
}

/// A file's variables by full path and its scopes' kinds.
pub struct Readback {
    pub variables: BTreeMap<String, Variable>,
    pub scopes: BTreeMap<String, ScopeType>,
    pub end: u64,
}

impl Readback {
    pub fn get(&self, path: &str) -> &Variable {
        let names = || self.variables.keys().cloned().collect::<Vec<_>>().join(", ");
        self.variables.get(path).unwrap_or_else(|| panic!("no `{path}`; there are: {}", names()))
    }
}

pub fn readback(path: &Path) -> Readback {
    let mut wave = read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let times = wave.time_table().to_vec();
    let hierarchy = wave.hierarchy();
    let timescale = hierarchy.timescale().expect("a timescale");
    assert_eq!((timescale.factor, timescale.unit.to_exponent()), (1, Some(-12)));
    let scopes = hierarchy.iter_scopes().map(|scope| (scope.full_name(hierarchy), scope.scope_type()));
    let scopes = scopes.collect();
    let list: Vec<_> = hierarchy
        .iter_vars()
        .map(|variable| {
            let states = variable.enum_type(hierarchy).map(|(_, states)| states).unwrap_or_default();
            let states =
                states.into_iter().map(|(bits, name)| (bits.to_string(), name.to_string())).collect();
            let path = variable.full_name(hierarchy);
            (path, variable.length(), states, variable.signal_ref())
        })
        .collect();
    let ids: Vec<_> = list.iter().map(|(_, _, _, id)| *id).collect();
    wave.load_signals(&ids);
    let changes = |id| -> Vec<(u64, String)> {
        let signal = wave.get_signal(id).expect("loaded");
        let text = |value: SignalValue<'_>| match value {
            SignalValue::String(text) => text.to_string(),
            other => other.to_bit_string().expect("bits"),
        };
        let all = signal.iter_changes().map(|(index, value)| (times[index as usize], text(value)));
        // A file that starts later holds x until then.
        all.skip_while(|(_, value)| value.bytes().all(|bit| bit == b'x')).collect()
    };
    let variables = list
        .into_iter()
        .map(|(path, width, states, id)| (path, Variable { width, states, changes: changes(id) }));
    Readback { variables: variables.collect(), scopes, end: times.last().copied().unwrap_or(0) }
}
