GRANT EXECUTE ON FUNCTION {functions} TO {role}
