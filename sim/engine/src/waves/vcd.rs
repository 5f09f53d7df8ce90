//! Value change dumps through the `vcd` crate.

use super::layout::{Layout, Scope, ScopeKind, VariableKind};
use super::sink::{bits, Sink};
use crate::mismatch::FourState;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use vcd::{IdCode, ReferenceIndex, ScopeType, TimescaleUnit, Value, VarType, Writer};

/// A `.vcd` being written. Enumerations are string variables, as GTKWave shows them.
pub(super) struct VcdFile {
    writer: Writer<BufWriter<File>>,
    codes: Vec<IdCode>,
    /// State names of the enumerations.
    names: Vec<Option<Vec<String>>>,
}

impl VcdFile {
    pub(super) fn create(path: &Path, layout: &Layout) -> io::Result<Self> {
        let mut writer = Writer::new(BufWriter::new(File::create(path)?));
        writer.version("flitforge")?;
        writer.timescale(1, TimescaleUnit::PS)?;
        let mut codes = vec![IdCode::FIRST; layout.variables.len()];
        declare(&mut writer, &layout.top, layout, &mut codes)?;
        writer.enddefinitions()?;
        let names = layout.variables.iter().map(|variable| match &variable.kind {
            VariableKind::Enum { variants, .. } => Some(variants.clone()),
            VariableKind::Bits => None,
        });
        Ok(Self { writer, codes, names: names.collect() })
    }
}

fn declare(
    writer: &mut Writer<BufWriter<File>>,
    scope: &Scope,
    layout: &Layout,
    codes: &mut [IdCode],
) -> io::Result<()> {
    let kind = match scope.kind {
        ScopeKind::Module => ScopeType::Module,
        // The standard's scopes know no bundle and no struct; readers fold `begin` blocks alike.
        ScopeKind::Bundle | ScopeKind::Struct => ScopeType::Begin,
    };
    writer.scope_def(kind, &scope.name)?;
    for index in &scope.variables {
        let variable = &layout.variables[*index];
        codes[*index] = match &variable.kind {
            VariableKind::Enum { .. } => writer.add_var(VarType::String, 1, &variable.name, None)?,
            VariableKind::Bits => {
                let range = (variable.width > 1).then(|| ReferenceIndex::Range(variable.width as i32 - 1, 0));
                writer.add_var(VarType::Wire, variable.width, &variable.name, range)?
            }
        };
    }
    scope.scopes.iter().try_for_each(|inner| declare(writer, inner, layout, codes))?;
    writer.upscope()
}

impl Sink for VcdFile {
    fn time(&mut self, picoseconds: u64) -> io::Result<()> {
        self.writer.timestamp(picoseconds)
    }

    fn change(&mut self, variable: usize, value: &FourState) -> io::Result<()> {
        let code = self.codes[variable];
        if let Some(names) = &self.names[variable] {
            let number = value.value.first().copied().unwrap_or(0);
            return match names.get(number as usize).filter(|_| !value.has_unknown()) {
                Some(name) => self.writer.change_string(code, name),
                None => self.writer.change_string(code, &format!("?{value}")),
            };
        }
        let mut states = bits(value).into_iter().map(|bit| match bit {
            b'0' => Value::V0,
            b'1' => Value::V1,
            _ => Value::X,
        });
        match (value.width, states.next()) {
            (1, Some(state)) => self.writer.change_scalar(code, state),
            (_, first) => self.writer.change_vector(code, first.into_iter().chain(states)),
        }
    }

    fn finish(mut self: Box<Self>, picoseconds: u64) -> io::Result<()> {
        self.writer.timestamp(picoseconds)?;
        self.writer.writer().flush()
    }
}
