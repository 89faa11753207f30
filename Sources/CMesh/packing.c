#include "CMesh.h"

// Bits of a row from column x on, as if the row were shifted down.
static uint64_t shifted(const uint64_t *row, size_t words, size_t word, unsigned shift) {
  uint64_t low = word < words ? row[word] >> shift : 0;
  uint64_t high = shift && word + 1 < words ? row[word + 1] << (64 - shift) : 0;
  return low | high;
}

// Where the run of ones that holds bit `at` begins.
static size_t run_start(const uint64_t *row, size_t at) {
  size_t word = at / 64;
  unsigned bit = at % 64;
  // zeros below the bit, the bit's own place included in the shift so that it is never by 64
  uint64_t holes = ~row[word] & ((bit == 63 ? 0 : (uint64_t)1 << (bit + 1)) - 1);
  while (!holes) {
    if (word == 0) return 0;
    holes = ~row[--word];
  }
  return word * 64 + 64 - (size_t)__builtin_clzll(holes);
}

// The first column from x on that this row of the outline does not rule out by its first conflict there.
static size_t next_column(const uint64_t *taken, const uint64_t *outline, size_t words, size_t x) {
  size_t word = x / 64;
  unsigned shift = x % 64;
  for (size_t w = 0; w < words; w++) {
    if (!outline[w]) continue;
    uint64_t conflict = outline[w] & shifted(taken, words, word + w, shift);
    if (!conflict) continue;
    // all columns conflict until the run of the outline has passed the taken cell
    size_t at = w * 64 + 63 - (size_t)__builtin_clzll(conflict);
    return x + at - run_start(outline, at) + 1;
  }
  return x;
}

bool cmesh_pack_spot(
    const uint64_t *taken, size_t words, const uint64_t *outline, size_t rows, size_t last_x, size_t last_y, size_t *x,
    size_t *y) {
  for (size_t row = 0; row <= last_y; row++) {
    size_t column = 0;
    size_t agreeing = 0;  // rows that do not conflict at this column
    size_t r = 0;
    while (column <= last_x && agreeing < rows) {
      size_t next = next_column(taken + (row + r) * words, outline + r * words, words, column);
      if (next == column) {
        agreeing++;
        r = r + 1 == rows ? 0 : r + 1;
      } else {
        column = next;
        agreeing = 0;
      }
    }
    if (column <= last_x && agreeing == rows) {
      *x = column;
      *y = row;
      return true;
    }
  }
  return false;
}

void cmesh_pack_dilate(const uint64_t *outline, size_t rows, size_t words, uint64_t *out) {
  for (size_t r = 0; r < rows; r++) {
    for (size_t w = 0; w < words; w++) {
      uint64_t sum = 0;
      for (size_t other = r > 0 ? r - 1 : 0; other <= r + 1 && other < rows; other++) {
        const uint64_t *row = outline + other * words;
        sum |= row[w] | row[w] << 1 | row[w] >> 1;
        if (w > 0) sum |= row[w - 1] >> 63;
        if (w + 1 < words) sum |= row[w + 1] << 63;
      }
      out[r * words + w] = sum;
    }
  }
}

void cmesh_pack_insert(uint64_t *taken, size_t words, const uint64_t *outline, size_t rows, size_t x, size_t y) {
  size_t word = x / 64;
  unsigned shift = x % 64;
  for (size_t r = 0; r < rows; r++) {
    for (size_t w = 0; w < words; w++) {
      uint64_t bits = outline[r * words + w];
      if (!bits) continue;
      taken[(y + r) * words + word + w] |= bits << shift;
      if (shift && word + w + 1 < words) taken[(y + r) * words + word + w + 1] |= bits >> (64 - shift);
    }
  }
}
