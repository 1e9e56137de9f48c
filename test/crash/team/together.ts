// Lets several processes read the journal before one of them writes to it.
import { Client } from 'pg'
import type { Team, TeamRun } from './world.ts'

/** The processes begin in both homes in turn. None of them writes to the table until all of them wait. */
export const runTogether = async (
  team: Team,
  table: 'orders' | 'calls',
  commands: readonly (readonly string[])[],
): Promise<TeamRun[]> => {
  const { admin, database, ana, ben } = team
  const holder = new Client({ ...admin, database: database.name, ssl: false })
  await holder.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`)
    let isOver = false
    const runs = Promise.all(
      commands.map((words, index) => team.run(index % 2 === 0 ? ana : ben, words)),
    ).finally(() => {
      isOver = true
    })
    const startedAt = performance.now()
    // A process waits for a lock for at most 30 s.
    for (let waiting = 0; waiting < commands.length && !isOver && performance.now() < startedAt + 20_000; ) {
      const [row] = await database.admin(
        'SELECT count(DISTINCT pid)::int AS waiting FROM pg_locks WHERE NOT granted',
      )
      waiting = Number(row?.waiting)
    }
    await holder.query('COMMIT')
    return await runs
  } finally {
    await holder.end()
  }
}
