#pragma once

#include "dynomite/native/base/access.hpp"

namespace dmt {

using dynomite::AccessState;
using dynomite::ReadLease;
using dynomite::WriteLease;

}  // namespace dmt
