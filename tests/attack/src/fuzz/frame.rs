//! The surroundings of a generated call: transactions, cursors, prepared statements, settings.

use crate::random::Random;

/// A call, in the forms that the frames need.
pub struct Call {
    /// The call alone, with its values.
    pub statement: String,
    /// Types and values of its parameters, and the statement with $1 and so on; None if it cannot be
    /// prepared.
    pub prepared: Option<Prepared>,
    /// Whether it returns rows.
    pub is_query: bool,
}

/// A statement with parameters.
pub struct Prepared {
    /// With $1 and so on.
    pub statement: String,
    /// The types of the parameters.
    pub types: Vec<String>,
    /// As SQL expressions without subqueries, which EXECUTE does not accept.
    pub values: Vec<String>,
}

/// The statements to send for a call, in order until one fails. Only the last kind leaves something open.
pub fn framed(random: &mut Random, call: &Call, settings: &[String]) -> Vec<String> {
    let it = call.statement.as_str();
    if it.starts_with("CALL") && random.percent(70) {
        return vec![it.to_string()];
    }
    let choices = [12, 2, 2, 1, 1, 1, 2, 1, 3, 2, 4, 1];
    match random.weighted(choices.into_iter()) {
        1 => lines(&["BEGIN", it, "COMMIT"]),
        2 => lines(&["BEGIN", "SAVEPOINT s", it, "ROLLBACK TO s", it, "RELEASE s", "COMMIT"]),
        3 => lines(&["BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM pg_class", it, "COMMIT"]),
        4 => lines(&["BEGIN ISOLATION LEVEL SERIALIZABLE", it, "COMMIT"]),
        5 => lines(&["BEGIN READ ONLY", it, "COMMIT"]),
        6 if call.is_query => {
            let declare = format!("DECLARE c SCROLL CURSOR FOR {it}");
            lines(&[
                "BEGIN",
                &declare,
                "FETCH 1 FROM c",
                "FETCH BACKWARD 1 FROM c",
                "FETCH ALL FROM c",
                "COMMIT",
            ])
        }
        7 if call.is_query => {
            let declare = format!("DECLARE c CURSOR WITH HOLD FOR {it}");
            lines(&["BEGIN", &declare, "COMMIT", "FETCH ALL FROM c", "CLOSE ALL"])
        }
        8 => match &call.prepared {
            Some(prepared) => executed(prepared),
            None => lines(&[it]),
        },
        9 => lines(&[&trapped(it, call.is_query)]),
        10 => {
            let set = format!("SET LOCAL {}", random.pick(settings));
            lines(&["BEGIN", &set, it, "COMMIT"])
        }
        11 => lines(&["BEGIN", it, "PREPARE TRANSACTION 'attack'", "ROLLBACK PREPARED 'attack'"]),
        _ => lines(&[it]),
    }
}

fn lines(statements: &[&str]) -> Vec<String> {
    statements.iter().map(|statement| statement.to_string()).collect()
}

fn executed(Prepared { statement, types, values }: &Prepared) -> Vec<String> {
    let types = if types.is_empty() { String::new() } else { format!(" ({})", types.join(", ")) };
    let execute = if values.is_empty() {
        "EXECUTE p".to_string()
    } else {
        format!("EXECUTE p ({})", values.join(", "))
    };
    vec!["DEALLOCATE ALL".to_string(), format!("PREPARE p{types} AS {statement}"), execute.clone(), execute]
}

/// The call in a block that traps every error except faults.
fn trapped(statement: &str, is_query: bool) -> String {
    let verb = if is_query { "PERFORM * FROM (" } else { "" };
    let end = if is_query { ") q" } else { "" };
    format!(
        "DO $do$ BEGIN BEGIN {verb}{statement}{end}; EXCEPTION WHEN OTHERS THEN \
         IF sqlstate LIKE 'XX%' OR sqlerrm LIKE '%`%' THEN RAISE; END IF; END; PERFORM 1; END $do$"
    )
}
