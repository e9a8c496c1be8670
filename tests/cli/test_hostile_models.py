"""Model files with right checksums that no nodl wrote: refused with exit code 4, in little memory."""

import json
import resource
import struct
import subprocess

import numpy as np
from model_bytes import Model, Section
from program import MODEL, NODL, SANITIZED, Program, domain

LIMIT = 400 << 20  # bytes of address space: the program and its libraries, and nothing large


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class HostileModels(Program):
    def setUp(self):
        super().setUp()
        x = self.save("x.npy", domain(0, 60, dimension=12))
        self.whole = self.train(x, "--atom-nonzeros", 4).read_bytes()
        self.hostile = self.path("hostile.nodl")

    def run_info(self, data):
        self.hostile.write_bytes(data)
        return subprocess.run([NODL, "info", self.hostile, "--json"], capture_output=True, text=True,
                              preexec_fn=None if SANITIZED else limited,
                              env={"OPENBLAS_NUM_THREADS": "1"})

    def refused(self, said, change):
        model = Model(self.whole)
        change(model)
        run = self.run_info(model.to_bytes())
        self.assertEqual(run.returncode, MODEL, (said, run.stdout[:100], run.stderr))
        self.assertRegex(run.stderr, r"\Anodl: [^\n]+hostile.nodl: [ -~]+\n\Z")
        self.assertIn(said, run.stderr)
        self.assertLess(len(run.stderr), 400)

    def refused_header(self, said, *path_and_value):
        *path, name, value = path_and_value

        def change(model):
            place = model.header
            for key in path:
                place = place[key]
            place[name] = value
        self.refused(said, change)

    def refused_number(self, said, section, index, value):
        def change(model):
            array = model.sections[section].array()
            array.flat[index] = value
            model.sections[section].data = array.tobytes()
        self.refused(said, change)

    def refused_entry(self, said, section, **fields):
        def change(model):
            for name, value in fields.items():
                setattr(model.sections[section], name, value)
        self.refused(said, change)

    def test_put_together_again_it_is_the_same(self):
        self.assertEqual(Model(self.whole).to_bytes(), self.whole)

    def test_a_flipped_bit_in_every_region(self):
        header_bytes, count = struct.unpack_from("<QQ", self.whole, 24)
        table = 64 + header_bytes + -header_bytes % 64
        places = [*range(64), 64, 63 + header_bytes, *range(64 + header_bytes, table)]
        for i in range(count):
            entry = table + 128 * i
            offset, size = struct.unpack_from("<QQ", self.whole, entry + 80)
            end = offset + size + -size % 64
            places += [*range(entry, entry + 128, 8), entry + 127, offset, offset + size - 1, offset + size, end - 1]
        for place in {place for place in places if place < len(self.whole)}:
            data = bytearray(self.whole)
            data[place] ^= 1 << place % 8
            run = self.run_info(data)
            self.assertEqual(run.returncode, MODEL, place)
            self.assertRegex(run.stderr, r"\Anodl: [^\n]+hostile.nodl: is [ -~]+\n\Z|has format version")

    def test_unknown_sections(self):
        model = Model(self.whole)
        model.sections["later"] = Section("later", "<c16", 7, 3, b"what a later version keeps", flags=1)
        run = self.run_info(model.to_bytes())
        self.assertEqual(run.returncode, 0, run.stderr)
        names = [section["name"] for section in json.loads(run.stdout)["sections"]]
        self.assertIn("later", names)
        model.sections["later"].checksum = 1
        self.assertIn("the checksum of section later differs", self.run_info(model.to_bytes()).stderr)
        for flags in [0, 2]:
            model.sections["later"] = Section.of("later", np.ones((1, 1)), flags)
            run = self.run_info(model.to_bytes())
            self.assertEqual(run.returncode, MODEL)
            self.assertIn("a section later that this program does not know", run.stderr)

    def test_unknown_keys_of_the_header_are_ignored(self):
        model = Model(self.whole)
        model.header["later"] = {"anything": [1, 2, 3]}
        self.assertEqual(self.run_info(model.to_bytes()).returncode, 0)

    def test_prefix(self):
        for said, fields in [("does not begin like one", {"magic": b"\x93NUMPY\x01\x00"}),
                             ("format version 2", {"version": 2}), ("format version 0", {"version": 0}),
                             ("byte order", {"byte_order": 0x04030201}),
                             ("should have 1", {"file_bytes": 1}), ("should have", {"file_bytes": 2 ** 64 - 1}),
                             ("does not fit", {"header_bytes": 2 ** 64 - 1}),
                             ("does not fit", {"header_bytes": 2 ** 63}),
                             ("does not fit", {"section_count": 2 ** 64 - 1}),
                             ("does not fit", {"section_count": 2 ** 57}),
                             ("does not fit", {"section_count": 10 ** 6}),
                             ("does not fit", {"section_count": len(Model(self.whole).sections) + 1}),
                             ("bytes follow its last section", {"section_count": 0})]:
            with self.subTest(fields):
                self.refused(said, lambda model: [setattr(model, *field) for field in fields.items()])

    def test_section_table(self):
        for said, section, fields in [
                ("does not fit", "training.A", {"rows": 2 ** 32, "cols": 2 ** 32}),
                ("does not fit", "training.A", {"rows": 2 ** 61, "cols": 1, "bytes": 2 ** 63}),
                ("does not fit", "training.A", {"bytes": 2 ** 64 - 64}),
                ("does not fit", "training.A", {"offset": 0}),
                ("does not fit", "training.A", {"offset": 2 ** 64 - 64}),
                ("does not fit", "training.B", {"offset": 64}),
                ("does not fit", "training.B", {"kind": "<f4"}),
                ("does not fit", "training.B", {"kind": "|O"}),
                ("does not fit", "training.B", {"kind": ""}),
                ("training.B is missing", "training.B", {"name": "training.C"}),
                ("two sections are named training.A", "training.B", {"name": "training.A"}),
                ("no printable name", "training.B", {"name": ""}),
                ("no printable name", "training.B", {"name": "\x1b[2J"}),
                ("no printable name", "training.B", {"name": "caf\xe9"}),
                ("checksum of section training.B differs", "training.B", {"checksum": 0})]:
            with self.subTest(section=section, **fields):
                self.refused_entry(said, section, **fields)

    def test_many_sections(self):
        def many(model):
            for i in range(20000):
                model.sections[f"s{i}"] = Section(f"s{i}", "<f8", 0, 0, b"")
        self.refused("that this program does not know", many)

    def test_shapes(self):
        for section in Model(self.whole).sections:
            with self.subTest(section):
                if section != "dictionary.slots":  # which is optional
                    self.refused("missing", lambda model, name=section: model.sections.pop(name))

                def transpose(model, name=section):
                    s = model.sections[name]
                    s.rows, s.cols = s.cols, s.rows
                if section != "training.A":
                    self.refused("inconsistent", transpose)

                def another_type(model, name=section):
                    s = model.sections[name]
                    s.kind = {"<f8": "<i8", "<i8": "<f8", "<i4": "<f4"}[s.kind]
                self.refused("inconsistent", another_type)
        self.refused("inconsistent", lambda model: model.sections.update(
            {"training.A": Section.of("training.A", np.zeros((1, 1)))}))

    def test_sizes_in_the_header(self):
        for name in ["dimension", "atoms", "sparse_atoms"]:
            for value in [-1, 2 ** 31, 2 ** 40, 2 ** 62, 2 ** 63, 2 ** 64 - 1, 1.5, "5", None, [], {}, True]:
                with self.subTest(name=name, value=value):
                    self.refused_header("", name, value)
        self.refused_header("out of range", "dimension", 0)
        self.refused_header("inconsistent", "dimension", 2 ** 31 - 1)
        self.refused_header("inconsistent", "atoms", 2 ** 31 - 1)
        self.refused_header("never drawn", "initialised", False)
        self.refused_header("precision", "precision", "float16")
        self.refused_header("inconsistent", "precision", "float32")

    def test_counts(self):
        for name in ["batches", "samples", "births", "deaths", "next_id", "batch_of_call", "carried_births"]:
            for value in [-1, 2 ** 63 - 1, 2 ** 64 - 1, 0.5, "1", None]:
                with self.subTest(name=name, value=value):
                    self.refused_header("", "progress", name, value)
        self.refused_header("", "progress", "finished", 1)
        self.refused_header("", "progress", {})
        self.refused_header("", "progress", None)

    def test_options(self):
        for name, value in [("batch_size", 0), ("batch_size", 2 ** 62), ("atoms", -1), ("atoms", 2 ** 40),
                            ("max_atoms", 1), ("max_births", 2 ** 63 - 1), ("passes", 0), ("seed", -1),
                            ("seed", 2 ** 64), ("scale", 0), ("scale", 1e999), ("lambda", -1),
                            ("birth_threshold", 2), ("group_penalty", -1), ("memory", "sums"), ("coder", 1),
                            ("refit", "yes"), ("memory_limit", -1), ("half_life", "x"), ("unheard_of", 1),
                            ("\x1b[31m", 1), ("code_nonzeros", [1])]:
            with self.subTest(name=name, value=value):
                self.refused_header("", "options", name, value)
        for value in [None, [], "all", 3]:
            with self.subTest(options=value):
                self.refused_header("cannot be understood", "options", value)

    def test_headers_that_are_no_header(self):
        deep = 150000
        for text in ["", "null", "[]", "{}", "{", "\x00", '"' + "a" * 1000 + '"', "[" * deep, "[" * deep + "]" * deep,
                     '{"options":' + "[" * deep + "]" * deep + "}", '{"a":' * deep + "1" + "}" * deep,
                     "\xff\xfe", "1e99999", "[0" + ",0" * 400000 + "]", '"' + "a" * 10 ** 5]:
            with self.subTest(text[:20]):
                self.refused("header that cannot be understood", lambda model: setattr(model, "header", text))
        self.refused("header of", lambda model: setattr(model, "header", "[0" + ",0" * 10 ** 6 + "]"))
        known = json.dumps(Model(self.whole).header)
        nested = known[:-1] + ',"later":' + "[" * 1000 + "]" * 1000 + "}"
        self.refused("nested too deeply", lambda model: setattr(model, "header", nested))

    def test_numbers(self):
        for section in ["dictionary.sparse.values", "training.A", "training.B"]:
            for value in [np.nan, np.inf, -np.inf]:
                with self.subTest(section=section, value=value):
                    self.refused_number("not finite", section, -1, value)
        for section, index, value in [
                ("dictionary.sparse.starts", 0, 1), ("dictionary.sparse.starts", 1, -1),
                ("dictionary.sparse.starts", 1, 2 ** 62), ("dictionary.sparse.starts", -1, 2 ** 62),
                ("dictionary.sparse.indices", 0, -1), ("dictionary.sparse.indices", 0, 2 ** 31 - 1),
                ("dictionary.sparse.indices", 1, 0), ("dictionary.records", 0, -1),
                ("dictionary.records", 0, 2 ** 62), ("dictionary.records", 1, 10 ** 6),
                ("dictionary.records", 1, -1), ("dictionary.records", 2, -1),
                ("dictionary.records", 2, 2 ** 63 - 1), ("dictionary.records", 3, 10 ** 6),
                ("dictionary.slots", 0, -1), ("dictionary.slots", 0, 0), ("dictionary.slots", 0, 2 ** 62),
                ("dictionary.slots", 1, -1), ("dictionary.slots", 1, 2 ** 40)]:
            with self.subTest(section=section, index=index, value=value):
                self.refused_number("inconsistent", section, index, value)
        records = Model(self.whole).sections["dictionary.records"].array()
        self.refused_number("two atoms have one id", "dictionary.records", 0, records[1, 0])
        slots = Model(self.whole).sections["dictionary.slots"].array()
        self.refused_number("the slot of an atom", "dictionary.slots", 1, slots[0, 2])


if __name__ == "__main__":
    import unittest
    unittest.main()
