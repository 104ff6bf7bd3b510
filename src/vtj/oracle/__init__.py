"""How `check` and `certify` come to a verdict: who is asked, who agrees, who is wrong.

Read in this order: `question` (what is asked, and `trial`, its first run), `voting` and `tolerance`
(who agrees), `doubts` (the one loop: what is doubted, what settles it cheapest, what is said where
it stays). `check` goes entry by entry: `witnesses` asks the engines, `reexamination` has the doubts
in their vote, `behavior` and `further` what backward does beyond one gradient, `judging` the
report. `certify` goes along random `directions`, which have its doubts and its report: `passes`,
`pairs`, `twice`, and where they differ `locating` (which entry) and `causes` (which mistake). Both
stand on `differences` with their `noise` measured, bounds of `rounding`, `blind_spots` of
differences, what `f` is seen `detaching`, `findings` and `patterns` (how it is said). Where a plain
function is given, `f` is compared with that alone: `beside`, `rounded`.
"""
