package mutants
