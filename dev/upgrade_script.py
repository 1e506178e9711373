"""Prints what an update from an older version lacks compared with a fresh installation: SQL where a rule gives it,
otherwise a comment. usage: upgrade_script.py OLD CATALOG.SQL PSQL [options]"""

import csv
import io
import re
import subprocess
import sys

old_version, catalog_file, *psql = sys.argv[1:]


def run(database, sql):
    done = subprocess.run([*psql, "-d", database, "--csv", "-t"], input=sql, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def catalog(database, create):
    """{object: {property: value}} of a scratch database in which `create` ran."""
    quiet = "SET client_min_messages = warning;"
    run("postgres", f"{quiet} DROP DATABASE IF EXISTS {database};")
    run("postgres", f"CREATE DATABASE {database};")
    try:
        run(database, f"{quiet} CREATE EXTENSION vector; {create}")
        objects = {}
        for name, key, value in csv.reader(io.StringIO(run(database, open(catalog_file).read()))):
            objects.setdefault(name, {})[key] = value
        return objects
    finally:
        run("postgres", f"DROP DATABASE {database};")


def portable(sql):
    """The form used in scripts: public stands for the schema of the functions, which the user chooses."""
    sql = re.sub(r"\bpublic\.", "@extschema@.", sql)
    return re.sub(r"'\$libdir/kb_rag', \$function\$(\w+)\$function\$", r"'MODULE_PATHNAME', '\1'", sql).rstrip()


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


class Function:
    def __init__(self, name, properties):
        self.name = portable(name.split(" ", 1)[1])
        self.properties = properties

    @property
    def definition(self):
        return self.properties.get("definition", "")

    def head(self):
        """What CREATE OR REPLACE cannot change: arguments and result, without defaults."""
        text = re.split(r"\n LANGUAGE ", self.definition)[0]
        return re.sub(r" DEFAULT (?:'[^']*'(?:::[\w ]+)?|[^,()]+)", "", text)

    def is_public(self):
        return "PUBLIC=EXECUTE" in self.properties.get("privileges", "").split()

    def bare(self):
        return self.name.split("(")[0]


def create(function, replace=False):
    definition = portable(function.definition)
    if not replace:
        definition = definition.replace("CREATE OR REPLACE", "CREATE", 1)
    lines = [definition + ";"]
    if not replace:
        if not function.is_public():
            lines.append(f"REVOKE EXECUTE ON FUNCTION {function.name} FROM PUBLIC;")
        if function.properties.get("comment"):
            lines.append(f"COMMENT ON FUNCTION {function.name} IS {quoted(function.properties['comment'])};")
    return lines


def keep_grants(function):
    """Remembers which roles may execute a function before it is dropped."""
    return [
        f"SELECT pg_catalog.set_config('kb_rag_update.grantees', coalesce((",
        "    SELECT pg_catalog.string_agg(pg_catalog.quote_ident(r.rolname), ', ')",
        "    FROM pg_catalog.pg_proc p, pg_catalog.aclexplode(p.proacl) x JOIN pg_catalog.pg_roles r ON r.oid = x.grantee",
        f"    WHERE p.oid = {quoted(function.name)}::regprocedure AND x.grantee <> p.proowner), ''), true);",
    ]


def restore_grants(function):
    return [
        "DO $$",
        "BEGIN",
        "    IF pg_catalog.current_setting('kb_rag_update.grantees') <> '' THEN",
        f"        EXECUTE 'GRANT EXECUTE ON FUNCTION {function.name} TO ' || pg_catalog.current_setting('kb_rag_update.grantees');",
        "    END IF;",
        "END",
        "$$;",
    ]


def functions(old, new):
    lines = []

    def of(objects):
        return {n: Function(n, p) for n, p in objects.items() if n.split(" ")[0] in ("function", "procedure")}

    before, after = of(old), of(new)
    gone = {f.bare(): f for n, f in before.items() if n not in after}
    for name, function in after.items():
        replaced = before.get(name) or gone.pop(function.bare(), None)
        if replaced is None:
            lines += ["", *create(function)]
        elif replaced.name == function.name and replaced.head() == function.head():
            if replaced.definition != function.definition:
                lines += ["", *create(function, replace=True)]
            lines += small_changes(replaced, function)
        elif replaced.properties != function.properties:
            granted = not (replaced.is_public() and function.is_public())
            lines += ["", *(keep_grants(replaced) if granted else []), f"DROP FUNCTION {replaced.name};", *create(function)]
            lines += restore_grants(function) if granted else []
    for function in gone.values():
        lines += ["", f"DROP FUNCTION {function.name};"]
    return lines


def small_changes(before, after):
    lines = []
    if before.properties.get("comment") != after.properties.get("comment"):
        lines.append(f"COMMENT ON FUNCTION {after.name} IS {quoted(after.properties.get('comment', ''))};")
    if before.is_public() and not after.is_public():
        lines.append(f"REVOKE EXECUTE ON FUNCTION {after.name} FROM PUBLIC;")
    if after.is_public() and not before.is_public():
        lines.append(f"GRANT EXECUTE ON FUNCTION {after.name} TO PUBLIC;")
    return lines


def others(old, new):
    """Shows the differences of tables, views and other objects. They are few, and their SQL is in sql/."""
    lines = []
    names = sorted({*old, *new})
    for name in names:
        # The row types of relations add no information, and their numbers differ between versions.
        if name.split(" ")[0] in ("function", "procedure", "type", "extension"):
            continue
        before, after = old.get(name), new.get(name)
        if before is None or after is None:
            lines.append(f"-- by hand: {name} is {'new' if before is None else 'dropped'}; see sql/*.sql")
            continue
        for key in sorted({*before, *after}):
            if before.get(key) != after.get(key):
                lines.append(f"-- by hand: {name}, {key}")
                lines += [f"--   was: {line}" for line in before.get(key, "(none)").splitlines()]
                lines += [f"--   is:  {line}" for line in after.get(key, "(none)").splitlines()]
    return lines


new = catalog("kb_rag_draft_new", "CREATE EXTENSION kb_rag;")
old = catalog("kb_rag_draft_old", f"CREATE EXTENSION kb_rag VERSION '{old_version}'; ALTER EXTENSION kb_rag UPDATE;")
print("\n".join([*others(old, new), *functions(old, new)]))
