"""``python -m codoku_env`` is the command ``codoku``."""

import sys

from codoku_env.cli import main

sys.exit(main())
