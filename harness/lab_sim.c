/* Entry of `lab-sim`, which `make install-sim` installs: `run exec` without the lab. */
#include "exec/exec.h"

int main(int argc, char **argv)
{
    return lab_exec(argc, argv);
}
