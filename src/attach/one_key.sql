SELECT {parts}
