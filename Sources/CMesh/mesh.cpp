#include "CMesh.h"
