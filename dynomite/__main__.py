"""`python -m dynomite`: the command line."""

import sys

from dynomite.tools.cli import main

sys.exit(main())
