# generated/assay_commit.hpp has the commit that is being built. Every build refreshes it, not only every configuration, so that
# provenance never names an older commit.
set(commit_header ${PROJECT_BINARY_DIR}/generated/assay_commit.hpp)
add_custom_target(assay_version
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${commit_header}
          -DVERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake
  BYPRODUCTS ${commit_header}
  COMMENT "")
