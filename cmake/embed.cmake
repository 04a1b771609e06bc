# embed(NAME FILE): generated/NAME.hpp with `inline constexpr std::string_view NAME` = the file's text.
function(embed name file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  # The length comes from sizeof, because compilers do not count the characters of a long text at compile time.
  string(CONCAT header "#pragma once\n#include <string_view>\n"
                "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"  # our compilers take any length
                "inline constexpr char ${name}_text[] = R\"embed(${text})embed\";\n"
                "inline constexpr std::string_view ${name}{${name}_text, sizeof(${name}_text) - 1};\n")
  set(target ${PROJECT_BINARY_DIR}/generated/${name}.hpp)
  if(EXISTS ${target})
    file(READ ${target} before)
  endif()
  if(NOT "${before}" STREQUAL "${header}")
    file(WRITE ${target} "${header}")
  endif()
endfunction()

# embed_script(NAME FILE...): the modules as one classic script, in that order. Import lines and the word export, which only
# editors and node need, are removed.
function(embed_script name)
  set(script "\"use strict\";\n(() => {\n")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
    string(APPEND script "${text}")
  endforeach()
  string(APPEND script "})();\n")
  file(WRITE ${PROJECT_BINARY_DIR}/generated/${name}.js.new "${script}")
  file(COPY_FILE ${PROJECT_BINARY_DIR}/generated/${name}.js.new ${PROJECT_BINARY_DIR}/generated/${name}.js ONLY_IF_DIFFERENT)
  embed(${name} ${PROJECT_BINARY_DIR}/generated/${name}.js)
endfunction()
