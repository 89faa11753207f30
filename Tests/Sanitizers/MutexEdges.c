// Lets the thread sanitizer see the locks of Swift's Mutex.
//
// Where a Mutex is contended, the standard library waits for it in code of its own, which no sanitizer instruments: who
// unlocks and who locks then seem unrelated, and all that the lock guards looks like a race. This library, loaded before
// the standard one (LD_PRELOAD), wraps the two functions of the contended path and tells the sanitizer what they mean.
// The uncontended path is in the callers, who are instrumented.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// what they are called in Swift 6: Synchronization._MutexHandle._lockSlow(UInt32), ._unlockSlow()
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// the sanitizer's own; absent in programs without it
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// the function behind this library's one, looked up once
static void *behind(_Atomic(void *) *known, const char *name) {
  void *function = atomic_load_explicit(known, memory_order_relaxed);
  if (function) return function;
  function = dlsym(RTLD_NEXT, name);
  if (!function) {
    fprintf(stderr, "MutexEdges: %s\n", dlerror());
    abort();
  }
  atomic_store_explicit(known, function, memory_order_relaxed);
  return function;
}

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, SELF) {
  static _Atomic(void *) known;
  ((__typeof__(&lock_slow))behind(&known, LOCK_SLOW))(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(SELF) {
  static _Atomic(void *) known;
  if (__tsan_release) __tsan_release(handle);
  ((__typeof__(&unlock_slow))behind(&known, UNLOCK_SLOW))(handle);
}
