// The query for the names of all actors. Completion loads it without the journal.

/** Of the latest actors: machines of CI jobs may have a new name each time. */
const maxActors = 10_000

export const actorNamesQuery = `
  SELECT role AS name FROM (SELECT role FROM actors ORDER BY number DESC LIMIT ${maxActors}) AS latest
  WHERE role IS NOT NULL
  UNION SELECT os_user FROM (SELECT os_user FROM actors ORDER BY number DESC LIMIT ${maxActors}) AS latest
  ORDER BY name`
