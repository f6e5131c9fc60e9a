/* Sizes that are small in builds for fuzzing, which run very many small inputs: an input is then
 * cheap, and pools that begin small grow within most of them. */
#pragma once

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define TMA_UNLESS_FUZZING(usual, fuzzing) (fuzzing)
#else
#define TMA_UNLESS_FUZZING(usual, fuzzing) (usual)
#endif
