"""What the results of a study say: values over replicas, tables, and published ones beside ours."""
