#include "generator.hpp"

#include <utility>

namespace detection {

Story healthy_run(std::uint32_t seed, std::size_t lines) {
    Story story{seed};
    story.is_told(story.sentence());
    while (story.size() < lines) {
        story.chapter("ordinary work").works(story.between(2, 8));
        const Episode& episode = story.one_of(healthy_episodes());
        story.chapter(episode.name);
        episode.tell(story);
    }
    return story;
}

Story healthy_case(const Episode& episode, std::uint32_t seed) {
    Story story{seed};
    story.is_told(story.sentence()).chapter("ordinary work").works(6).chapter(episode.name);
    episode.tell(story);
    story.chapter("ordinary work").works(4);
    return story;
}

Recording stuck_run(const Pathology& pathology, std::uint32_t seed, std::vector<std::size_t>& ends) {
    Story story{seed};
    story.is_told(story.sentence());
    if (!pathology.from_the_start) story.works(6 + story.below(20));
    Label label{true, false, 0, pathology.name};
    for (std::size_t round = 1; round <= pathology.rounds; ++round) {
        if (round == pathology.known_in) label.first = story.size();
        pathology.tell(story, round);
        ends.push_back(story.size() - 1);
    }
    Recording run = story.told();
    run.source = "generated";
    run.name = pathology.name + " " + std::to_string(seed);
    run.label = label;
    return run;
}

}  // namespace detection
