"""Who waits how long: by partition, account, user and size of job."""
