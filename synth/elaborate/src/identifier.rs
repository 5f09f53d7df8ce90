//! Names that are legal, unique identifiers in Verilog-2005 and SystemVerilog, and that VHDL and C++, to which tools translate them, can
//! have as well.

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

/// Reserved words of VHDL (IEEE 1076-2008, 15.10, with those of its PSL subset), where case does not count.
const VHDL_KEYWORDS: &str = "abs access after alias all and architecture array assert assume assume_guarantee attribute \
begin block body buffer bus case component configuration constant context cover default disconnect downto else elsif end \
entity exit fairness file for force function generate generic group guarded if impure in inertial inout is label library \
linkage literal loop map mod nand new next nor not null of on open or others out package parameter port postponed procedure \
process property protected pure range record register reject release rem report restrict restrict_guarantee return rol ror \
select sequence severity shared signal sla sll sra srl strong subtype then to transport type unaffected units until use \
variable vmode vprop vunit wait when while with xnor xor";

/// Reserved words of C++ (ISO 14882-2020, 5.11, with alternative tokens), and what its compilers and libraries reserve besides.
const CPP_KEYWORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t \
char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype \
default delete do double dynamic_cast else enum explicit export extern false far float for friend goto huge if inline int \
interrupt long main mutable namespace near new noexcept not not_eq nullptr operator or or_eq pascal private protected public \
register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this \
thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq";

/// `KEYWORDS`, looked up for every name of every module.
static KEYWORD_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| KEYWORDS.split_ascii_whitespace().collect());

/// The words of all three languages.
static RESERVED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    [KEYWORDS, VHDL_KEYWORDS, CPP_KEYWORDS].iter().flat_map(|words| words.split_ascii_whitespace()).collect()
});

/// True if `name` is a reserved word of Verilog-2005 or SystemVerilog.
pub fn is_keyword(name: &str) -> bool {
    KEYWORD_SET.contains(name)
}

/// True if `name` is a reserved word of SystemVerilog, VHDL or C++.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.contains(name) || RESERVED.contains(name.to_ascii_lowercase().as_str())
}

/// `text` as an identifier of Verilog, nothing else changed: what hand-written text calls a port.
pub fn plain(text: &str) -> String {
    text.replace(['.', '['], "_").replace(']', "")
}

/// `text` as an identifier: `lane[2].valid` becomes `lane_2_valid`. A reserved word gets `_` and `ending`: `event` as an input becomes
/// `event_in`. What begins with no letter gets an `n`, and `_` neither ends a name nor stands twice.
pub fn identifier(text: &str, ending: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' => name.push(letter),
            ']' => {}
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    name.truncate(name.trim_end_matches('_').len());
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert(0, 'n');
    }
    if is_reserved(&name) {
        name.push('_');
        name.push_str(ending);
    }
    name
}

/// Hands out identifiers, each only once, whatever the case of its letters.
#[derive(Clone, Debug, Default)]
pub struct Identifiers {
    used: HashSet<String>,
}

impl Identifiers {
    /// An identifier for `text` (see [`identifier`]); a taken one gets the first free suffix `_2`, `_3` ...
    pub fn claim(&mut self, text: &str, ending: &str) -> String {
        let base = identifier(text, ending);
        let mut name = base.clone();
        let mut suffix = 2u32;
        while !self.used.insert(name.to_ascii_lowercase()) {
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
        assert_eq!(identifier("lane[2].valid", "in"), "lane_2_valid");
        assert_eq!(identifier("event", "in"), "event_in");
        assert_eq!(identifier("Port", "out"), "Port_out");
        assert_eq!(identifier("2x", "in"), "n2x");
        assert_eq!(identifier("output_", "in"), "output_in");
        assert_eq!(identifier("a__b_", "in"), "a_b");
        assert_eq!(identifier("", "in"), "n");
        let mut names = Identifiers::default();
        assert_eq!(names.claim("a[1]", "in"), "a_1");
        assert_eq!(names.claim("a.1", "in"), "a_1_2");
        assert_eq!(names.claim("a_1", "in"), "a_1_3");
        assert_eq!(names.claim("A_1", "in"), "A_1_4");
    }
}
