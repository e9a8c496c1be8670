"""Flags, config files and exit codes: what is wrong is said in one line, and nothing is overwritten."""

import json
import os
import subprocess

import numpy as np
from program import DATA, MODEL, NODL, RESOURCE, USAGE, Program, domain


class Usage(Program):
    def setUp(self):
        super().setUp()
        self.x = self.save("x.npy", domain(0, 60))

    def refused(self, code, *arguments):
        """A run that fails leaves the model that was there."""
        model = self.path("m.nodl")
        model.write_bytes(b"what was there")
        run = self.nodl("train", *arguments, "--model", model, code=code)
        self.assertEqual(model.read_bytes(), b"what was there")
        return run.err

    def options(self, *arguments):
        return self.json("info", self.train(self.x, *arguments))["options"]

    def test_version_and_help(self):
        self.assertRegex(self.nodl("--version").out, r"\Anodl \d+\.\d+\.\d+\n\Z")
        commands = ["demo", "train", "encode", "decode", "evaluate", "info", "export", "import", "report"]
        top = self.nodl("--help").out
        for command in commands:
            self.assertIn(f"  {command} ", top)
            text = self.nodl(command, "--help").out
            self.assertIn(f"Usage: nodl {command} ", text)
            self.assertRegex(text, rf"Example:[\s\S]* nodl {command}")
            self.assertLessEqual(max(map(len, text.splitlines())), 110)

    def test_help_is_a_command_too(self):
        self.assertEqual(self.nodl("help").out, self.nodl("--help").out)
        self.assertEqual(self.nodl("help", "train").out, self.nodl("train", "--help").out)
        self.assertEqual(self.nodl("help", "prepare", "text").out, self.nodl("prepare", "text", "--help").out)
        self.assertEqual(self.nodl("help", "trian", code=USAGE).err,
                         "nodl: unknown command trian (did you mean train?); see nodl --help\n")
        self.assertIn("unknown command txt", self.nodl("help", "prepare", "txt", code=USAGE).err)

    def test_one_is_no_plural(self):
        self.assertIn("learned    1 sample in 1 batch,", self.nodl("info", self.train(self.save("1.npy", domain(0, 1)))).out)
        self.assertIn("learned    60 samples in 3 batches,", self.nodl("info", self.train(self.x)).out)

    def test_a_model_is_exported_as_one(self):
        model, wrong = self.train(self.x), self.path("d.csv")
        run = self.nodl("export", model, "--slim", "--output", wrong, code=USAGE)
        self.assertEqual(run.err, f"nodl: {wrong}: expected a name that ends in .nodl\n")
        self.assertFalse(wrong.exists())

    def test_an_evaluation_set_can_be_read_twice(self):
        pipe = self.path("e.csv")
        os.mkfifo(pipe)
        self.assertEqual(self.refused(USAGE, self.x, "--eval", f"e={pipe}"),
                         f"nodl: {pipe} can be read only once, --eval opens it twice\n")

    def test_help_is_free_of_the_parsers_own_words(self):
        for command in [["train"], ["encode"], ["demo"], ["generate", "two-domain"], ["prepare", "images"],
                        ["prepare", "text"]]:
            self.assertNotRegex(self.nodl(*command, "--help").out, r"INT:|UINT|TEXT|FLOAT|NONNEGATIVE|POSITIVE| in \[")

    def test_the_config_file_may_name_the_model(self):
        config, model = self.path("c.json"), self.path("named.nodl")
        config.write_text(json.dumps({"model": str(model)}))
        self.nodl("train", self.x, "--config", config)
        self.assertTrue(model.exists())
        config.write_text("{}")
        for arguments in [[], ["--config", config]]:
            run = self.nodl("train", self.x, *arguments, code=USAGE)
            self.assertEqual(run.err, "nodl: --model is required; see nodl train --help\n")

    def test_a_model_that_cannot_be_written_is_known_before_the_first_batch(self):
        events = self.path("e.jsonl")
        for model, said in [("/dev/null", "not a regular file"), (self.path(245 * "m" + ".nodl"), "name too long")]:
            run = self.nodl("train", self.x, "--model", model, "--events", events, code=RESOURCE)
            self.assertIn(said, run.err)
            self.assertFalse(events.exists())

    def test_outputs_replace_no_input(self):
        model = self.train(self.x)
        before = model.read_bytes()
        for flags in [[], ["--slim"]]:
            run = self.nodl("export", model, "--output", model, *flags, code=USAGE)
            self.assertIn("--output would replace", run.err)
        self.assertEqual(model.read_bytes(), before)
        as_csv = self.path("m.csv")  # a model may have any name
        as_csv.write_bytes(before)
        self.nodl("encode", self.x, "--model", as_csv, "--output", as_csv, code=USAGE)
        self.nodl("decode", self.x, "--model", as_csv, "--output", as_csv, code=USAGE)
        self.assertEqual(as_csv.read_bytes(), before)

    def test_no_samples_are_no_success(self):
        model = self.train(self.x)
        out = self.path("out.npy")
        for command in [("evaluate", self.x, "--model", model), ("encode", self.x, "--model", model, "--output", out),
                        ("import", self.x, "--output", out)]:
            self.assertRegex(self.nodl(*command, "--rows", "5:5", code=DATA).err, "x.npy: not one .* see --rows")
        self.nodl("encode", self.x, "--model", model, "--output", self.path("codes.npy"))
        run = self.nodl("decode", self.path("codes.npy"), "--model", model, "--output", out, "--rows", "0:0", code=DATA)
        self.assertIn("codes.npy: not one sample in the input; see --rows", run.err)
        self.assertFalse(out.exists())

    def test_nearest_names_are_suggested(self):
        self.assertIn("unknown flag --code-nonzero (did you mean --code-nonzeros?)",
                      self.refused(USAGE, self.x, "--code-nonzero", 3))
        self.assertIn("did you mean --model?", self.nodl("train", self.x, "--modle", "m", code=USAGE).err)
        self.assertIn("unknown command trian (did you mean train?)", self.nodl("trian", code=USAGE).err)
        self.assertIn("unknown flag --xyzzy;", self.refused(USAGE, self.x, "--xyzzy"))

    def test_no_command_shows_the_help(self):
        run = subprocess.run([NODL], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (USAGE, ""))
        self.assertIn("Commands:", run.stdout)

    def test_values_out_of_range(self):
        for flag, value, said in [
                ("--atoms", "many", "--atoms must be an integer, not many"),
                ("--atoms", "2.5", "--atoms must be an integer, not 2.5"),
                ("--atoms", "0", "--atoms is 0, must be at least 1"),
                ("--atoms", 10**30, f"--atoms must be an integer below 2^31, not {10**30}"),
                ("--max-atoms", "0", "--max-atoms is 0, must be at least 1"),
                ("--atom-nonzeros", "0", "--atom-nonzeros is 0, must be at least 1"),
                ("--batch-size", "0", "--batch-size is 0, must be at least 1"),
                ("--birth-threshold", "1.5", "--birth-threshold is 1.5"),
                ("--seed", "-1", "--seed must be an integer from 0 to 18446744073709551615, not -1"),
                ("--seed", 2**64, f"--seed must be an integer from 0 to {2**64 - 1}, not {2**64}"),
                ("--lambda", "nan", "--lambda must be a number, not nan"),
                ("--lambda", "-0.5", "--lambda is -0.5"),
                ("--coder", "lasso", "--coder must be lars|cd|omp|threshold, not lasso"),
                ("--method", "sgd", "--method must be nodl|"),
                ("--preset", "mine", "--preset must be paper|released"),
                ("--precision", "float16", "--precision must be float64|float32"),
                ("--threads", "-1", "--threads"),
                ("--threads", "5000", "--threads: expected a whole number from 0 to 4096, found 5000"),
                ("--checkpoint-every", "-1", "--checkpoint-every: expected a whole number of at least 0, found -1"),
                ("--checkpoint-every", "abc", "--checkpoint-every: expected a whole number of at least 0, found abc"),
                ("--rows", "a:b", "--rows: expected START:STOP:STEP with STEP > 0, found 'a:b'"),
                ("--format", "xls", "--format must be"),
                ("--missing", "no", "--missing must be error|zero, not no"),
                ("--bad-rows", "eat", "--bad-rows must be stop|skip|quarantine, not eat"),
                ("--eval", "nothing", "--eval must be NAME=FILE"),
                ("--progress", "loud", "--progress must be auto|on|off"),
                ("--scale", "big", '--scale must be a number or "unit", not big'),
                ("--memory-limit", "much", "--memory-limit must be a size such as 512M or 2G, not much"),
                ("--memory-limit", "64K", "--memory-limit is 65536 bytes, must be at least"),
                ("--max-atoms", "-3", "--max-atoms is -3"),
                ("--half-life", "0", "--half-life is 0, must be above 0")]:
            with self.subTest(flag=flag, value=value):
                self.assertIn(f"nodl: {said}", self.refused(USAGE, self.x, flag, value))

    def test_flags_of_other_commands_out_of_range(self):
        model = self.train(self.x)
        encode = ["encode", self.x, "--model", model, "--output", self.path("c.npz")]
        decode = ["decode", self.x, "--model", model, "--output", self.path("y.npy")]
        for command, said in [
                ([*encode, "--coder", "lasso"], "--coder must be lars|cd|omp|threshold, not lasso"),
                ([*encode, "--code-nonzeros", 0], "--code-nonzeros is 0, must be at least 1"),
                ([*decode, "--atom-norm", "l2"], "--atom-norm must be raw|unit|centered, not l2"),
                (["import", self.x, "--output", self.path("i.nodl"), "--positive-code", "--coder", "omp"],
                 "--positive-code is on, must be off with the coders omp and threshold"),
                (["generate", "two-domain", "--output", self.path("d"), "--kind", "old"],
                 "--kind must be paper|latent, not old"),
                (["reproduce", 5, "--output", self.path("r"), "--preset", "old"],
                 "--preset must be paper|released, not old"),
                (["reproduce", 5, "--output", self.path("r"), "--progress", "loud"],
                 "--progress must be auto|on|off, not loud")]:
            with self.subTest(command=command[0], said=said):
                self.assertEqual(self.nodl(*command, code=USAGE).err, f"nodl: {said}\n")

    def test_contradictions(self):
        self.assertEqual(self.refused(USAGE, self.x, "--coder", "omp", "--lambda", 0.1),
                         "nodl: --lambda is 0.1, must be absent with the coder omp, which needs --code-nonzeros\n")
        self.assertEqual(self.refused(USAGE, self.x, "--memory", "half-life"),
                         "nodl: --memory half-life needs --half-life\n")
        self.assertIn("nodl: --half-life needs", self.refused(USAGE, self.x, "--memory", "sum", "--half-life", 9))
        self.assertIn("nodl: --max-atoms is 5", self.refused(USAGE, self.x, "--atoms", 9, "--max-atoms", 5))
        self.assertEqual(self.refused(USAGE, self.x, "--batch-size", 0, "--passes", 0),
                         "nodl: --batch-size is 0, must be at least 1; --passes is 0, must be at least 1\n")
        self.assertEqual(self.refused(USAGE, self.x, "--eval", f"a={self.x}", "--eval", "a=y.npy"),
                         "nodl: --eval: the name a is given more than once\n")
        self.assertIn("--format", self.refused(USAGE, "-"))
        self.assertIn("only input", self.refused(USAGE, "-", self.x, "--format", "csv"))
        self.assertIn("only once", self.refused(USAGE, "-", "--format", "csv", "--passes", 2))
        self.assertIn("--seed is given more than once", self.refused(USAGE, self.x, "--seed", 1, "--seed", 2))

    def test_exit_codes_of_files(self):
        self.assertIn("none.npy", self.refused(DATA, self.path("none.npy")))
        self.path("empty.csv").write_text("")
        self.refused(DATA, self.path("empty.csv"))
        wide = self.save("wide.npy", np.ones((5, 7)))
        self.assertIn("wide.npy", self.refused(DATA, self.x, wide))
        self.assertIn("samples have 7 numbers, the model's have 24",
                      self.refused(DATA, self.x, "--eval", f"w={wide}"))
        self.path("bad.nodl").write_bytes(b"no model")
        self.assertIn("bad.nodl", self.refused(MODEL, self.x, "--from", self.path("bad.nodl")))
        self.assertIn("none.nodl", self.refused(MODEL, self.x, "--from", self.path("none.nodl")))
        for model in [self.path("none/m.nodl"), self.folder]:
            self.nodl("train", self.x, "--model", model, code=RESOURCE)
        self.refused(RESOURCE, self.x, "--events", self.path("none/e.jsonl"))
        self.assertIn("not one full batch", self.refused(DATA, self.x, "--preset", "released"))

    def test_exit_codes_of_other_commands(self):
        model = self.train(self.x)
        wide = self.save("wide.npy", np.ones((5, 7)))
        out = self.path("out.npy")
        out.write_bytes(b"what was there")
        for command in [("encode", wide, "--model", model, "--output", out), ("evaluate", wide, "--model", model),
                        ("decode", wide, "--model", model, "--output", out),
                        ("encode", self.path("none.npy"), "--model", model, "--output", out)]:
            self.nodl(*command, code=DATA)
        for command in [("encode", self.x, "--model", self.path("no.nodl"), "--output", out),
                        ("evaluate", self.x, "--model", wide), ("info", wide), ("export", wide, "--output", out),
                        ("decode", self.x, "--model", wide, "--output", out)]:
            self.nodl(*command, code=MODEL)
        for command in [("encode", self.x, "--model", model, "--output", self.path("none/c.npz")),
                        ("export", model, "--output", self.path("none/D.npy")),
                        ("import", self.x, "--output", self.path("none/m.nodl"))]:
            self.nodl(*command, code=RESOURCE)
        self.nodl("encode", self.x, "--model", model, "--output", out, "--coder", "omp", "--lambda", 1, code=USAGE)
        self.nodl("evaluate", self.x, "--model", model, "--atoms", 3, code=USAGE)
        self.assertEqual(out.read_bytes(), b"what was there")

    def test_closed_output_is_no_success(self):
        model = self.train(self.x)
        with open("/dev/full", "w") as full:
            for command in [["--help"], ["train", "--help"], ["info", model], ["info", model, "--json"]]:
                run = subprocess.run([NODL, *map(str, command)], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(run.returncode, RESOURCE, command)
                self.assertRegex(run.stderr, r"\Anodl: [^\n]+\n\Z")

    def test_flags_and_inputs_in_any_order(self):
        model = self.path("m.nodl")
        self.nodl("train", "--model", model, "--eval", f"x={self.x}", self.x, "--transpose", self.x)
        self.assertEqual(self.json("info", model)["dimension"], 60)

    def test_lambda_and_code_nonzeros_switch_each_other_off(self):
        def both(options):
            return options["lambda"], options["code_nonzeros"]
        self.assertIsNone(self.options()["lambda"])
        self.assertGreater(self.options()["code_nonzeros"], 0)  # derived
        self.assertEqual(both(self.options("--lambda", 0.5)), (0.5, None))
        self.assertEqual(both(self.options("--code-nonzeros", 3)), (None, 3))
        self.assertEqual(both(self.options("--code-nonzeros", 3, "--lambda", 0.5)), (0.5, 3))

    def test_flags_with_more_than_one_meaning(self):
        self.assertEqual(self.options("--scale", "unit")["scale_to_unit"], True)
        scaled = self.options("--scale", 2.5)
        self.assertEqual((scaled["scale_to_unit"], scaled["scale"]), (False, 2.5))
        forgetful = self.options("--half-life", 1000)
        self.assertEqual((forgetful["memory"], forgetful["half_life"]), ("half-life", 1000))
        self.assertEqual(self.options("--no-first-batch-births")["first_batch_births"], False)
        self.assertEqual(self.options("--center", "--refit")["refit"], True)
        quiet = self.options("--method", "odl", "--group-penalty", 1)  # and --max-births 5
        self.assertEqual((quiet["max_births"], quiet["group_penalty"]), (0, 0))
        self.assertEqual(self.options("--birth-threshold", "-0.5")["birth_threshold"], -0.5)

    def test_flags_win_over_the_config_file(self):
        config = self.path("c.json")
        config.write_text(json.dumps({"seed": 5, "code_nonzeros": 4, "method": "nodl+", "scale": "unit",
                                      "precision": "float32", "eval": {"x": str(self.x)}}))
        info = self.json("info", self.train(self.x, "--config", config, "--seed", 6, "--lambda", 0.5))
        options = info["options"]
        self.assertEqual((options["seed"], options["lambda"], options["code_nonzeros"]), (6, 0.5, None))
        self.assertEqual((info["method"], info["precision"], options["scale_to_unit"]), ("nodl+", "float32", True))

    def test_a_models_options_are_a_config_file(self):
        model = self.train(self.x, "--preset", "released", "--half-life", 50, model="a.nodl")
        self.path("c.json").write_text(json.dumps(self.json("info", model)["options"]))
        self.nodl("train", self.x, "--model", self.path("b.nodl"), "--config", self.path("c.json"))
        self.assertEqual(model.read_bytes(), self.path("b.nodl").read_bytes())

    def test_bad_config_files(self):
        config = self.path("c.json")
        for text, said in [("{", "is no JSON"), ("[]", "expected one JSON object"),
                           ('{"atom": 5}', "unknown option atom (did you mean atoms?)"),
                           ('{"atoms": "5"}', "atoms must be an integer"),
                           ('{"config": "d.json"}', "unknown option config"),
                           ('{"no_refit": true}', 'unknown option no_refit (write "refit": false)'),
                           ('{"no-center": true}', 'unknown option no-center (write "center": false)'),
                           ('{"no_first_batch_births": true}', 'write "first_batch_births": false'),
                           ('{"batch-size": 5}', "unknown option batch-size (did you mean batch_size?)"),
                           ('{"threads": "x"}', "c.json: --threads: expected a whole number from 0 to 4096, found x"),
                           ('{"progress": "loud"}', "c.json: --progress must be auto|on|off, not loud"),
                           ('{"format": "xls"}', "c.json: --format must be"),
                           ('{"bad_rows": "eat"}', "c.json: --bad-rows must be"),
                           ('{"method": "sgd"}', "c.json: --method must be"),
                           ('{"atoms": 0}', "c.json: atoms is 0, must be at least 1"),
                           ('{"max_atoms": 0}', "c.json: max_atoms is 0, must be at least 1"),
                           ('{"atom_nonzeros": 0}', "c.json: atom_nonzeros is 0, must be at least 1"),
                           ('{"batch_size": 0}', "c.json: batch_size is 0, must be at least 1"),
                           ('{"memory": "half-life"}', "c.json: memory half-life needs half_life"),
                           ('{"scale": "big"}', 'c.json: scale must be a number or "unit", not "big"'),
                           ('{"seed": 18446744073709551616}', "c.json: seed must be an integer from 0 to 18446744073709"),
                           ('{"seed": 1, "atoms": 5, "seed": 1}', "c.json: seed is given more than once"),
                           ('{"eval": {"a": "x", "b": "x", "a": "y"}}', "c.json: a is given more than once"),
                           ('{"eval": ["a=x", "a=y"]}', "c.json: --eval: the name a is given more than once")]:
            config.write_text(text)
            err = self.refused(USAGE, self.x, "--config", config)
            self.assertIn(said, err)
            self.assertNotIn("json.exception", err)
        config.write_text(json.dumps({"rows": ":40", "eval": {"rows": str(self.x)}}))  # one name at two levels
        self.train(self.x, "--config", config)
        config.write_text('{"memory": "half-life"}')
        self.train(self.x, "--config", config, "--half-life", 50)
        self.refused(USAGE, self.x, "--config", self.path("none.json"))
