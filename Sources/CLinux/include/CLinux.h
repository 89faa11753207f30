#pragma once
#include "CLinuxDisk.h"
#include "CLinuxLastWords.h"
#include "CLinuxProcess.h"
#include "CLinuxRealTime.h"
#include "CLinuxSocket.h"
