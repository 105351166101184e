#include "home_stores.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "../common/state_directory.hpp"

namespace ctl {

HomeStores open_home_stores() {
    namespace fs = std::filesystem;
    HomeStores home{common::state_directory(), {}, {}};
    std::vector<fs::path> files{fs::path{home.folder} / "watch.db"};
    std::error_code error;
    for (fs::directory_iterator run{fs::path{home.folder} / "runs", error}, end; !error && run != end;
         run.increment(error))
        files.push_back(run->path() / "store.sqlite");
    std::sort(files.begin() + 1, files.end());
    for (const fs::path& file : files) {
        if (!fs::is_regular_file(file, error)) continue;
        auto store = Store::existing({file.string(), {}});
        if (store)
            home.stores.push_back(*std::move(store));
        else
            home.broken.push_back(store.error().message);
    }
    return home;
}

}  // namespace ctl
