#include "report/access_findings.h"

#include <stdio.h>

#include "report/decimal.h"

const char *tma_access_finding_name(enum tma_access_finding finding) {
    static const char *const names[TMA_ACCESS_FINDINGS] = {
        [TMA_ACCESS_UNCOALESCED] = "uncoalesced", [TMA_ACCESS_ONE_ADDRESS] = "one address"};
    return names[finding];
}

bool tma_access_finding_text(enum tma_access_finding finding,
                             const struct tma_access_figures *figures,
                             char text[TMA_ACCESS_FINDING_BYTES]) {
    double accesses = (double)figures->accesses, sectors = (double)figures->sectors,
           ideal = (double)figures->ideal;
    text[0] = '\0';
    switch (finding) {
    case TMA_ACCESS_UNCOALESCED:
        if (4 * figures->sectors < 5 * figures->ideal || figures->sectors == figures->ideal)
            return false;
        snprintf(text, TMA_ACCESS_FINDING_BYTES,
                 "%s sectors a request, %s would do: %s %% of their bytes are not used by it; let "
                 "neighbouring lanes access neighbouring bytes",
                 tma_decimal(tma_ratio(sectors, accesses), 1).text,
                 tma_decimal(tma_ratio(ideal, accesses), 1).text,
                 tma_decimal(100 * tma_ratio(sectors - ideal, sectors), 1).text);
        return true;
    case TMA_ACCESS_ONE_ADDRESS:
        if (figures->repeats == 0)
            return false;
        snprintf(text, TMA_ACCESS_FINDING_BYTES,
                 "%s requests a warp, one after the other, as lanes have one address; combine them "
                 "in the warp (redux.sync, shuffles), and let one lane do the rest",
                 tma_decimal(tma_ratio((double)figures->repeats + accesses, accesses), 1).text);
        return true;
    case TMA_ACCESS_FINDINGS:
        break;
    }
    return false;
}
