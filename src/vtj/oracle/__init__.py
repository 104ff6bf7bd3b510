"""How `check` and `certify` come to a verdict: who is asked, who agrees, who is wrong.

Read in this order: `trial` (one trial run of `f`), `witnesses` (every engine is asked), `voting`
and `tolerance` (who agrees), `behavior` and `alone` (what backward does beyond one gradient),
`judging` (the report), `findings` and `patterns` (how it is said). `certify` compares along random
directions instead: `passes`, `pairs`, and `locating` when they differ. Before anyone is accused,
`reexamination` asks again: `differences` with their `noise` measured, and bounds of `rounding`.
Where a plain function is given, `f` is compared with that alone: `reference`, `beside`, `rounded`.
"""
