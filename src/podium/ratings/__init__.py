"""What is believed: ratings of players, and what can be asked of them.

`beliefs` is what a system believes of all; `fold` makes it of many contests (`rate`), `ladder`
of one at a time, and `ladders` of many ladders at once. `asking`, `leaderboards`, `histories`,
`predictions` and `explanations` say what is, was and would be believed, and why.
"""
