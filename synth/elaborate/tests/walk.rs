//! The walker: names, widths, elements, sharing, refusals.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_elaborate::elaborate;
use flitforge_elaborate::graph::{BinaryOp, Expr, ExprKind, SignalKind, Statement};
use flitforge_elaborate::marker::block_label;
use rust_hdl::prelude::*;

#[derive(LogicState, Copy, Clone, Debug, PartialEq)]
enum State {
    Idle,
    Busy,
    Done,
}

#[derive(Default, LogicBlock)]
struct Stage<const N: usize> {
    clock: Signal<In, Clock>,
    table: Signal<In, Bits<N>>,
    output_: Signal<Out, Bits<N>>,
    event: DFF<Bits<N>>,
}

impl<const N: usize> Logic for Stage<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, event);
        self.event.d.next = self.table.val() + 1;
        self.output_.next = self.event.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        block_label("stage", &[("n", N.to_string())])
    }
}

#[derive(Default, LogicBlock)]
struct Top {
    clock: Signal<In, Clock>,
    data: Signal<In, Bits<40>>,
    result: Signal<Out, Bits<40>>,
    busy: Signal<Out, Bit>,
    stages: [Stage<40>; 3],
    state: DFF<State>,
    inner_clock: Signal<Local, Clock>,
}

impl Logic for Top {
    #[hdl_gen]
    fn update(&mut self) {
        self.inner_clock.next = self.clock.val();
        dff_setup!(self, inner_clock, state);
        for i in 0..3 {
            self.stages[i].clock.next = self.inner_clock.val();
            if i == 0 {
                self.stages[i].table.next = self.data.val();
            } else {
                self.stages[i].table.next = self.stages[i - 1].output_.val();
            }
        }
        match self.state.q.val() {
            State::Idle => self.state.d.next = State::Busy,
            State::Busy => self.state.d.next = State::Done,
            State::Done => self.state.d.next = State::Idle,
        }
        self.busy.next = self.state.q.val() == State::Busy;
        self.result.next = self.stages[2].output_.val();
    }
}

#[test]
fn equal_children_share_a_module_and_registers_know_their_clock() {
    let design = elaborate(&Top::default(), "top").expect("elaborates");
    assert_eq!(design.modules.len(), 2);
    let stage = &design.modules[0];
    let digits = stage.name.strip_prefix("stage_n40_").expect("named after its label");
    assert!(digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()), "{digits}");
    let event = &stage.registers[0];
    assert_eq!(stage.signal(event.clock).path, "clock");
    assert_eq!(stage.signal(event.q).name, "event_q");
    assert_eq!(stage.signal(event.d).kind, SignalKind::ElementInput);
    assert_eq!(stage.signals[1].name, "table_in", "a keyword as a port name is renamed");
    let top = design.top_module();
    assert_eq!(top.instances.len(), 3);
    assert_eq!(top.instances[2].name, "stages_2");
    assert_eq!(top.signal(top.instances[2].ports[1]).path, "stages[2].table");
    assert_eq!(top.signal(top.registers[0].clock).path, "clock", "copies of the clock are followed");
    assert!(top.body.iter().any(|statement| matches!(statement,
        Statement::Case { arms, default, .. } if arms.len() == 2 && default.len() == 1)));
}

#[test]
fn the_addition_keeps_the_width_of_its_operand() {
    let design = elaborate(&Top::default(), "top").expect("elaborates");
    let stage = &design.modules[0];
    let sum = stage.body.iter().find_map(|statement| match statement {
        Statement::Assign {
            value: Expr { width, kind: ExprKind::Binary(BinaryOp::Add, _, one) }, ..
        } => Some((*width, one.width)),
        _ => None,
    });
    assert_eq!(sum, Some((40, 40)));
}
