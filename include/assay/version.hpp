// SPDX-License-Identifier: Apache-2.0
/// Which assay this is; results and journals name it.
#pragma once

namespace assay {

const char* version();  ///< such as "0.2.0"
const char* commit();   ///< of the source that was built; "unknown" outside a repository

}  // namespace assay
