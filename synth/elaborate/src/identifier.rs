//! Names that are legal, unique identifiers in Verilog-2005 and SystemVerilog.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Reserved words of SystemVerilog (IEEE 1800-2017, annex B), which contain those of Verilog-2005.
const KEYWORDS: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume \
automatic before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker \
class clocking cmos config const constraint context continue cover covergroup coverpoint cross deassign default \
defparam design disable dist do edge else end endcase endchecker endclass endclocking endconfig endfunction \
endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram endproperty endspecify endsequence \
endtable endtask enum event eventually expect export extends extern final first_match for force foreach forever \
fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements \
implies import incdir include initial inout input inside instance int integer interconnect interface intersect \
join join_any join_none large let liblist library local localparam logic longint macromodule matches medium \
modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package \
packed parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup \
pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on \
release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until \
s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify specparam static \
string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this \
throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union \
unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order wand weak \
weak0 weak1 while wildcard wire with within wor xnor xor";

/// `KEYWORDS`, looked up for every name of every module.
static KEYWORD_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| KEYWORDS.split_ascii_whitespace().collect());

/// True if `name` is a reserved word of Verilog-2005 or SystemVerilog.
pub fn is_keyword(name: &str) -> bool {
    KEYWORD_SET.contains(name)
}

/// `text` as an identifier: `lane[2].valid` becomes `lane_2_valid`; keywords get a trailing `_`.
pub fn identifier(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => name.push(letter),
            ']' => {}
            _ => name.push('_'),
        }
    }
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if is_keyword(&name) {
        name.push('_');
    }
    name
}

/// Hands out identifiers, each only once.
#[derive(Clone, Debug, Default)]
pub struct Identifiers {
    used: HashSet<String>,
}

impl Identifiers {
    /// An identifier for `text`; a taken one gets the first free suffix `_2`, `_3` ...
    pub fn claim(&mut self, text: &str) -> String {
        let base = identifier(text);
        let mut name = base.clone();
        let mut suffix = 2u32;
        while !self.used.insert(name.clone()) {
            name = format!("{base}_{suffix}");
            suffix += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_legal_and_unique() {
        assert_eq!(identifier("lane[2].valid"), "lane_2_valid");
        assert_eq!(identifier("event"), "event_");
        assert_eq!(identifier("2x"), "_2x");
        let mut names = Identifiers::default();
        assert_eq!(names.claim("a[1]"), "a_1");
        assert_eq!(names.claim("a.1"), "a_1_2");
        assert_eq!(names.claim("a_1"), "a_1_3");
    }
}
