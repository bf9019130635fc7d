"""What happened: results as columns, tables of any origin, files in and out, sites."""
