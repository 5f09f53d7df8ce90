//! Designs of others: what they write that the project's own blocks do not.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::support;
use flitforge_elaborate::check::{structure, CrossingCatalogue, Kind, Problem, Severity};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::error::Reason;
use flitforge_elaborate::selfcheck::against_stock;
use flitforge_elaborate::{drive_ports, elaborate, Evaluator, Value};
use rust_hdl::prelude::*;
use rust_hdl::widgets::mac_fir::MultiplyAccumulateSymmetricFiniteImpulseResponseFilter;

/// Stock rust-hdl, evaluator and Verilog agree, and the structural check finds no error; returns what it finds.
fn same<B: DriveBlock + Default + 'static>(name: &str) -> Vec<Problem> {
    against_stock(B::default, 3000, 5).unwrap_or_else(|mismatch| panic!("{name}: {mismatch}"));
    let (design, changes) = support::stock::same(B::default(), name, 1000);
    assert!(changes > 50, "{name}: only {changes} changes of the outputs");
    let found = structure(&design, &CrossingCatalogue::default());
    assert!(found.iter().all(|problem| problem.severity == Severity::Warning), "{name}: {found:?}");
    found
}

fn refused(block: &dyn Block) -> Reason {
    elaborate(block, "top").expect_err("is refused").reason
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Phase {
    Idle,
    Run,
    Stop,
}

/// `_` after every variant, after every number, and with a block that assigns only a part.
#[derive(LogicBlock, Default)]
struct AllAndRest {
    clock: Signal<In, Clock>,
    go: Signal<In, Bit>,
    pick: Signal<In, Bits<2>>,
    state: DFF<Phase>,
    shown: Signal<Out, Bits<4>>,
    picked: Signal<Out, Bits<4>>,
    part: Signal<Out, Bits<4>>,
    rest: Signal<Out, Bits<4>>,
    flag: Signal<Out, Bits<2>>,
}
impl Logic for AllAndRest {
    #[hdl_gen]
    fn update(&mut self) {
        self.state.clock.next = self.clock.val();
        match self.state.q.val() {
            Phase::Idle => {
                self.shown.next = 1.into();
                self.state.d.next = Phase::Idle;
                if self.go.val() {
                    self.state.d.next = Phase::Run;
                }
            }
            Phase::Run => {
                self.shown.next = 2.into();
                self.state.d.next = Phase::Stop;
            }
            Phase::Stop => {
                self.shown.next = 4.into();
                self.state.d.next = Phase::Idle;
            }
            _ => {}
        }
        match self.pick.val().index() {
            0 => self.picked.next = 9.into(),
            1 => self.picked.next = 3.into(),
            2 => self.picked.next = 5.into(),
            3 => self.picked.next = 6.into(),
            _ => {}
        }
        match self.state.q.val() {
            Phase::Idle => {
                self.part.next = 1.into();
                self.rest.next = 7.into();
            }
            Phase::Run => {
                self.part.next = 2.into();
                self.rest.next = 8.into();
            }
            Phase::Stop => {
                self.part.next = 3.into();
                self.rest.next = 9.into();
            }
            _ => self.rest.next = 0.into(),
        }
        match self.go.val() {
            true => self.flag.next = 1.into(),
            false => self.flag.next = 2.into(),
            _ => {}
        }
    }
}
drive_ports!(impl[] AllAndRest { clock, go, pick, shown, picked, part, rest, flag });

#[test]
fn a_rest_that_never_runs_is_no_latch() {
    assert_eq!(same::<AllAndRest>("all_and_rest"), []);
}

/// Without the last variant, what `_` leaves out is a latch.
#[derive(LogicBlock, Default)]
struct NotAll {
    pick: Signal<In, Bits<2>>,
    picked: Signal<Out, Bits<4>>,
}
impl Logic for NotAll {
    #[hdl_gen]
    fn update(&mut self) {
        match self.pick.val().index() {
            0 => self.picked.next = 9.into(),
            1 => self.picked.next = 3.into(),
            2 => self.picked.next = 5.into(),
            _ => {}
        }
    }
}

#[test]
fn a_rest_that_runs_and_assigns_nothing_is_a_latch() {
    let design = elaborate(&NotAll::default(), "top").expect("elaborates");
    let found = structure(&design, &CrossingCatalogue::default());
    assert!(found.iter().any(|problem| problem.kind == Kind::Latch && problem.path == "picked"), "{found:?}");
}

/// A loop that counts beyond what the compared bits can hold, with every comparison.
#[derive(LogicBlock, Default)]
struct BeyondRange {
    delay: Signal<In, Bits<3>>,
    lines: [Signal<In, Bits<4>>; 8],
    y: Signal<Out, Bits<4>>,
    equal: Signal<Out, Bits<8>>,
    other: Signal<Out, Bits<8>>,
    less: Signal<Out, Bits<8>>,
    mirrored: Signal<Out, Bits<8>>,
}
impl Logic for BeyondRange {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = 0.into();
        self.equal.next = 0.into();
        self.other.next = 0.into();
        self.less.next = 0.into();
        self.mirrored.next = 0.into();
        for i in 0..8 {
            if self.delay.val().index() == i + 1 {
                self.y.next = self.lines[i].val();
            }
            self.equal.next = self.equal.val().replace_bit(i, self.delay.val().index() == i + 1);
            self.other.next = self.other.val().replace_bit(i, self.delay.val().index() != i + 1);
            self.less.next = self.less.val().replace_bit(i, self.delay.val().index() < i + 1);
            self.mirrored.next = self.mirrored.val().replace_bit(i, i + 1 < self.delay.val().index());
        }
    }
}
drive_ports!(impl[] BeyondRange { delay, lines, y, equal, other, less, mirrored });

#[test]
fn a_comparison_beyond_the_range_is_decided_with_a_warning() {
    let found = same::<BeyondRange>("beyond_range");
    let decided: Vec<_> = found.iter().filter(|problem| problem.kind == Kind::ConstantComparison).collect();
    assert_eq!(decided.len(), 4, "{found:?}");
    let equal = decided.iter().find(|problem| problem.reason.contains("`delay == i + 1` is always false"));
    assert!(equal
        .is_some_and(|problem| problem.path == "delay" && problem.reason.contains("8 does not fit 3 bits")));
    assert!(
        decided.iter().any(|problem| problem.reason.contains("`delay < i + 1` is always true")),
        "{decided:?}"
    );
}

/// `.index() + 1`, of which rust-hdl hands over `a + 1`.
#[derive(LogicBlock, Default)]
struct IndexPlusOne {
    a: Signal<In, Bits<4>>,
    y: Signal<Out, Bit>,
}
impl Logic for IndexPlusOne {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val().index() + 1 == 16;
    }
}

#[test]
fn arithmetic_beside_a_number_too_large_is_refused() {
    let reason = refused(&IndexPlusOne::default());
    let expected = Reason::AmbiguousComparison { at: "a + 1 == 16".into(), value: "16".into(), width: 4 };
    assert_eq!(reason, expected);
    let text = reason.to_string();
    assert!(text.contains("`.index()` is a `usize`") && text.contains("bit_cast::<5, 4>(x) + 1"), "{text}");
}

/// Inputs of children, read before their last assignment.
#[derive(LogicBlock, Default)]
struct ReadEarly {
    clock: Signal<In, Clock>,
    a: Signal<In, Bits<4>>,
    set: Signal<In, Bit>,
    early: Signal<Out, Bits<4>>,
    late: Signal<Out, Bits<4>>,
    between: Signal<Out, Bits<4>>,
    q: Signal<Out, Bits<4>>,
    flop: DFF<Bits<4>>,
    adder: AddOne,
}
impl Logic for ReadEarly {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.flop.d.val() + 1;
        self.adder.a.next = self.flop.d.val();
        dff_setup!(self, clock, flop);
        self.between.next = self.flop.d.val() ^ self.adder.y.val();
        if self.set.val() {
            self.flop.d.next = self.a.val();
        }
        self.late.next = self.flop.d.val();
        self.q.next = self.flop.q.val();
    }
}
drive_ports!(impl[] ReadEarly { clock, a, set, early, late, between, q });

#[derive(LogicBlock, Default)]
struct AddOne {
    a: Signal<In, Bits<4>>,
    y: Signal<Out, Bits<4>>,
}
impl Logic for AddOne {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() + 1;
    }
}

#[test]
fn a_childs_input_has_the_value_of_its_last_assignment() {
    assert_eq!(same::<ReadEarly>("read_early"), []);
    let design = elaborate(&ReadEarly::default(), "top").expect("elaborates");
    let mut evaluator = Evaluator::new(&design).expect("evaluates");
    assert!(evaluator.set("set", &Value::ones(1)) && evaluator.set("a", &Value::from_u64(4, 6)));
    let read = |evaluator: &mut Evaluator, path: &str| evaluator.get(path).expect("an output").low_u64();
    assert_eq!(read(&mut evaluator, "early"), 7);
    assert_eq!(read(&mut evaluator, "between"), 6 ^ 7);
}

/// An input of a child that depends on itself.
#[derive(LogicBlock, Default)]
struct ReadsItself {
    adder: AddOne,
    y: Signal<Out, Bits<4>>,
}
impl Logic for ReadsItself {
    #[hdl_gen]
    fn update(&mut self) {
        self.adder.a.next = 0.into();
        if self.adder.a.val() == 0 {
            self.adder.a.next = 1.into();
        }
        self.y.next = self.adder.y.val();
    }
}

#[test]
fn a_childs_input_that_depends_on_itself_is_a_loop() {
    let design = elaborate(&ReadsItself::default(), "top").expect("elaborates");
    let found = structure(&design, &CrossingCatalogue::default());
    let looped = found.iter().find(|problem| problem.kind == Kind::CombinationalLoop).expect("a loop");
    assert_eq!(looped.path, "adder.a");
}

/// The filter of rust-hdl-widgets.
#[derive(LogicBlock)]
struct Filter {
    clock: Signal<In, Clock>,
    data: Signal<In, Signed<16>>,
    strobe: Signal<In, Bit>,
    out: Signal<Out, Signed<48>>,
    done: Signal<Out, Bit>,
    busy: Signal<Out, Bit>,
    filter: MultiplyAccumulateSymmetricFiniteImpulseResponseFilter<3>,
}
impl Default for Filter {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            data: Signal::default(),
            strobe: Signal::default(),
            out: Signal::default(),
            done: Signal::default(),
            busy: Signal::default(),
            filter: MultiplyAccumulateSymmetricFiniteImpulseResponseFilter::new(&[1, -2, 3, -2, 1]),
        }
    }
}
impl Logic for Filter {
    #[hdl_gen]
    fn update(&mut self) {
        self.filter.clock.next = self.clock.val();
        self.filter.data_in.next = self.data.val();
        self.filter.strobe_in.next = self.strobe.val();
        self.out.next = self.filter.data_out.val();
        self.done.next = self.filter.strobe_out.val();
        self.busy.next = self.filter.busy.val();
    }
}
drive_ports!(impl[] Filter { clock, data, strobe, out, done, busy });

#[test]
fn the_filter_of_the_widgets() {
    let found = same::<Filter>("filter");
    assert!(found.iter().all(|problem| problem.kind == Kind::Unused), "{found:?}");
}

/// A port and a child with the name of the module.
#[derive(LogicBlock, Default)]
struct Own {
    own: Signal<In, Bits<4>>,
    y: Signal<Out, Bits<4>>,
    child: AddOne,
}
impl Logic for Own {
    #[hdl_gen]
    fn update(&mut self) {
        self.child.a.next = self.own.val();
        self.y.next = self.child.y.val();
    }
}
drive_ports!(impl[] Own { own, y });

#[test]
fn nothing_hides_its_module() {
    let (design, _) = support::stock::same(Own::default(), "own", 200);
    let ports: Vec<&str> = design.top_module().ports().map(|(_, port)| port.name.as_str()).collect();
    assert_eq!(ports, ["own_2", "y"]);
    support::lint(&design, &[]);
    let (design, _) = support::stock::same(Own::default(), "child", 200);
    assert_eq!(design.top_module().instances[0].name, "child_2");
    support::lint(&design, &[]);
}

mod bare {
    use super::Phase::{self, *};
    use super::*;

    /// A variant without its enum.
    #[derive(LogicBlock, Default)]
    pub struct Bare {
        pub phase: Signal<In, Phase>,
        pub y: Signal<Out, Bit>,
    }
    impl Logic for Bare {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.phase.val() == Run;
        }
    }

    #[derive(LogicBlock, Default)]
    pub struct BareArm {
        pub phase: Signal<In, Phase>,
        pub y: Signal<Out, Bit>,
    }
    impl Logic for BareArm {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = false;
            match self.phase.val() {
                Idle => self.y.next = true,
                Run => self.y.next = false,
                Stop => self.y.next = true,
            }
        }
    }
}

#[test]
fn a_variant_without_its_enum_is_called_that() {
    let full = |name: &str| Reason::VariantWithoutEnum { name: name.into(), full: format!("Phase::{name}") };
    assert_eq!(refused(&bare::Bare::default()), full("Run"));
    assert_eq!(refused(&bare::BareArm::default()), full("Idle"));
    assert!(full("Run").to_string().contains("write `Phase::Run`"));
}
