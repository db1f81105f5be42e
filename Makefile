# The GPU kernel lab. `make` prints help.
#
#   make setup step01 && ./run step01      the first step
#   make setup test                        the tests, on the simulator
#
# What depends on the machine (nvcc, GPU architecture, which libraries there are) is found once by harness/setup/configure.sh
# and kept in build/config.mk. What depends on steps.def and solutions.def is in build/steps.mk, which harness/setup/steps.awk
# writes. The tests' part is harness/tests/tests.mk.

BUILD ?= build
override BUILD := $(if $(filter /% ..%,$(BUILD)),$(shell realpath -m '$(BUILD)'),$(BUILD))
$(if $(filter 1,$(words $(BUILD))),,$(error BUILD names a folder with a space in it, which make cannot use: give another with BUILD=/path))
V   ?= 0
Q   := $(if $(filter 1,$(V)),,@)
say  = @mkdir -p $(@D)$(if $(filter 1,$(V)),,; printf '%-4s %s\n' '$(1)' '$(2)')
comma := ,

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

MAKEFILES_HERE := Makefile $(wildcard harness/tests/tests.mk)
.PHONY: help list run-setup setup page course run sim install-sim deb wheel dist
help: ## print this text
	@printf '%s\n' 'usage: make TARGET ... [V=1] [ARCH=90] [NVCC=path]' 'first: make setup step01 && ./run step01' \
	    'if you have written one kernel: make setup step00a && ./run step00a' ''
	@sed -n 's/^\([a-zA-Z][a-zA-Z0-9_. -]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILES_HERE) | awk -F'|' '{printf "%-22s %s\n", $$1, $$2}'
	@printf '\nsteps:\n' && $(LIST_STEPS)
list: ## print the steps, each with its idea
	@$(LIST_STEPS)
LIST_STEPS = awk -F'"' '/^LAB_STEP/ {printf "  step%-18s %s\n", $$2, $$(NF - 1)} \
                   /^LAB_STAGE/ && $$(NF - 1) != "" {printf "    step%-16s %s\n", $$2, $$(NF - 1)}' steps/steps.def

.DEFAULT: # a goal that there is not, or a file that something is built of
	@sh harness/setup/unknown.sh '$(subst ','\'',$@)' $(MAKEFILES_HERE)

# --- what this machine has ------------------------------------------------------------------------------------------------

NEEDS_STEPS  := $(filter-out help page clean format format-check docs results results-check exercises exercises-check list \
                check-arm64 autograder classroom,$(or $(MAKECMDGOALS),help))
NEEDS_CONFIG := $(filter-out reset-exercise% diff% standalone%,$(NEEDS_STEPS))
# With `setup` among the goals the packages are installed before the machine is looked at. Then make reads this text again.
SETUP_FIRST  := $(if $(MAKE_RESTARTS),,$(filter setup,$(MAKECMDGOALS)))
ifneq ($(NEEDS_STEPS),)
ifneq ($(shell mkdir -p $(BUILD) 2> /dev/null && test -w $(BUILD) && echo yes),yes)
$(error $(BUILD) may not be written to by this user: build elsewhere with BUILD=/path, or in a clone of your own)
endif
endif
ifneq ($(NEEDS_CONFIG),)
include $(BUILD)/config.mk
$(if $(SETUP_FIRST)$(if $(NVCC),$(shell command -v '$(NVCC)'),none),,$(error $(NVCC) is not there: run 'make setup', or say where \
  nvcc is with NVCC=/path/to/nvcc))
endif
# A stage that needs a newer GPU than this is compiled for that one; what is of one architecture alone (90a), for it.
newer = $(if $(findstring a,$(1)),$(1),$(shell printf '%s\n' $(ARCH) $(1) | sort -n | tail -n 1))
ifneq ($(NEEDS_STEPS),)
include $(BUILD)/steps.mk
endif

$(BUILD)/steps.mk: harness/setup/steps.awk steps/steps.def solutions/solutions.def
	@mkdir -p $(@D) && awk -v build=$(BUILD) -f $^ > $@.new && mv $@.new $@
$(BUILD)/config.mk: harness/setup/configure.sh harness/setup/find.sh Makefile $(if $(SETUP_FIRST),run-setup)
	@mkdir -p $(@D) && bash harness/setup/configure.sh $(BUILD) > $@.new && mv $@.new $@ || { rm -f $@.new; exit 3; }
run-setup: ; @bash harness/setup/install.sh $(BUILD) $(MAKECMDGOALS)
setup: ; @: ## install what is missing to run (packages, CUDA toolkit); setup GOAL: for that goal
page: ; @: ## with setup before it: install what ./run STEP --html FILE draws with
course: ; @: ## with setup before it: install what ./run course similar compares with

# --- flags ----------------------------------------------------------------------------------------------------------------

# Warnings are errors where the compilers are known: with WERROR=1, and in CI (which sets CI). A user's compiler may warn of
# what ours do not. Messages are cut to their buffers on purpose; not every compiler knows that warning.
WERROR   ?= $(if $(CI),1)
WARNINGS := -Wall -Wextra -Werror=implicit-function-declaration -Wno-unknown-warning-option -Wno-format-truncation \
            $(if $(filter 1,$(WERROR)),-Werror) $(if $(findstring clang,$(CC)),-Wno-unknown-pragmas)
# The project's own declarations of cuBLAS come first on every machine, so that all build the same.
CPPFLAGS  = -Iharness -I$(BUILD)/harness -Iharness/sim/cublas/include -Icommon -isystem '$(CUDA_HOME)/include' $(SIM_PACKAGE_CFLAGS) -D_GNU_SOURCE \
            -DLAB_BUILD='"$(BUILD)"' $(if $(filter /%,$(BUILD)),-DLAB_ROOT='"$(CURDIR)"') -DLAB_CUDA_LIB='"$(CUDA_LIB)"' -DLAB_ARCH='"$(ARCH)"'
CFLAGS   ?= -O2 -g
CCACHE   ?= $(shell command -v ccache)
# Of the simulator's fast rooms: for a vector level, and for any processor, which few machines run where there are levels.
SIM_CFLAGS       ?= -O3 -g1
SIM_PLAIN_CFLAGS ?= $(if $(VECTOR_LEVELS),-O1 -ftree-vectorize -g1 -Wno-maybe-uninitialized,$(SIM_CFLAGS))
# A build that finds what is undefined in C: SANITIZE=address,undefined or thread. See `make test-sanitized`.
SANITIZE ?=
ifneq ($(SANITIZE),)
CFLAGS     := -O1 -g -fno-omit-frame-pointer -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -Wno-error \
              $(if $(findstring undefined,$(SANITIZE)),-fsanitize=float-cast-overflow)
SIM_CFLAGS := $(CFLAGS)
SIM_PLAIN_CFLAGS := $(CFLAGS)
LDFLAGS    += -fsanitize=$(SANITIZE) -DREPORTS='"$(abspath $(BUILD))/report"' harness/tests/sanitizers.c
endif
SIM_SAME_BITS := -ffp-contract=off # no a * b + c in one rounding, which not every level has
C_STD      := -std=gnu11 $(WARNINGS) -fPIC -fvisibility=hidden
# 940: a launch function without a return goes on behind its end. Students' kernels may have something unused in them.
STUDENT_FLAGS = -std=c++17 -O3 -lineinfo -gencode 'arch=compute_$(ARCH),code=[sm_$(ARCH),compute_$(ARCH)]' --compress-mode=none \
                -rdc=false --diag-error 940 -Xcompiler -Wall,-fPIC,-fvisibility=hidden,-fno-optimize-sibling-calls
NVCCFLAGS   = $(STUDENT_FLAGS) $(if $(filter 1,$(WERROR)),-Werror all-warnings)
NVCC_LINK   = -shared -cudart none '-L$(CUDA_LIB)' -Xlinker -l:libcudart.so.13

# Rebuild when flags or tools change: a stamp is rewritten only when its text differs, and when the tools are known.
STAMP        := $(BUILD)/flags.stamp
KERNEL_STAMP := $(BUILD)/kernels.stamp
stamp = $(shell printf '%s\n' '$(2)' | cmp -s - $(1) || printf '%s\n' '$(2)' > $(1))
ifneq ($(and $(NEEDS_CONFIG),$(if $(SETUP_FIRST),,yes)),)
$(call stamp,$(STAMP),$(CC) $(WARNINGS) $(CFLAGS) $(SIM_CFLAGS) $(SIM_PLAIN_CFLAGS) $(NVCC) $(NVCCFLAGS) $(CUDA_HOME))
$(call stamp,$(KERNEL_STAMP),$(NVCC) $(NVCCFLAGS) $(NVCC_LINK) $(CUDA_HOME))
# Objects compiled beforehand are newer than the stamps. See `make dist`.
PREBUILT ?= $(wildcard lab-prebuilt-*.tar.gz)
prebuilt  = bash harness/setup/prebuilt.sh $(1) $(BUILD) '$(CUDA_HOME)' '$(BUILD) $(CFLAGS) $(SIM_CFLAGS) $(SIM_PLAIN_CFLAGS)'
$(if $(and $(PREBUILT),$(CUDA_HOME)),$(shell $(call prebuilt,take) '$(PREBUILT)')$(if $(filter-out 0,$(.SHELLSTATUS)),$(error no objects taken)))
endif

# --- the harness: one archive, of which each program takes what it uses -----------------------------------------------------

# `run` needs no CUDA library: command line, choice of the runtime. `lab` is linked to the runtime and started by `run`. What
# serves a submission alone (its recorder, its timer) is no part of the archive.
HARNESS_SRC := $(filter-out harness/sim/% harness/tests/% harness/setup/% harness/grade/timer/program/% \
               harness/grade/recorded_launches/recorder/%,$(wildcard harness/*/*.c harness/*/*/*.c harness/*/*/*/*.c))
HARNESS_OBJ := $(HARNESS_SRC:%.c=$(BUILD)/%.o) $(patsubst %.cu,$(BUILD)/%.o,$(wildcard harness/measure/timing/*.cu))
HARNESS     := $(BUILD)/harness.a

$(HARNESS): $(HARNESS_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/%.o: %.c $(STAMP)
	$(call say,CC,$<)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(C_STD) $(CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/harness/%.o: harness/%.cu $(STAMP) # linked by the C compiler: without the C++ library
	$(call say,NVCC,$<)
	$(Q)'$(NVCC)' -Iharness $(NVCCFLAGS) -Xcompiler -fno-exceptions,-fno-threadsafe-statics -MMD -MP -c $< -o $@

# Sums that are exact only as they are written; the host's own Floyd-Warshall, in vectors of any processor.
$(BUILD)/harness/families/fp64/sums.o: EXTRA_CFLAGS = -O3 -ffp-contract=off
$(BUILD)/harness/families/apsp/graph/paths.o: EXTRA_CFLAGS = -O3
$(BUILD)/harness/sim/ptx/location.o: EXTRA_CFLAGS = -DPTX_TOOLKIT='"$(CUDA_HOME)"'
$(BUILD)/harness/sim/runtime/gpu_profile.o: $(wildcard harness/sim/gpu/*.json)

# The simulator's reader of PTX, for kernels that are to run on a GPU, too.
ENTRIES_OBJ  := $(if $(filter yes,$(HAVE_SIM_LIBS)),$(patsubst %.c,$(BUILD)/%.o,$(wildcard harness/sim/ptx/*.c harness/sim/fatbin/*.c)))
ENTRIES_LIBS  = $(if $(ENTRIES_OBJ),-Wl$(comma)--as-needed $(SIM_PACKAGE_LIBS))
# Kernel files' launches, and other calls, pass through the program's own definitions: see measure/launches/. Where the toolkit
# has no cuBLAS the simulator's is linked in its place, and its runtime with it: one needs what only the other has.
LAUNCH_POINTS := $(patsubst %,'-Wl$(comma)--export-dynamic-symbol=%',__cuda* cuda* exit _exit _Exit quick_exit abort printf fprintf \
                 puts __printf_chk __fprintf_chk)
CUDA_LINK      = $(if $(CUBLAS_LIB),-L'$(CUDA_LIB)' -L'$(CUBLAS_LIB)',-L'$(BUILD)/sim') -l:libcudart.so.13 -l:libcublas.so.13 \
                 '-Wl,-rpath,$(CUDA_LIB)' $(if $(CUBLAS_LIB),'-Wl$(comma)-rpath$(comma)$(CUBLAS_LIB)') -ldl -lpthread -lm
$(BUILD)/run: $(BUILD)/harness/main.o $(HARNESS) $(BUILD)/nvcc.command $(BUILD)/lab $(BUILD)/recorder $(BUILD)/timer
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< $(HARNESS) -ldl -lm
$(BUILD)/lab: $(BUILD)/harness/lab.o $(HARNESS) $(ENTRIES_OBJ) $(if $(CUBLAS_LIB),,$(BUILD)/sim/libcudart.so.13 $(BUILD)/sim/libcublas.so.13)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< $(HARNESS) $(ENTRIES_OBJ) $(LAUNCH_POINTS) $(CUDA_LINK) $(ENTRIES_LIBS)

run: $(BUILD)/run # ./run starts the program built last, by a link
	@[ "$$(readlink .built)" = $(BUILD) ] || ln -sfn $(BUILD) .built 2>/dev/null || \
	    echo "make: this checkout may not be written to; in place of ./run use $<"

# What runs a submission's host code: a program that nothing else is linked into. Its names are bound at its start: it answers
# for system calls that the dynamic linker makes, and allows none of a sanitizer's. The timer runs kernels that are timed.
RECORDER_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard harness/grade/recorded_launches/recorder/*.c))
$(BUILD)/recorder: $(RECORDER_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -rdynamic -Wl,-z,now -o $@ $^ -ldl
ifneq ($(SANITIZE),)
$(RECORDER_OBJ): private override CFLAGS := -O2 -g
$(BUILD)/recorder: private override LDFLAGS :=
endif
TIMER_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard harness/grade/timer/program/*.c) harness/grade/recorded_launches/launch.c \
             harness/grade/recorded_launches/object.c harness/measure/timing/event_timer.c) \
             $(BUILD)/harness/measure/timing/timing_kernels.o $(ENTRIES_OBJ)
$(BUILD)/timer: $(TIMER_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -L'$(CUDA_LIB)' -l:libcudart.so.13 -ldl $(ENTRIES_LIBS)
$(BUILD)/nvcc.command: $(KERNEL_STAMP) # how `run --source FILE` and `grade` compile: one word a line
	@printf '%s\n' '$(NVCC)' $(STUDENT_FLAGS) $(NVCC_LINK) > $@

# --- the simulator: drop-in libcudart.so.13 and libcublas.so.13 -------------------------------------------------------------

# Rooms of what runs a kernel are compiled for any processor, and for speed once more for this machine's vector level: the
# dynamic linker takes libcudart.so.13 from glibc-hwcaps/LEVEL/, where the processor has the level, so that one build runs on
# all machines of a shared home directory. A machine of another level that builds there adds its own; all are kept up to date.
SIM_FAST_SRC := $(foreach room,machine memory arithmetic check access control tensor texture counting launch cache,$(wildcard harness/sim/$(room)/*.c))
SIM_BASE_SRC := $(wildcard harness/sim/ptx/*.c harness/sim/fatbin/*.c harness/sim/decoding/*.c)
SIM_RT_SRC   := $(wildcard harness/sim/runtime/*.c harness/sim/driver/*.c)
SIM_BLAS_SRC := $(wildcard harness/sim/cublas/*.c)
SIM_BASE_OBJ := $(SIM_BASE_SRC:%.c=$(BUILD)/%.o)
SIM_FAST_OBJ := $(SIM_FAST_SRC:%.c=$(BUILD)/%.o)
# The first of the linker's levels is the highest that it takes here.
LEVELS_HERE := $(if $(VECTOR_LEVELS),$(filter $(VECTOR_LEVELS),$(shell '$(DYNAMIC_LINKER)' --help | awk '/supported/ {print $$1}')))
SIM_LEVELS  ?= $(if $(filter dist,$(MAKECMDGOALS)),$(VECTOR_LEVELS),$(firstword $(LEVELS_HERE)))
ifneq ($(and $(NEEDS_CONFIG),$(DYNAMIC_LINKER),$(filter-out $(VECTOR_LEVELS),$(SIM_LEVELS))),)
$(error SIM_LEVELS names $(filter-out $(VECTOR_LEVELS),$(SIM_LEVELS)): here it may be of $(or $(VECTOR_LEVELS),none))
endif
SIM_ALL_LEVELS := $(sort $(SIM_LEVELS) $(filter $(VECTOR_LEVELS),$(notdir $(wildcard $(BUILD)/sim/glibc-hwcaps/*))))
SIM_LEVEL_LIBS := $(SIM_ALL_LEVELS:%=$(BUILD)/sim/glibc-hwcaps/%/libcudart.so.13)
SIM_LIBS       := $(BUILD)/sim/libcudart.so.13 $(SIM_LEVEL_LIBS) $(BUILD)/sim/libcublas.so.13
sim_level_obj   = $(SIM_FAST_SRC:harness/sim/%.c=$(BUILD)/harness/sim/levels/$(1)/%.o)

$(SIM_FAST_OBJ): EXTRA_CFLAGS = $(SIM_PLAIN_CFLAGS) $(SIM_SAME_BITS)
define LEVEL_RULES
$(BUILD)/sim/glibc-hwcaps/$(1)/libcudart.so.13: $(call sim_level_obj,$(1))
$(BUILD)/harness/sim/levels/$(1)/%.o: harness/sim/%.c $(STAMP)
	$$(call say,CC,$$< ($(1)))
	$$(Q)$$(CCACHE) $$(CC) $$(CPPFLAGS) $$(C_STD) $$(CFLAGS) $$(SIM_CFLAGS) -march=$(1) $$(SIM_SAME_BITS) -MMD -MP -c $$< -o $$@
endef
$(foreach level,$(SIM_ALL_LEVELS),$(eval $(call LEVEL_RULES,$(level))))
# Never one without the others: a level that is left behind would be taken all the same.
$(BUILD)/sim/libcudart.so.13: $(SIM_FAST_OBJ) | $(SIM_LEVEL_LIBS)
$(BUILD)/sim/libcudart.so.13 $(SIM_LEVEL_LIBS): $(SIM_BASE_OBJ) $(SIM_RT_SRC:%.c=$(BUILD)/%.o) harness/sim/runtime/libcudart.map
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-z,defs -Wl,-soname,libcudart.so.13 -Wl,--version-script=harness/sim/runtime/libcudart.map \
	    -o $@ $(filter %.o,$^) -lpthread -lm -ldl -l:libstdc++.so.6 $(SIM_PACKAGE_LIBS)
	$(Q)for name in libcuda.so.1 libnvrtc.so.13 libnvJitLink.so.13; do ln -sf libcudart.so.13 $(@D)/$$name; done
$(BUILD)/sim/libcublas.so.13: $(SIM_BLAS_SRC:%.c=$(BUILD)/%.o) $(BUILD)/harness/sim/arithmetic/half_values.o $(BUILD)/sim/libcudart.so.13 harness/sim/cublas/libcublas.map
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-z,defs -Wl,-soname,libcublas.so.13 -Wl,--version-script=harness/sim/cublas/libcublas.map \
	    -o $@ $(filter %.o,$^) -L$(BUILD)/sim -l:libcudart.so.13 -ldl -lm && ln -sf libcublas.so.13 $(@D)/libcublasLt.so.13
# All names that this toolkit's headers declare. Where an interop header is missing, cat says so, and its names are left out.
$(BUILD)/harness/sim/runtime/unimplemented.o $(BUILD)/harness/sim/driver/entry.o: $(BUILD)/harness/sim/symbols.def
$(BUILD)/harness/sim/symbols.def: harness/sim/symbols.awk $(STAMP)
	$(call say,AWK,$<)
	$(Q)(cd '$(CUDA_HOME)/include' && cat cuda_[rp]*_api.h cuda_*_interop.h cudaTypedefs.h cudaProfilerTypedefs.h) | awk -f $< > $@

sim: $(SIM_LIBS) ## build the simulator alone
$(BUILD)/lab-sim: $(BUILD)/harness/lab_sim.o $(HARNESS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -ldl -lm
install-sim deb wheel: $(SIM_LIBS) $(BUILD)/lab-sim ## install the simulator alone, in PREFIX=DIR, or write a package of it
	$(Q)bash harness/setup/install_sim.sh $@ $(BUILD) '$(PREFIX)' '$(DESTDIR)' $(SIM_ALL_LEVELS)
# Not what holds a path of this machine or is compiled for its GPU, nor the list of steps and exercises, which a hand-out shortens.
DIST_OBJ := $(sort $(filter-out %/location.o %/toolchain.o %/timing_kernels.o %/registry.o,$(HARNESS_OBJ) $(RECORDER_OBJ) $(TIMER_OBJ) $(SIM_BASE_OBJ) \
            $(SIM_FAST_OBJ) $(SIM_RT_SRC:%.c=$(BUILD)/%.o) $(SIM_BLAS_SRC:%.c=$(BUILD)/%.o) $(foreach level,$(SIM_ALL_LEVELS),$(call sim_level_obj,$(level)))))
dist: $(DIST_OBJ) ## pack harness and simulator, compiled, in a file: a checkout that has it does not compile them
	$(Q)$(call prebuilt,pack) $(DIST_OBJ:$(BUILD)/%=%)
SIM_IF_POSSIBLE = $(if $(filter yes,$(HAVE_SIM_LIBS)),$(SIM_LIBS)) # without headers of zstd, lz4, cJSON `run` needs a GPU

# --- steps and exercises: build/steps.mk says which there are ---------------------------------------------------------------

# compile_so FLAGS. An object is there when it is whole: an interrupt leaves none that cannot be loaded and counts as built. It
# is as old as the start of its build: what is saved meanwhile is newer.
define compile_so
$(call say,NVCC,$(firstword $(filter %.cu,$^)))
$(Q)start=$$(date +%s.%N) && '$(NVCC)' -Icommon $(1) $(NVCC_LINK) -MMD -MP -MF $(@:.so=.d) -MT $@ $(firstword $(filter %.cu,$^)) \
    -o $@.new && touch -d @$$start $@.new && mv $@.new $@
endef
KERNEL_NEEDS := $(wildcard common/*.h common/*/*.h) $(KERNEL_STAMP)
$(STAGE_SO) $(STUDY_SO) $(SOLUTION_SO): $(KERNEL_NEEDS)
	$(call compile_so,$(NVCCFLAGS))
$(EXERCISE_SO): $(KERNEL_NEEDS)
	$(call compile_so,$(STUDENT_FLAGS))
steps/%.cu solutions/%.cu exercises/%.cu: ; # renamed since the last build, of which dependencies are left

.PHONY: steps all studies exercises solutions exercises-check autograder classroom handout new-exercise
$(STEPS) $(STAGE_GOALS) $(SOLUTIONS) $(EXERCISES_ALL): run $(SIM_IF_POSSIBLE)
steps all: $(STEPS) ## build every step
studies: run $(SIM_IF_POSSIBLE) $(STUDY_SO) ## build the kernels of the parameter studies (step05, step08 to step10, step12, step13)
stepNN stepNN.S: ## build step NN, or its stage S, and what ./run compares it with
standaloneNN standaloneNN.S: ## write each stage of step NN, or stage S, as one file with a main of its own
diffNN diffNN.S: ## print what each stage of step NN, or stage S, changes in the one it builds on
exerciseNN: ## build exercise NN and its solution, for ./run exerciseNN
reset-exerciseNN: ## write the untouched exercise NN again
solutions: $(SOLUTIONS) ## build every solution
exercises: ; @bash harness/exercise/exercises.sh write ## write exercises/ from solutions/; an exercise that was worked on is kept
exercises-check: ; @bash harness/exercise/exercises.sh check ## fail if exercises/ is not as solutions/ say
autograder classroom: ## write build/autograder-05.zip for Gradescope, or build/classroom-05.yml, a workflow for a course on GitHub: EXERCISE=05
	@bash harness/recipes/write.sh $@ '$(EXERCISE)' $(BUILD)
new-exercise: run; @$(BUILD)/run course new '$(NAME)' '$(STEP)' ## start an exercise of your own: NAME=my_idea STEP=05.3
handout: $(filter dist,$(MAKECMDGOALS)) $(if $(DIR),$(if $(EXERCISES),$(filter $(SOLUTIONS),$(EXERCISES:%=solution%)),solutions)) ## write a repository for students in DIR: EXERCISES="01 02 05"
	@bash harness/recipes/handout.sh '$(DIR)' $(BUILD) $(EXERCISES)

include $(wildcard harness/tests/tests.mk) # a hand-out has none

# --- pages, format, editors -------------------------------------------------------------------------------------------------

.PHONY: docs results results-check record compare-model format format-check completion clean
docs: ; @bash docs/build.sh $(BUILD) ## build the Doxygen site in build/docs/html (warnings are errors)
results: ## rewrite the figures, excerpts, tables and plots of README.md and the walkthroughs
	@for part in generate pictures glossary; do python3 -B docs/$$part.py || exit; done
results-check: ## fail if they are not as `make results` writes them
	@for part in generate pictures glossary; do python3 -B docs/$$part.py --check || exit; done
	@python3 -B docs/sections.py && python3 -B docs/sentences.py && python3 -B docs/quotations.py
record: steps ; @bash docs/record.sh ## time the series on this GPU and keep the results in docs/results
compare-model: steps $(MODEL_TIMES) ## model the recorded counters and compare with measured times
	@python3 -B docs/compare_model.py

format: ; @bash harness/setup/format.sh $(BUILD) -i ## format all C and CUDA sources
format-check: ; @bash harness/setup/format.sh $(BUILD) --dry-run -Werror ## fail if a source is not formatted
completion: $(BUILD)/run ; @bash harness/setup/completion.sh $(BUILD) ## write what makes bash, zsh and fish complete the words of ./run
compile_commands.json: export COMMAND = $(CC) $(CPPFLAGS) $(C_STD) $(CFLAGS)
compile_commands.json: $(BUILD)/config.mk Makefile ## for clangd and other editors
	@bash harness/setup/compile_commands.sh "$$COMMAND" $(HARNESS_SRC) $(wildcard harness/*.c) $(SIM_BASE_SRC) $(SIM_FAST_SRC) $(SIM_RT_SRC) $(SIM_BLAS_SRC) $(TEST_SRC) > $@
clean: ## remove everything built; what is passed stays, hints taken, files before a reset, an installed toolkit
	@find $(BUILD) -mindepth 1 -maxdepth 1 ! -name toolkit ! -name passed ! -name hints ! -name '*.before-reset.cu' -exec rm -rf {} + 2>/dev/null || true
	@rm -f .built compile_commands.json
-include $(shell find $(BUILD) -name '*.d' -not -path '*/toolkit/*' -not -path '$(BUILD)/sanitized/*' 2>/dev/null)
