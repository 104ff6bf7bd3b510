"""The worked examples: one idea a module, named as its page is; a builder takes nothing."""
