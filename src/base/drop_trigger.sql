DROP TRIGGER {trigger}
