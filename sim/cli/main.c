/* tmasim: the command. */
#include "cli/command.h"
#include "cli/files/output.h"
#include "cli/files/temporary.h"

int main(int count, char **arguments) {
    cli_output_prepare();
    cli_temporary_watch_signals();
    return cli_run_command(count, arguments);
}
