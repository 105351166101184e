// Whether a class may have these settings of a detector.
#pragma once

#include <heeler/core/detector.hpp>
#include <heeler/core/result.hpp>

template <class D>
heeler::Result<void> checked(const typename D::Settings& settings) {
    return heeler::detector_ops<D>.validate(&settings);
}
