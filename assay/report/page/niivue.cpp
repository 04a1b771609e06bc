// SPDX-License-Identifier: Apache-2.0
/// NiiVue as text, in a file of its own because it is long.
#include "assay/report/page/page.hpp"
#include "embedded_niivue.hpp"

namespace assay::report {

std::string_view niivue_script() {
  return embedded_niivue;
}

}  // namespace assay::report
