// Copies the records of revealed codes.
import { sandboxAddress } from '../../contract/account-id.ts'
import { listCopiedColumns } from '../tables/list.ts'
import { reveals as revealsTable } from '../tables/orders.ts'
import type { RunTransaction } from '../tables.ts'
import { findCopies, insertCopies, readOrigin, selectOrigins } from './copied-rows.ts'
import { type Numbers, toValues } from './numbers.ts'
import type { CopySource } from './source.ts'

const columns = listCopiedColumns(revealsTable)

const revealsAtOnce = 1_000

/** Returns the number of new reveals. */
export const copyReveals = async (
  source: CopySource,
  runTransaction: RunTransaction,
  { actors }: Pick<Numbers, 'actors'>,
): Promise<number> => {
  let count = 0
  for (let after: unknown = 0n; ; ) {
    const rows = await source.all(
      `${selectOrigins('reveal', `rows.number > ${after} AND origin <> $sandbox`)} LIMIT ${revealsAtOnce}`,
      { sandbox: sandboxAddress },
    )
    if (rows.length === 0) return count
    const all = rows.map((row) => ({
      origin: readOrigin('reveal', row, source.id),
      values: toValues({ ...row, actor: actors.get(row.actor) ?? null }, columns),
    }))
    count += await runTransaction(async ({ statements }) => {
      const copies = await findCopies(
        statements,
        'reveal',
        all.map(({ origin }) => origin),
      )
      const fresh = all.filter((_, index) => copies[index] === undefined)
      await insertCopies(statements, 'reveal', columns, fresh)
      return fresh.length
    })
    after = rows.at(-1)?.number
  }
}
