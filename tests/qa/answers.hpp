// SPDX-License-Identifier: Apache-2.0
/// What the test server answers when nothing fails: a function of the request alone.
#pragma once

#include <string>

#include "tests/qa/protocols.hpp"
#include "tests/qa/settings.hpp"

namespace assay::test_server {

/// --answer TEXT answers everything so. Otherwise {"answer": N}: a question with "#17" gets
/// 17 mod K + 1, any other a number from 1 to K that follows from its text; K is --options (4).
/// With --crops C the reply is an action: C crops, then the answer. --crop x,y,width,height is the
/// first one, each further one lies 16 pixels to the right; --bad-crops B puts B crops that lie
/// outside any slide before them.
std::string answer_to(const Settings& settings, const Question& question);

}  // namespace assay::test_server
