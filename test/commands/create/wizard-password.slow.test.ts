// create's questions on a terminal, if the database of a shared journal wants a password that is not stored.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { noTerminal, type Typed, typedInto } from '../../support/pseudo-terminal.ts'
import { overSocketUnhurried } from '../../support/world.ts'
import { openTeam } from '../journal/team.ts'

const enter = '\r'
const prompt = 'Database password of'

/** A customer of the shop, at a terminal. The journal already has an order of GAME-US. */
const openDesk = async () => {
  const { shop, database, address, run } = await openTeam({ way: overSocketUnhurried })
  const { exit, stderr } = await run(['create', '--product', 'GAME-US:25', '--wallet', 'USD'])
  if (exit !== 0) throw new Error(stderr)
  const type = async (words: readonly string[], ...parts: readonly (readonly [string, string])[]) => {
    const ran = await typedInto(
      words,
      { ...shop.environment, ORDERCTL_JOURNAL: address, ORDERCTL_STATE_DIR: `${shop.home}/state` },
      ...parts,
    )
    return { ...ran, prompts: ran.text.split(`✔ ${prompt}`).length - 1 }
  }
  return {
    type,
    password: `${database.password}${enter}`,
    references: async () =>
      (await database.admin('SELECT reference FROM orders ORDER BY number'))
        .map((row) => row.reference)
        .slice(1),
  }
}

const answers = [
  ['GAME-US', `GAME-US`],
  ['❯ GAME-US', enter],
  ['(25)', enter],
  ['(1)', enter],
  ['(no)', enter],
  ['reference (', `${'\u0015'}my-order${enter}`],
  ['Enter to place', enter],
] as const

describe.skipIf(noTerminal() !== undefined)('the password of the journal', () => {
  test('is asked for once', async () => {
    const { type, password, references } = await openDesk()
    const ran = await type(['create'], [prompt, password], ...answers, ['(y/N)', `n${enter}`])
    expect(ran).toMatchObject({ exit: 0, prompts: 1 })
    expect(await references()).toEqual(['my-order'])
  })
  test('is asked for again if it was wrong, and the order can be placed', async () => {
    const { type, password, references } = await openDesk()
    const unknownProduct = [
      ['Product', 'GAME-US'],
      ['❯ GAME-US', enter],
      ['Amount of each', `25${enter}`],
      ['Product type', enter],
      ['(1)', enter],
      ['(no)', enter],
      ['Wallet', 'USD'],
      ['❯ USD', enter],
      ...answers.slice(-2),
    ] as const
    const given = [[prompt, `wrong${enter}`], ...unknownProduct] as const
    const ran = await type(['create'], ...given, [prompt, password], ['(y/N)', `n${enter}`])
    expect(ran).toMatchObject({ exit: 0, prompts: 2 })
    expect(ran.text).toMatch(/^warning: earlier orders were not read: .* the password is wrong$/m)
    expect(await references()).toEqual(['my-order'])
  })

  test('is asked for once by a dry run, which also works without it', async () => {
    const { type, password, references } = await openDesk()
    const ran = await type(['create', '--dry-run'], [prompt, password], ...answers.slice(0, -1), [
      'Enter to check',
      enter,
    ])
    expect(ran).toMatchObject({ exit: 0, prompts: 1 })
    const complete = ['create', '--dry-run', '--product', 'GAME-US:25', '--wallet', 'USD']
    expect(await type(complete)).toMatchObject({ exit: 0, prompts: 0 })
    expect(await references()).toEqual([])
  })
  test('is asked for once if the order continues as a batch', async () => {
    const { type, password } = await openDesk()
    const ran = await type(
      ['create'],
      [prompt, password],
      ...answers.slice(0, -1).map(([mark, typed]) => [mark, mark === '(1)' ? `30${enter}` : typed] as const),
      ['Enter to start the batch', enter],
      ['Spend at most (USD)', '\u0003'],
    )
    expect(ran).toMatchObject({ exit: 130, prompts: 1 })
  })
})

/** A desk whose profile has a command that logs each of its runs and prints the password. */
const openCommandDesk = async () => {
  const { shop, database, address, run } = await openTeam({ way: overSocketUnhurried })
  const { ORDERCTL_BASE_URL: url = '', ORDERCTL_API_KEY: key = '' } = shop.environment
  const secret = path.join(shop.home, 'secret')
  const log = path.join(shop.home, 'log')
  const config = path.join(shop.home, 'config')
  const env = { ORDERCTL_JOURNAL: undefined, ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
  const must = async (words: readonly string[], input?: string) => {
    const situation = { env: { ...env, ORDERCTL_CONFIG_DIR: config } }
    const { exit, stderr } = await run(words, input === undefined ? situation : { ...situation, input })
    if (exit !== 0) throw new Error(stderr)
  }
  writeFileSync(secret, `${database.password}\n`)
  const flags = ['--base-url', url, '--key-stdin', '--use', '--journal', address]
  const command = `echo run >> ${log}; cat ${secret}`
  await must(['profile', 'add', 'shop', ...flags, '--journal-password-command', command], key)
  await must(['create', '--product', 'GAME-US:25', '--wallet', 'USD'])
  return {
    database,
    secret,
    type: (...parts: readonly (readonly [string, Typed])[]) =>
      typedInto(
        ['create'],
        { ORDERCTL_CONFIG_DIR: config, ORDERCTL_STATE_DIR: path.join(shop.home, 'state') },
        ...parts,
      ),
    runs: () => readFileSync(log, 'utf8').split('\n').length - 1,
  }
}

describe.skipIf(noTerminal() !== undefined)('the password command of the journal', () => {
  test('runs once', async () => {
    const { type, runs } = await openCommandDesk()
    expect(await type(...answers, ['(y/N)', `n${enter}`])).toMatchObject({ exit: 0 })
    expect(runs()).toBe(1)
  })

  test('runs again if its password has expired while the questions were answered', async () => {
    const { type, runs, secret, database } = await openCommandDesk()
    const setPassword = (text: string) =>
      database.admin(`ALTER ROLE ${database.nameOf('ana')} PASSWORD '${text}'`)
    const renew = async (): Promise<string> => {
      writeFileSync(secret, 'renewed\n')
      await setPassword('renewed')
      return 'GAME-US'
    }
    try {
      const given = [['GAME-US', renew], ...answers.slice(1), ['(y/N)', `n${enter}`]] as const
      expect(await type(...given)).toMatchObject({ exit: 0 })
      expect(runs()).toBe(2)
    } finally {
      await setPassword(database.password)
    }
  })
})
