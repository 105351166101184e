/* A program in C that opens a watchdog and closes it. */
#include <heeler/c/heeler.h>
#include <stdio.h>

int main(void) {
    heeler_options options = HEELER_INIT(heeler_options);
    heeler_watchdog* watchdog = NULL;
    options.store = "memory";
    if (heeler_open(&options, &watchdog) != HEELER_OK) {
        printf("%s\n", heeler_error_text());
        return 1;
    }
    printf("heeler %s\n", heeler_version());
    return heeler_close(watchdog);
}
