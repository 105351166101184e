// expect: heeler: a LeasingStore needs `heeler::Result<heeler::Claimed> claim_runs(const heeler::Claim&)` (README: Write a store)
// Leases without runs to hold.
#include <heeler/core/concepts.hpp>

struct Leases {
    heeler::Result<heeler::Lease> claim(heeler::Claimant, heeler::Duration);
    heeler::Result<void> release(const heeler::Lease&);
};

static_assert(heeler::check_leasing_store<Leases>());
