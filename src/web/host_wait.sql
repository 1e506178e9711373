SELECT extract(epoch FROM until - clock_timestamp())::float8, reason FROM {waits} h WHERE origin = $1
