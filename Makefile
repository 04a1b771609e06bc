# The two main commands are `make demo` and `make test`. Each does all set-up and is safe to repeat.
# `make check` adds what takes longer: sanitizers and lint. `make test-cluster` starts a private Slurm, and `make test-peers`
# compares with other tools.
.PHONY: all build demo test check test-cluster test-peers bench bench-runs bench-data bench-check format lint fuzz soak reliability docs
.PHONY: dist test-dist test-arm site install clean
all: build

BUILD = build/release
FUZZ_SECONDS ?= 30

build:
	@tools/setup.sh build
	@tools/viewer.sh
	@cmake --preset release -DASSAY_TESTS=OFF -DASSAY_BENCH=OFF >/dev/null
	@cmake --build $(BUILD)

demo:
	@tools/setup.sh build
	@tools/viewer.sh
	@cmake --preset release -DASSAY_TESTS=OFF -DASSAY_BENCH=OFF >/dev/null
	@cmake --build $(BUILD) --target assay_program
	@$(BUILD)/bin/assay demo

test:
	@tools/setup.sh build test
	@tools/viewer.sh
	@cmake --preset release -DASSAY_TESTS=ON -DASSAY_BENCH=OFF >/dev/null
	@cmake --build $(BUILD)
	@/usr/bin/python3 tests/run.py unit portable python

check:
	@tools/setup.sh build test
	@cmake --preset asan >/dev/null
	@cmake --build build/asan --target assay_test
	@cmake --preset tsan >/dev/null
	@cmake --build build/tsan --target assay_test assay_program model_server
	@cmake --preset lint >/dev/null
	@cmake --build build/lint --target assay_version
	@/usr/bin/python3 tests/run.py asan tsan lint

# Tests on a Slurm of four nodes that tests/cluster/private_slurm.py starts on this machine.
test-cluster:
	@tools/setup.sh build test cluster
	@tools/viewer.sh
	@cmake --preset release -DASSAY_TESTS=ON -DASSAY_BENCH=OFF >/dev/null
	@cmake --build $(BUILD)
	@/usr/bin/python3 tests/run.py cluster

# Compares with other tools from the Python package index; skipped if that cannot be reached.
test-peers: build
	@tools/setup.sh build test peers
	@cmake --preset release -DASSAY_TESTS=ON -DASSAY_BENCH=OFF >/dev/null
	@cmake --build $(BUILD) --target model_server
	@tools/model_servers.sh; status=$$?; tools/peers.sh && exit $$status

bench:
	@tools/setup.sh build test bench
	@cmake --preset release -DASSAY_TESTS=ON -DASSAY_BENCH=ON >/dev/null
	@cmake --build $(BUILD)
	@$(BUILD)/bin/assay_bench
	@/usr/bin/python3 bench/end_to_end.py
	@/usr/bin/python3 bench/runs_bench.py
	@/usr/bin/python3 bench/large_bench.py
	@/usr/bin/python3 bench/scaling_bench.py
	@/usr/bin/python3 bench/boundary_bench.py
	@/usr/bin/python3 bench/probability_bench.py
	@/usr/bin/python3 bench/compare_bench.py
	@/usr/bin/python3 bench/report_bench.py
	@/usr/bin/python3 bench/load_cohort.py
	@/usr/bin/python3 bench/scale_bench.py
	@/usr/bin/python3 bench/qa_bench.py
	@/usr/bin/python3 bench/nn_bench.py
	@/usr/bin/python3 bench/recipe_bench.py
	@PYTHONPATH=$(BUILD)/python /usr/bin/python3 bench/python_bench.py
	@PYTHONPATH=$(BUILD)/python /usr/bin/python3 bench/inference.py

# What reading masks as runs gains, against named peers. Takes a few minutes.
bench-runs:
	@tools/setup.sh build test bench
	@cmake --preset release -DASSAY_TESTS=ON -DASSAY_BENCH=ON >/dev/null
	@cmake --build $(BUILD) --target assay_program usage make_cohort inflate_only assay_bench
	@/usr/bin/python3 bench/runs_bench.py $(if $(BEFORE),--before $(BEFORE)) \
	  --out build/bench/runs.json --markdown build/bench/runs.md

# What it costs to read DICOM and pictures, against Python. Takes a minute.
bench-data:
	@tools/setup.sh build test
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) --target assay_program
	@/usr/bin/python3 bench/data_bench.py --check

# Fails when a job takes 10 % more instructions than bench/instructions.json has recorded.
bench-check:
	@tools/setup.sh build bench
	@cmake --preset release -DASSAY_BENCH=ON >/dev/null
	@cmake --build $(BUILD) --target assay_program usage make_cohort
	@/usr/bin/python3 bench/check.py

format:
	@tools/setup.sh build test
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

lint:
	@tools/setup.sh build test
	@cmake --preset lint >/dev/null
	@cmake --build build/lint --target assay_version
	@/usr/bin/python3 tests/run.py lint

# A search of limited time from the committed corpus. Add what it finds to the corpus by hand.
fuzz:
	@tools/setup.sh build fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzz --target fuzz
	@tests/fuzz/run.sh build/fuzz/bin/fuzz $(FUZZ_SECONDS)

# Every fault that tests can cause, and the tables of docs/reliability.md. Takes about half an hour.
reliability:
	@tools/setup.sh build test
	@cmake --preset release -DASSAY_TESTS=ON -DASSAY_BENCH=OFF >/dev/null
	@cmake --build $(BUILD)
	@rm -f build/reliability
	@ASSAY_FAULTS=all ASSAY_RELIABILITY=$(CURDIR)/build/reliability ASSAY_BIN_DIR=$(CURDIR)/$(BUILD)/bin \
	  /usr/bin/python3 -m pytest -q -n auto -p no:cacheprovider tests/test_failing_calls.py tests/test_power_cuts.py
	@/usr/bin/python3 tests/reliability.py build/reliability

# Eight hours of a run with a server that fails in every way, in ten minutes (tests/soak.py).
soak:
	@tools/setup.sh build test
	@tools/viewer.sh
	@cmake --preset release -DASSAY_TESTS=ON -DASSAY_BENCH=OFF >/dev/null
	@cmake --build $(BUILD) --target assay_program model_server
	@/usr/bin/python3 tests/soak.py

# The documentation pages that the program itself prints.
docs: build
	@$(BUILD)/bin/assay docs cli > docs/cli.md
	@$(BUILD)/bin/assay docs metrics > docs/metrics.md

# Packages for distribution, in build/dist: wheels, a tarball, a Debian package. See docs/install.md.
dist:
	@tools/setup.sh build dist
	@tools/viewer.sh
	@/usr/bin/python3 tools/dist/build.py

# Tests these packages in bare systems that debootstrap makes (as root).
test-dist: dist
	@/usr/bin/python3 tests/dist/verify.py

# The unit tests on 64-bit ARM, under qemu; skipped if that is not possible.
test-arm:
	@tools/test_arm.sh

# The documentation as a site of static pages in build/site, which can be opened from the disk.
site:
	@tools/setup.sh site
	@/usr/bin/python3 tools/site.py
	@echo "build/site/index.html"

install: build
	@cmake --install $(BUILD)

clean:
	@rm -rf build
