// Remembers on this machine the newest call of a shared journal, so that a journal restored from a backup is noticed.
import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Failure } from '../../errors.ts'
import { makeFolder } from '../../files.ts'
import type { CallTable, CheckBegin, StartedCall } from '../calls.ts'

export type NewestCall = {
  /** The id of the journal (see SharedState). */
  readonly journal: string
  readonly call: number
  /** A restored journal may give the number to another call. */
  readonly startedAt: number
}

export type NewestCallNote = ReturnType<typeof openNewestCallNote>

/** A note that is missing or damaged says nothing. A note that cannot be written is not worth a failed command. */
export const openNewestCallNote = (file: string) => {
  const read = (): NewestCall | undefined => {
    try {
      const { journal, call, startedAt } = JSON.parse(readFileSync(file, 'utf8'))
      const isValid = typeof journal === 'string' && [call, startedAt].every(Number.isSafeInteger)
      return isValid ? { journal, call, startedAt } : undefined
    } catch {
      return undefined
    }
  }
  const seen = read()
  let newest = seen
  let saved = seen
  return {
    file,
    seen,
    newest: (): NewestCall | undefined => newest,
    note: (call: NewestCall): void => {
      if (newest?.journal !== call.journal || newest.call < call.call) newest = call
    },
    save: (): void => {
      if (newest === undefined || newest === saved) return
      const temporary = `${file}.${randomUUID()}`
      try {
        makeFolder(path.dirname(file), 0o700)
        writeFileSync(temporary, `${JSON.stringify(newest)}\n`, { mode: 0o600 })
        renameSync(temporary, file)
        saved = newest
      } catch {
        // The next command tries again.
      }
    },
  }
}

export const createRestoredFailure = (name: string, file: string): Failure =>
  new Failure(
    'local-state',
    `the journal ${name} does not have the newest call that this machine has seen; it was probably restored from a backup`,
    { fix: `Run orderctl reconcile, and check which orders are missing. Then delete ${file} to continue.` },
  )

/** A failover or a restored backup may set the journal back while this process uses it. */
export const createNewestCheck =
  ({ newest, file }: NewestCallNote, name: string): CheckBegin =>
  async ({ all }) => {
    const known = newest()
    if (known === undefined) return
    const { call, startedAt } = known
    const found = await all('SELECT 1 FROM calls WHERE number = $call AND started_at = $startedAt', {
      call,
      startedAt,
    })
    if (found.length === 0) throw createRestoredFailure(name, file)
  }

export const noteCalls = (
  calls: CallTable,
  journal: string,
  { note }: Pick<NewestCallNote, 'note'>,
): CallTable => {
  const noteStart = <Start extends { readonly kind: string }>(
    start: Start | StartedCall,
    startedAt: number,
  ) => {
    if (start.kind === 'started') note({ journal, call: (start as StartedCall).call, startedAt })
    return start as Start
  }
  return {
    ...calls,
    beginCreate: async (intent) => noteStart(await calls.beginCreate(intent), intent.at),
    beginConfirm: async (intent) => noteStart(await calls.beginConfirm(intent), intent.at),
  }
}

/** Nothing is sent with a journal that may not have all orders. */
export const refuseCalls = (calls: CallTable, failure: Failure): CallTable => {
  const refuse = (): Promise<never> => Promise.reject(failure)
  return { ...calls, beginCreate: refuse, beginConfirm: refuse }
}
