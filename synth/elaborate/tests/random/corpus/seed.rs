// The seed of the corpus.
1
