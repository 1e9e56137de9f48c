// What the TAB key offers from a shared journal, and that it is silent if the server does not respond at once.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../../src/contract/time.ts'
import { inSituation, realClock, untilAborted } from '../../support/in-process.ts'
import { buy, openProfiles, openTeam, type Team } from '../journal/team.ts'

/** The time limit never comes, however slow the machine is. */
const patient: Clock = { ...realClock, sleep: (_, signal) => untilAborted(signal) }
/** The time limit comes at once. */
const hasty: Clock = { ...realClock, sleep: async () => {} }

type Options = { readonly clock?: Clock; readonly env?: Record<string, string | undefined> }

const filled = async () => {
  const team = await openTeam()
  const { run, shop } = team
  await run(buy)
  const rows = shop.file('sku,quote,quantity\nGAME-US,25,1\n', 'rows.csv')
  await run(['batch', 'plan', rows, '--name', 'gifts', '--wallet', 'USD'])
  return { ...team, offered: (words: string[], options?: Options) => offer(team, words, options) }
}

const offer = async (
  { shop, env: fixed }: Pick<Team, 'shop' | 'env'>,
  words: readonly string[],
  { clock = patient, env = {} }: Options = {},
): Promise<string[]> => {
  const { exit, stdout, stderr, questions } = await inSituation(['__complete', '--', ...words], {
    cwd: shop.home,
    env: { ...shop.environment, ORDERCTL_STATE_DIR: path.join(shop.home, 'state'), ...fixed, ...env },
    clock,
  })
  expect({ exit, stderr, questions }).toEqual({ exit: 0, stderr: '', questions: [] })
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/\t.*/, ''))
}

describe('silent', () => {
  const silent = ['watch', 'x', 'ref']
  test.each<[string, (team: Awaited<ReturnType<typeof filled>>) => unknown, Options]>([
    ['if the server does not respond in time', ({ proxy }) => proxy.hold(true), { clock: hasty }],
    ['if the server is down', ({ proxy }) => proxy.refuse(true), {}],
    ['if the server wants a password', () => {}, { env: { PGPASSWORD: undefined } }],
    ['if the password is wrong', () => {}, { env: { PGPASSWORD: 'wrong' } }],
    [
      'if the journal has another version',
      ({ database }) => database.admin('UPDATE orderctl_journal SET version = 99'),
      {},
    ],
    ['if there are no tables', ({ database }) => database.admin('DROP TABLE orderctl_journal'), {}],
    ['if the address is wrong', () => {}, { env: { ORDERCTL_JOURNAL: 'postgres:nowhere' } }],
    ['if the address is empty', () => {}, { env: { ORDERCTL_JOURNAL: '' } }],
  ])('%s', async (_, change, options) => {
    const team = await filled()
    expect(await team.offered(silent)).toEqual(['ref:po-1', ':'])
    await change(team)
    expect(await team.offered(silent, options)).toEqual([':'])
  })

  test('and never runs the password command of the profile', async () => {
    const team = await openProfiles()
    const { run, add, shop, address } = team
    await run(buy, { ...shop.environment, ORDERCTL_JOURNAL: address })
    const marker = path.join(shop.home, 'ran')
    const command = ['--journal-password-command', `touch ${marker}; echo wrong`]
    const { exit, stderr } = await add('--journal', address, ...command)
    expect(exit, stderr).toBe(0)
    const offered = (env = {}) => offer(team, ['get', 'ref'], { env: { ...team.fixed, ...env } })
    expect(await offered()).toEqual(['ref:po-1', ':'])
    expect(await offered({ PGPASSWORD: undefined })).toEqual([':'])
    expect(existsSync(marker)).toBe(false)
  })
})
