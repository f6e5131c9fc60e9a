/* What the Python package uses of libtmasim, for cffi. "..." stands for members and values that the
 * compiler takes from the library's headers. The headers' comments say what the members mean. */

enum { TMA_MAX_VIOLATIONS = ..., TMA_MAX_ADVICE = ..., TMA_MAX_FINDINGS = ... };
enum { TMA_OK = ..., TMA_ERROR_FAULT = ..., TMA_ERROR_DEADLOCK = ..., TMA_ERROR_RACE = ..., TMA_ERROR_INTERRUPTED = ... };
enum { TMA_SAMPLING_NONE = ... };
enum { TMA_FIELD_COUNT = ..., TMA_SWIZZLE_FIT = ... };
enum { TMA_LOAD = ..., TMA_STORE = ..., TMA_REDUCE = ..., TMA_PREFETCH = ... };
enum {
    TMA_ACCESS_TILE = ...,
    TMA_ACCESS_GATHER4 = ...,
    TMA_ACCESS_IM2COL = ...,
    TMA_ACCESS_IM2COL_W = ...,
    TMA_ACCESS_IM2COL_W128 = ...
};
enum {
    TMA_MAP_TILED = ...,
    TMA_MAP_IM2COL = ...,
    TMA_MAP_IM2COL_W = ...,
    TMA_MAP_IM2COL_W128 = ...
};

struct tma_error {
    int code;
    char text[...];
    ...;
};

struct tma_name {
    const char *name;
    int value;
};
struct tma_names {
    const char *what;
    const struct tma_name *items;
    size_t count;
};
extern const struct tma_names tma_data_type_names, tma_swizzle_names, tma_interleave_names;
extern const struct tma_names tma_l2_promotion_names, tma_oob_fill_names, tma_map_kind_names;
extern const struct tma_names tma_architecture_names, tma_shared_instruction_names;
extern const struct tma_names tma_lane_map_names, tma_raking_names, tma_sampling_names;
const char *tma_error_meaning(int code);

struct tma_tensor_map {
    int kind;
    int data_type;
    uint32_t rank;
    uint64_t global_address;
    uint64_t global_dim[5];
    uint64_t global_strides[4];
    uint32_t box_dim[5];
    uint32_t element_strides[5];
    int32_t lower_corner[3];
    int32_t upper_corner[3];
    uint32_t channels_per_pixel;
    uint32_t pixels_per_column;
    int interleave;
    int swizzle;
    int l2_promotion;
    int oob_fill;
    ...;
};

struct tma_field_info {
    const char *name;
    const char *unit;
    const struct tma_names *names;
    bool is_list;
    bool is_signed;
    ...;
};
const struct tma_field_info *tma_field_info(int field);
size_t tma_field_count(const struct tma_tensor_map *map, int field);
int64_t tma_field_value(const struct tma_tensor_map *map, int field, size_t index);
void tma_field_set(struct tma_tensor_map *map, int field, size_t index, int64_t value);
void tma_tensor_map_set_dense(struct tma_tensor_map *map);
int tma_fitting_swizzle(const struct tma_tensor_map *map);

struct tma_rule {
    const char *id;
    const char *condition;
    const char *why;
    const char *source;
    const char *fix;
    ...;
};
struct tma_violation {
    const struct tma_rule *rule;
    int field;
    int index;
    int64_t value;
    int relation;
    int64_t bound;
    int64_t nearest;
    ...;
};
size_t tma_tensor_map_check(const struct tma_tensor_map *map, int architecture,
                            struct tma_violation *violations, size_t capacity);
void tma_violation_text(const struct tma_violation *violation, char *text, size_t size);
int tma_tensor_map_repair(struct tma_tensor_map *map, int architecture);
bool tma_map_kind_is_usable(int kind, int architecture);

struct tma_advice_rule {
    const char *id;
    const char *unit;
    ...;
};
struct tma_advice {
    const struct tma_advice_rule *rule;
    int field;
    int index;
    double cost;
    double ideal;
    ...;
};
struct tma_map_use {
    bool loads;
    uint64_t row_bytes;
    bool stores;
    bool gathers;
};
size_t tma_tensor_map_advise(const struct tma_tensor_map *map, int architecture,
                             const struct tma_map_use *use, struct tma_advice *advice,
                             size_t capacity);
void tma_advice_text(const struct tma_advice *advice, char *text, size_t size);

struct tma_finding {
    ...;
};
void tma_finding_text(const struct tma_finding *finding, char *text, size_t size);

struct tma_operation {
    int direction;
    int access;
    int reduction;
    int32_t coordinates[5];
    uint16_t im2col_offsets[3];
    uint16_t w_halo;
    int16_t w_offset;
    uint32_t shared_address;
    uint16_t cta_mask;
    ...;
};
int tma_operation_architecture_check(const struct tma_tensor_map *map,
                                     const struct tma_operation *operation, int architecture,
                                     struct tma_error *error);

struct tma_tile {
    int swizzle;
    uint32_t shared_address;
    uint32_t rows;
    uint32_t row_bytes;
    uint32_t pitch_bytes;
    ...;
};
struct tma_tile_pattern {
    int raking;
    uint32_t block_size;
    uint32_t y_per_tile;
    uint32_t x_per_tile;
    uint32_t vec_size;
    uint32_t warp_size;
    uint32_t wave_groups;
    ...;
};
struct tma_wgmma_operand {
    uint32_t mn;
    uint32_t panel_rows;
    bool mn_major;
    bool descriptor_given;
    int swizzle;
    uint32_t leading_bytes;
    uint32_t stride_bytes;
    ...;
};
struct tma_consumer {
    int instruction;
    int lanes;
    uint32_t stride;
    bool transposed;
    uint32_t repeat;
    struct tma_tile_pattern distribution;
    struct tma_wgmma_operand wgmma;
    ...;
};
struct tma_bank_report {
    uint32_t ways;
    uint32_t worst_bank;
    uint32_t worst_lanes;
    ...;
};
struct tma_consumer_report {
    uint64_t instructions;
    uint64_t wavefronts;
    uint64_t ideal_wavefronts;
    uint64_t bytes;
    uint32_t banks_used;
    uint64_t worst_index;
    struct tma_bank_report worst;
    ...;
};
int tma_consumer_check(const struct tma_consumer *consumer, const struct tma_tile *tile,
                       struct tma_error *error);
struct tma_consumer_report tma_consumer_measure(const struct tma_consumer *consumer,
                                                const struct tma_tile *tile);

struct tma_location {
    const char *file;
    unsigned line;
    unsigned column;
};
struct tma_diagnostic {
    int code;
    struct tma_location at;
    char *text;
};
struct tma_diagnostics {
    struct tma_diagnostic *items;
    size_t count;
    size_t dropped;
    ...;
};
struct tma_diagnostics tma_diagnostics_empty(void);
size_t tma_diagnostics_total(const struct tma_diagnostics *list);
void tma_diagnostics_free(struct tma_diagnostics *list);

struct tma_machine {
    int architecture;
    ...;
};
struct tma_workload {
    struct tma_tensor_map maps[...];
    uint32_t map_count;
    ...;
};
struct tma_kernel_program;
struct tma_scenario {
    char name[...];
    char description[...];
    struct tma_machine machine;
    struct tma_workload workload;
    struct tma_kernel_program *program;
    const char *map_names[...];
    ...;
};
bool tma_scenario_read(const char *path, const char *const *settings, size_t setting_count,
                       struct tma_scenario *scenario, struct tma_diagnostics *list);
bool tma_scenario_read_text(const char *text, const char *name, const char *const *settings,
                            size_t setting_count, struct tma_scenario *scenario,
                            struct tma_diagnostics *list);
void tma_scenario_free(struct tma_scenario *scenario);

/* native.c */
struct py_run_options {
    bool why;
    unsigned draws;
    bool unbounded;
    int sampling;
};
struct py_run_outcome {
    int code;
    struct tma_error error;
    unsigned line;
    unsigned column;
    char *report;
    uint64_t wavefronts;
    uint64_t ideal_wavefronts;
};

const char *py_version(void);
const char *py_library_path(void);
size_t py_encode(const struct tma_tensor_map *map, int architecture, unsigned char *bytes);
double py_time_calls(const struct tma_tensor_map *map, bool encodes, unsigned calls);
size_t py_decode(const unsigned char *bytes, struct tma_tensor_map *map,
                 struct tma_finding *findings, size_t capacity);
int py_box_shape(const struct tma_tensor_map *map, const struct tma_operation *operation,
                 uint32_t *rows, uint32_t *columns, struct tma_error *error);
int py_place(const struct tma_tensor_map *map, const struct tma_operation *operation,
             uint64_t *bits, struct tma_error *error);
int py_tile(const struct tma_tensor_map *map, const struct tma_operation *operation,
            struct tma_tile *tile, struct tma_error *error);
int py_compared_maps(const struct tma_scenario *scenario, bool *compared, struct tma_error *error);
void py_run(struct tma_scenario *scenario, const struct py_run_options *options,
            struct py_run_outcome *outcome);
void py_interrupt(void);
void py_free(char *report);
