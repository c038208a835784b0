"""Floor 6: tables and figures of records. Nothing here knows how a result was computed."""
