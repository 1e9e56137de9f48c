// A customer whose orders are in a shared journal, which is reached through a proxy that can cut its connections.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { Situation } from '../../support/in-process.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { openWorld, overSocketUnhurried, type Way } from '../../support/world.ts'

type Options = Parameters<typeof createDatabase>[0] & { readonly way?: Way }

export const openTeam = async ({ way = overSocketUnhurried, ...options }: Options = {}) => {
  const shop = await openWorld(way)
  const database = await createDatabase(options)
  const proxy = await openTcpProxy(database)
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })
  const address = database.address('ana', proxy)
  const spool = path.join(shop.home, 'state', 'spool')
  const fixed = { ORDERCTL_JOURNAL: address, PGPASSWORD: database.password }
  const run = (words: readonly string[], { env = {}, ...more }: Situation = {}) =>
    shop.run(words, { env: { ...fixed, ...env }, ...more })
  return {
    shop,
    database,
    proxy,
    address,
    spool,
    env: fixed,
    run,
    /** Makes the tables. */
    prepare: async (): Promise<void> => {
      const { exit, stderr } = await run(['list'])
      if (exit !== 0) throw new Error(stderr)
    },
    json: async (...words: string[]) => JSON.parse((await run([...words, '--json'])).stdout),
    spooled: (): string[] =>
      existsSync(spool) ? readdirSync(spool).map((name) => path.join(spool, name)) : [],
    /** Cuts the connection when these bytes are sent, and makes the server unreachable. */
    loseAt: (at: string, how: { readonly nth?: number; readonly forwards?: boolean } = {}): void => {
      void proxy.cutAt(at, how).then(() => proxy.refuse(true))
    },
    calls: () =>
      database.admin(
        'SELECT operation, outcome, settled, order_id, standing FROM calls JOIN orders ON orders.number = order_number ORDER BY calls.number',
      ),
  }
}

export type Team = Awaited<ReturnType<typeof openTeam>>

export const buy = [
  'create',
  '--product',
  'GAME-US:25',
  '--wallet',
  'USD',
  '--reference',
  'po-1',
  '--confirm',
]
