-- Some rows, held against whoever would delete or change them; those somebody is writing are left to his trigger.
SELECT {key_of_t}, {values_of_t}
FROM unnest({parameters}) AS k ({key_names})
JOIN {table} t ON {same_typed_key}
FOR SHARE OF t SKIP LOCKED
