// Finds actors by name, and the names of the actors of orders.
import type { Row } from '../database/database.ts'
import type { Journal } from '../journal.ts'
import { type Actor, actorNamesQuery, readActor } from './actors.ts'

/** The actors with this database role or OS user. Ignores case only if no name is exactly the same. */
export const findActorNumbers = ({ read }: Journal, name: string): Promise<number[]> =>
  read(async ({ statements: { all } }) => {
    const rows = await all(
      `SELECT number, role, os_user FROM actors
       WHERE role = $name OR os_user = $name OR lower(role) = $folded OR lower(os_user) = $folded`,
      { name, folded: name.toLowerCase() },
    )
    const exact = rows.filter(({ role, os_user }) => role === name || os_user === name)
    return toNumbers(exact.length > 0 ? exact : rows)
  })

/** The actors with the database role of this process or, in SQLite, with its OS user. */
export const findOwnNumbers = ({ read }: Journal): Promise<number[]> =>
  read(async ({ statements: { all, dialect }, identify }) =>
    toNumbers(
      await all(
        `SELECT number FROM actors
         WHERE CASE WHEN ${dialect.role} IS NULL THEN os_user = $osUser ELSE role = ${dialect.role} END`,
        { osUser: identify().osUser },
      ),
    ),
  )

/** Database roles and OS users, each once. */
export const listActorNames = ({ read }: Journal, limit: number): Promise<string[]> =>
  read(async ({ statements: { all } }) => {
    const rows = await all(`${actorNamesQuery} LIMIT $limit`, { limit })
    return rows.map(({ name }) => String(name))
  })

type Signed = { readonly actor?: number | undefined; readonly writtenBy?: string | undefined }

export type FindActor = (row: Signed) => Actor | undefined

/** Returns a function that says who wrote a row, and for whom. Ignores the numbers of damaged rows. */
export const findActors = ({ read }: Journal, rows: readonly Signed[]): Promise<FindActor> =>
  read(async ({ statements: { all } }) => {
    const numbers = new Set(rows.map(({ actor }) => actor).filter(Number.isSafeInteger))
    const found =
      numbers.size === 0
        ? []
        : await all(
            `SELECT number, role, os_user, host FROM actors WHERE number IN (${[...numbers].join(', ')})`,
          )
    const byNumber = new Map(found.map((row) => [Number(row.number), row]))
    return ({ actor, writtenBy }) => readActor({ ...byNumber.get(actor ?? 0), written_by: writtenBy })
  })

const toNumbers = (rows: readonly Row[]): number[] => rows.map(({ number }) => Number(number))
