# What `cmake --install` adds to the programs and plugins (their folders have their own rules): schemas, documents,
# examples, and a configuration with which the daemon starts.

# conf/ with the folders of an installation in place of a checkout's: out of FROM, whose relative paths mean FROM's folder.
function(fj_installed_conf file folder)
  if(IS_ABSOLUTE "${FJ_CONF_FOLDER}")
    set(data "${FJ_DATA_FOLDER_FULL}")
    set(run "${FJ_RUN_FOLDER_FULL}")
    set(schemas "${FJ_SCHEMAS_FOLDER_FULL}")
  else()
    file(RELATIVE_PATH data "${FJ_CONF_FOLDER_FULL}${folder}" "${FJ_DATA_FOLDER_FULL}")
    file(RELATIVE_PATH run "${FJ_CONF_FOLDER_FULL}${folder}" "${FJ_RUN_FOLDER_FULL}")
    file(RELATIVE_PATH schemas "${FJ_CONF_FOLDER_FULL}${folder}" "${FJ_SCHEMAS_FOLDER_FULL}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/conf/${file}")
  file(READ "${CMAKE_SOURCE_DIR}/conf/${file}" text)
  string(REGEX REPLACE "\"(\\.\\./)+xml-schemas/" "\"${schemas}/" text "${text}")
  string(REPLACE "\"../data/fastjournal.sock" "\"${run}/fastjournal.sock" text "${text}")
  string(REPLACE "\"../data" "\"${data}" text "${text}")
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/installed-conf/${file}" CONTENT "${text}" @ONLY)
endfunction()

fj_installed_conf(fastjournal.xml "")
file(GLOB tables RELATIVE ${CMAKE_SOURCE_DIR}/conf CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/conf/tables.d/*.xml)
foreach(table ${tables})
  fj_installed_conf(${table} /tables.d)
endforeach()

install(DIRECTORY ${CMAKE_BINARY_DIR}/installed-conf/ DESTINATION ${FJ_EXAMPLES_FOLDER})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/xml-schemas/ DESTINATION ${FJ_SCHEMAS_FOLDER} FILES_MATCHING PATTERN "*.xsd")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${FJ_DOC_FOLDER})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/doc DESTINATION ${FJ_DOC_FOLDER}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN internals EXCLUDE)
# Of the logs: the daemon would make it, but might not be allowed to.
install(DIRECTORY DESTINATION ${FJ_DATA_FOLDER})

# The configuration belongs to the administrator once it is there: an upgrade leaves it alone, tables and all.
install(CODE "
  set(folder \"${FJ_CONF_FOLDER}\")
  if(NOT IS_ABSOLUTE \"\${folder}\")
    set(folder \"\${CMAKE_INSTALL_PREFIX}/\${folder}\")
  endif()
  if(EXISTS \"\$ENV{DESTDIR}\${folder}/fastjournal.xml\")
    message(STATUS \"Kept: \$ENV{DESTDIR}\${folder}, as it is\")
  else()
    file(INSTALL DESTINATION \"\${folder}\" TYPE DIRECTORY FILES \"${CMAKE_BINARY_DIR}/installed-conf/\")
  endif()")
