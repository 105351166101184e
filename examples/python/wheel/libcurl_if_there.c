// libcurl for a program that runs on any machine: that of the machine, loaded when something is to be sent. Every
// system has its own certificates, and mends its own TLS. Without it the program says that libcurl cannot be used.
//
// The functions that heeler calls, as 64-bit Linux passes what they take: handles and enumerations, whose types differ
// between versions of curl/curl.h.
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>

static void* library(void) {
    void* const usual = dlopen("libcurl.so.4", RTLD_NOW);  // the second time it is the same
    return usual != NULL ? usual : dlopen("libcurl-gnutls.so.4", RTLD_NOW);
}

#define NAMED(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(library(), name))

int curl_global_init(long flags) {
    enum { failed_init = 2 };
    return library() == NULL ? failed_init : NAMED(int, "curl_global_init", long)(flags);
}

void* curl_url(void) { return library() == NULL ? NULL : NAMED(void*, "curl_url", void)(); }

// Nothing else is called before one of those has succeeded.

void* curl_easy_init(void) { return NAMED(void*, "curl_easy_init", void)(); }

void curl_easy_cleanup(void* handle) { NAMED(void, "curl_easy_cleanup", void*)(handle); }

// What follows is a long, a pointer or a curl_off_t: one register.
int curl_easy_setopt(void* handle, int option, ...) {
    va_list rest;
    va_start(rest, option);
    void* const value = va_arg(rest, void*);
    va_end(rest);
    return NAMED(int, "curl_easy_setopt", void*, int, ...)(handle, option, value);
}

int curl_easy_getinfo(void* handle, int info, ...) {
    va_list rest;
    va_start(rest, info);
    void* const value = va_arg(rest, void*);
    va_end(rest);
    return NAMED(int, "curl_easy_getinfo", void*, int, ...)(handle, info, value);
}

int curl_easy_perform(void* handle) { return NAMED(int, "curl_easy_perform", void*)(handle); }

const char* curl_easy_strerror(int code) { return NAMED(const char*, "curl_easy_strerror", int)(code); }

void* curl_slist_append(void* list, const char* text) {
    return NAMED(void*, "curl_slist_append", void*, const char*)(list, text);
}

void curl_slist_free_all(void* list) { NAMED(void, "curl_slist_free_all", void*)(list); }

void curl_url_cleanup(void* url) { NAMED(void, "curl_url_cleanup", void*)(url); }

int curl_url_set(void* url, int part, const char* text, unsigned flags) {
    return NAMED(int, "curl_url_set", void*, int, const char*, unsigned)(url, part, text, flags);
}

int curl_url_get(void* url, int part, char** text, unsigned flags) {
    return NAMED(int, "curl_url_get", void*, int, char**, unsigned)(url, part, text, flags);
}

void curl_free(void* what) { NAMED(void, "curl_free", void*)(what); }
