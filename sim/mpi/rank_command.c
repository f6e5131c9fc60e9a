#define _GNU_SOURCE /* PR_SET_PDEATHSIG needs nothing; execvp's environ does */
#include "mpi/rank_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own_folder.h"

enum { NUMBER_BYTES = 12, MOST_CHANNELS = 4096 };

static void list_channels(const int *channels, int count, char *text) {
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        text += snprintf(text, NUMBER_BYTES, "%s%d", i == 0 ? "" : ",", channels[i]);
}

static _Noreturn void become(char **arguments, const char *variable, const int *channels, int count,
                             int input, pid_t parent) {
    static char path[TMA_PATH_TEXT_BYTES + 8], list[MOST_CHANNELS * NUMBER_BYTES];
    /* The command never outlives its rank, which may have died before this call. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    for (int i = 0; i < count; i++)
        fcntl(channels[i], F_SETFD, 0);
    if (input >= 0)
        dup2(input, STDIN_FILENO);
    list_channels(channels, count, list);
    setenv(variable, list, 1);
    tma_own_folder(path);
    strcat(path, "tmasim");
    execv(path, arguments);
    execvp("tmasim", arguments);
    fprintf(stderr, "tmasim-mpi: error: cannot start %s: %s\n", path, strerror(errno));
    _exit(127);
}

pid_t tma_rank_command_start(char **arguments, const char *variable, const int *channels, int count,
                             int input) {
    pid_t parent = getpid(), process = count > MOST_CHANNELS ? -1 : fork();
    arguments[0] = (char *)"tmasim";
    if (process == 0)
        become(arguments, variable, channels, count, input, parent);
    return process;
}

int tma_rank_command_wait(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILURE;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
