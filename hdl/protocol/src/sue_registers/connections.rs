//! Entries of the tables of connections, as TBL_DATA shows them (chapter 50, 5).

layout! {
    /// An index of TBL_ADDR for a connection.
    index, "Index of a connection", 16 bits, "chapter 50, 5", {
        vc [0 +: 2] "virtual channel";
        peer [2 +: 10] "peer";
        port [12 +: 2] "port";
        reserved [14 +: 2] "0";
    }
}
layout! {
    /// A connection at its sender.
    sender, "Entry of table 0", 57 bits, "chapter 50, 5", {
        una [0 +: 16] "oldest PSN without acknowledgment";
        nxt [16 +: 16] "PSN of the next new body";
        snd [32 +: 16] "PSN of the next turn to send";
        retry [48 +: 4] "expiries of the timer since the peer gave a sign of life";
        failed [52 +: 1] "it sends nothing more, and waits for failover";
        stopped [53 +: 1] "it was stopped, and holds bodies";
        closed [54 +: 1] "it was stopped, and holds nothing";
        freeing [55 +: 1] "slots of acknowledged bodies are being freed";
        rewinds [56 +: 1] "it goes back once they are";
    }
}
layout! {
    /// A connection at its receiver.
    receiver, "Entry of table 1", 34 bits, "chapter 50, 5", {
        exp [0 +: 16] "PSN expected next";
        last [16 +: 16] "PSN of the last PDU that was dropped after a gap";
        gap [32 +: 1] "a PDU is missing";
        frozen [33 +: 1] "nothing is accepted until it is opened";
    }
}
