// What a process says when it dies of want of memory. Swift and C++ end the process where memory is refused to them, and
// nothing can be caught then; all that is left is to say why.
#pragma once

/// Watches for the signals by which a process ends when memory is refused to it (SIGABRT, SIGSEGV, SIGBUS). Where one
/// comes while a memory limit is in force and more than half of it is used, the process says its last words and ends
/// with `code`; else the signal takes its usual course. Call it once.
void linux_last_words_install(int code);

/// The last words from now on: `output` on standard output and `errors` on standard error, at most 1000 bytes each, either
/// may be empty. In each, `%u` stands for the MiB in use and `%l` for the MiB allowed. Call it from one thread at a time.
void linux_last_words_set(const char *output, const char *errors);
