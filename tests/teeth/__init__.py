"""Whether the tests have teeth: functions drawn at random are broken one by one; some test has to notice."""
