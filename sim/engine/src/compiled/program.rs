//! A compiled design: what all its instances share.

use super::guard::{guard, Scope};
use super::interpret::Interpreted;
use super::layout::Layout;
use super::lower::Lowering;
use super::mutation::Mutation;
use super::native::{host, Native};
use super::plan::{Plan, PIECE};
use super::roots::Root;
use crate::watch::Watch;
use cranelift_codegen::isa::OwnedTargetIsa;
use flitforge_elaborate::flat::node::NodeId;
use flitforge_elaborate::flat::{Flat, FlattenError, Source};
use flitforge_elaborate::graph::SignalKind;
use flitforge_elaborate::value::words_for;
use flitforge_elaborate::Design;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Why a design cannot be compiled, or what it does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// It cannot be flattened: a combinational loop, a latch, a derived clock.
    #[error(transparent)]
    Flatten(#[from] FlattenError),
    /// It contains foreign text.
    #[error(
        "{path} is foreign text and cannot be simulated; replace it by a model or simulate what is around it"
    )]
    Foreign {
        /// Instance.
        path: String,
    },
    /// More clocks than fit a mask.
    #[error("{count} clocks; at most 64 are possible")]
    Clocks {
        /// Clocks found.
        count: usize,
    },
    /// Registers and memories of more than 2^28 words.
    #[error("registers and memories need more than 2 GiB; make the memories smaller")]
    TooLarge,
    /// A path that names no signal.
    #[error("no signal `{path}`; the closest is `{closest}`")]
    UnknownSignal {
        /// The path asked for.
        path: String,
        /// A signal with a similar path.
        closest: String,
    },
    /// A path that names no clock.
    #[error("no clock `{path}`; the clocks are: {}", .available.join(", "))]
    UnknownClock {
        /// The path asked for.
        path: String,
        /// The clocks there are.
        available: Vec<String>,
    },
}

/// Longer than this a value competes for the registers with what is computed meanwhile; measured.
const RELOAD: usize = 30;

/// Fewer operations than this cost less than a branch that the processor guesses wrong; measured.
const BRANCH: usize = 40;

/// How a design is compiled.
#[derive(Clone, Debug)]
pub struct Options {
    /// Interprets the word operations instead of making native code.
    pub interpret: bool,
    /// Lets Cranelift check every function: for tests of the compiler itself.
    pub verify: bool,
    /// Steps of one native function.
    pub piece: usize,
    /// Steps after which native code loads a word of the state again instead of keeping it.
    pub reload: usize,
    /// Word operations that a branch has to save; `usize::MAX` for no branches.
    pub branch: usize,
    /// A deliberate mistake.
    #[doc(hidden)]
    pub mutation: Option<Mutation>,
}

impl Default for Options {
    fn default() -> Self {
        Self { interpret: false, verify: false, piece: PIECE, reload: RELOAD, branch: BRANCH, mutation: None }
    }
}

/// A port, looked up once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    pub(super) at: u32,
    pub(super) width: u32,
    /// Words it has.
    pub(super) words: u32,
    pub(super) kind: HandleKind,
}

/// What a port's words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HandleKind {
    Input,
    /// An output that is a register or an input as it is.
    Held,
    /// An output that has to settle.
    Computed,
}

impl Handle {
    fn new(at: u32, width: u32, kind: HandleKind) -> Self {
        Self { at, width, words: words_for(width) as u32, kind }
    }

    /// Width in bits.
    #[inline]
    pub fn width(self) -> u32 {
        self.width
    }

    #[inline]
    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.at as usize..(self.at + self.words) as usize
    }
}

/// A set of clocks, looked up once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Clocks(pub(super) u64);

/// Figures of a compiled function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FunctionReport {
    /// Word operations.
    pub operations: usize,
    /// Native functions it was cut into.
    pub pieces: usize,
    /// Next values stored through a shadow word.
    pub shadows: usize,
    /// Branches.
    pub branches: usize,
    /// Bytes of machine code; 0 if interpreted.
    pub code: usize,
}

/// Code of one function.
pub(super) struct Code {
    kind: CodeKind,
    tables: Box<[u64]>,
    scratch: usize,
    report: FunctionReport,
}

enum CodeKind {
    Native(Native),
    Interpreted(Interpreted),
}

impl Code {
    /// Runs it; the scratch row grows as needed.
    pub fn run(&self, state: &mut [u64], scratch: &mut Vec<u64>) {
        if scratch.len() < self.scratch {
            scratch.resize(self.scratch, 0);
        }
        match &self.kind {
            CodeKind::Native(native) => native.run(state, scratch, &self.tables),
            CodeKind::Interpreted(interpreted) => interpreted.run(state, scratch, &self.tables),
        }
    }
}

/// Native code, or why not.
enum Target {
    Native(OwnedTargetIsa),
    Interpreter,
}

/// A design compiled to native code. Functions are made when they are first needed: one for the outputs, one for
/// every set of clocks that rise together, one for every list of watched signals.
pub struct Compiled {
    pub(super) layout: Arc<Layout>,
    /// Words at power-on.
    pub(super) start: Vec<u64>,
    flat: Arc<Flat>,
    handles: HashMap<String, Handle>,
    clocks: Vec<String>,
    /// Outputs that have to settle, with their first words.
    computed: Vec<(NodeId, u32)>,
    options: Options,
    target: Target,
    notice: Option<String>,
    lowering: Mutex<Lowering>,
    settle: OnceLock<Code>,
    steps: Mutex<HashMap<u64, Arc<Code>>>,
    watches: Mutex<Vec<Arc<Code>>>,
    peeks: Mutex<HashMap<String, Option<Peek>>>,
}

/// Code that computes one signal into the scratch row.
#[derive(Clone)]
pub(super) struct Peek {
    pub code: Arc<Code>,
    pub width: u32,
}

impl Compiled {
    /// Compiles a design.
    pub fn new(design: &Design) -> Result<Arc<Self>, CompileError> {
        Self::with_options(design, Options::default())
    }

    /// Compiles a design in a certain way.
    pub fn with_options(design: &Design, options: Options) -> Result<Arc<Self>, CompileError> {
        let outputs = design.top_module().ports().filter(|(_, signal)| signal.kind == SignalKind::Output);
        let outputs: Vec<String> = outputs.map(|(_, signal)| signal.path.clone()).collect();
        Self::of_flat(Flat::new(design)?, &outputs, options)
    }

    /// Compiles a flat design, of which these signals are to be read often.
    pub fn of_flat(flat: Flat, outputs: &[String], options: Options) -> Result<Arc<Self>, CompileError> {
        if let Some(path) = flat.foreign.first() {
            return Err(CompileError::Foreign { path: path.clone() });
        }
        if flat.clocks.len() > 64 {
            return Err(CompileError::Clocks { count: flat.clocks.len() });
        }
        let flat = Arc::new(flat);
        let mut nodes = vec![];
        for path in outputs {
            nodes.push((path, signal(&flat, path)?));
        }
        let words = nodes.iter().map(|(_, node)| words_for(flat.nodes.width(*node)) as u32).sum();
        let (layout, first) = Layout::new(&flat, words).ok_or(CompileError::TooLarge)?;
        let layout = Arc::new(layout);
        let mut lowering = Lowering::new(flat.clone(), layout.clone(), options.mutation);
        let (mut handles, mut computed) = (inputs(&flat, &layout), vec![]);
        let mut at = first;
        for (path, node) in nodes {
            let handle = output(&mut lowering, node, at);
            if handle.kind == HandleKind::Computed {
                computed.push((node, at));
                at += handle.words;
            }
            handles.entry(path.clone()).or_insert(handle);
        }
        let (target, notice) = target(&options);
        let start = power_on(&flat, &layout);
        let clocks = flat.clocks.iter().map(|clock| clock.path.clone()).collect();
        Ok(Arc::new(Self {
            layout,
            start,
            flat,
            handles,
            clocks,
            computed,
            options,
            target,
            notice,
            lowering: Mutex::new(lowering),
            settle: OnceLock::new(),
            steps: Mutex::default(),
            watches: Mutex::default(),
            peeks: Mutex::default(),
        }))
    }

    /// Why no native code is made, if so.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// The input or output at `path`.
    pub fn handle(&self, path: &str) -> Result<Handle, CompileError> {
        self.handles.get(path).copied().ok_or_else(|| unknown(&self.flat, path))
    }

    /// Paths of all signals, in order.
    pub fn signals(&self) -> impl Iterator<Item = &str> {
        self.flat.signals.keys().map(String::as_str)
    }

    /// Paths of the clocks.
    pub fn clock_paths(&self) -> &[String] {
        &self.clocks
    }

    /// The set of these clocks.
    pub fn clocks(&self, paths: &[&str]) -> Result<Clocks, CompileError> {
        paths.iter().try_fold(Clocks(0), |set, path| {
            let number = self.clocks.iter().position(|clock| clock == path).ok_or_else(|| {
                CompileError::UnknownClock { path: path.to_string(), available: self.clocks.clone() }
            })?;
            Ok(Clocks(set.0 | 1 << number))
        })
    }

    /// All clocks together.
    pub fn all_clocks(&self) -> Clocks {
        Clocks(super::word::mask(self.clocks.len() as u32))
    }

    /// Words of one instance: inputs, registers, memories, outputs.
    pub fn state_words(&self) -> usize {
        self.layout.size as usize
    }

    /// Figures of the code for the outputs.
    pub fn settle_report(&self) -> FunctionReport {
        self.settle_code().report
    }

    /// Figures of the code for an edge of these clocks.
    pub fn step_report(&self, clocks: Clocks) -> FunctionReport {
        self.step_code(clocks).report
    }

    /// Operations of the flat design, before anything is simplified.
    pub fn nodes(&self) -> usize {
        self.flat.live
    }

    /// Code that brings the outputs up to date.
    pub(super) fn settle_code(&self) -> &Code {
        self.settle.get_or_init(|| {
            let mut lowering = lock(&self.lowering);
            let roots = lowering.value_roots(&self.computed, |at, value| Root::State { at, value });
            self.compile(&mut lowering, roots, 0)
        })
    }

    /// Code for an edge of these clocks together.
    pub(super) fn step_code(&self, clocks: Clocks) -> Arc<Code> {
        let mut steps = lock(&self.steps);
        if let Some(code) = steps.get(&clocks.0) {
            return code.clone();
        }
        let mut lowering = lock(&self.lowering);
        let roots = lowering.step_roots(clocks.0);
        let code = Arc::new(self.compile(&mut lowering, roots, 0));
        steps.insert(clocks.0, code.clone());
        code
    }

    /// Code for the signals at these paths, to be read together by [`Instance::read_watch`](super::Instance::read_watch).
    pub fn watch(&self, paths: &[&str]) -> Result<Watch, CompileError> {
        let mut nodes = vec![];
        let mut signals = vec![];
        let mut words = 0;
        for path in paths {
            let node = signal(&self.flat, path)?;
            let width = self.flat.nodes.width(node);
            nodes.push((node, words));
            signals.push((path.to_string(), width));
            words += words_for(width) as u32;
        }
        let mut lowering = lock(&self.lowering);
        let roots = lowering.value_roots(&nodes, |at, value| Root::Scratch { at, value });
        let code = Arc::new(self.compile(&mut lowering, roots, words));
        let mut watches = lock(&self.watches);
        watches.push(code);
        Ok(Watch::new(signals, watches.len() - 1))
    }

    pub(super) fn watch_code(&self, watch: &Watch) -> Option<Arc<Code>> {
        lock(&self.watches).get(watch.number).cloned()
    }

    /// Code for one signal: interpreted, as it is mostly run a few times.
    pub(super) fn peek_code(&self, path: &str) -> Option<Peek> {
        let mut peeks = lock(&self.peeks);
        if let Some(peek) = peeks.get(path) {
            return peek.clone();
        }
        let peek = self.flat.signals.get(path).map(|node| {
            let mut lowering = lock(&self.lowering);
            let width = self.flat.nodes.width(*node);
            let roots = lowering.value_roots(&[(*node, 0)], |at, value| Root::Scratch { at, value });
            let scope = Scope::flat(roots.len());
            let plan = Plan::new(&lowering.words, &roots, &scope, words_for(width) as u32, usize::MAX);
            Peek { code: Arc::new(interpreted(&lowering, &plan)), width }
        });
        peeks.insert(path.into(), peek.clone());
        peek
    }

    fn compile(&self, lowering: &mut Lowering, roots: Vec<Root>, reserved: u32) -> Code {
        let (roots, scope) = guard(&mut lowering.words, roots, self.options.branch);
        if let Target::Native(isa) = &self.target {
            let piece = self.options.piece.max(1);
            let plan = Plan::new(&lowering.words, &roots, &scope, reserved, piece);
            let design = (&lowering.words, self.layout.as_ref());
            match Native::new(isa, design, &plan, self.options.reload) {
                Ok(native) => {
                    let report = FunctionReport { code: native.code(), ..report(&plan) };
                    let scratch = plan.scratch as usize;
                    let tables = lowering.words.tables.clone().into();
                    return Code { kind: CodeKind::Native(native), tables, scratch, report };
                }
                Err(reason) => eprintln!("NOTICE: a function is interpreted, and slow: {reason}"),
            }
        }
        let plan = Plan::new(&lowering.words, &roots, &scope, reserved, usize::MAX);
        interpreted(lowering, &plan)
    }
}

fn report(plan: &Plan) -> FunctionReport {
    let Plan { operations, shadows, branches, .. } = *plan;
    FunctionReport { operations, pieces: plan.pieces.len(), shadows, branches, code: 0 }
}

fn interpreted(lowering: &Lowering, plan: &Plan) -> Code {
    let code = Interpreted::new(&lowering.words, &lowering.layout, plan);
    let tables = lowering.words.tables.clone().into();
    Code { scratch: code.scratch, tables, report: report(plan), kind: CodeKind::Interpreted(code) }
}

/// A poisoned lock means that another thread panicked between two entries; what is there is still right.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn target(options: &Options) -> (Target, Option<String>) {
    if options.interpret {
        return (Target::Interpreter, Some("interpreted because it was asked for".into()));
    }
    match host(options.verify) {
        Ok(isa) => (Target::Native(isa), None),
        Err(reason) => {
            let notice = format!("no native code on this host, so the simulation is slow: {reason}");
            eprintln!("NOTICE: {notice}");
            (Target::Interpreter, Some(notice))
        }
    }
}

fn signal(flat: &Flat, path: &str) -> Result<NodeId, CompileError> {
    flat.signals.get(path).copied().ok_or_else(|| unknown(flat, path))
}

fn unknown(flat: &Flat, path: &str) -> CompileError {
    let common = |other: &str| other.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
    let closest = flat.signals.keys().max_by_key(|other| common(other)).cloned().unwrap_or_default();
    CompileError::UnknownSignal { path: path.into(), closest }
}

fn inputs(flat: &Flat, layout: &Layout) -> HashMap<String, Handle> {
    let sources = flat.sources.iter().zip(&layout.sources);
    let input = |(source, (at, width)): (&Source, &(u32, u32))| match source {
        Source::Input(path) => Some((path.clone(), Handle::new(*at, *width, HandleKind::Input))),
        _ => None,
    };
    sources.filter_map(input).collect()
}

/// The handle of an output: its words in the state if they lie there in a row already, otherwise from `at`.
fn output(lowering: &mut Lowering, node: NodeId, at: u32) -> Handle {
    let width = lowering.flat.nodes.width(node);
    let words = lowering.node(node);
    let first = lowering.words.as_load(words[0]);
    let row =
        |first: u32| (first..).zip(words.iter()).all(|(at, word)| lowering.words.as_load(*word) == Some(at));
    match first.filter(|first| row(*first)) {
        Some(at) => Handle::new(at, width, HandleKind::Held),
        None => Handle::new(at, width, HandleKind::Computed),
    }
}

fn power_on(flat: &Flat, layout: &Layout) -> Vec<u64> {
    let mut state = vec![0; layout.size as usize];
    let mut put = |at: u32, words: &[u64]| {
        state[at as usize..at as usize + words.len()].copy_from_slice(words);
    };
    for (register, source) in flat.registers.iter().zip(&layout.registers) {
        put(layout.sources[*source as usize].0, register.initial.words());
    }
    for (memory, place) in flat.memories.iter().zip(&layout.memories) {
        let words = (0..).map(|index| place.at + index * place.stride).zip(&memory.initial);
        words.take(place.depth as usize).for_each(|(at, value)| put(at, value.words()));
    }
    state
}
