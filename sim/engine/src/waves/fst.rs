//! Fast signal traces through the `fst-writer` crate, with enumeration tables, which it does not write.
//!
//! The header goes to memory first; there the hierarchy block gets a table per enumeration type and a
//! reference before each of its variables, as GTKWave's `fstapi.c` writes them. The rest is written
//! straight to the file.

use super::layout::{Layout, Scope, ScopeKind, Variable, VariableKind};
use super::sink::{bits, Sink};
use crate::mismatch::FourState;
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType, FstWriteError,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::rc::Rc;

/// Bytes of value changes that are kept in memory before they are written.
const FLUSH_BYTES: usize = 16 << 20;

/// A `.fst` being written.
pub(super) struct FstFile {
    writer: FstBodyWriter<Shared>,
    ids: Vec<FstSignalId>,
}

impl FstFile {
    pub(super) fn create(path: &Path, layout: &Layout) -> io::Result<Self> {
        let file = File::create(path)?;
        let target = Shared(Rc::new(RefCell::new(Target::Memory(Cursor::new(vec![])))));
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -12,
            version: "flitforge".into(),
            // No date: equal runs give equal files.
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut header = FstHeaderWriter::new(target.clone(), &info).map_err(system)?;
        let (mut ids, mut order) = (vec![None; layout.variables.len()], vec![]);
        declare(&mut header, &layout.top, layout, &mut ids, &mut order)?;
        let writer = header.finish().map_err(system)?;
        let bytes = target.take_memory();
        let variables: Vec<&Variable> = order.iter().map(|index| &layout.variables[*index]).collect();
        let mut out = BufWriter::new(file);
        out.write_all(&with_enumerations(&bytes, &variables)?)?;
        target.0.replace(Target::File(out));
        Ok(Self { writer, ids: ids.into_iter().flatten().collect() })
    }
}

fn declare(
    header: &mut FstHeaderWriter<Shared>,
    scope: &Scope,
    layout: &Layout,
    ids: &mut [Option<FstSignalId>],
    order: &mut Vec<usize>,
) -> io::Result<()> {
    let kind = match scope.kind {
        ScopeKind::Module => FstScopeType::Module,
        ScopeKind::Bundle => FstScopeType::Interface,
        ScopeKind::Struct => FstScopeType::Struct,
    };
    header.scope(&scope.name, "", kind).map_err(system)?;
    for index in &scope.variables {
        let variable = &layout.variables[*index];
        let kind = match variable.kind {
            VariableKind::Bits => FstVarType::Wire,
            VariableKind::Enum { .. } => FstVarType::Enum,
        };
        let width = FstSignalType::bit_vec(variable.width);
        let name = match (&variable.kind, variable.width) {
            (VariableKind::Bits, 2..) => format!("{} [{}:0]", variable.name, variable.width - 1),
            _ => variable.name.clone(),
        };
        let id = header.var(name, width, kind, FstVarDirection::Implicit, None).map_err(system)?;
        ids[*index] = Some(id);
        order.push(*index);
    }
    scope.scopes.iter().try_for_each(|inner| declare(header, inner, layout, ids, order))?;
    header.up_scope().map_err(system)
}

impl Sink for FstFile {
    fn time(&mut self, picoseconds: u64) -> io::Result<()> {
        if self.writer.size() > FLUSH_BYTES {
            self.writer.flush().map_err(system)?;
        }
        self.writer.time_change(picoseconds).map_err(system)
    }

    fn change(&mut self, variable: usize, value: &FourState) -> io::Result<()> {
        self.writer.signal_change(self.ids[variable], &bits(value)).map_err(system)
    }

    fn finish(mut self: Box<Self>, picoseconds: u64) -> io::Result<()> {
        self.writer.time_change(picoseconds).map_err(system)?;
        self.writer.finish().map_err(system)?.flush()
    }
}

fn system(error: FstWriteError) -> io::Error {
    match error {
        FstWriteError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// Where the writer writes: to memory until the header is whole, then to the file.
#[derive(Clone)]
struct Shared(Rc<RefCell<Target>>);

enum Target {
    Memory(Cursor<Vec<u8>>),
    File(BufWriter<File>),
}

impl Shared {
    fn take_memory(&self) -> Vec<u8> {
        match &mut *self.0.borrow_mut() {
            Target::Memory(cursor) => std::mem::take(cursor.get_mut()),
            Target::File(_) => vec![],
        }
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *self.0.borrow_mut() {
            Target::Memory(cursor) => cursor.write(bytes),
            Target::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut *self.0.borrow_mut() {
            Target::Memory(cursor) => cursor.flush(),
            Target::File(file) => file.flush(),
        }
    }
}

impl Seek for Shared {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut *self.0.borrow_mut() {
            Target::Memory(cursor) => cursor.seek(to),
            Target::File(file) => file.seek(to),
        }
    }
}

// Numbers of the FST format, as in GTKWave's `fstapi.h`.
const BLOCK_HIERARCHY_LZ4: u8 = 6;
const RECORD_ATTRIBUTE: u8 = 252;
const RECORD_SCOPE: u8 = 254;
const RECORD_UP_SCOPE: u8 = 255;
const ATTRIBUTE_MISC: u8 = 0;
const MISC_ENUM_TABLE: u8 = 7;
/// The section's length and its length before compression, 8 bytes each.
const LENGTHS: usize = 16;

/// The header with enumeration tables in its hierarchy block; `variables` in the order of the block.
fn with_enumerations(bytes: &[u8], variables: &[&Variable]) -> io::Result<Vec<u8>> {
    let mut out = vec![];
    let mut input = Cursor::new(bytes);
    loop {
        let start = input.position() as usize;
        let Some(kind) = bytes.get(start) else { return Ok(out) };
        let length = number(bytes, start + 1)?;
        let end = start + 1 + length;
        let block = bytes.get(start..end).ok_or_else(|| malformed("a block is cut off"))?;
        if *kind == BLOCK_HIERARCHY_LZ4 {
            let plain_length = number(bytes, start + 9)?;
            let plain =
                lz4_flex::decompress(&block[1 + LENGTHS..], plain_length).map_err(io::Error::other)?;
            let plain = insert(&plain, variables)?;
            let packed = lz4_flex::compress(&plain);
            out.push(*kind);
            out.extend(((packed.len() + LENGTHS) as u64).to_be_bytes());
            out.extend((plain.len() as u64).to_be_bytes());
            out.extend(packed);
        } else {
            out.extend(block);
        }
        input.set_position(end as u64);
    }
}

/// The hierarchy with a table at the start for every enumeration type and a reference before each variable.
fn insert(plain: &[u8], variables: &[&Variable]) -> io::Result<Vec<u8>> {
    let mut out = vec![];
    let mut handles: BTreeMap<(&str, u32), u64> = BTreeMap::new();
    for variable in variables {
        if let VariableKind::Enum { name, variants } = &variable.kind {
            let next = handles.len() as u64 + 1;
            if let std::collections::btree_map::Entry::Vacant(entry) = handles.entry((name, variable.width)) {
                entry.insert(next);
                attribute(&mut out, &table(name, variable.width, variants), next);
            }
        }
    }
    let mut input = Cursor::new(plain);
    let mut variables = variables.iter();
    while (input.position() as usize) < plain.len() {
        let start = input.position() as usize;
        match byte(&mut input)? {
            RECORD_UP_SCOPE => {}
            RECORD_SCOPE => {
                byte(&mut input)?;
                skip_text(&mut input)?;
                skip_text(&mut input)?;
            }
            _ => {
                byte(&mut input)?;
                skip_text(&mut input)?;
                skip_varint(&mut input)?;
                skip_varint(&mut input)?;
                let variable = variables.next().ok_or_else(|| malformed("an unknown variable"))?;
                if let VariableKind::Enum { name, .. } = &variable.kind {
                    let handle = handles.get(&(name.as_str(), variable.width)).copied();
                    attribute(&mut out, "", handle.unwrap_or_default());
                }
            }
        }
        out.extend(&plain[start..input.position() as usize]);
    }
    Ok(out)
}

/// `Name 2 Idle Busy 0 1`: the names, then the values in binary.
fn table(name: &str, width: u32, variants: &[String]) -> String {
    let names = variants.iter().map(|variant| format!(" {variant}"));
    let values = (0..variants.len()).map(|value| format!(" {value:0width$b}", width = width as usize));
    format!("{} {}{}", name.replace(' ', "_"), variants.len(), names.chain(values).collect::<String>())
}

fn attribute(out: &mut Vec<u8>, text: &str, argument: u64) {
    out.extend([RECORD_ATTRIBUTE, ATTRIBUTE_MISC, MISC_ENUM_TABLE]);
    out.extend(text.as_bytes());
    out.push(0);
    let mut left = argument;
    while left > 0x7f {
        out.push((left & 0x7f) as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

fn byte(input: &mut Cursor<&[u8]>) -> io::Result<u8> {
    let mut one = [0];
    input.read_exact(&mut one)?;
    Ok(one[0])
}

fn skip_text(input: &mut Cursor<&[u8]>) -> io::Result<()> {
    while byte(input)? != 0 {}
    Ok(())
}

fn skip_varint(input: &mut Cursor<&[u8]>) -> io::Result<()> {
    while byte(input)? & 0x80 != 0 {}
    Ok(())
}

fn number(bytes: &[u8], at: usize) -> io::Result<usize> {
    let part = bytes.get(at..at + 8).and_then(|part| <[u8; 8]>::try_from(part).ok());
    part.map(|part| u64::from_be_bytes(part) as usize).ok_or_else(|| malformed("a length is cut off"))
}

fn malformed(what: &str) -> io::Error {
    io::Error::other(format!("waveform header: {what}"))
}
