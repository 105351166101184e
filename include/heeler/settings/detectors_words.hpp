// Findings in the words of their detectors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <heeler/core/finding.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// The findings as their detectors put them, one text each: in the order of the class, then anything else as its name
/// and rule. For `PromptSettings::issues` of a host's own.
[[nodiscard]] inline std::vector<std::string> detectors_words(const DetectorSettings& detectors,
                                                              const List<Finding>& findings) {
    std::vector<std::string> texts;
    List<bool> told(findings.size());
    for (const auto& entry : detectors.entries())
        for (std::size_t i = 0; i < findings.size(); ++i) {
            if (told[i] || findings[i].kind != entry.ops->kind || entry.ops->describe == nullptr) continue;
            texts.push_back(entry.ops->describe(findings[i]));
            told[i] = true;
        }
    for (std::size_t i = 0; i < findings.size(); ++i)
        if (!told[i]) texts.push_back(detail::words::plain(findings[i]));
    return texts;
}

}  // namespace heeler::inline HEELER_ABI
