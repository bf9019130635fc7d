"""What happened: results as columns, from tables, files and sites of any origin.

`contests` has `Contests`, the one type that flows through podium; `reading` makes it from files,
`formats` are the files, in and out, `fetching` the sites. `tables` turn any table into valid
`columns` or say what is wrong with it, and `times` are moments.
"""
