//! Conditions over the columns of a table, which users give as text: read by PostgreSQL's parser, never pasted as they are.

use std::ffi::{CStr, CString};
use std::ptr;

use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::postgres::{guc, role, spi, subtransaction};

/// Found by the numbers of attributes in a set, which has no negative members.
const FIRST_ATTRIBUTE: i32 = 1 - pg_sys::FirstLowInvalidHeapAttributeNumber;

/// A condition over the columns of a table.
#[derive(Debug, PartialEq, Eq)]
pub struct Condition {
    /// As PostgreSQL writes it: functions, types and operators qualified, columns by their bare names.
    pub text: String,
    /// The numbers of the columns that it uses.
    pub columns: Vec<i32>,
}

impl Condition {
    /// Reads a condition in the caller's search_path and with the caller's privileges. `name_of` gives another name for the column of
    /// a name, by which the condition knows it. `owner` owns the table: constant parts are computed as that role.
    ///
    /// 42601 for text that is not one expression, 42703 for a column that does not exist, 42804 if its type is not boolean, and 22023
    /// or PostgreSQL's own SQLSTATE for subqueries, aggregates, window functions, functions that return sets, parameters, system
    /// columns, whole rows, and functions or operators that are not immutable.
    pub fn read(
        text: &str,
        table: pg_sys::Oid,
        owner: pg_sys::Oid,
        name_of: impl Fn(&str) -> Option<String>,
    ) -> Result<Condition> {
        let source = CString::new(text).map_err(|_| Error::invalid("condition has a NUL character"))?;
        let unusable =
            |error: Error| error.preceded_by(&format!("condition \"{text}\" cannot be used")).hint(HINT);
        subtransaction::translated(
            // SAFETY: the table exists; it stays locked until the end of the transaction.
            || unsafe { analyzed(&source, table, owner, &name_of) }.map_err(unusable),
            |error| (!error.ends_work()).then(|| unusable(error)),
        )
    }
}

const HINT: &str = "Give one expression over columns of the table, such as 'published AND NOT deleted'.";

/// # Safety
/// The table must exist.
unsafe fn analyzed(
    source: &CStr,
    table: pg_sys::Oid,
    owner: pg_sys::Oid,
    name_of: &dyn Fn(&str) -> Option<String>,
) -> Result<Condition> {
    // SAFETY: promised by the caller; an error that PostgreSQL raises ends the (sub)transaction, which closes the relation.
    unsafe {
        let expression =
            single(pg_sys::raw_parser(source.as_ptr(), pg_sys::RawParseMode::RAW_PARSE_PLPGSQL_EXPR))?;
        let relation = pg_sys::table_open(table, pg_sys::AccessShareLock as i32);
        let result = analyzed_over(relation, source, expression, owner, name_of);
        pg_sys::table_close(relation, pg_sys::NoLock as i32);
        result
    }
}

/// # Safety
/// The relation must be open, and the expression what the parser made of the source.
unsafe fn analyzed_over(
    relation: pg_sys::Relation,
    source: &CStr,
    expression: *mut pg_sys::Node,
    owner: pg_sys::Oid,
    name_of: &dyn Fn(&str) -> Option<String>,
) -> Result<Condition> {
    // SAFETY: the nodes are in the current memory context.
    unsafe {
        let state = pg_sys::make_parsestate(ptr::null_mut());
        (*state).p_sourcetext = source.as_ptr();
        let (lock, alias) = (pg_sys::AccessShareLock as i32, alias(relation, name_of)?);
        let columns = pg_sys::addRangeTableEntryForRelation(state, relation, lock, alias, false, true);
        pg_sys::addNSItemToQuery(state, columns, false, true, true);
        let node = pg_sys::transformExpr(state, expression, pg_sys::ParseExprKind::EXPR_KIND_WHERE);
        let node = pg_sys::coerce_to_boolean(state, node, c"condition".as_ptr());
        pg_sys::assign_expr_collations(state, node);
        if (*state).p_hasSubLinks {
            return Err(Error::invalid("it has a subquery"));
        }
        let columns = numbers_of(node)?;
        let work = || {
            let is_mutable = pg_sys::contain_mutable_functions_after_planning(node.cast());
            let name = (*(*relation).rd_rel).relname.data.as_ptr();
            let context = pg_sys::deparse_context_for(name, (*relation).rd_id);
            let text = CStr::from_ptr(pg_sys::deparse_expression(node, context, false, false));
            Ok((is_mutable, text.to_string_lossy().into_owned()))
        };
        // Constants are written in such a way that every session reads them alike.
        let (is_mutable, text) = role::run_as(owner, || guc::with_settings(&guc::TEXT_SETTINGS, work))?;
        if is_mutable {
            return Err(Error::invalid("it has a function or an operator that is not IMMUTABLE"));
        }
        Ok(Condition { text, columns })
    }
}

/// The one expression that a text consists of.
///
/// # Safety
/// The list must be what the parser returned for an expression.
unsafe fn single(list: *mut pg_sys::List) -> Result<*mut pg_sys::Node> {
    let several = || Err(Error::syntax("it is not one expression"));
    // SAFETY: the parser returns statements; each is a SELECT in this mode.
    unsafe {
        if list.is_null() || (*list).length != 1 {
            return several();
        }
        let statement: *mut pg_sys::RawStmt = pg_sys::list_nth(list, 0).cast();
        let select: *mut pg_sys::SelectStmt = (*statement).stmt.cast();
        if (*select).type_ != pg_sys::NodeTag::T_SelectStmt {
            return several();
        }
        let select = &*select;
        let lists = [
            select.distinctClause,
            select.fromClause,
            select.groupClause,
            select.windowClause,
            select.valuesLists,
            select.sortClause,
            select.lockingClause,
        ];
        let nodes = [select.whereClause, select.havingClause, select.limitOffset, select.limitCount];
        let is_bare = lists.iter().all(|list| list.is_null())
            && nodes.iter().all(|node| node.is_null())
            && select.intoClause.is_null()
            && select.withClause.is_null()
            && select.op == pg_sys::SetOperation::SETOP_NONE;
        if !is_bare || select.targetList.is_null() || (*select.targetList).length != 1 {
            return several();
        }
        let target: *mut pg_sys::ResTarget = pg_sys::list_nth(select.targetList, 0).cast();
        if !(*target).name.is_null() || !(*target).indirection.is_null() {
            return several();
        }
        // Elsewhere the grammar allows a star only behind the name of a table.
        let column: *mut pg_sys::ColumnRef = (*target).val.cast();
        if (*column).type_ == pg_sys::NodeTag::T_ColumnRef {
            let first: *mut pg_sys::Node = pg_sys::list_nth((*column).fields, 0).cast();
            if (*first).type_ == pg_sys::NodeTag::T_A_Star {
                return several();
            }
        }
        Ok((*target).val)
    }
}

/// The alias under which the columns have other names; null if all have their own.
///
/// # Safety
/// The relation must be open.
unsafe fn alias(
    relation: pg_sys::Relation,
    name_of: &dyn Fn(&str) -> Option<String>,
) -> Result<*mut pg_sys::Alias> {
    // SAFETY: look-ups by the numbers of columns; a name is a copy, and the list takes another one.
    unsafe {
        let row = &*(*relation).rd_rel;
        let mut names: *mut pg_sys::List = ptr::null_mut();
        let mut has_other = false;
        for number in 1..=row.relnatts {
            if pg_sys::get_atttype((*relation).rd_id, number) == pg_sys::InvalidOid {
                // Columns that were dropped have no name in an alias.
                continue;
            }
            let own = CStr::from_ptr(pg_sys::get_attname((*relation).rd_id, number, false));
            let other = name_of(&own.to_string_lossy()).and_then(|name| CString::new(name).ok());
            has_other = has_other || other.is_some();
            let name = other.as_deref().unwrap_or(own);
            names = pg_sys::lappend(names, pg_sys::makeString(pg_sys::pstrdup(name.as_ptr())).cast());
        }
        if !has_other {
            return Ok(ptr::null_mut());
        }
        Ok(pg_sys::makeAlias(row.relname.data.as_ptr(), names))
    }
}

/// The columns of the table in an expression. 22023 for a system column and for a whole row.
///
/// # Safety
/// Must be an analyzed expression over one table.
unsafe fn numbers_of(node: *mut pg_sys::Node) -> Result<Vec<i32>> {
    let mut set: *mut pg_sys::Bitmapset = ptr::null_mut();
    let mut numbers = Vec::new();
    // SAFETY: the set is made here; its members are read in their order.
    unsafe {
        pg_sys::pull_varattnos(node, 1, &mut set);
        let mut member = pg_sys::bms_next_member(set, -1);
        while member >= 0 {
            if member < FIRST_ATTRIBUTE {
                return Err(Error::invalid("it has a system column or the whole row"));
            }
            numbers.push(member + pg_sys::FirstLowInvalidHeapAttributeNumber);
            member = pg_sys::bms_next_member(set, member);
        }
    }
    Ok(numbers)
}

/// A value of a column, with the collation of the column if it is not that of the database.
pub struct Given {
    value: spi::Arg,
    collation: Option<String>,
}

/// Evaluates a condition over values that have these names. None for NULL. An error that PostgreSQL raises is returned, unless it ends
/// the work: the transaction can continue.
pub fn evaluate(condition: &str, names: &[String], given: Vec<Given>) -> Result<Option<bool>> {
    let (values, collations): (Vec<spi::Arg>, Vec<Option<String>>) =
        given.into_iter().map(|given| (given.value, given.collation)).unzip();
    let column = |(place, (name, collation)): (usize, (&String, &Option<String>))| {
        let collate = collation.as_ref().map_or(String::new(), |name| format!(" COLLATE {name}"));
        format!("${}{collate} AS {}", place + 1, spi::quote_identifier(name))
    };
    let columns: Vec<String> = names.iter().zip(&collations).enumerate().map(column).collect();
    let values_of = [("condition", condition), ("columns", &columns.join(", "))];
    let sql = spi::render(include_str!("condition.sql"), &values_of);
    let work = || spi::connect(|c| c.query_one(&sql, spi::Access::Read, &values, |row| row.get::<bool>(1)));
    Ok(subtransaction::try_read_unless(work, |error| error.ends_work() || error.is_conflict())?.flatten())
}

/// The arguments of the call in progress from this place on, counted from 0.
pub fn arguments(call: pg_sys::FunctionCallInfo, from: usize) -> Vec<Given> {
    // SAFETY: the call in progress, which has so many arguments; its expression, if it has one, is a call of a function.
    unsafe {
        let given = (*call).args.as_slice((*call).nargs.max(0) as usize);
        let function = (*call).flinfo;
        let argument = |(place, value): (usize, &pg_sys::NullableDatum)| {
            let kind = pg_sys::get_fn_expr_argtype(function, place as i32);
            let value =
                if value.isnull { spi::Arg::null(kind) } else { spi::Arg::from_datum(kind, value.value) };
            Given { value, collation: collation_of((*function).fn_expr, place) }
        };
        given.iter().enumerate().skip(from).map(argument).collect()
    }
}

/// The name of the collation of an argument, as SQL names it; None for that of the database, and for a type without collations.
///
/// # Safety
/// Must be the expression of a call, or null.
unsafe fn collation_of(call: *mut pg_sys::Node, place: usize) -> Option<String> {
    // SAFETY: promised by the caller; the list has as many arguments as the call.
    unsafe {
        if call.is_null() || (*call).type_ != pg_sys::NodeTag::T_FuncExpr {
            return None;
        }
        let arguments = (*call.cast::<pg_sys::FuncExpr>()).args;
        if arguments.is_null() || place >= (*arguments).length.max(0) as usize {
            return None;
        }
        let collation = pg_sys::exprCollation(pg_sys::list_nth(arguments, place as i32).cast());
        if [pg_sys::InvalidOid, pg_sys::DEFAULT_COLLATION_OID].contains(&collation) {
            return None;
        }
        let name = pg_sys::generate_collation_name(collation);
        (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    }
}
