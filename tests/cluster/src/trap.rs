//! Code that an owner places on a base, and that counts the roles it runs as.

use postgres::Client;

use super::Session;

/// A function `trap(text)` in the schema of a base. Its counts survive transactions that fail, because sequences are not
/// rolled back.
pub struct Trap {
    schema: String,
}

impl Trap {
    /// Creates the function. It claims to be immutable, returns its argument, and counts its runs as the owner and as others.
    pub fn set(as_owner: &mut Client, schema: &str) -> Trap {
        as_owner.run(&format!(
            "CREATE SEQUENCE {schema}.by_owner MINVALUE 0 START 1;
             CREATE SEQUENCE {schema}.by_others MINVALUE 0 START 1;
             SELECT pg_catalog.setval('{schema}.by_owner', 0), pg_catalog.setval('{schema}.by_others', 0);
             GRANT USAGE ON SEQUENCE {schema}.by_owner, {schema}.by_others TO PUBLIC;
             CREATE FUNCTION {schema}.count_run() RETURNS void LANGUAGE plpgsql VOLATILE AS $$
             BEGIN
                 IF current_user = (SELECT nspowner::regrole::text FROM pg_catalog.pg_namespace WHERE nspname = '{schema}') THEN
                     PERFORM pg_catalog.nextval('{schema}.by_owner');
                 ELSE
                     PERFORM pg_catalog.nextval('{schema}.by_others');
                 END IF;
             END $$;
             CREATE FUNCTION {schema}.trap(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
             BEGIN PERFORM {schema}.count_run(); RETURN $1; END $$"
        ));
        Trap { schema: schema.to_string() }
    }

    /// Runs as the owner, and as others.
    pub fn runs(&self, client: &mut Client) -> [i64; 2] {
        ["by_owner", "by_others"]
            .map(|sequence| client.value(&format!("SELECT last_value FROM {}.{sequence}", self.schema), &[]))
    }

    /// The control: fails unless a plain query of the superuser runs the trap, and a rollback keeps the count.
    pub fn assert_catches_a_superuser(&self, as_superuser: &mut Client, query: &str) {
        let [_, before] = self.runs(as_superuser);
        as_superuser.run(&format!("BEGIN; {query}; ROLLBACK"));
        let [_, after] = self.runs(as_superuser);
        assert!(after > before, "{query} does not run the trap");
    }
}
