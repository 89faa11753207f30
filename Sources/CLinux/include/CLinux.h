#pragma once
#include "CLinuxDisk.h"
