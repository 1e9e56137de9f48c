// Several serve-mock processes on one state file are killed and restarted while clients buy from all of them.
import { expect, test } from 'vitest'
import { DisconnectedError } from '../../src/contract/transport.ts'
import { isFullRun } from '../support/cases.ts'
import { brokenInvariants, readChargedIds } from '../support/invariants.ts'
import { folder } from '../support/orderctl.ts'
import { readDatabase } from '../support/scratch.ts'
import { openServed, type Served, seven } from './served.ts'

const wholeMs = isFullRun ? 60_000 : 1_000
/** The test continues until so many orders are confirmed, however slow the machine is. */
const minConfirmed = isFullRun ? 500 : 25
const processes = isFullRun ? 5 : 2
const clients = 4

/** The connection broke before the answer, or could not be opened. */
const isLostConnection = (error: unknown): boolean =>
  error instanceof DisconnectedError ||
  (error instanceof Error &&
    (/^cut after \d+ bytes$/.test(error.message) ||
      ['ECONNREFUSED', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')))

test('no confirmed order is lost by kills of serve-mock', { timeout: 300_000 }, async () => {
  const place = folder()
  const answered = { created: new Set<string>(), confirmed: [] as string[] }
  let kills = 0
  let state = ''

  /** Buys until the process no longer answers. */
  const buy = async ({ calls }: Served, onAnswer: () => void): Promise<never> => {
    for (;;) {
      const id = await calls.created([seven])
      answered.created.add(id)
      onAnswer()
      const { status, text } = await calls.confirm(id)
      if (status !== 200) throw new Error(`confirm answered ${status}: ${text}`)
      answered.confirmed.push(id)
      onAnswer()
    }
  }
  const once = async (): Promise<void> => {
    const service = await openServed(place)
    state = service.state
    let left = Math.floor(Math.random() * 30)
    const isEnough = Promise.withResolvers<void>()
    const onAnswer = (): void => {
      left -= 1
      if (left < 0) isEnough.resolve()
    }
    let isKilled = false
    const errors: unknown[] = []
    const all = Promise.all(
      Array.from({ length: clients }, () =>
        buy(service, onAnswer).catch((error) => {
          if (!isKilled || !isLostConnection(error)) errors.push(error)
        }),
      ),
    )
    await Promise.race([isEnough.promise, all])
    isKilled = true
    await service.kill('SIGKILL')
    kills += 1
    await all
    // Only a kill may leave a call without an answer, and each answer must be a success.
    expect(errors).toEqual([])
  }
  const end = performance.now() + wholeMs
  const slot = async (): Promise<void> => {
    while (performance.now() < end || answered.confirmed.length < minConfirmed) await once()
  }
  await Promise.all(Array.from({ length: processes }, slot))

  await using service = await openServed(place)
  for (const id of answered.created) expect((await service.calls.get(id)).status).toBe(200)
  expect(readDatabase(state, brokenInvariants)).toEqual([])
  const charged = new Set(readDatabase(state, readChargedIds))
  expect(answered.confirmed.length).toBeGreaterThanOrEqual(minConfirmed)
  expect(kills).toBeGreaterThanOrEqual(processes)
  expect(new Set(answered.confirmed).size).toBe(answered.confirmed.length)
  expect(answered.confirmed.filter((id) => !charged.has(id))).toEqual([])
  expect(readDatabase(state, (database) => database.prepare('PRAGMA integrity_check').get())).toEqual({
    integrity_check: 'ok',
  })
  if (isFullRun)
    console.info(
      `killed ${kills} times in ${wholeMs / 1_000} s, ${answered.confirmed.length} orders confirmed`,
    )
})
