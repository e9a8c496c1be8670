"""nodl train: what it learns, writes and reports."""

import json
import subprocess

import numpy as np
from program import DATA, NODL, USAGE, Program, domain


class Train(Program):
    def setUp(self):
        super().setUp()
        self.first = self.save("first.npy", domain(0, 110))
        self.second = self.save("second.npy", domain(1, 90))

    def test_defaults_need_nothing_but_files(self):
        run = self.nodl("train", self.first, "--model", self.path("m.nodl"))
        self.assertIn("learned  110 samples of 24 numbers (dense, float64) in 1 batch\n", run.out)
        self.assertEqual(run.err, "")
        info = self.json("info", self.path("m.nodl"))
        self.assertEqual((info["method"], info["dimension"]), ("nodl", 24))

    def test_json_document(self):
        result = self.json("train", self.first, self.second, "--model", self.path("m.nodl"), "--batch-size", 20,
                           "--eval", f"old={self.first}", "--eval", f"new={self.second}")
        self.assertEqual((result["samples"], result["batches"]), (200, 10))
        self.assertGreater(result["options"]["atoms"], 0)  # derived
        self.assertEqual(result["atoms"], result["options"]["atoms"] + result["births"] - result["deaths"])
        self.assertLessEqual(result["atoms_alive"], result["atoms"])
        self.assertEqual(result["options"]["batch_size"], 20)
        wall, cpu = result["wall_seconds"], result["cpu_seconds"]
        for stage in ["read", "code", "birth", "memory", "update", "other", "write", "evaluate"]:
            self.assertGreaterEqual(wall[stage], 0)
        self.assertGreaterEqual(wall["total"], wall["read"] + wall["learn"])
        self.assertEqual(set(cpu), set(wall))
        self.assertEqual([e["name"] for e in result["evals"]], ["old", "new"])
        evaluated = self.json("evaluate", self.first, self.second, "--model", self.path("m.nodl"))
        for mine, theirs in zip(result["evals"], evaluated["inputs"]):
            mine["name"] = theirs["name"]
            self.assertEqual(mine, theirs)

    def test_a_new_domain_is_learned_and_the_old_one_kept(self):
        result = self.json("train", self.first, self.second, "--model", self.path("m.nodl"), "--batch-size", 20,
                           "--atom-norm", "raw", "--eval", f"old={self.first}", "--eval", f"new={self.second}")
        for evaluation in result["evals"]:
            self.assertGreater(evaluation["pearson"], 0.9)

    def test_events_tell_every_batch_birth_and_death(self):
        result = self.json("train", self.first, self.second, "--model", self.path("m.nodl"), "--batch-size", 20,
                           "--group-penalty", 0.3, "--events", self.path("e.jsonl"))
        events = [json.loads(line) for line in self.path("e.jsonl").read_text().splitlines()]
        batches = [e for e in events if e["event"] == "batch"]
        births = [e for e in events if e["event"] == "birth"]
        deaths = [e for e in events if e["event"] == "death"]
        self.assertEqual([e["batch"] for e in batches], list(range(1, 11)))
        self.assertEqual(sum(e["samples"] for e in batches), 200)
        self.assertEqual(batches[-1]["atoms"], result["atoms"])
        self.assertEqual((len(births), len(deaths)), (result["births"], result["deaths"]))
        self.assertEqual((sum(e["born"] for e in batches), sum(e["died"] for e in batches)),
                         (len(births), len(deaths)))
        self.assertGreater(len(births), 0)
        self.assertGreater(len(deaths), 0)
        ids = [e["id"] for e in births]
        self.assertEqual(len(set(ids)), len(ids))
        born_in = {e["id"]: e["batch"] for e in births}
        for death in deaths:
            self.assertEqual(death["age_batches"], death["batch"] - born_in.get(death["id"], 0))
            self.assertIn(death["reason"], ["group_penalty", "unused"])
            self.assertGreaterEqual(death["uses"], 0)
        correlation = {e["batch"]: e["birth_correlation"] for e in batches}
        for birth in births:
            self.assertEqual(birth["correlation"], correlation[birth["batch"]])
            self.assertEqual((birth["threshold"], birth["reason"]), (0.9, "low_correlation"))
            self.assertLessEqual(birth["correlation"], birth["threshold"])
        self.assertEqual(set(batches[0]), {
            "event", "batch", "samples", "samples_seen", "pearson_before", "pearson_after", "birth_correlation",
            "born", "died", "denied", "denied_by", "atoms", "atoms_alive", "sweeps", "converged", "code_nonzeros",
            "input", "bad_rows", "seconds"})
        self.assertEqual(batches[0]["input"], str(self.first))

    def test_births_that_no_correlation_asked_for(self):
        self.train(self.first, "--births", "always", "--birth-threshold", "-1", "--events", self.path("e.jsonl"))
        events = [json.loads(line) for line in self.path("e.jsonl").read_text().splitlines()]
        self.assertEqual({e["reason"] for e in events if e["event"] == "birth"}, {"always"})

    def test_bad_rows_of_evaluation_sets(self):
        samples = domain(0, 30)
        samples[9, 4] = np.nan
        np.savetxt(self.path("bad.csv"), samples, delimiter=",")
        model, evals = self.path("m.nodl"), ["--eval", f"ok={self.first}", "--eval", f"bad={self.path('bad.csv')}"]
        command = ["train", self.first, "--model", model, *evals, "--json"]
        run = subprocess.run([NODL, *map(str, command)], capture_output=True, text=True)
        self.assertEqual(run.returncode, DATA)
        self.assertRegex(run.stderr, r"\Anodl: .*bad.csv: row 10, column 5: [^\n]+\n\Z")
        result = json.loads(run.stdout)  # the model is written: its result is not lost
        self.assertEqual([e["name"] for e in result["evals"]], ["ok"])
        self.assertEqual(self.json("info", model)["progress"]["samples"], result["samples"])

        for policy in ["skip", "quarantine"]:
            result = self.json(*command[:-1], "--bad-rows", policy)
            self.assertEqual([e["samples"] for e in result["evals"]], [110, 29])
            self.assertEqual(result["bad_rows"]["total"], 1)
        self.assertIn("bad.csv", self.path("m.nodl.bad-rows.jsonl").read_text())

    def test_progress_only_when_asked_for(self):
        files = (self.first, "--model", self.path("m.nodl"))
        self.assertEqual(self.nodl("train", *files).err, "")
        self.assertEqual(self.nodl("train", *files, "--progress", "off").err, "")
        shown = self.nodl("train", *files, "--progress", "on", "--batch-size", 20).err.splitlines()
        self.assertRegex(shown[-1], r"batch 6  110/110 samples  .*Pearson [01]\.\d+  atoms \d+  born \d+  died \d+")

    def test_odl_is_nodl_without_births_and_deaths(self):
        odl = self.bytes(self.first, self.second, "--method", "odl")
        plain = self.nodl("train", self.first, self.second, "--model", self.path("p.nodl"), "--batch-size", 20,
                          "--atoms", 8, "--max-births", 0, "--group-penalty", 0)
        self.assertIn("0 born, 0 died", plain.out)
        self.assertEqual(odl, self.path("p.nodl").read_bytes())

    def test_methods(self):
        for method in ["nodl", "nodl+", "nodl-", "odl", "odl*", "random"]:
            info = self.json("info", self.train(self.first, self.second, "--method", method))
            self.assertEqual(info["method"], method)
            births = info["progress"]["births"] > 0
            self.assertEqual(births, method in ["nodl", "nodl+"] or (births and method == "odl*"))
            if method in ["odl", "odl*", "random"]:
                self.assertEqual(info["atoms"], 8)

    def test_random_changes_nothing(self):
        untouched = self.train(self.first, "--method", "random", model="a.nodl")
        longer = self.train(self.first, self.second, "--method", "random", model="b.nodl")
        np.testing.assert_array_equal(self.export(untouched), self.export(longer))

    def test_presets_differ(self):
        paper = self.json("info", self.train(self.first))["options"]
        released = self.json("info", self.train(self.first, "--preset", "released"))["options"]
        self.assertEqual((paper["coder"], released["coder"]), ("lars", "threshold"))
        self.assertEqual((paper["last_batch"], released["last_batch"]), ("use", "drop"))

    def test_released_drops_incomplete_batches_of_each_input(self):
        info = self.json("info", self.train(self.first, self.second, "--preset", "released"))
        self.assertEqual(info["progress"]["samples"], 100 + 80)

    def test_rows_and_passes(self):
        info = self.json("info", self.train(self.first, "--rows", "10:100:3", "--passes", 2))
        self.assertEqual(info["progress"]["samples"], 60)

    def test_float32(self):
        info = self.json("info", self.train(self.first, "--precision", "float32"))
        self.assertEqual(info["precision"], "float32")
        self.assertIn("<f4", [s["type"] for s in info["sections"]])

    def test_from_learns_on(self):
        first = self.train(self.first, model="a.nodl")
        before = self.json("info", first)
        run = self.nodl("train", self.second, "--from", first, "--model", self.path("b.nodl"), "--max-births", 3)
        after = self.json("info", self.path("b.nodl"))
        self.assertIn("learned  90 samples", run.out)
        self.assertEqual(after["progress"]["samples"], 200)
        self.assertEqual(after["progress"]["batches"], before["progress"]["batches"] + 5)
        self.assertEqual(after["options"], {**before["options"], "max_births": 3})
        self.assertGreaterEqual(after["progress"]["next_id"], before["progress"]["next_id"])
        self.assertEqual(self.json("info", first), before)

    def test_from_has_its_atoms_already(self):
        first = self.train(self.first, model="a.nodl")
        learn_on = ["train", self.second, "--from", first, "--model", self.path("b.nodl")]
        run = self.nodl(*learn_on, "--atoms", 9, code=USAGE)
        self.assertEqual(run.err, f"nodl: --atoms is 9 here and 8 in {first}; with --from leave it out: "
                                  "the atoms are those of the model\n")
        config = self.path("c.json")
        config.write_text('{"init": "sample"}')
        run = self.nodl(*learn_on, "--config", config, code=USAGE)
        self.assertIn('c.json: init is "sample" here and "random" in', run.err)
        self.assertFalse(self.path("b.nodl").exists())
        config.write_text('{"atoms": 8, "init": "random"}')  # one file for all runs
        self.nodl(*learn_on, "--config", config)

    def test_from_the_middle_is_the_whole_way(self):
        """Learning on with the rest of the stream is learning all of it, where batches end there."""
        samples = domain(0, 120)
        whole = self.bytes(self.save("whole.npy", samples))
        head = self.train(self.save("head.npy", samples[:60]), model="a.nodl")
        self.nodl("train", self.save("tail.npy", samples[60:]), "--from", head, "--model", self.path("b.nodl"))
        self.assertEqual(self.path("b.nodl").read_bytes(), whole)

    def test_from_with_another_method(self):
        odl = self.train(self.first, "--method", "odl", model="a.nodl")
        self.nodl("train", self.second, "--from", odl, "--model", self.path("b.nodl"), "--method", "nodl")
        info = self.json("info", self.path("b.nodl"))
        self.assertEqual((info["method"], info["options"]["max_births"]), ("nodl", 50))
        self.nodl("train", self.second, "--from", odl, "--model", self.path("c.nodl"))
        self.assertEqual(self.json("info", self.path("c.nodl"))["method"], "odl")
