"""What the site's own words rest on: a zoo of cases, and words that choose what is checked.

`zoo` draws up the cases, `facts` runs each of them once. `predicates` and `parts` are what can be
asked of the records; `words` reads the question in a sentence, `judging` answers it. `sentences`
reads pages, `bound` and `checks` hold the statements whose truth does not hang on one word.
"""
