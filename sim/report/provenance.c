#include "report/provenance.h"

#include "base/version.h"

void tma_provenance_json(const struct tma_digests *digests, struct tma_json *json) {
    char text[TMA_DIGEST_TEXT_BYTES];
    tma_json_string(json, "tmasim", TMA_VERSION);
    if (digests == NULL)
        return;
    tma_json_begin_line(json, "digest");
    tma_digest_text(digests->machine, text);
    tma_json_string(json, "machine", text);
    tma_digest_text(digests->scenario, text);
    tma_json_string(json, "scenario", text);
    tma_json_end_object(json);
}
