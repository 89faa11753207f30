#include "CTOML.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

// The library asserts where a text surprises it (a date cut off by a NUL byte does, found by fuzzing), and where
// assertions are off it takes them for granted. Here they end the parse instead, whatever NDEBUG says.
#undef NDEBUG
#define TOML_ASSERT(condition) \
  do { \
    if (!(condition)) throw std::logic_error("not TOML (the parser gave up)"); \
  } while (false)
// all other errors come as values; what can still be thrown (no memory) is caught below
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

struct ctoml_document {
  toml::table root;
  std::vector<ctoml_node> nodes;
};

namespace {

void report(ctoml_error *error, std::string_view message, toml::source_position place = {0, 0}) {
  const size_t length = std::min(message.size(), sizeof error->message - 1);
  std::memcpy(error->message, message.data(), length);
  error->message[length] = 0;
  error->line = place.line;
  error->column = place.column;
}

ctoml_node describe(const toml::node &node, int32_t parent, const toml::key *key) {
  ctoml_node out{};
  out.parent = parent;
  toml::source_position place = node.source().begin;
  if (key) {
    out.key = key->str().data();
    out.key_length = key->str().size();
    if (key->source().begin) place = key->source().begin;
  }
  out.line = place.line;
  out.column = place.column;
  switch (node.type()) {
    case toml::node_type::table: out.kind = CTOML_TABLE; break;
    case toml::node_type::array: out.kind = CTOML_ARRAY; break;
    case toml::node_type::string:
      out.kind = CTOML_STRING;
      out.string = node.as_string()->get().data();
      out.string_length = node.as_string()->get().size();
      break;
    case toml::node_type::integer:
      out.kind = CTOML_INTEGER;
      out.integer = node.as_integer()->get();
      out.number = static_cast<double>(out.integer);
      break;
    case toml::node_type::floating_point:
      out.kind = CTOML_FLOAT;
      out.number = node.as_floating_point()->get();
      break;
    case toml::node_type::boolean:
      out.kind = CTOML_BOOLEAN;
      out.boolean = node.as_boolean()->get();
      break;
    default: out.kind = CTOML_DATE_TIME; break;
  }
  return out;
}

// Breadth first, so that a deep document costs no stack; false when there are too many nodes.
bool flatten(ctoml_document &document, size_t limit) {
  std::vector<const toml::node *> sources{&document.root};
  document.nodes.push_back(describe(document.root, -1, nullptr));
  auto append = [&](const toml::node &node, size_t parent, const toml::key *key) {
    sources.push_back(&node);
    document.nodes.push_back(describe(node, static_cast<int32_t>(parent), key));
  };
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources.size() > limit) return false;
    if (const toml::table *table = sources[i]->as_table()) {
      for (auto &&[key, node] : *table) append(node, i, &key);
    } else if (const toml::array *array = sources[i]->as_array()) {
      for (auto &&node : *array) append(node, i, nullptr);
    }
  }
  return true;
}

}  // namespace

extern "C" ctoml_document *ctoml_parse(const char *bytes, size_t count, size_t node_limit, ctoml_error *error) {
  *error = ctoml_error{};
  ctoml_document *document = nullptr;
  try {
    toml::parse_result result = toml::parse(std::string_view(bytes, count));
    if (!result) {
      report(error, result.error().description(), result.error().source().begin);
      return nullptr;
    }
    document = new ctoml_document{std::move(result).table(), {}};
    if (flatten(*document, std::min<size_t>(node_limit, INT32_MAX))) return document;
    report(error, "too many values");
  } catch (const std::exception &thrown) {
    report(error, thrown.what());
  } catch (...) {
    report(error, "not enough memory");
  }
  delete document;
  return nullptr;
}

extern "C" const ctoml_node *ctoml_nodes(const ctoml_document *document, size_t *count) {
  *count = document->nodes.size();
  return document->nodes.data();
}

extern "C" void ctoml_free(ctoml_document *document) { delete document; }
