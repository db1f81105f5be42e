# Writes build/steps.mk: what make knows of stages, studies and exercises, from their registries.
#
#   awk -v build=BUILD -f steps.awk steps/steps.def solutions/solutions.def
#
# stepNN builds an object for each stage of step NN, for the stage it builds on, and for the first one of its problem.
BEGIN { FS = "\"" }

function object(kind, number) { return build "/" kind "/" number ".so" }

# step7 is step07, and so for all that is named by a number.
function name(kind, number) {
    phony[kind number]
    if (number ~ /^0/) {
        phony[kind substr(number, 2)]
        print kind substr(number, 2) ": " kind number
    }
}

# What a step of several stages has: their objects, their files, and what they change, one after another.
function end_step() {
    if (!several) return
    name("step", step); name("diff", step); name("standalone", step)
    print "step" step ":" several "\nstandalone" step ":" several_alone "\ndiff" step ":" differences
    several = several_alone = differences = ""
}

/^LAB_STEP/ {
    end_step()
    step = $2; directory = $4; family = $6
    steps = steps " step" step
}

/^LAB_STAGE/ {
    number = $2; file[number] = "steps/" directory "/" $4 ".cu"; of[number] = family; on = $6
    if (!(family in first)) first[family] = number
    objects["STAGE"] = objects["STAGE"] " " object("steps", number)
    print object("steps", number) ": " file[number]
    if ($8) print object("steps", number) ": private override ARCH := $(call newer," $8 ")"
    print "step" number ": " object("steps", number) " " object("steps", first[family]) (on ? " " object("steps", on) : "")
    print "standalone" number ":\n\t@bash harness/standalone/write.sh " number " $(BUILD)/standalone"
    change = "echo 'step " number " is the first of its problem: read " file[number] "'"
    if (on && of[on] == family) change = "diff -u " file[on] " " file[number] " || true"
    print "diff" number ":\n\t@" change
    name("step", number); name("diff", number); name("standalone", number)
    goals = goals " step" number
    if (number == step) next
    several = several " step" number
    several_alone = several_alone " standalone" number
    differences = differences "\n\t@" change
}

/^LAB_STUDY/ {
    objects["STUDY"] = objects["STUDY"] " " object("steps", $2)
    print object("steps", $2) ": steps/" directory "/" $4 ".cu"
}

# A hand-out has no solutions to build: their figures are recorded.
/^#define LAB_IS_HANDOUT/ { is_handout = 1 }

/^LAB_EXERCISE/ {
    number = $2; source = $4 "/kernel.cu"
    numbers = numbers " " number
    exercises = exercises " exercise" number
    objects["EXERCISE"] = objects["EXERCISE"] " " object("exercise", number)
    print object("exercise", number) ": exercises/" source
    if ($12) print object("exercise", number) " " object("solution", number) ": private override ARCH := $(call newer," $12 ")"
    print "exercises/" source ":\n\t@bash harness/exercise/exercises.sh write " number
    print "exercise" number ": " object("exercise", number)
    if (is_handout) {
        print "solution" number ":\n\t@echo \"make: a hand-out has no solution" number "\" >&2; exit 2"
    } else {
        objects["SOLUTION"] = objects["SOLUTION"] " " object("solution", number)
        solutions = solutions " solution" number
        print object("solution", number) ": solutions/" source
        print "exercise" number ": solution" number
        print "solution" number ": " object("solution", number)
    }
    print "reset-exercise" number ":\n\t@bash harness/exercise/exercises.sh reset " number " $(BUILD)"
    name("exercise", number); name("solution", number); name("reset-exercise", number)
}

END {
    end_step()
    for (kind in objects) print kind "_SO :=" objects[kind]
    print "STEPS :=" steps "\nSTAGE_GOALS :=" goals "\nSOLUTIONS :=" solutions "\nEXERCISES_ALL :=" exercises "\nEXERCISE_IDS :=" numbers
    printf ".PHONY:"
    for (one in phony) printf " %s", one
    print ""
}
