"""What the site's own words rest on: a zoo of cases, and words whose choice decides what is checked.

`zoo` draws up the cases, `facts` runs each of them once, `predicates` and `parts` are what can be
asked of the records, `words` says what *never* or *only* asks, `sentences` reads the pages, and
`bound` holds the statements whose truth does not hang on one word.
"""
