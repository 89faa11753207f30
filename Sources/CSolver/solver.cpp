#include "CSolver.h"
