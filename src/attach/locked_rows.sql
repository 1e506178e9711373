-- Some rows, locked against changes; rows that another transaction is writing are left to its trigger.
SELECT {key_of_t}, {values_of_t}
FROM unnest({parameters}) AS k ({key_names})
JOIN {table} t ON {same_typed_key}
FOR SHARE OF t SKIP LOCKED
