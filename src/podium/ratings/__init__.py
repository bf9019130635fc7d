"""What is believed: ratings of players, and what can be asked of them.

`beliefs` is what a system believes of everybody, `fold` makes it of many contests (`rate`),
`ladder` of one contest at a time, and `ladders` of many ladders at once. `histories`, `predictions` and
`explanations` answer what was believed, what would be, and why.
"""
