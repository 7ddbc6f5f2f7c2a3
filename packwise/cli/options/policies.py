"""What is compared where nobody says which policies."""

from __future__ import annotations

#: What clusters run, what is simple and better for small jobs, a plan for everybody, and the balanced policy.
DEFAULT_POLICIES = ("easy", "easy-sjbf", "list-reg", "list-saf", "packwise")
#: Of a site's own records: what happened, what most sites have, and what they could have.
SITE_POLICIES = ("recorded", "easy", "packwise")
