#include <heeler/c/heeler.h>
