"""Room on a pool of identical processors: releases, the profile, and the rounds that are planned on it."""
