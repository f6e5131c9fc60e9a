/* The limits of every input. Each bounds the time or the memory that one file can take, and lies
 * far above what a real scenario or record needs. docs/limits.md is made from this list. */
#pragma once

/* Name, value, what it bounds. */
#define TMA_LIMITS(X)                                                                              \
    X(TMA_LIMIT_TEXT_BYTES, 1048576, "bytes of a scenario, machine or map file")                   \
    X(TMA_LIMIT_YAML_DEPTH, 48, "levels of mappings and lists in such a file")                     \
    X(TMA_LIMIT_YAML_VALUES, 10000, "keys and values in such a file, after aliases")               \
    X(TMA_LIMIT_YAML_BYTES, 1048576, "bytes of keys and values in such a file, after aliases")     \
    X(TMA_LIMIT_PTX_BYTES, 268435456, "bytes of a PTX file")                                       \
    X(TMA_LIMIT_EXPRESSION_BYTES, 1000, "bytes of an expression")                                  \
    X(TMA_LIMIT_EXPRESSION_NODES, 256, "names, numbers and operators of an expression")            \
    X(TMA_LIMIT_EXPRESSION_DEPTH, 32, "levels of parentheses, signs and conditions in one")        \
    X(TMA_LIMIT_RESULT_BYTES, 67108864, "bytes of a report or a sweep that diff reads")            \
    X(TMA_LIMIT_ERRORS, 100, "errors listed for one input; a last line counts the others")         \
    X(TMA_LIMIT_MACHINE_BYTES, 1073741824, "host bytes of L2 tags, and of DRAM queues")            \
    X(TMA_LIMIT_PIPE_BYTES, 2000000000, "bytes of standard input or of a pipe")                    \
    X(TMA_LIMIT_TRACE_BYTES, 2000000000, "bytes of a trace, without `--trace-limit`")              \
    X(TMA_LIMIT_RECORD_FILE_BYTES, 268435456, "bytes of a record file")                            \
    X(TMA_LIMIT_RECORD_WINDOW_BYTES, 1048576, "bytes of shared memory that a record shows")        \
    X(TMA_LIMIT_RECORD_SPAN_BYTES, 67108864, "bytes of global memory that a stored box spans")     \
    X(TMA_LIMIT_RECORD_CTAS, 1048576, "CTAs of a timing record")                                   \
    X(TMA_LIMIT_RECORD_DEPTH, 64, "pipeline slots of a timing record")                             \
    X(TMA_LIMIT_RECORD_OPERATIONS, 1000000, "operations of a timing record, over all CTAs")

enum {
#define TMA_LIMIT_ENUM(name, value, bounds) name = (value),
    TMA_LIMITS(TMA_LIMIT_ENUM)
#undef TMA_LIMIT_ENUM
};
