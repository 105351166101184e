// expect: heeler: with the name of a class `attach` takes an AgentControl (`inject`, `pause`, ...) or a source of many runs (`poll`); this type is neither (README: Where a new thing goes)
// Issues are filed for all classes.
#include <heeler/heeler.hpp>

struct Tracker {
    heeler::Result<heeler::ActionDone> file(const heeler::Issue&) { return heeler::ActionDone{}; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Tracker tracker;
    dog.attach("class", tracker);
}
