// Why the clock stops (M-049), as S000-like text and UTF-8, A-1000 and SS001 do not say.
#pragma once

/// The second rule (S003).
