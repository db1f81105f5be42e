# The GPU kernel lab: one makefile, the whole graph. `make` prints help.
#
#   make setup step01 && ./run step01      the first step
#   make setup test                        the tests, on the simulator
#
# What depends on the machine (nvcc, GPU architecture, which libraries there are) is found once by
# harness/setup/configure.sh and kept in build/config.mk.

BUILD ?= build
# A folder elsewhere is named in full. (make knows no names with spaces; the checkout itself may have some.)
ifneq ($(filter /% ..%,$(BUILD)),)
override BUILD := $(shell realpath -m '$(BUILD)')
endif
ifneq ($(words $(BUILD)),1)
$(error BUILD names a folder with a space in it, which make cannot use: give another with BUILD=/path)
endif
V     ?= 0
Q     := $(if $(filter 1,$(V)),,@)
# What is built is counted. Of how much, make itself says without building it, asked once there is something to build.
say    = $(if $(filter 1,$(V)),,@$(eval BEGUN += x)sh harness/setup/say.sh $(words $(BEGUN)) $(TO_BUILD) '$(1)' '$(2)')
TO_BUILD = $(eval TO_BUILD := $(shell MAKEFLAGS='$(MAKEFLAGS)' $(MAKE) -n TO_BUILD=all $(filter-out setup,$(MAKECMDGOALS)) \
           2> /dev/null | grep -c '^sh harness/setup/say.sh '))$(TO_BUILD)

comma := ,

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

.PHONY: help
help: ## print this text
	@printf 'usage: make TARGET ... [V=1] [ARCH=90] [NVCC=path]\nfirst: make setup step01 && ./run step01\nif you have never written a kernel: make setup step00a && ./run step00a\n\n'
	@sed -n 's/^\([a-zA-Z][a-zA-Z0-9_. -]*\):.*## \(.*\)/  \1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
	    awk -F'|' '{printf "%-22s %s\n", $$1, $$2}'
	@printf '\nsteps:\n'
	@$(LIST_STEPS)

# A step that is not there, or a file that something is built of.
.DEFAULT:
	@sh harness/setup/unknown.sh $(firstword $(MAKEFILE_LIST)) '$(subst ','\'',$@)'

.PHONY: list
list: ## print the steps, each with its idea
	@$(LIST_STEPS)
LIST_STEPS = awk -F'"' '/^LAB_STEP/ {printf "  step%-18s %s\n", $$2, $$(NF - 1)} \
                   /^LAB_STAGE/ && $$(NF - 1) != "" {printf "    step%-16s %s\n", $$2, $$(NF - 1)}' steps/steps.def

# --- what this machine has ------------------------------------------------------------------------

NEEDS_CONFIG := $(filter-out help page clean format format-check docs results results-check exercises exercises-check reset-exercise% diff% standalone% list check-arm64 autograder classroom,$(or $(MAKECMDGOALS),help))
ifneq ($(NEEDS_CONFIG),)
ifneq ($(shell mkdir -p $(BUILD) 2> /dev/null && test -w $(BUILD) && echo yes),yes)
$(error $(BUILD) may not be written to by this user: build elsewhere with BUILD=/path, or in a clone of your own)
endif
include $(BUILD)/config.mk
# (not before setup has had its turn: then this text is read again)
ifneq ($(if $(MAKE_RESTARTS),,$(filter setup,$(MAKECMDGOALS))),setup)
ifneq ($(NVCC),)
ifeq ($(shell command -v '$(NVCC)'),)
$(error $(NVCC) is not there: run 'make setup', or say where nvcc is with NVCC=/path/to/nvcc)
endif
endif
endif
endif

# With `setup` among the goals the packages are installed before the machine is looked at.
SETUP_FIRST := $(if $(MAKE_RESTARTS),,$(filter setup,$(MAKECMDGOALS)))
.PHONY: run-setup
run-setup:
	@bash harness/setup/install.sh $(BUILD) $(MAKECMDGOALS)
$(BUILD)/config.mk: harness/setup/configure.sh harness/setup/find.sh Makefile $(if $(SETUP_FIRST),run-setup)
	@mkdir -p $(@D)
	@bash harness/setup/configure.sh $(BUILD) > $@.new && mv $@.new $@ || { rm -f $@.new; exit 3; }

.PHONY: setup
setup: ## install what is missing to run (packages, CUDA toolkit); setup GOAL: for that goal
	@:

.PHONY: page
page: ## with setup before it: install what ./run STEP --html FILE draws with
	@:

# --- flags ----------------------------------------------------------------------------------------

# Warnings are errors where the compilers are known: with WERROR=1, and in CI (which sets CI). A user's
# compiler may warn of what ours do not. Messages are cut to their buffers on purpose; not every compiler knows this warning.
WERROR     ?= $(if $(CI),1)
WARNINGS   := -Wall -Wextra -Werror=implicit-function-declaration -Wno-unknown-warning-option -Wno-format-truncation $(if $(filter 1,$(WERROR)),-Werror) \
              $(if $(findstring clang,$(CC)),-Wno-unknown-pragmas) # those for gcc's optimiser mean nothing to clang
# The project's own declarations of cuBLAS come first on every machine, so that all build the same.
CPPFLAGS    = -Iharness -Iharness/sim/cublas/include -Icommon -I$(BUILD)/generated \
              -isystem '$(CUDA_HOME)/include' $(SIM_PACKAGE_CFLAGS) -D_GNU_SOURCE \
              -DLAB_BUILD='"$(BUILD)"' $(if $(filter /%,$(BUILD)),-DLAB_ROOT='"$(CURDIR)"') -DLAB_CUDA_LIB='"$(CUDA_LIB)"' -DLAB_ARCH='"$(ARCH)"'
CFLAGS     ?= -O2 -g
# Where it is installed, C that was compiled before is taken from its cache.
CCACHE     ?= $(shell command -v ccache)
# Of the simulator's fast rooms: for a vector level, and for any processor. Few machines run the latter where
# there are levels: it is compiled quickly, without a warning that only thorough compiling gets right.
SIM_CFLAGS ?= -O3 -g1
SIM_PLAIN_CFLAGS ?= $(if $(VECTOR_LEVELS),-O1 -ftree-vectorize -g1 -Wno-maybe-uninitialized,$(SIM_CFLAGS))
# A build that finds what is undefined in C: SANITIZE=address,undefined or thread. See `make test-sanitized`.
SANITIZE ?=
ifneq ($(SANITIZE),)
CFLAGS     := -O1 -g -fno-omit-frame-pointer -fsanitize=$(SANITIZE) $(if $(findstring undefined,$(SANITIZE)),-fsanitize=float-cast-overflow) -fno-sanitize-recover=all -Wno-error
SIM_CFLAGS := $(CFLAGS)
SIM_PLAIN_CFLAGS := $(CFLAGS)
LDFLAGS    += -fsanitize=$(SANITIZE) -DREPORTS='"$(abspath $(BUILD))/report"' harness/tests/sanitizers.c
endif
# No a * b + c in one rounding, which not every level has.
SIM_SAME_BITS := -ffp-contract=off
C_STD      := -std=gnu11 $(WARNINGS) -fPIC -fvisibility=hidden
NVCC_WERROR = $(if $(filter 1,$(WERROR)),-Werror all-warnings)
# 940: a launch function without a return goes on behind its end.
NVCCFLAGS   = -std=c++17 -O3 -lineinfo -gencode 'arch=compute_$(ARCH),code=[sm_$(ARCH),compute_$(ARCH)]' \
              --compress-mode=none -rdc=false --diag-error 940 $(NVCC_WERROR) -Xcompiler -Wall,-fPIC,-fvisibility=hidden,-fno-optimize-sibling-calls
NVCC_LINK   = -shared -cudart none '-L$(CUDA_LIB)' -Xlinker -l:libcudart.so.13
# An object is there when it is whole: an interrupt leaves none that cannot be loaded and counts as built. It is as old as
# the start of its build: what is saved meanwhile is newer.
WHOLE_SO    = -MMD -MP -MF $(@:.so=.d) -MT $@ $< -o $@.new && touch -d @$$start $@.new && mv $@.new $@
COMPILE_SO  = start=$$(date +%s.%N) && '$(NVCC)' -Icommon

# Rebuild when flags or tools change: the stamp is rewritten only when its text differs, and when it is
# known that the tools are there.
KERNEL_STAMP_TEXT = $(NVCC) $(NVCCFLAGS) $(NVCC_LINK) $(CUDA_HOME)
STAMP_TEXT = $(CC) $(WARNINGS) $(CFLAGS) $(SIM_CFLAGS) $(SIM_PLAIN_CFLAGS) $(SIM_SAME_BITS) $(KERNEL_STAMP_TEXT)
stamp = $(shell printf '%s\n' '$(2)' | cmp -s - $(BUILD)/$(1).stamp || printf '%s\n' '$(2)' > $(BUILD)/$(1).stamp)
ifneq ($(and $(NEEDS_CONFIG),$(if $(SETUP_FIRST),,yes)),)
$(call stamp,flags,$(STAMP_TEXT))
$(call stamp,kernels,$(KERNEL_STAMP_TEXT))
endif
STAMP := $(BUILD)/flags.stamp
KERNEL_STAMP := $(BUILD)/kernels.stamp

SIM_LIBS := $(BUILD)/sim/libcudart.so.13 $(BUILD)/sim/libcublas.so.13

# --- the harness: one archive, of which each program takes what it uses ----------------------------

# `run` needs no CUDA library: command line, choice of the runtime. `lab` is linked to the runtime and started by `run`.
# What serves a submission alone (its recorder, its timer) is no part of the archive.
HARNESS_SRC := $(filter-out harness/sim/% harness/tests/% harness/setup/% harness/grade/timer/program/% harness/grade/recorded_launches/recorder/%,\
               $(wildcard harness/*/*.c harness/*/*/*.c harness/*/*/*/*.c))
HARNESS_CU  := $(wildcard harness/measure/timing/*.cu)
HARNESS_OBJ := $(HARNESS_SRC:%.c=$(BUILD)/%.o) $(HARNESS_CU:%.cu=$(BUILD)/%.o)
HARNESS     := $(BUILD)/harness.a
MAIN_OBJ    := $(BUILD)/harness/main.o $(BUILD)/harness/lab.o

$(HARNESS): $(HARNESS_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c $(STAMP)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(C_STD) $(CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c $< -o $@

# Linked by the C compiler: without the C++ library.
$(BUILD)/harness/%.o: harness/%.cu $(STAMP)
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)'$(NVCC)' -Iharness $(NVCCFLAGS) -Xcompiler -fno-exceptions,-fno-threadsafe-statics -MMD -MP -c $< -o $@

$(BUILD)/run: $(BUILD)/harness/main.o $(HARNESS) $(BUILD)/nvcc.command $(BUILD)/lab $(BUILD)/recorder $(BUILD)/timer
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< $(HARNESS) -ldl -lm

# The simulator's reader of PTX, for kernels that are to run on a GPU, too.
ENTRIES_OBJ  := $(if $(filter yes,$(HAVE_SIM_LIBS)),$(patsubst %.c,$(BUILD)/%.o,$(wildcard harness/sim/ptx/*.c harness/sim/fatbin/*.c)))
ENTRIES_LIBS  = $(if $(ENTRIES_OBJ),-Wl$(comma)--as-needed $(SIM_PACKAGE_LIBS))

# Kernel files' launches, and other calls, pass through the program's own definitions: see measure/launches/launches.c and calls.c. Where the
# toolkit has no cuBLAS (no GPU, none needed) the simulator's is linked in its place, and the simulator's runtime with it:
# one needs what only the other has.
LAUNCH_POINTS := '-Wl,--export-dynamic-symbol=__cuda*,--export-dynamic-symbol=cuda*,--export-dynamic-symbol=exit,--export-dynamic-symbol=_exit,--export-dynamic-symbol=_Exit,--export-dynamic-symbol=quick_exit,--export-dynamic-symbol=abort,--export-dynamic-symbol=printf,--export-dynamic-symbol=fprintf,--export-dynamic-symbol=puts,--export-dynamic-symbol=__printf_chk,--export-dynamic-symbol=__fprintf_chk'
CUDA_LINK      = $(if $(CUBLAS_LIB),-L'$(CUDA_LIB)' -L'$(CUBLAS_LIB)',-L'$(BUILD)/sim') -l:libcudart.so.13 -l:libcublas.so.13 \
                 '-Wl,-rpath,$(CUDA_LIB)' $(if $(CUBLAS_LIB),'-Wl$(comma)-rpath$(comma)$(CUBLAS_LIB)') -ldl -lpthread -lm
$(BUILD)/lab: $(BUILD)/harness/lab.o $(HARNESS) $(ENTRIES_OBJ) $(if $(CUBLAS_LIB),,$(SIM_LIBS))
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< $(HARNESS) $(ENTRIES_OBJ) $(LAUNCH_POINTS) $(CUDA_LINK) $(ENTRIES_LIBS)

# ./run starts the program built last, by a link. A checkout that may not be written to has none.
.PHONY: run
run: $(BUILD)/run
	@[ "$$(readlink .built)" = $(BUILD) ] || ln -sfn $(BUILD) .built 2>/dev/null || \
	    echo "make: this checkout may not be written to; in place of ./run use $<"

# What runs a submission's host code: a program of its own that nothing else is linked into. Its names are
# bound at its start: it answers for system calls that the dynamic linker makes.
RECORDER     := $(BUILD)/recorder
RECORDER_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard harness/grade/recorded_launches/recorder/*.c))
$(RECORDER): $(RECORDER_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -rdynamic -Wl,-z,now -o $@ $^ -ldl

# It allows no system calls of a sanitizer.
ifneq ($(SANITIZE),)
$(RECORDER_OBJ): private override CFLAGS := -O2 -g
$(RECORDER): private override LDFLAGS :=
endif

# What runs the kernels of a submission that is timed: a program of its own, too.
TIMER     := $(BUILD)/timer
TIMER_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard harness/grade/timer/program/*.c)) $(BUILD)/harness/grade/recorded_launches/launch.o \
             $(BUILD)/harness/grade/recorded_launches/object.o $(BUILD)/harness/measure/timing/event_timer.o \
             $(BUILD)/harness/measure/timing/timing_kernels.o $(ENTRIES_OBJ)
$(TIMER): $(TIMER_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -L'$(CUDA_LIB)' -l:libcudart.so.13 -ldl $(ENTRIES_LIBS)

# How `run --source FILE` and `grade` compile: one word a line.
$(BUILD)/nvcc.command: $(KERNEL_STAMP)
	@printf '%s\n' '$(NVCC)' $(STUDENT_FLAGS) $(NVCC_LINK) > $@

# --- the simulator: drop-in libcudart.so.13 and libcublas.so.13 -----------------------------------

# Rooms of what runs a kernel are compiled for any processor, and for speed once more for this machine's
# vector level: the dynamic linker takes libcudart.so.13 from glibc-hwcaps/LEVEL/, where the processor has
# the level, so that one build runs on all machines of a shared home directory. A machine of another level
# that builds there adds its own; all that are there are kept up to date.
SIM_FAST     := machine memory arithmetic check access control counting launch cache
SIM_FAST_SRC := $(wildcard $(SIM_FAST:%=harness/sim/%/*.c))
SIM_BASE_SRC := $(wildcard harness/sim/ptx/*.c harness/sim/fatbin/*.c harness/sim/decoding/*.c)
SIM_RT_SRC   := $(wildcard harness/sim/runtime/*.c)
SIM_BLAS_SRC := $(wildcard harness/sim/cublas/*.c)
SIM_BASE_OBJ := $(SIM_BASE_SRC:%.c=$(BUILD)/%.o)
SIM_FAST_OBJ := $(SIM_FAST_SRC:%.c=$(BUILD)/%.o)
SIM_CORE_OBJ := $(SIM_BASE_OBJ) $(SIM_FAST_OBJ)
SIM_RT_OBJ   := $(SIM_RT_SRC:%.c=$(BUILD)/%.o)
SIM_BLAS_OBJ := $(SIM_BLAS_SRC:%.c=$(BUILD)/%.o)

# The first of the linker's levels is the highest that it takes here.
LEVELS_HERE := $(if $(VECTOR_LEVELS),$(filter $(VECTOR_LEVELS),$(shell '$(DYNAMIC_LINKER)' --help | awk '/supported/ {print $$1}')))
SIM_LEVEL  := $(firstword $(LEVELS_HERE))
SIM_LEVELS ?= $(SIM_LEVEL)
ifneq ($(origin VECTOR_LEVELS),undefined)
ifneq ($(filter-out $(VECTOR_LEVELS),$(SIM_LEVELS)),)
$(error SIM_LEVELS names $(filter-out $(VECTOR_LEVELS),$(SIM_LEVELS)): here it may be of $(or $(VECTOR_LEVELS),none))
endif
endif
SIM_ALL_LEVELS := $(sort $(SIM_LEVELS) $(filter $(VECTOR_LEVELS),$(notdir $(wildcard $(BUILD)/sim/glibc-hwcaps/*))))
sim_level_obj = $(SIM_FAST_SRC:harness/sim/%.c=$(BUILD)/harness/sim/levels/$(1)/%.o)
SIM_LEVEL_LIBS := $(SIM_ALL_LEVELS:%=$(BUILD)/sim/glibc-hwcaps/%/libcudart.so.13)
SIM_LIBS     := $(BUILD)/sim/libcudart.so.13 $(SIM_LEVEL_LIBS) $(BUILD)/sim/libcublas.so.13

$(SIM_FAST_OBJ): EXTRA_CFLAGS = $(SIM_PLAIN_CFLAGS) $(SIM_SAME_BITS)

# The host's own Floyd-Warshall, in vectors of any processor. (Those of AVX2 would be 8 % faster.)
$(BUILD)/harness/families/apsp/graph/paths.o: EXTRA_CFLAGS = -O3

# Sums that are exact only as they are written.
$(BUILD)/harness/families/fp64/sums.o: EXTRA_CFLAGS = -O3 -ffp-contract=off

# The toolkit's headers are not a user's.
$(BUILD)/harness/sim/ptx/location.o: EXTRA_CFLAGS = -DPTX_TOOLKIT='"$(CUDA_HOME)"'

# The profiles of GPUs become part of the library.
$(BUILD)/harness/sim/runtime/gpu_profile.o: $(wildcard harness/sim/gpu/*.json)

# Never one without the others: a level that is left behind would be taken all the same.
$(BUILD)/sim/libcudart.so.13: $(SIM_FAST_OBJ) | $(SIM_LEVEL_LIBS)
$(BUILD)/sim/libcudart.so.13 $(SIM_LEVEL_LIBS): $(SIM_BASE_OBJ) $(SIM_RT_OBJ) harness/sim/runtime/libcudart.map
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-z,defs -Wl,-soname,libcudart.so.13 -Wl,--version-script=harness/sim/runtime/libcudart.map \
	    -o $@ $(filter %.o,$^) -lpthread -lm -ldl -l:libstdc++.so.6 $(SIM_PACKAGE_LIBS)

define LEVEL_RULES
$(BUILD)/sim/glibc-hwcaps/$(1)/libcudart.so.13: $(call sim_level_obj,$(1))
$(BUILD)/harness/sim/levels/$(1)/%.o: harness/sim/%.c $(STAMP)
	$$(call say,CC,$$< ($(1)))
	@mkdir -p $$(@D)
	$$(Q)$$(CCACHE) $$(CC) $$(CPPFLAGS) $$(C_STD) $$(CFLAGS) $$(SIM_CFLAGS) -march=$(1) $$(SIM_SAME_BITS) -MMD -MP -c $$< -o $$@
endef
$(foreach level,$(SIM_ALL_LEVELS),$(eval $(call LEVEL_RULES,$(level))))

$(BUILD)/sim/libcublas.so.13: $(SIM_BLAS_OBJ) $(BUILD)/sim/libcudart.so.13 harness/sim/cublas/libcublas.map
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-z,defs -Wl,-soname,libcublas.so.13 -Wl,--version-script=harness/sim/cublas/libcublas.map \
	    -o $@ $(filter %.o,$^) -L$(BUILD)/sim -l:libcudart.so.13 -ldl -lm

.PHONY: sim
sim: $(SIM_LIBS) ## build the simulator alone

PREFIX ?=
.PHONY: install-sim
install-sim: $(SIM_LIBS) ## install the simulator alone, in PREFIX=DIR
	@if [ -z '$(PREFIX)' ]; then echo 'say where to: make install-sim PREFIX=DIR' >&2; exit 2; fi
	$(call say,COPY,$(PREFIX))
	$(Q)install -d '$(DESTDIR)$(PREFIX)/lib/pkgconfig' '$(DESTDIR)$(PREFIX)/include'
	$(Q)install -m 755 $(filter-out $(SIM_LEVEL_LIBS),$(SIM_LIBS)) '$(DESTDIR)$(PREFIX)/lib'
	$(Q)for level in $(SIM_ALL_LEVELS); do \
	    install -m 755 -D -t "$(DESTDIR)$(PREFIX)/lib/glibc-hwcaps/$$level" "$(BUILD)/sim/glibc-hwcaps/$$level/libcudart.so.13" || exit; \
	done
	$(Q)ln -sf libcudart.so.13 '$(DESTDIR)$(PREFIX)/lib/libcudart.so'
	$(Q)ln -sf libcublas.so.13 '$(DESTDIR)$(PREFIX)/lib/libcublas.so'
	$(Q)install -m 644 harness/sim/lab_sim.h '$(DESTDIR)$(PREFIX)/include'
	$(Q)sed 's|@PREFIX@|$(abspath $(PREFIX))|' harness/sim/lab-sim.pc.in > '$(DESTDIR)$(PREFIX)/lib/pkgconfig/lab-sim.pc'

# Without the simulator's libraries (zstd, lz4, cJSON headers) it is left out; `run` then needs a GPU.
SIM_IF_POSSIBLE = $(if $(filter yes,$(HAVE_SIM_LIBS)),$(SIM_LIBS))

# --- steps ----------------------------------------------------------------------------------------

# A word for each stage: number, step, kernel file, stage it builds on, that one's file where both solve the same
# problem, first stage of its problem, least architecture; `-` where there is none.
STAGES := $(shell awk -F'"' ' \
    /^LAB_STEP/ {step = $$2; directory = $$4; family = $$6} \
    /^LAB_STAGE/ {file[$$2] = "steps/" directory "/" $$4 ".cu"; of[$$2] = family; \
        if (!(family in first)) first[family] = $$2; \
        print $$2 "=" step "=" file[$$2] "=" ($$6 ? $$6 : "-") "=" ($$6 && of[$$6] == family ? file[$$6] : "-") \
            "=" first[family] "=" ($$8 ? $$8 : "-")}' steps/steps.def)
stage_words = $(subst =, ,$(1))
stages_of   = $(filter $(1)=% $(1).%,$(STAGES))
STEP_IDS   := $(sort $(foreach stage,$(STAGES),$(word 2,$(call stage_words,$(stage)))))
stage_so    = $(BUILD)/steps/$(1).so
# A stage that needs a newer GPU than this is compiled for that one; what is of one architecture alone (90a), for it.
stage_arch  = $(if $(findstring a,$(1)),$(1),$(shell printf '%s\n' $(ARCH) $(1) | sort -n | tail -n 1))

# 1: number, 2: step, 3: file, 4: parent, 5: its file, 6: first of its problem, 7: architecture
define STAGE_RULES
$(call stage_so,$(1)): $(3) $(wildcard common/*.h common/families/*.h common/ptx/*.h) $(KERNEL_STAMP)
	$$(call say,NVCC,$$<)
	@mkdir -p $$(@D)
	$$(Q)$$(COMPILE_SO) $$(NVCCFLAGS) $$(NVCC_LINK) $$(WHOLE_SO)
$(if $(filter-out -,$(7)),$(call stage_so,$(1)): private override ARCH := $$(call stage_arch,$(7)))
.PHONY: step$(1) diff$(1) standalone$(1)
step$(1): run $$(SIM_IF_POSSIBLE) $(foreach n,$(sort $(1) $(6) $(filter-out -,$(4))),$(call stage_so,$(n)))
diff$(1):
	@$(STAGE_DIFF)
standalone$(1):
	@mkdir -p $(BUILD)/standalone
	@file=$(BUILD)/standalone/step$(subst .,_,$(1)).cu; bash harness/standalone/write.sh $(1) > "$$$$file.new" && mv "$$$$file.new" "$$$$file" || { rm -f "$$$$file.new"; exit 1; }
	@echo 'standalone: $(BUILD)/standalone/step$(subst .,_,$(1)).cu, which says how it is built'
endef
# What a stage changes; the first of a problem is read as a whole.
STAGE_DIFF = $(if $(filter-out -,$(5)),diff -u $(5) $(3) || true,echo 'step $(1) is the first of its problem: read $(3)')
with_stage = $(call $(1),$(word 1,$(2)),$(word 2,$(2)),$(word 3,$(2)),$(word 4,$(2)),$(word 5,$(2)),$(word 6,$(2)),$(word 7,$(2)))
# Of a step of several stages.
define STEP_RULES
.PHONY: step$(1) diff$(1) standalone$(1)
step$(1): $(foreach stage,$(call stages_of,$(1)),step$(word 1,$(call stage_words,$(stage))))
standalone$(1): $(foreach stage,$(call stages_of,$(1)),standalone$(word 1,$(call stage_words,$(stage))))
diff$(1):
	@$(foreach stage,$(call stages_of,$(1)),$(call with_stage,STAGE_DIFF,$(call stage_words,$(stage)));)
endef
$(foreach stage,$(STAGES),$(eval $(call with_stage,STAGE_RULES,$(call stage_words,$(stage)))))
$(foreach s,$(STEP_IDS),$(if $(word 2,$(call stages_of,$(s))),$(eval $(call STEP_RULES,$(s)))))

# Kernels of a study: number and file. `run sweep` has them built when it needs them; a step does not.
STUDIES := $(shell awk -F'"' '/^LAB_STEP/ {directory = $$4} \
    /^LAB_STUDY/ {print $$2 "=steps/" directory "/" $$4 ".cu"}' steps/steps.def)
define STUDY_RULES
$(call stage_so,$(1)): $(2) $(wildcard common/*.h common/families/*.h common/ptx/*.h) $(KERNEL_STAMP)
	$$(call say,NVCC,$$<)
	@mkdir -p $$(@D)
	$$(Q)$$(COMPILE_SO) $$(NVCCFLAGS) $$(NVCC_LINK) $$(WHOLE_SO)
endef
$(foreach s,$(STUDIES),$(eval $(call STUDY_RULES,$(word 1,$(call stage_words,$(s))),$(word 2,$(call stage_words,$(s))))))
STUDY_SO := $(foreach s,$(STUDIES),$(call stage_so,$(word 1,$(call stage_words,$(s)))))
.PHONY: studies
studies: run $(SIM_IF_POSSIBLE) $(STUDY_SO) ## build the kernels of the parameter studies (step05, step08 to step10, step12, step13)

# step7 is step07, and so for all that is named by a number.
define SHORT_RULES
.PHONY: $(1)$(3)
$(1)$(3): $(1)$(2)
endef
short_names = $(foreach kind,$(1),$(foreach id,$(filter 0%,$(2)),$(eval $(call SHORT_RULES,$(kind),$(id),$(patsubst 0%,%,$(id))))))
$(call short_names,step diff standalone,$(sort $(STEP_IDS) $(foreach stage,$(STAGES),$(word 1,$(call stage_words,$(stage))))))

# A kernel file that was renamed since the last build is still named by that build's dependencies.
steps/%.cu solutions/%.cu exercises/%.cu: ;

.PHONY: steps all
steps: $(foreach s,$(STEP_IDS),step$(s)) ## build every step
all: steps ## the same
stepNN stepNN.S: ## build step NN, or its stage S, and what ./run compares it with
standaloneNN standaloneNN.S: ## write each stage of step NN, or stage S, as one file with a main of its own
diffNN diffNN.S: ## print what each stage of step NN, or stage S, changes in the one it builds on

# --- exercises: the one source is solutions/NN_name/kernel.cu ---------------------------------------

EXERCISE_DIRS := $(sort $(notdir $(wildcard solutions/[0-9][0-9]*_*)))
EXERCISE_IDS  := $(foreach d,$(EXERCISE_DIRS),$(firstword $(subst _, ,$d)))
# A student's kernel may well have something unused in it while it is being written.
STUDENT_FLAGS  = $(subst -Werror all-warnings,,$(NVCCFLAGS))

define EXERCISE_RULES
.PHONY: exercise$(1) solution$(1) reset-exercise$(1)
exercises/$(2)/kernel.cu:
	@bash harness/exercise/exercises.sh write $(1)
$(BUILD)/exercise/$(1).so: exercises/$(2)/kernel.cu $(wildcard common/*.h common/families/*.h common/ptx/*.h) $(KERNEL_STAMP)
	$$(call say,NVCC,$$<)
	@mkdir -p $$(@D)
	$$(Q)$$(COMPILE_SO) $$(STUDENT_FLAGS) $$(NVCC_LINK) $$(WHOLE_SO)
$(BUILD)/solution/$(1).so: solutions/$(2)/kernel.cu $(wildcard common/*.h common/families/*.h common/ptx/*.h) $(KERNEL_STAMP)
	$$(call say,NVCC,$$<)
	@mkdir -p $$(@D)
	$$(Q)$$(COMPILE_SO) $$(NVCCFLAGS) $$(NVCC_LINK) $$(WHOLE_SO)
exercise$(1): solution$(1) $(BUILD)/exercise/$(1).so
solution$(1): run $$(SIM_IF_POSSIBLE) $(BUILD)/solution/$(1).so
reset-exercise$(1):
	@bash harness/exercise/exercises.sh reset $(1)
	@rm -f '$(BUILD)/hints/$(1)' '$(BUILD)/passed/exercise$(1).sim' '$(BUILD)/passed/exercise$(1).gpu'
endef
$(foreach d,$(EXERCISE_DIRS),$(eval $(call EXERCISE_RULES,$(firstword $(subst _, ,$d)),$d)))
$(call short_names,exercise solution reset-exercise,$(EXERCISE_IDS))

.PHONY: exercises solutions exercises-check
exercises: ## write exercises/ from solutions/; an exercise that was worked on is kept
	@bash harness/exercise/exercises.sh write
exercises-check: ## fail if exercises/ is not as solutions/ say
	@bash harness/exercise/exercises.sh check
solutions: $(foreach e,$(EXERCISE_IDS),solution$(e)) ## build every solution
exerciseNN: ## build exercise NN and its solution, for ./run exerciseNN
reset-exerciseNN: ## write the untouched exercise NN again

# --- recipes for course systems -------------------------------------------------------------------

EXERCISE ?=
.PHONY: autograder classroom
autograder: ## write build/autograder-05.zip for Gradescope: EXERCISE=05
	@bash harness/recipes/write.sh autograder '$(EXERCISE)' $(BUILD)
classroom: ## write build/classroom-05.yml, a workflow for a course on GitHub: EXERCISE=05
	@bash harness/recipes/write.sh classroom '$(EXERCISE)' $(BUILD)

# --- tests ----------------------------------------------------------------------------------------

SIM_TESTS  := $(wildcard harness/sim/tests/test_*.c)
TEST_SRC   := $(wildcard harness/tests/test_*.c) $(SIM_TESTS)
TEST_BINS  := $(patsubst %,$(BUILD)/tests/%,$(basename $(notdir $(TEST_SRC))))
TEST_LIBS   = $(CRITERION_LIBS) $(SIM_PACKAGE_LIBS) -lpthread -lm -ldl
SIM_BINS   := $(patsubst harness/sim/tests/%.c,$(BUILD)/tests/%,$(SIM_TESTS))
SIM_API    := $(filter $(BUILD)/tests/test_runtime_% $(BUILD)/tests/test_cublas% $(BUILD)/tests/test_programs $(BUILD)/tests/test_install $(BUILD)/tests/test_levels $(BUILD)/tests/test_rooms,$(SIM_BINS))
SIM_UNIT   := $(filter-out $(SIM_API),$(SIM_BINS))
# Once more with what is compiled for the vector levels that this machine has.
LEVEL_UNIT := $(foreach level,$(filter $(LEVELS_HERE),$(SIM_ALL_LEVELS)),$(patsubst $(BUILD)/tests/%,$(BUILD)/tests/$(level)/%,$(filter $(BUILD)/tests/test_sim_%,$(SIM_UNIT))))
OTHER_TEST := $(filter-out $(SIM_BINS),$(TEST_BINS))
PROGRAMS   := $(patsubst harness/sim/tests/%.cu,$(BUILD)/tests/%,$(wildcard harness/sim/tests/programs/*.cu))
BARE_LOOP  := $(BUILD)/tests/bare_loop # no test: needs a GPU
FAMILY_TESTS := $(BUILD)/tests/family_tests # no test: lists problems for test_gpu.sh
TEST_HELP  := $(BUILD)/harness/tests/run_lab.o $(BUILD)/harness/tests/recorded.o $(BUILD)/harness/tests/made_kernel.o
MODEL_TIMES := $(BUILD)/tests/model_times # no test: models recorded counters, for docs/compare_model.py
SIM_HELP   := $(BUILD)/harness/sim/tests/sim_fixture.o

$(BUILD)/harness/tests/%.o $(BUILD)/harness/sim/tests/%.o: EXTRA_CFLAGS = $(CRITERION_CFLAGS)
$(BUILD)/harness/tests/test_apsp.o: EXTRA_CFLAGS = $(CRITERION_CFLAGS) $(IGRAPH_CFLAGS)

$(SIM_UNIT): $(BUILD)/tests/%: $(BUILD)/harness/sim/tests/%.o $(SIM_HELP) $(SIM_CORE_OBJ)
define LEVEL_UNIT_RULES
$(filter $(BUILD)/tests/$(1)/%,$(LEVEL_UNIT)): $(BUILD)/tests/$(1)/%: $(BUILD)/harness/sim/tests/%.o $(SIM_HELP) $(SIM_BASE_OBJ) $(call sim_level_obj,$(1))
endef
$(foreach level,$(filter $(LEVELS_HERE),$(SIM_ALL_LEVELS)),$(eval $(call LEVEL_UNIT_RULES,$(level))))
$(SIM_UNIT) $(LEVEL_UNIT):
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) -l:libstdc++.so.6 $(SIM_PACKAGE_LIBS)
$(BUILD)/tests/test_install: $(BUILD)/nvcc.command
$(BUILD)/tests/test_faults: | $(BUILD)/nvcc.command $(BUILD)/tests/crash.so
$(BUILD)/tests/crash.so: harness/tests/data/crash.c $(STAMP)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -fPIC -fno-builtin $< -o $@
$(BUILD)/tests/test_levels: $(BUILD)/tests/programs/levels
$(SIM_API): $(BUILD)/tests/%: $(BUILD)/harness/sim/tests/%.o $(SIM_LIBS)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) -L$(BUILD)/sim -l:libcublas.so.13 -l:libcudart.so.13 \
	    -Wl,-rpath,'$$ORIGIN/../sim' $(TEST_LIBS)
$(OTHER_TEST) $(MODEL_TIMES): $(BUILD)/tests/%: $(BUILD)/harness/tests/%.o $(TEST_HELP) $(HARNESS)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -rdynamic -o $@ $^ -L$(BUILD)/sim -l:libcublas.so.13 -l:libcudart.so.13 \
	    -Wl,-rpath,'$$ORIGIN/../sim' $(TEST_LIBS)
$(OTHER_TEST) $(MODEL_TIMES): $(SIM_LIBS)
$(BARE_LOOP) $(FAMILY_TESTS): $(BUILD)/tests/%: $(BUILD)/harness/tests/%.o $(HARNESS) $(if $(CUBLAS_LIB),,$(SIM_LIBS))
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LAUNCH_POINTS) $(CUDA_LINK)
$(BUILD)/tests/test_apsp: TEST_LIBS += $(IGRAPH_LIBS)
$(BUILD)/tests/programs/%: harness/sim/tests/programs/%.cu $(KERNEL_STAMP)
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)'$(NVCC)' -std=c++17 -arch=sm_$(ARCH) -cudart none '-L$(CUDA_LIB)' \
	    -Iharness -Xlinker -l:libcudart.so.13 $< -o $@

$(BUILD)/tests/cliffs: harness/tests/cliffs.cu $(KERNEL_STAMP)
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)'$(NVCC)' -std=c++17 -arch=sm_$(ARCH) -lineinfo -cudart none '-L$(CUDA_LIB)' \
	    -Iharness -Xlinker -l:libcudart.so.13 $< -o $@

# Kernels that must be caught, and right ones: twenty to an object, which `--source` takes them from. Those that must
# not compile, or run when they are loaded, are compiled by their tests.
CORPUS := $(shell grep -L -e 'expect: build_error' -e 'compiled alone' harness/tests/broken/*.cu harness/tests/right/*.cu)
.PHONY: always
always:
# 1: number, 2: files, which may be others than the last time
define BATCH_RULES
$(BUILD)/tests/corpus/batch-$(1).cu: harness/tests/batch.sh $(2) $(if $(filter all,$(value TO_BUILD)),,always)
	@mkdir -p $$(@D)
	$$(Q)bash harness/tests/batch.sh $(2) > $$@.new; if cmp -s $$@.new $$@; then rm $$@.new; else mv $$@.new $$@; fi
$(BUILD)/tests/corpus/batch-$(1).so: $(BUILD)/tests/corpus/batch-$(1).cu $(KERNEL_STAMP)
	$$(call say,NVCC,$(firstword $(2)) and $(words $(wordlist 2,99,$(2))) more)
	$$(Q)$$(COMPILE_SO) $$(STUDENT_FLAGS) $$(NVCC_LINK) $$(WHOLE_SO)
	$$(Q)for file in $(2); do ln -sfn batch-$(1).so $$(@D)/$$$$(basename $$$$file .cu).so; done
endef
corpus_batches = $(if $(1),$(eval BATCHES += $(words $(BATCHES) x))$(eval $(call BATCH_RULES,$(words $(BATCHES)),$(wordlist \
                 1,20,$(1))))$(call corpus_batches,$(wordlist 21,$(words $(1)),$(1))))
$(call corpus_batches,$(CORPUS))
# Submissions that `--source` is given, too.
$(call corpus_batches,$(wildcard $(addprefix harness/tests/submissions/,naive/*.cu unknown/cluster_barrier_*.cu $(addprefix wrong/,\
                      race.cu skips_the_last_row.cu unwritten_shared.cu never_ends.cu divergent_barrier.cu asks_for_endless_scratch.cu \
                      more_rows_than_a_grid_has.cu unknown_and_out_of_bounds.cu))))
# The exercises as students get them, stubNN.
STUBS := $(EXERCISE_IDS:%=$(BUILD)/tests/stubs/stub%.cu)
$(STUBS): $(BUILD)/tests/stubs/stub%.cu: harness/exercise/stub.awk solutions/solutions.def $(wildcard solutions/*/kernel.cu)
	@mkdir -p $(@D)
	$(Q)awk -f $< $(wildcard solutions/$**/kernel.cu) > $@.new && mv $@.new $@
$(eval $(call BATCH_RULES,stubs,$(STUBS)))
# Solutions with a mistake: those that `make test` takes, and those of test-all. What stays as it was is not built again.
MISTAKES_IN := $(BUILD)/tests/mistakes
MISTAKES    := $(shell awk '/^M/ {print "$(MISTAKES_IN)/" (/^MORE/ ? "all/" : "") "mistake" ++n ".cu"}' \
               harness/tests/natural_mistakes.def)
$(MISTAKES): $(MISTAKES_IN)/written ;
$(MISTAKES_IN)/written: $(BUILD)/tests/write_mistakes $(wildcard solutions/*/kernel.cu)
	@mkdir -p $(@D)/all
	$(Q)$< | while IFS=$$(printf '\t') read -r name exercise change; do \
	    sed "$$change" solutions/$${exercise}_*/kernel.cu > $(@D)/new && { cmp -s $(@D)/new $(@D)/$$name.cu || mv $(@D)/new $(@D)/$$name.cu; } || exit; \
	done && touch $@
$(BUILD)/tests/write_mistakes: $(BUILD)/harness/tests/write_mistakes.o
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $<
$(call corpus_batches,$(filter-out $(MISTAKES_IN)/all/%,$(MISTAKES)))
CORPUS_SO := $(BATCHES:%=$(BUILD)/tests/corpus/batch-%.so) $(BUILD)/tests/corpus/batch-stubs.so
$(call corpus_batches,$(filter $(MISTAKES_IN)/all/%,$(MISTAKES)))
ALL_CORPUS_SO := $(BATCHES:%=$(BUILD)/tests/corpus/batch-%.so)

# ONLY=apsp: of `test`, what concerns a family, a room (harness/measure) or a file.
ONLY ?=
.PHONY: freeze test test-all test-build test-sim test-gpu mutations compile check-arm64
TEST_ENV = $(if $(SANITIZE),LAB_TEST_SANITIZE='$(SANITIZE)') LAB_TEST_ROOT='$(CURDIR)' LAB_TEST_BUILD='$(if $(filter /%,$(BUILD)),,$(CURDIR)/)$(BUILD)' $(if $(ONLY),LAB_TEST_ONLY='$(ONLY)')
RUN_TESTS = @$(TEST_ENV) LAB_TEST_RUNTIME=sim $(1) bash harness/tests/run_tests.sh
test: test-build ## run the tests on the simulator, in minutes; ONLY=apsp, ONLY=harness/measure: what concerns that
	$(call RUN_TESTS) $(TEST_BINS)
test-all: test-build $(ALL_CORPUS_SO) ## run them on every size and kernel, and at each vector level: before changes land
	$(call RUN_TESTS,LAB_TEST_ALL=1) $(TEST_BINS) $(LEVEL_UNIT)
# Everything built twice more, to stop where C leaves undefined what happens, and where the simulator's threads race; kernels
# are as they were built. Meanwhile ./run is of such a build. SANITIZED_GOAL: test-all, or test-sim for the simulator's unit tests;
# SAMPLE: of the kernels of the corpora one in so many is run by itself.
SANITIZED := $(BUILD)/sanitized
SANITIZED_GOAL ?= test-all
SAMPLE ?= 1
sanitized_folder = mkdir -p $(1)/tests && rm -f $(1)/report.* && for part in config.mk kernels.stamp nvcc.command steps exercise solution \
    tests/corpus tests/stubs tests/mistakes; do ln -sfn '$(abspath $(BUILD))'/$$part $(1)/$$part; done
SANITIZER_OPTIONS = abort_on_error=1:verify_asan_link_order=0:detect_leaks=0:check_printf=0:max_redzone=16:handle_segv=0:handle_abort=0:log_path=$(abspath $(SANITIZED))/report
.PHONY: test-sanitized
test-sanitized: test-build $(if $(filter test-all,$(SANITIZED_GOAL)),$(ALL_CORPUS_SO)) ## run the tests, all corpora too, where AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer look
	@$(call sanitized_folder,$(SANITIZED))
	@NVCC_APPEND_FLAGS='-Xcompiler -fsanitize=address' ASAN_OPTIONS=$(SANITIZER_OPTIONS) \
	    $(MAKE) BUILD=$(SANITIZED) SANITIZE=address,undefined SIM_LEVELS= run sim $(SANITIZED_GOAL); status=$$?; ln -sfn $(BUILD) .built; \
	    for file in $(SANITIZED)/report.*; do if [ -f "$$file" ]; then cat "$$file"; status=1; fi; done; exit $$status
	@bash harness/tests/sanitized.sh $(SANITIZED) $(SAMPLE)
	@$(call sanitized_folder,$(SANITIZED)/threads)
	@$(MAKE) BUILD=$(SANITIZED)/threads SANITIZE=thread SIM_LEVELS= $(SANITIZED)/threads/run sim
	@bash harness/tests/sanitized.sh $(SANITIZED)/threads $(SAMPLE)
test-build: steps solutions studies $(TEST_BINS) $(LEVEL_UNIT) $(PROGRAMS) $(BARE_LOOP) $(FAMILY_TESTS) $(MODEL_TIMES) $(CORPUS_SO) ## build what `make test` runs
	@rm -f $(patsubst %.cu,$(BUILD)/tests/corpus/%.so,$(notdir $(filter-out $(CORPUS),$(wildcard harness/tests/broken/*.cu harness/tests/right/*.cu))))
freeze: test-build ## write the transcripts in harness/tests/frozen anew, after a change that is meant
	@$(TEST_ENV) LAB_FREEZE=1 $(BUILD)/tests/test_frozen
test-sim: $(SIM_BINS) $(LEVEL_UNIT) $(PROGRAMS) ## run the tests of the simulator alone
	$(call RUN_TESTS) $(SIM_BINS) $(LEVEL_UNIT)
# One line changed at a time, in copies: does a test notice? JOBS: copies that work beside each other.
mutations: ## change lines by rule and see which tests notice: SINCE=main~5, or ROOM=harness/measure N=20 SEED=3
	@python3 -B harness/tests/mutate.py --build='$(BUILD)' --since='$(SINCE)' --count='$(or $(N),0)' --seed='$(or $(SEED),1)' --jobs='$(or $(JOBS),1)' --rooms $(ROOM)
compile: $(HARNESS_OBJ) $(MAIN_OBJ) $(RECORDER_OBJ) $(TIMER_OBJ) $(SIM_CORE_OBJ) $(SIM_RT_OBJ) $(SIM_BLAS_OBJ) \
         $(foreach level,$(SIM_ALL_LEVELS),$(call sim_level_obj,$(level))) $(TEST_SRC:%.c=$(BUILD)/%.o) $(TEST_HELP) $(SIM_HELP) \
         $(patsubst %.c,$(BUILD)/%.o,$(wildcard harness/tests/fuzz/pretended_*.c) $(FUZZ_TARGETS:%=harness/tests/fuzz/%.c)) ## compile all C sources, such as with another CC
check-arm64: ## build step07 and run the simulator's unit tests on an emulated ARM machine (root, an hour)
	@bash .ci/arm64
test-gpu: steps studies $(FAMILY_TESTS) $(if $(filter yes,$(HAVE_SIM_LIBS)),solution07) ## run the steps at every test size on a GPU
	@$(TEST_ENV) bash harness/tests/test_gpu.sh

# Every level that this machine has is built, so that there are some that it would not take by itself.
.PHONY: test-elsewhere
test-elsewhere: ## compare what the simulator says at other vector levels, with another heap, more workers, another language
	@$(MAKE) SIM_LEVELS='$(LEVELS_HERE)' test-build
	@bash harness/tests/elsewhere.sh $(BUILD) $(CIRCUMSTANCES)

.PHONY: bare-loop
bare-loop: steps $(BARE_LOOP) ## hold the times of run against a plain loop, on a GPU (with python3)
	@$(TEST_ENV) python3 -B harness/tests/bare_loop.py $(BUILD)
# --- fuzzing: readers of what a submission controls -------------------------------------------------

# What each reader consists of, beside its own file in harness/tests/fuzz/.
FUZZ_TARGETS     := object fatbin ptx answers timer
FUZZ_SRC_ptx     := $(SIM_BASE_SRC) $(SIM_FAST_SRC)
FUZZ_SRC_fatbin  := $(wildcard harness/sim/fatbin/*.c)
FUZZ_SRC_object  := $(wildcard harness/sim/ptx/*.c harness/sim/fatbin/*.c) harness/grade/recorded_launches/object.c \
                    harness/grade/recorded_launches/launch.c harness/tests/fuzz/pretended_cuda.c
FUZZ_SRC_answers := harness/grade/recorded_launches/recording.c harness/grade/recorded_launches/launch.c harness/base/paths.c \
                    harness/tests/fuzz/pretended_cuda.c harness/tests/fuzz/pretended_recorder.c
FUZZ_SRC_timer   := $(FUZZ_SRC_answers) harness/grade/timer/client.c
FUZZ_LIBS        := -lpthread -lm -ldl -l:libstdc++.so.6 $(SIM_PACKAGE_LIBS)

# What is kept in harness/tests/fuzz/seeds, read once more by test_fuzz: any compiler, no fuzzer.
FUZZ_REPLAY := $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz_%)
define REPLAY_RULES
$(BUILD)/tests/fuzz_$(1): harness/tests/fuzz/replay.c $(patsubst %.c,$(BUILD)/%.o,harness/tests/fuzz/$(1).c $(FUZZ_SRC_$(1)))
	$$(call say,LINK,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CPPFLAGS) $$(C_STD) $$(CFLAGS) $$(LDFLAGS) -DFUZZ_TARGET=fuzz_$(1) -o $$@ $$^ $$(FUZZ_LIBS)
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call REPLAY_RULES,$(t))))
$(BUILD)/tests/test_fuzz: | $(FUZZ_REPLAY)

# make fuzz TARGET=ptx SECONDS=600: with clang's fuzzer, on top of seeds/ and of what earlier runs left in $(BUILD)/fuzz/ptx;
# what it finds is written to $(BUILD)/fuzz/ptx-*.
FUZZ_CC    ?= clang
FUZZ_FLAGS := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_OBJ    = $(patsubst %.c,$(BUILD)/fuzz/%.o,harness/tests/fuzz/$(TARGET).c $(FUZZ_SRC_$(TARGET)))
$(BUILD)/fuzz/%.o: %.c $(STAMP)
	$(call say,CC,$<)
	@mkdir -p $(@D)
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

# --- pages, format, editors -----------------------------------------------------------------------

compare-model: steps $(MODEL_TIMES) ## model the recorded counters and compare with measured times
	@python3 -B docs/compare_model.py
.PHONY: compare-model docs results results-check record format format-check bench-sim clean
docs: ## build the Doxygen site in build/docs/html (warnings are errors)
	@bash docs/build.sh $(BUILD)

results: ## rewrite the figures, excerpts, tables and plots of README.md and the walkthroughs
	@python3 -B docs/generate.py
	@python3 -B docs/pictures.py
	@python3 -B docs/glossary.py
results-check: ## fail if they are not as `make results` writes them
	@python3 -B docs/generate.py --check
	@python3 -B docs/pictures.py --check
	@python3 -B docs/glossary.py --check
	@python3 -B docs/sections.py
	@python3 -B docs/sentences.py
record: steps ## time the series on this GPU and keep the results in docs/results
	@bash docs/record.sh

FORMATTED = $(shell find common harness steps solutions -name '*.[ch]' -o -name '*.cu')
format: ## format all C and CUDA sources
	@bash harness/setup/format.sh $(BUILD) -i $(FORMATTED)
format-check: ## fail if a source is not formatted
	@bash harness/setup/format.sh $(BUILD) --dry-run -Werror $(FORMATTED)

bench-sim: steps $(BUILD)/tests/cliffs ## print the simulator's speed, and Oclgrind's where it is installed
	@$(TEST_ENV) bash harness/tests/bench_sim.sh

.PHONY: completion
completion: $(BUILD)/run ## write what makes bash, zsh and fish complete the words of ./run
	@mkdir -p $(BUILD)/completion
	@for shell in bash zsh fish; do \
	    $(BUILD)/run completion $$shell > $(BUILD)/completion/run.$$shell || exit 1; \
	    echo "$$shell: source $(abspath $(BUILD))/completion/run.$$shell"; done
	@echo 'Each stays if that line is added to the shell'"'"'s own file: ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.'

compile_commands.json: export COMMAND = $(CC) $(CPPFLAGS) $(C_STD) $(CFLAGS)
compile_commands.json: $(BUILD)/config.mk Makefile ## for clangd and other editors
	@bash harness/setup/compile_commands.sh "$$COMMAND" \
	    $(HARNESS_SRC) harness/main.c harness/lab.c $(SIM_BASE_SRC) $(SIM_FAST_SRC) $(SIM_RT_SRC) $(SIM_BLAS_SRC) $(TEST_SRC) > $@

clean: ## remove everything built (an installed toolkit in build/toolkit stays)
	@find $(BUILD) -mindepth 1 -maxdepth 1 ! -name toolkit -exec rm -rf {} + 2>/dev/null || true
	@rm -f .built compile_commands.json

-include $(shell find $(BUILD) -name '*.d' -not -path '*/toolkit/*' -not -path '$(BUILD)/sanitized/*' 2>/dev/null)
