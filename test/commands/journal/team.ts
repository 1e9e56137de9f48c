// A customer whose orders are in a shared journal, which is reached through a proxy that can cut its connections.
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { Situation } from '../../support/in-process.ts'
import { readMachineFile } from '../../support/machine-file.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { openWorld, order, overSocketUnhurried, type Way } from '../../support/world.ts'

type Options = Parameters<typeof createDatabase>[0] & { readonly way?: Way }

export const openTeam = async ({ way = overSocketUnhurried, ...options }: Options = {}) => {
  const shop = await openWorld(way)
  const database = await createDatabase(options)
  // Otherwise the clock of the shop would pass the expiry of an order while its confirm waits for the database.
  const proxy = await openTcpProxy(database, () => {
    let release: (() => void) | undefined
    const end = (): void => {
      release?.()
      release = undefined
    }
    return {
      read: () => {
        release ??= shop.hold()
      },
      ...{ responded: end, ended: end },
    }
  })
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })
  const address = database.address('ana', proxy)
  const state = path.join(shop.home, 'state')
  const fixed = { ORDERCTL_JOURNAL: address, PGPASSWORD: database.password }
  const run = (words: readonly string[], { env = {}, ...more }: Situation = {}) =>
    shop.run(words, { env: { ...fixed, ...env }, ...more })
  return {
    shop,
    database,
    proxy,
    address,
    state,
    env: fixed,
    run,
    /** Makes the tables. */
    prepare: async (): Promise<void> => {
      const { exit, stderr } = await run(['list'])
      if (exit !== 0) throw new Error(stderr)
    },
    json: async (...words: string[]) => JSON.parse((await run([...words, '--json'])).stdout),
    /** The outcomes and reveals that wait for the database. */
    kept: () => readMachineFile(state).events,
  }
}

export type Team = Awaited<ReturnType<typeof openTeam>>

/** The account of the team as profiles: neither it nor a journal is in the environment. */
export const openProfiles = async () => {
  const team = await openTeam()
  const { ORDERCTL_BASE_URL: url = '', ORDERCTL_API_KEY: key = '' } = team.shop.environment
  const fixed = {
    ...{ ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined, ORDERCTL_JOURNAL: undefined },
    ORDERCTL_CONFIG_DIR: path.join(team.shop.home, 'config'),
  }
  const run = (words: readonly string[], env: Record<string, string | undefined> = {}, input = '') =>
    team.run(words, { env: { ...fixed, ...env }, input })
  return {
    ...team,
    fixed,
    run,
    add: (...more: string[]) =>
      run(['profile', 'add', 'shop', '--base-url', url, '--key-stdin', '--use', ...more], {}, key),
  }
}

export const buy = [...order, '--confirm']
