// What `fastjournal top` shows on a terminal, as a page that a browser can take a picture of.
#pragma once

#include <string>
#include <string_view>

namespace fastjournal::test {

// `server`: unix:FOLDER/NAME. The last of some looks, with the escape sequences of its lines. Throws std::runtime_error if there is none.
[[nodiscard]] std::string top_screen(std::string const& server, int looks);
// The address of a page with this screen: light text on a dark ground, as terminals have it.
[[nodiscard]] std::string top_page(std::string_view screen);

}  // namespace fastjournal::test
