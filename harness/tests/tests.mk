# The part of the Makefile that builds and runs tests, their corpora, and the fuzzers.

SIM_TESTS  := $(wildcard harness/sim/tests/test_*.c)
TEST_SRC   := $(wildcard harness/tests/test_*.c) $(SIM_TESTS)
TEST_LIBS   = $(CRITERION_LIBS) $(SIM_PACKAGE_LIBS) -lpthread -lm -ldl
TEST_HELP  := $(BUILD)/harness/tests/run_lab.o $(BUILD)/harness/tests/recorded.o $(BUILD)/harness/tests/made_kernel.o
SIM_HELP   := $(BUILD)/harness/sim/tests/sim_fixture.o
TEST_BINS  := $(patsubst %,$(BUILD)/tests/%,$(basename $(notdir $(TEST_SRC))))
SIM_BINS   := $(patsubst harness/sim/tests/%.c,$(BUILD)/tests/%,$(SIM_TESTS))
OTHER_TEST := $(filter-out $(SIM_BINS),$(TEST_BINS))
# Of the simulator: what goes through its libraries, and what is linked with its rooms, which is done once more with those
# that are compiled for the vector levels of this machine.
SIM_API    := $(filter $(patsubst %,$(BUILD)/tests/test_%,runtime_% cublas% programs install levels rooms),$(SIM_BINS))
SIM_UNIT   := $(filter-out $(SIM_API),$(SIM_BINS))
UNIT_LEVELS := $(filter $(LEVELS_HERE),$(SIM_ALL_LEVELS))
level_unit  = $(patsubst $(BUILD)/tests/%,$(BUILD)/tests/$(1)/%,$(filter $(BUILD)/tests/test_sim_%,$(SIM_UNIT)))
LEVEL_UNIT := $(foreach level,$(UNIT_LEVELS),$(call level_unit,$(level)))
PROGRAMS   := $(patsubst harness/sim/tests/%.cu,$(BUILD)/tests/%,$(wildcard harness/sim/tests/programs/*.cu)) $(BUILD)/tests/programs/built_in
# No tests: a loop on a GPU, the problems for test_gpu.sh, recorded counters modelled for docs/compare_model.py.
BARE_LOOP    := $(BUILD)/tests/bare_loop
FAMILY_TESTS := $(BUILD)/tests/family_tests
MODEL_TIMES  := $(BUILD)/tests/model_times

$(BUILD)/harness/tests/%.o $(BUILD)/harness/sim/tests/%.o: EXTRA_CFLAGS = $(CRITERION_CFLAGS)
$(BUILD)/harness/tests/test_apsp.o: EXTRA_CFLAGS = $(CRITERION_CFLAGS) $(IGRAPH_CFLAGS)
$(BUILD)/tests/test_apsp: TEST_LIBS += $(IGRAPH_LIBS)

$(SIM_UNIT): $(BUILD)/tests/%: $(BUILD)/harness/sim/tests/%.o $(SIM_HELP) $(SIM_BASE_OBJ) $(SIM_FAST_OBJ)
define LEVEL_UNIT_RULES
$(call level_unit,$(1)): $(BUILD)/tests/$(1)/%: $(BUILD)/harness/sim/tests/%.o $(SIM_HELP) $(SIM_BASE_OBJ) $(call sim_level_obj,$(1))
endef
$(foreach level,$(UNIT_LEVELS),$(eval $(call LEVEL_UNIT_RULES,$(level))))
$(SIM_UNIT) $(LEVEL_UNIT):
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) -l:libstdc++.so.6 $(SIM_PACKAGE_LIBS)
LINK_SIM = -L$(BUILD)/sim -l:libcublas.so.13 -l:libcudart.so.13 -Wl,-rpath,'$$ORIGIN/../sim' $(TEST_LIBS)
$(SIM_API): $(BUILD)/tests/%: $(BUILD)/harness/sim/tests/%.o $(SIM_LIBS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LINK_SIM)
$(OTHER_TEST) $(MODEL_TIMES): $(BUILD)/tests/%: $(BUILD)/harness/tests/%.o $(TEST_HELP) $(HARNESS) | $(SIM_LIBS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -rdynamic -o $@ $^ $(LINK_SIM)
$(BARE_LOOP) $(FAMILY_TESTS): $(BUILD)/tests/%: $(BUILD)/harness/tests/%.o $(HARNESS) $(if $(CUBLAS_LIB),,$(SIM_LIBS))
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LAUNCH_POINTS) $(CUDA_LINK)
$(BUILD)/tests/test_install: $(BUILD)/nvcc.command
$(BUILD)/tests/test_levels: $(BUILD)/tests/programs/levels $(BUILD)/tests/random
$(BUILD)/tests/test_faults: | $(BUILD)/nvcc.command $(BUILD)/tests/crash.so
$(BUILD)/tests/crash.so: harness/tests/data/crash.c $(STAMP)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -fPIC -fno-builtin $< -o $@
define compile_program
$(call say,NVCC,$<)
$(Q)'$(NVCC)' -std=c++17 $(PROGRAM_GPU) $(PROGRAM_FLAGS) $(PROGRAM_RUNTIME) '-L$(CUDA_LIB)' -Iharness $< -o $@
endef
PROGRAM_RUNTIME = -cudart none -Xlinker -l:libcudart.so.13
$(BUILD)/tests/programs/%: harness/sim/tests/programs/%.cu $(KERNEL_STAMP)
	$(compile_program)
# Compiled separately, the first of two files; nvcc links their device code by itself only with a runtime of its own.
$(BUILD)/tests/programs/separate: $(wildcard harness/sim/tests/programs/separate/*)
$(BUILD)/tests/programs/separate $(BUILD)/tests/programs/launches: $(BUILD)/tests/programs/%: harness/sim/tests/programs/%.cu $(KERNEL_STAMP)
	$(call say,NVCC,$<)
	$(Q)mkdir -p $@.parts && '$(NVCC)' -std=c++17 -arch=sm_$(ARCH) -rdc=true -lineinfo -odir $@.parts -c $(filter %.cu,$^)
	$(Q)'$(NVCC)' -arch=sm_$(ARCH) '-L$(CUDA_LIB)' -dlink $(patsubst %.cu,$@.parts/%.o,$(notdir $(filter %.cu,$^))) -o $@.parts/linked.o
	$(Q)'$(NVCC)' -cudart none '-L$(CUDA_LIB)' $(patsubst %,$@.parts/%.o,linked $(basename $(notdir $(filter %.cu,$^)))) -lcudadevrt -Xlinker -l:libcudart.so.13 -o $@
$(BUILD)/tests/random.cu: harness/sim/tests/random_programs.py
	@python3 -B $< 11 30 > $@
$(BUILD)/tests/random: $(BUILD)/tests/random.cu $(KERNEL_STAMP)
	$(compile_program)
PROGRAM_GPU = -arch=sm_$(ARCH)
$(BUILD)/tests/programs/wgmma $(BUILD)/tests/programs/tensor_map_changes: PROGRAM_GPU := -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]'
$(BUILD)/tests/programs/driver: PROGRAM_FLAGS = '-L$(BUILD)/sim' -Xlinker -l:libcuda.so.1 -ldl '-DCUDA_LIB="$(CUDA_LIB)"'
$(BUILD)/tests/programs/driver: | $(SIM_LIBS)
$(BUILD)/tests/programs/does_as_told $(BUILD)/tests/programs/built_in: PROGRAM_FLAGS := -lineinfo
# As nvcc links it unless told otherwise: with a runtime of its own.
$(BUILD)/tests/programs/built_in: PROGRAM_RUNTIME = -cudart static
$(BUILD)/tests/programs/built_in: harness/sim/tests/programs/does_as_told.cu $(KERNEL_STAMP)
	$(compile_program)
$(BUILD)/tests/cliffs: PROGRAM_FLAGS := -lineinfo
$(BUILD)/tests/cliffs: harness/tests/cliffs.cu $(KERNEL_STAMP)
	$(compile_program)

# --- corpora --------------------------------------------------------------------------------------------------------------

# The corpora of kernels, each written out as a .cu file: many are patches. All that runs them takes them from there.
KERNELS    := $(BUILD)/tests/kernels
written    = $(patsubst harness/tests/%,$(KERNELS)/%.cu,$(basename $(1)))
CAUGHT_AND_RIGHT := $(wildcard $(foreach kind,broken right,harness/tests/$(kind)/*.cu harness/tests/$(kind)/*.patch))
# Kernels that must be caught, and right ones: twenty to an object, which `--source` takes them from. Those that must not
# compile, or run when they are loaded, are compiled by their tests.
CORPUS := $(call written,$(shell grep -L -e 'expect: build_error' -e 'compiled alone' $(CAUGHT_AND_RIGHT)))
# Submissions that `--source` is given, too.
HANDED_IN := $(call written,$(wildcard $(foreach kernel,naive/* unknown/texture_* $(addprefix wrong/,\
             race skips_the_last_row unwritten_shared never_ends divergent_barrier asks_for_endless_scratch \
             more_rows_than_a_grid_has unknown_and_out_of_bounds),$(addprefix harness/tests/submissions/$(kernel).,cu patch))))
$(CORPUS) $(HANDED_IN): $(KERNELS)/written ;
$(KERNELS)/written: always
	$(Q)bash harness/tests/kernels.sh $(@D)
# Solutions with a mistake: those that `make test` takes, and those of test-all. What stays as it was is not built again.
MISTAKES_IN := $(BUILD)/tests/mistakes
MISTAKES    := $(shell awk '/^M/ {print "$(MISTAKES_IN)/" (/^MORE/ ? "all/" : "") "mistake" ++n ".cu"}' harness/tests/natural_mistakes.def)
$(MISTAKES): $(MISTAKES_IN)/written ;
$(MISTAKES_IN)/written: $(BUILD)/tests/write_mistakes $(wildcard solutions/*/kernel.cu)
	@mkdir -p $(@D)/all
	$(Q)$< | while IFS=$$(printf '\t') read -r name exercise change; do \
	    sed "$$change" solutions/$${exercise}_*/kernel.cu > $(@D)/new && { cmp -s $(@D)/new $(@D)/$$name.cu || mv $(@D)/new $(@D)/$$name.cu; } || exit; \
	done && touch $@
$(BUILD)/tests/write_mistakes: $(BUILD)/harness/tests/write_mistakes.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $<
# The exercises as students get them, stubNN.
STUBS := $(EXERCISE_IDS:%=$(BUILD)/tests/stubs/stub%.cu)
$(STUBS): $(BUILD)/tests/stubs/stub%.cu: harness/exercise/stub.awk $(wildcard solutions/*/kernel.cu)
	@mkdir -p $(@D)
	$(Q)awk -f $< $(wildcard solutions/$**/kernel.cu) > $@.new && mv $@.new $@

.PHONY: always
always:
# number, files: which may be others than the last time
define BATCH_RULES
$(BUILD)/tests/corpus/batch-$(1).cu: harness/tests/batch.sh $(2) always
	@mkdir -p $$(@D)
	$$(Q)bash harness/tests/batch.sh $(2) > $$@.new; if cmp -s $$@.new $$@ && [ -z "$$$$(find $(2) -newer $$@)" ]; then rm $$@.new; else mv $$@.new $$@; fi
$(BUILD)/tests/corpus/batch-$(1).so: $(BUILD)/tests/corpus/batch-$(1).cu $(KERNEL_STAMP)
	$$(call compile_so,$$(STUDENT_FLAGS))
	$$(Q)for file in $(2); do ln -sfn batch-$(1).so $$(@D)/$$$$(basename $$$$file .cu).so; done
endef
batches = $(if $(1),$(eval BATCHES += $(words $(BATCHES) x))$(eval $(call BATCH_RULES,$(words $(BATCHES)),$(wordlist 1,20,$(1))))$(call \
          batches,$(wordlist 21,$(words $(1)),$(1))))
# What multiplies by wgmma says that it is for sm_90a.
CORPUS_90A := $(call written,$(shell grep -l '^// compiled for sm_90a' $(CAUGHT_AND_RIGHT)))
$(call batches,$(filter-out $(CORPUS_90A),$(CORPUS)))
$(call batches,$(HANDED_IN))
$(call batches,$(filter-out $(MISTAKES_IN)/all/%,$(MISTAKES)))
$(call batches,$(CORPUS_90A))
$(BUILD)/tests/corpus/batch-$(words $(BATCHES)).so: private ARCH := 90a
$(eval $(call BATCH_RULES,stubs,$(STUBS)))
CORPUS_SO := $(BATCHES:%=$(BUILD)/tests/corpus/batch-%.so) $(BUILD)/tests/corpus/batch-stubs.so
$(call batches,$(filter $(MISTAKES_IN)/all/%,$(MISTAKES)))
ALL_CORPUS_SO := $(BATCHES:%=$(BUILD)/tests/corpus/batch-%.so)

# --- running them -----------------------------------------------------------------------------------------------------------

FUZZ_TARGETS := object fatbin ptx answers timer
ONLY ?=
TEST_ENV  = $(if $(SANITIZE),LAB_TEST_SANITIZE='$(SANITIZE)') LAB_TEST_ROOT='$(CURDIR)' LAB_TEST_BUILD='$(abspath $(BUILD))' \
            $(if $(ONLY),LAB_TEST_ONLY='$(ONLY)')
RUN_TESTS = @$(TEST_ENV) LAB_TEST_RUNTIME=sim $(1) bash harness/tests/run_tests.sh
.PHONY: test test-all test-build test-sim test-gpu test-sanitized test-elsewhere freeze mutations compile check-arm64 bare-loop bench-sim
test: test-build ## run the tests on the simulator, in minutes; ONLY=apsp, ONLY=harness/measure: what concerns that
	$(call RUN_TESTS) $(TEST_BINS)
test-all: test-build $(ALL_CORPUS_SO) ## run them on every size and kernel, and at each vector level: before changes land
	$(call RUN_TESTS,LAB_TEST_ALL=1) $(TEST_BINS) $(LEVEL_UNIT)
test-build: steps solutions studies $(KERNELS)/written $(TEST_BINS) $(LEVEL_UNIT) $(PROGRAMS) $(BARE_LOOP) $(FAMILY_TESTS) $(MODEL_TIMES) $(CORPUS_SO) ## build what `make test` runs
	@rm -f $(patsubst %.cu,$(BUILD)/tests/corpus/%.so,$(notdir $(filter-out $(CORPUS),$(call written,$(CAUGHT_AND_RIGHT)))))
test-sim: $(SIM_BINS) $(LEVEL_UNIT) $(PROGRAMS) ## run the tests of the simulator alone
	$(call RUN_TESTS) $(SIM_BINS) $(LEVEL_UNIT)
test-gpu: steps studies $(KERNELS)/written $(FAMILY_TESTS) $(if $(filter yes,$(HAVE_SIM_LIBS)),solution07) ## run the steps at every test size on a GPU
	@$(TEST_ENV) bash harness/tests/test_gpu.sh
freeze: test-build ## write the transcripts in harness/tests/frozen anew, after a change that is meant
	@$(TEST_ENV) LAB_FREEZE=1 $(BUILD)/tests/test_frozen
# SANITIZED_GOAL: test, or test-sim for the simulator's unit tests; SAMPLE: of the kernels of the corpora and the solutions one in
# so many is run by itself. (test-all simulates the same kernels over and over: a day, twenty times as slow as it is here.) Kernels
# are as they were built. Meanwhile ./run is of such a build.
SANITIZED_GOAL ?= test
SAMPLE ?= 1
test-sanitized: test-build $(if $(filter test,$(SANITIZED_GOAL)),$(ALL_CORPUS_SO) solutions) ## run the tests, all corpora too, where AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer look
	@bash harness/tests/sanitized.sh $(BUILD) $(SANITIZED_GOAL) $(SAMPLE)
# Every level that this machine has is built, so that there are some that it would not take by itself.
test-elsewhere: ## compare what the simulator says at other vector levels, with another heap, more workers, another language
	@$(MAKE) SIM_LEVELS='$(LEVELS_HERE)' test-build
	@bash harness/tests/elsewhere.sh $(BUILD) $(CIRCUMSTANCES)
# One line changed at a time, in copies: does a test notice? JOBS: copies that work beside each other.
mutations: ## change lines by rule and see which tests notice: SINCE=main~5, or ROOM=harness/measure N=20 SEED=3
	@python3 -B harness/tests/mutate.py --build='$(BUILD)' --since='$(SINCE)' --count='$(or $(N),0)' --seed='$(or $(SEED),1)' --jobs='$(or $(JOBS),1)' --rooms $(ROOM)
compile: $(HARNESS_OBJ) $(patsubst %.c,$(BUILD)/%.o,$(wildcard harness/*.c)) $(RECORDER_OBJ) $(TIMER_OBJ) $(SIM_BASE_OBJ) $(SIM_FAST_OBJ) \
         $(patsubst %.c,$(BUILD)/%.o,$(SIM_RT_SRC) $(SIM_BLAS_SRC)) \
         $(foreach level,$(SIM_ALL_LEVELS),$(call sim_level_obj,$(level))) $(TEST_SRC:%.c=$(BUILD)/%.o) $(TEST_HELP) $(SIM_HELP) \
         $(patsubst %.c,$(BUILD)/%.o,$(wildcard harness/tests/fuzz/pretended_*.c) $(FUZZ_TARGETS:%=harness/tests/fuzz/%.c)) ## compile all C sources, such as with another CC
check-arm64: ## build step07 and run the simulator's unit tests on an emulated ARM machine (root, an hour)
	@bash .ci/arm64
bare-loop: steps $(BARE_LOOP) ## hold the times of run against a plain loop, on a GPU (with python3)
	@$(TEST_ENV) python3 -B harness/tests/bare_loop.py $(BUILD)
bench-sim: steps $(BUILD)/tests/cliffs ## print the simulator's speed, and Oclgrind's where it is installed
	@$(TEST_ENV) bash harness/tests/bench_sim.sh

# --- fuzzing: readers of what a submission controls ---------------------------------------------------------------------------

# What each reader consists of, beside its own file in harness/tests/fuzz/.
RECORDED         := harness/grade/recorded_launches
FUZZ_SRC_ptx     := $(SIM_BASE_SRC) $(SIM_FAST_SRC)
FUZZ_SRC_fatbin  := $(wildcard harness/sim/fatbin/*.c)
FUZZ_SRC_object  := $(wildcard harness/sim/ptx/*.c harness/sim/fatbin/*.c) $(RECORDED)/object.c $(RECORDED)/launch.c harness/tests/fuzz/pretended_cuda.c
FUZZ_SRC_answers := $(RECORDED)/recording.c $(RECORDED)/launch.c harness/base/files.c harness/tests/fuzz/pretended_cuda.c \
                    harness/tests/fuzz/pretended_recorder.c
FUZZ_SRC_timer   := $(FUZZ_SRC_answers) harness/grade/timer/client.c
FUZZ_LIBS        := -lpthread -lm -ldl -l:libstdc++.so.6 $(SIM_PACKAGE_LIBS)

# What is kept in harness/tests/fuzz/seeds, read once more by test_fuzz: any compiler, no fuzzer.
define REPLAY_RULES
$(BUILD)/tests/fuzz_$(1): harness/tests/fuzz/replay.c $(patsubst %.c,$(BUILD)/%.o,harness/tests/fuzz/$(1).c $(FUZZ_SRC_$(1)))
	$$(call say,LINK,$$@)
	$$(Q)$$(CC) $$(CPPFLAGS) $$(C_STD) $$(CFLAGS) $$(LDFLAGS) -DFUZZ_TARGET=fuzz_$(1) -o $$@ $$^ $$(FUZZ_LIBS)
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call REPLAY_RULES,$(t))))
$(BUILD)/tests/test_fuzz: | $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz_%)

# With clang's fuzzer, on top of seeds/ and of what earlier runs left in $(BUILD)/fuzz/TARGET; what it finds is written beside.
FUZZ_CC    ?= clang
FUZZ_FLAGS := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_OBJ    = $(patsubst %.c,$(BUILD)/fuzz/%.o,harness/tests/fuzz/$(TARGET).c $(FUZZ_SRC_$(TARGET)))
$(BUILD)/fuzz/%.o: %.c $(STAMP)
	$(call say,CC,$<)
	$(Q)$(FUZZ_CC) $(CPPFLAGS) $(C_STD) -Wno-unknown-pragmas $(SIM_SAME_BITS) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@
.PHONY: fuzz fuzz-target
fuzz-target:
	@case ' $(FUZZ_TARGETS) ' in *' $(or $(TARGET),none) '*) ;; *) echo 'say which: make fuzz TARGET=NAME, of $(FUZZ_TARGETS)' >&2; exit 2;; esac
fuzz: fuzz-target $(if $(filter $(TARGET),$(FUZZ_TARGETS)),$(FUZZ_OBJ)) ## fuzz a reader of what submissions control: TARGET=NAME SECONDS=60 (with clang)
	@mkdir -p $(BUILD)/fuzz/$(TARGET)
	$(Q)$(FUZZ_CC) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer -DFUZZ_TARGET=fuzz_$(TARGET) -o $(BUILD)/fuzz/fuzz_$(TARGET) \
	    harness/tests/fuzz/entry.c $(FUZZ_OBJ) $(FUZZ_LIBS)
	$(Q)$(BUILD)/fuzz/fuzz_$(TARGET) -max_total_time=$(or $(SECONDS),60) -timeout=20 -rss_limit_mb=3000 -max_len=16384 \
	    -print_final_stats=1 -artifact_prefix=$(BUILD)/fuzz/$(TARGET)- $(BUILD)/fuzz/$(TARGET) harness/tests/fuzz/seeds/$(TARGET)
