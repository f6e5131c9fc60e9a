/* The parameters of a scenario, and the numbers that are expressions of them. Internal to this
 * folder. */
#pragma once

#include "expression/expression.h"
#include "scenario/tree.h"
#include "scenario/units.h"

struct tma_parameters {
    struct tma_expression_name *items; /* owned; their names are borrowed from the document */
    size_t count;
};

/* Reads the mapping `parameters` of a document, in which each one may use those before it. Without
 * such a mapping there are none. Then all nodes of the document refer to the parameters. Appends
 * every error to the list. A parameter with an error stays, as a variable, so that what uses it is
 * not reported as well. Returns NULL when out of memory. */
struct tma_parameters *tma_parameters_read(struct tma_yaml_node *root,
                                           struct tma_diagnostics *list);

/* False if a parameter has an error. */
bool tma_parameters_valid(const struct tma_parameters *parameters);

/* NULL is allowed. */
void tma_parameters_free(struct tma_parameters *parameters);

/* Visits the parameters in order, each with its value as text. */
void tma_parameters_visit(const struct tma_parameters *parameters,
                          void (*visit)(void *context, const char *key, const char *value),
                          void *context);

/* True for a name that a parameter or a loop may have: letters, digits and "_", not a function of
 * expressions or a variable that kernels have. *why (may be NULL) says what is wrong otherwise. */
bool tma_parameter_name_valid(const char *name, const char **why);

/* Size of a buffer for a parameter's name and value, as in ", BM = 128". */
enum { TMA_MAX_PARAMETER_TEXT = 80 };

/* The parameter, of the first `count`, whose name is the word of that length; NULL: none is. */
const struct tma_expression_name *tma_parameter_named(const struct tma_parameters *parameters,
                                                      size_t count, const char *word,
                                                      size_t length);

/* Length of the word (letters, digits, "_") at the beginning of a text. */
size_t tma_parameter_word_length(const char *text);

/* True if a text is meant as an expression: it has an operator, or the name of a parameter. A
 * number, with or without a unit, is not. */
bool tma_text_is_expression(const char *text, const struct tma_parameters *parameters);

/* Returns the location of a column (from 1) of a scalar's text. */
struct tma_location tma_text_location(const struct tma_yaml_node *node, unsigned column);

/* Computes the value of a scalar that is an expression of the parameters, in the unit's base unit.
 * On failure appends an error that begins with `name`, unless a parameter that has an error of its
 * own is the reason, and returns false. */
bool tma_expression_number(const struct tma_yaml_node *node, const struct tma_quantity_unit *unit,
                           const char *name, int64_t *value, struct tma_diagnostics *list);
