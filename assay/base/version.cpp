// SPDX-License-Identifier: Apache-2.0
#include "assay/version.hpp"

#include "assay_commit.hpp"

namespace assay {

const char* version() {
  return ASSAY_VERSION;
}

const char* commit() {
  return ASSAY_COMMIT;
}

}  // namespace assay
