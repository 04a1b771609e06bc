// SPDX-License-Identifier: Apache-2.0
/// A command as it is typed, and the words that a program is started with. No shell is involved.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A program and its arguments.
using CommandWords = std::vector<std::string>;

/// The words of a command, separated by white space. Quotes work as in a POSIX shell: everything
/// between single quotes is literal; between double quotes a backslash escapes ", \, $ and `;
/// elsewhere it escapes any character. Variables, patterns and ~ are not expanded. Throws
/// Error::usage, with `option` in front, when there is no word, when a quote is not closed, and
/// when a character that only a shell understands is not quoted.
CommandWords command_words(std::string_view command, std::string_view option);

/// The words with every `mark` in them replaced by `value`. A word stays one word, whatever the
/// value holds.
CommandWords with_value(CommandWords words, std::string_view mark, const std::string& value);

/// A word as it can be typed into a shell, in quotes where it needs them.
std::string shell_word(const std::string& word);

/// The command that has these words, as it can be typed into a shell.
std::string command_text(const CommandWords& words);

}  // namespace assay
