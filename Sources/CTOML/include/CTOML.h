// TOML 1.0 documents, read by toml++ (https://marzer.github.io/tomlplusplus/), as a flat list of nodes.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CTOML_TABLE,
  CTOML_ARRAY,
  CTOML_STRING,
  CTOML_INTEGER,
  CTOML_FLOAT,
  CTOML_BOOLEAN,
  /// A date, a time or both; the value is not handed over.
  CTOML_DATE_TIME
};

/// One node of a document. Strings are UTF-8, not terminated, may hold any byte including 0, and live as long as the
/// document.
typedef struct ctoml_node {
  /// One of the constants above.
  int32_t kind;
  /// The index of the table or array this node stands in; -1 for the document itself.
  int32_t parent;
  /// The key in its table; null in an array and for the document itself.
  const char *key;
  size_t key_length;
  /// The value of a string; else null.
  const char *string;
  size_t string_length;
  /// The value of an integer.
  int64_t integer;
  /// The value of a float (may be an infinity or not a number) or, rounded, of an integer.
  double number;
  /// The value of a boolean.
  bool boolean;
  /// Where the key, or in an array the value, begins: both count from 1.
  uint32_t line;
  uint32_t column;
} ctoml_node;

/// Why a text is not TOML.
typedef struct ctoml_error {
  /// Where: both count from 1; 0 when it is not about a place.
  uint32_t line;
  uint32_t column;
  /// What, for a person: UTF-8, terminated, cut to fit.
  char message[256];
} ctoml_error;

typedef struct ctoml_document ctoml_document;

/// Reads a document of `count` bytes. Null when it is not TOML, has more than `node_limit` nodes, or memory ran out; then
/// `error` says which. Hand the document to `ctoml_free` in the end. Never throws.
ctoml_document *ctoml_parse(const char *bytes, size_t count, size_t node_limit, ctoml_error *error);

/// The nodes, each after the node it stands in; the first is the document itself.
const ctoml_node *ctoml_nodes(const ctoml_document *document, size_t *count);

/// Frees a document and all its strings.
void ctoml_free(ctoml_document *document);

#ifdef __cplusplus
}
#endif
