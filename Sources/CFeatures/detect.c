#include "CFeatures.h"
