"""Classes by the names that other frameworks have, so that only imports change."""
