#pragma once
#include "CLinuxDisk.h"
#include "CLinuxProcess.h"
#include "CLinuxSocket.h"
