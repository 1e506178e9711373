UPDATE {schema}.source SET status = 'detached', error_message = NULL WHERE id = $1
