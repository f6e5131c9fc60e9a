/* The programs that shells run to complete a command line: they ask the command
 * (cli/help/shell_completion.h).
 */
#ifndef TMA_CLI_SHELL_SCRIPTS_H
#define TMA_CLI_SHELL_SCRIPTS_H

extern const char cli_bash_completion[], cli_zsh_completion[], cli_fish_completion[];

#endif
