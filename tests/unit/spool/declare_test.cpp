// Rows of tables that were declared are checked before they are written.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <string>
#include <utility>

#include "clients/spool/core/folder_tools.h"
#include "clients/spool/core/spool.h"
#include "config/table_reader.h"
#include "config/type_reader.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::spool {
namespace {

using fastjournal::test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(spool_declare)

BOOST_AUTO_TEST_CASE(a_row_that_does_not_fit_its_table_is_refused_at_once) {
  TemporaryFolder const folder;
  Result<TypeDeclaration> const type = config::read_type(FJ_SOURCE_DIR "/plugins/journal/journal.xml");
  BOOST_REQUIRE(type.ok());
  config::TypesByName const types{{"journal", std::make_shared<TypeDeclaration const>(type.value())}};
  Result<TableDeclaration> const table = config::read_table(FJ_SOURCE_DIR "/conf/tables.d/jobs.xml", types);
  BOOST_REQUIRE(table.ok());
  Result<std::unique_ptr<Spool>> const opened = Spool::open({.folder = folder / "rows"});
  Spool& spool = *opened.value();
  BOOST_TEST(spool.declare(table.value(), type.value()).ok());

  auto const save = [&spool](std::string_view table_name, std::string_view column, std::string_view value) {
    Message row = Spool::row_of(table_name);
    row.set("name", "n");
    row.set(column, value);
    return spool.save(row);
  };
  BOOST_TEST(save("jobs", "kind", "k").ok());
  Status const unknown = save("jobs", "colour", "red");
  BOOST_TEST((unknown.code() == Code::unknown_parameter));
  BOOST_TEST((unknown.facts() == Status::Facts{{"parameter", "colour"}}));
  BOOST_TEST((save("jobs", "kind", std::string(65, 'k')).code() == Code::too_large));
  BOOST_TEST((save("jobs", "times_asked", "often").code() == Code::bad_parameter));
  BOOST_TEST((save("jobs", "priority", "300").code() == Code::bad_parameter));
  BOOST_TEST((spool.save(Spool::row_of("jobs")).code() == Code::missing_parameter));
  // In a frame it is plain bytes, not base64.
  BOOST_TEST(save("jobs", "payload", "%%%").ok());
  // Nobody knows that one.
  BOOST_TEST(save("other", "colour", "red").ok());
  BOOST_TEST(count_rows(folder / "rows").value().at(0).rows == 3U);

  TypeDeclaration another = type.value();
  another.name = "another";
  BOOST_TEST((spool.declare(table.value(), another).code() == Code::bad_parameter));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::spool
