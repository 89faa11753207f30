// The built-in objects as solids: signed distance (negative inside) and what each place is made of.
#pragma once
#include "internal.h"

enum { toy_locomotive, toy_jug, toy_vase };

// What a point of the surface belongs to; see toys.c and paint.c.
enum part {
  part_chassis, part_boiler, part_smokebox, part_chimney, part_dome, part_cabin, part_inside, part_roof, part_wheel,
  part_hub, part_rod, part_catcher, part_hook, part_lamp, part_tank, part_clay, part_vase
};

typedef struct { float distance; enum part part; } solid;
solid cr_toy_solid(int kind, v3 p);
void cr_toy_bounds(int kind, v3 *low, v3 *high);
// sRGB colour and gloss of the paint at a point with outward normal n.
v4 cr_toy_colour(int kind, v3 p, v3 n);
