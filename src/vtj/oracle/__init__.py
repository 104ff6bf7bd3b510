"""How `check` and `certify` come to a verdict: who is asked, who agrees, who is wrong.

Read in this order: `trial` (one trial run of `f`), `witnesses` (every engine is asked), `voting`
and `tolerance` (who agrees), `on_jacobian`, `on_backward` and `behavior` (what it means),
`patterns` and `findings` (how it is said), `judging` (the report). `certify` compares along
random directions instead: `drawing`, `probing`, `pairs`, and `locating` when they differ. Before
anyone is accused `second_look` and `careful` ask again.
"""
