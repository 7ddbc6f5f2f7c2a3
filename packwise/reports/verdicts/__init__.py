"""Who is better: from replicas, as leaders, and in words."""
