"""sue_axi between the AXI manager and the AXI memory of cocotbext-axi, its commands led back to itself."""

import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Combine, RisingEdge
from cocotbext.axi import AxiBus, AxiMaster, AxiRam, AxiResp

SIZE = 1 << 16
TELLS = ("too_long", "refused_response", "refused_request", "misplaced", "stray")


def user(xpu, partition=3, flush=0):
    return flush << 32 | partition << 22 | xpu


class Bench:
    def __init__(self, dut):
        self.dut = dut
        self.told = dict.fromkeys(TELLS, 0)
        cocotb.start_soon(Clock(dut.clock, 5, units="ns").start())
        self.master = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clock, dut.clear, max_burst_len=32)
        self.ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clock, dut.clear, size=SIZE)
        cocotb.start_soon(self.listen())

    async def listen(self):
        while True:
            await RisingEdge(self.dut.clock)
            for name in TELLS:
                value = getattr(self.dut, name).value
                self.told[name] += value.is_resolvable and int(value)

    async def start(self, early=0):
        self.dut.unordered.value = 0
        self.dut.early_responses.value = early
        self.dut.status.value = 0
        self.dut.clear.value = 1
        await ClockCycles(self.dut.clock, 4)
        self.dut.clear.value = 0
        await ClockCycles(self.dut.clock, 1100 if early else 50)

    def stall(self, seed):
        chance = random.Random(seed)

        def pauses():
            while True:
                yield chance.random() < 0.4

        write, read = self.master.write_if, self.master.read_if
        for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel):
            channel.set_pause_generator(pauses())
        write, read = self.ram.write_if, self.ram.read_if
        for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel):
            channel.set_pause_generator(pauses())

    def quiet(self, **told):
        wanted = {**dict.fromkeys(TELLS, 0), **told}
        assert self.told == wanted, f"{self.told}, expected {wanted}"


def octets(length):
    return bytes(random.randrange(256) for _ in range(length))


async def write_and_read(bench, address, data, **options):
    written = await bench.master.write(address, data, **options)
    assert written.resp == AxiResp.OKAY, written
    read = await bench.master.read(address, len(data), **options)
    assert read.resp == AxiResp.OKAY and read.data == data, f"{len(data)} octets at {address:#x}"


@cocotb.test()
async def octets_of_every_length_and_place_travel(dut):
    bench = Bench(dut)
    await bench.start()
    for length, offset in itertools.product((*range(1, 20), 64, 255, 256), (0, 1, 4, 7)):
        data = octets(length)
        before = bytes(bench.ram.read(0x1000 - 8, length + 32))
        await write_and_read(bench, 0x1000 + offset, data, user=user(7))
        after = bytearray(before)
        after[8 + offset : 8 + offset + length] = data
        assert bytes(bench.ram.read(0x1000 - 8, length + 32)) == bytes(after), "only these octets"
    bench.quiet()


@cocotb.test()
async def narrow_transfers_travel(dut):
    bench = Bench(dut)
    await bench.start()
    for size, offset in itertools.product(range(4), range(8)):
        await write_and_read(bench, 0x2000 + offset, octets(13), size=size, user=user(7))
    bench.quiet()


@cocotb.test()
async def many_at_once_travel_with_stalls(dut):
    bench = Bench(dut)
    await bench.start()
    bench.stall(random.random())

    async def worker(number):
        own = random.Random(random.random())
        for _ in range(12):
            length = own.randrange(1, 1500)
            address = number * 0x1000 + own.randrange(0x800)
            await write_and_read(bench, address, octets(length), user=user(own.randrange(4)))

    await Combine(*(cocotb.start_soon(worker(number)) for number in range(12)))
    bench.quiet()


@cocotb.test()
async def at_most_one_per_id_when_unordered(dut):
    bench = Bench(dut)
    await bench.start()
    dut.unordered.value = 1

    async def worker(number):
        for _ in range(6):
            await write_and_read(bench, number * 0x1000, octets(700), user=user(number))

    await Combine(*(cocotb.start_soon(worker(number)) for number in range(6)))
    bench.quiet()


@cocotb.test()
async def long_bursts_are_answered_with_an_error(dut):
    bench = Bench(dut)
    await bench.start()
    bench.master.write_if.max_burst_len = 256
    bench.master.read_if.max_burst_len = 256
    before = bytes(bench.ram.read(0x3000, 512))
    assert (await bench.master.write(0x3000, octets(264), user=user(7))).resp == AxiResp.SLVERR
    read = await bench.master.read(0x3000, 512, user=user(7))
    assert read.resp == AxiResp.SLVERR and len(read.data) == 512
    assert bytes(bench.ram.read(0x3000, 512)) == before
    await write_and_read(bench, 0x3000, octets(256), user=user(7))
    bench.quiet(too_long=2)


@cocotb.test()
async def a_clear_in_a_burst_leaves_nothing(dut):
    bench = Bench(dut)
    await bench.start()
    for clocks in range(20, 80, 7):
        waiting = cocotb.start_soon(bench.master.write(0x4000, octets(2000), user=user(7)))
        await ClockCycles(dut.clock, clocks)
        waiting.kill()
        await bench.start()
        await write_and_read(bench, 0x5000, octets(300), user=user(7))
    bench.quiet()


@cocotb.test()
async def responses_of_the_source_are_early_and_nothing_is_lost(dut):
    bench = Bench(dut)
    await bench.start(early=1)
    bench.stall(random.random())
    wanted = {}

    async def worker(number):
        own = random.Random(random.random())
        for turn in range(8):
            address = number * 0x2000 + turn * 0x400
            wanted[address] = octets(own.randrange(1, 900))
            written = await bench.master.write(address, wanted[address], user=user(own.randrange(4)))
            assert written.resp == AxiResp.OKAY, written

    await Combine(*(cocotb.start_soon(worker(number)) for number in range(8)))
    # What has a response has arrived, but it need not be in the memory yet.
    await ClockCycles(dut.clock, 4000)
    for address, data in wanted.items():
        read = await bench.master.read(address, len(data), user=user(7))
        assert read.resp == AxiResp.OKAY and read.data == data, f"{len(data)} octets at {address:#x}"
    bench.quiet()


@cocotb.test()
async def pdus_that_failed_are_errors_at_the_source(dut):
    bench = Bench(dut)
    await bench.start(early=1)
    for status, resp in [(0, AxiResp.OKAY), (1, AxiResp.SLVERR), (3, AxiResp.SLVERR), (0, AxiResp.OKAY)]:
        dut.status.value = status
        written = await bench.master.write(0x6000, octets(600), user=user(7))
        assert written.resp == resp, written
        read = await bench.master.read(0x6000, 600, user=user(7))
        assert read.resp == AxiResp.OKAY, "the destination answers reads"
    bench.quiet()
