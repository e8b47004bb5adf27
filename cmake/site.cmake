# The documents as a site: `cmake --build FOLDER --target site`, and `cmake --install FOLDER --component site` for those
# who package it. Not a part of other builds: it needs Sphinx.
find_program(FJ_SPHINX_BUILD sphinx-build)
set(site_script ${CMAKE_SOURCE_DIR}/scripts/site.sh)
set(site_words ${PROJECT_VERSION} ${CMAKE_BINARY_DIR}/manual/markdown ${installed_documents}/README.site)
if(FJ_SPHINX_BUILD)
  add_custom_target(site COMMAND ${site_script} ${site_words} ${CMAKE_BINARY_DIR}/site COMMENT "the site" VERBATIM)
  add_dependencies(site manual_pages)
else()
  add_custom_target(site COMMAND ${CMAKE_COMMAND} -E echo "no sphinx-build: install python3-sphinx and python3-myst-parser"
                         COMMAND ${CMAKE_COMMAND} -E false)
endif()
install(DIRECTORY ${CMAKE_BINARY_DIR}/site/ DESTINATION ${FJ_DOC_FOLDER}/html COMPONENT site EXCLUDE_FROM_ALL)
