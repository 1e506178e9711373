//! Results of functions, read from the answer of another node.

use pgrx::Uuid;
use pgrx::prelude::*;

use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::Row;

/// The result of a function.
pub trait Answer: Sized {
    /// One row of it.
    type Row;

    /// Reads a row.
    fn row(row: &Row) -> Result<Self::Row>;

    /// The result, of all rows.
    fn of_rows(rows: Vec<Self::Row>) -> Result<Self>;
}

/// A column of a result.
pub trait Column: Sized {
    /// Reads the column of this number.
    fn column(row: &Row, number: i32) -> Result<Self>;
}

impl<T: FromDatum + IntoDatum> Column for Option<T> {
    fn column(row: &Row, number: i32) -> Result<Self> {
        row.get(number)
    }
}

/// The one row of a result.
fn only<T>(rows: Vec<T>) -> Result<T> {
    rows.into_iter().next().ok_or_else(|| Error::internal("another node has no row of kb_rag.handle"))
}

impl Answer for () {
    type Row = ();

    fn row(_row: &Row) -> Result<()> {
        Ok(())
    }

    fn of_rows(rows: Vec<()>) -> Result<()> {
        only(rows)
    }
}

macro_rules! values {
    ($($type:ty),*) => {$(
        impl Column for $type {
            fn column(row: &Row, number: i32) -> Result<Self> {
                row.require(number)
            }
        }

        impl Answer for $type {
            type Row = $type;

            fn row(row: &Row) -> Result<Self> {
                row.require(1)
            }

            fn of_rows(rows: Vec<Self>) -> Result<Self> {
                only(rows)
            }
        }
    )*};
}
values!(bool, i64, f64, String, Uuid, Jsonb);

macro_rules! columns {
    ($($type:ty),*) => {$(
        impl Column for $type {
            fn column(row: &Row, number: i32) -> Result<Self> {
                row.require(number)
            }
        }
    )*};
}
columns!(i32, Vec<String>, TimestampWithTimeZone);

impl<T: FromDatum + IntoDatum> Answer for Option<T> {
    type Row = Option<T>;

    fn row(row: &Row) -> Result<Self> {
        row.get(1)
    }

    fn of_rows(rows: Vec<Self>) -> Result<Self> {
        only(rows)
    }
}

macro_rules! rows {
    ($($column:ident)*) => {
        impl<$($column: Column),*> Answer for Vec<($($column,)*)> {
            type Row = ($($column,)*);

            fn row(row: &Row) -> Result<Self::Row> {
                let mut number = 0;
                Ok(($({
                    number += 1;
                    $column::column(row, number)?
                },)*))
            }

            fn of_rows(rows: Vec<Self::Row>) -> Result<Self> {
                Ok(rows)
            }
        }
    };
}
rows!(A B C D);
rows!(A B C D E);
rows!(A B C D E F);
rows!(A B C D E F G H I);
rows!(A B C D E F G H I J K L);
rows!(A B C D E F G H I J K L M);
rows!(A B C D E F G H I J K L M N);
rows!(A B C D E F G H I J K L M N O);
rows!(A B C D E F G H I J K L M N O P);
rows!(A B C D E F G H I J K L M N O P Q R S T);
rows!(A B C D E F G H I J K L M N O P Q R S T U);
rows!(A B C D E F G H I J K L M N O P Q R S T U V);
rows!(A B C D E F G H I J K L M N O P Q R S T U V W X Y Z A1 B1);
