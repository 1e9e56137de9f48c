// profile, profile show and profile list name the account that a command would use, and what selected it.
import { describe, expect, test } from 'vitest'
import { NotSentError } from '../../../src/contract/transport.ts'
import { openWorld, order } from '../../support/world.ts'

const url = 'https://orders.example.com'
const other = 'https://other.example.com'
const key = 'canary-key-0123456789'
const ownKey = { ORDERCTL_API_KEY: key }

type Env = Record<string, string>

const openShop = async (inUse?: string) => {
  const shop = await openWorld()
  const offline = async () => {
    throw new NotSentError('offline')
  }
  const openNetwork = async () => Object.assign(offline, { close: async () => {} })
  const run = (words: readonly string[], env: Env = {}, input?: string) =>
    shop.runIn(words, { env, openNetwork, ...(input === undefined ? {} : { input }) })
  if (inUse !== undefined) {
    for (const [name, baseUrl] of [
      ['shop', url],
      ['tokyo', other],
    ] as const)
      await run(['profile', 'add', name, '--base-url', baseUrl, '--key-stdin'], {}, 'stored-key')
    if (inUse !== '') await run(['profile', 'use', inUse])
  }
  return { ...shop, run }
}

type Case = [
  what: string,
  inUse: string | undefined,
  flags: readonly string[],
  env: Env,
  name: string,
  address: string,
  by: string,
]

const selectedBy: Env = {
  'profile use': 'the command profile use',
  default: 'default, because no profile was ever saved',
}

describe('the account', () => {
  const noMoney = 'built in: no real money'
  test.each<Case>([
    ['nothing', undefined, [], {}, 'sandbox', noMoney, 'default'],
    ['the profile in use', 'shop', [], {}, 'shop', url, 'profile use'],
    ['the sandbox in use', 'sandbox', [], {}, 'sandbox', noMoney, 'profile use'],
    ['a variable', 'shop', [], { ORDERCTL_PROFILE: 'tokyo' }, 'tokyo', other, 'ORDERCTL_PROFILE'],
    [
      'the sandbox by a variable',
      'shop',
      [],
      { ORDERCTL_PROFILE: 'sandbox' },
      'sandbox',
      noMoney,
      'ORDERCTL_PROFILE',
    ],
    [
      'an address',
      undefined,
      [],
      { ORDERCTL_BASE_URL: url, ...ownKey },
      'environment',
      url,
      'ORDERCTL_BASE_URL',
    ],
    [
      'an address over a profile',
      'tokyo',
      [],
      { ORDERCTL_BASE_URL: url, ...ownKey },
      'environment',
      url,
      'ORDERCTL_BASE_URL',
    ],
    [
      'both variables',
      '',
      [],
      { ORDERCTL_BASE_URL: url, ORDERCTL_PROFILE: 'shop' },
      'shop',
      url,
      'ORDERCTL_PROFILE',
    ],
    ['a flag', 'shop', ['--profile', 'tokyo'], {}, 'tokyo', other, '--profile'],
    [
      'a flag over a variable',
      'shop',
      ['--profile', 'tokyo'],
      { ORDERCTL_PROFILE: 'shop' },
      'tokyo',
      other,
      '--profile',
    ],
  ])(
    'that %s selects is shown, and it is that of a command',
    async (_, inUse, flags, env, name, address, by) => {
      const { run } = await openShop(inUse)
      const shown = JSON.parse((await run(['profile', 'show', '--json', ...flags], env)).stdout)
      expect(shown).toMatchObject({ name, current: true, selectedBy: by })
      expect(shown.baseUrl ?? noMoney).toBe(address)
      expect(JSON.parse((await run(['profile', '--json', ...flags], env)).stdout)).toEqual(shown)
      const rows = JSON.parse((await run(['profile', 'list', '--json', ...flags], env)).stdout)
      expect(rows.filter(({ current }: { current: boolean }) => current)).toEqual([shown])
      const words = selectedBy[by] ?? by
      const bare = await run(['profile', ...flags], env)
      expect(bare).toMatchObject({ exit: 0, stderr: '' })
      expect(bare.stdout).toMatch(
        new RegExp(`^Profile   ${name}\nAddress   ${address}\nSelected  by ${words}\n$`),
      )
      expect((await run(['profile', 'list', ...flags], env)).stderr).toMatch(
        new RegExp(`^Commands use ${name}, selected by ${words}\n$`),
      )
      const used =
        name === 'sandbox'
          ? 'the sandbox'
          : name === 'environment'
            ? `the environment`
            : `the profile ${name}`
      expect((await run([...order, ...flags], env)).stderr).toContain(`Using ${used}: `)
    },
  )

  test('has the settings of variables, and never a key', async () => {
    const { run } = await openShop('shop')
    const env = { ORDERCTL_PROFILE: 'shop', ORDERCTL_ACCOUNT: 'eu', ORDERCTL_AUTH: 'basic', ...ownKey }
    const shown = await run(['profile', 'show'], env)
    expect(shown.stdout).toBe(
      `Profile     shop, in use
Address     ${url}
Account     eu
Selected    by ORDERCTL_PROFILE
Auth        basic
Credential  key, in ORDERCTL_API_KEY
`,
    )
    expect((await run(['profile'], env)).stdout).toContain(`Address   ${url}, account eu\n`)
    expect(JSON.stringify([shown, await run(['profile', 'list'], env)])).not.toContain(key)
  })

  test('is shown if its key is missing', async () => {
    const { run } = await openShop()
    const env = { ORDERCTL_BASE_URL: url }
    expect((await run(['profile', 'show'], env)).stdout).toContain('none: ORDERCTL_API_KEY is not set')
    expect((await run(['profile'], env)).exit).toBe(0)
  })
})

test.each<[string, Env, number, string]>([
  ['an unknown profile', { ORDERCTL_PROFILE: 'nope' }, 2, "there is no profile 'nope'"],
  ['an empty variable', { ORDERCTL_PROFILE: '' }, 2, 'ORDERCTL_PROFILE is set, but empty'],
  ['a key without an address', ownKey, 2, 'ORDERCTL_API_KEY is set, but no account is selected'],
  [
    'two accounts',
    { ORDERCTL_PROFILE: 'shop', ORDERCTL_BASE_URL: other },
    2,
    'ORDERCTL_PROFILE and ORDERCTL_BASE_URL select different accounts',
  ],
  [
    'an invalid address',
    { ORDERCTL_BASE_URL: 'orders', ...ownKey },
    2,
    'the account in the environment is invalid',
  ],
])('%s is the error of a command, and list marks no profile', async (_, env, exit, message) => {
  const { run } = await openShop('shop')
  for (const words of [['profile'], ['profile', 'show'], order]) {
    const ran = await run(words, env)
    expect({ words, exit: ran.exit }).toEqual({ words, exit })
    expect(ran.stderr).toContain(`error: ${message}\n`)
  }
  const list = await run(['profile', 'list'], env)
  expect(list).toMatchObject({ exit: 0, stderr: `warning: no account is selected: ${message}\n` })
  expect(list.stdout).not.toContain('*')
  // By its name, a profile is still shown.
  expect((await run(['profile', 'show', 'tokyo'], env)).stdout).toMatch(/^Profile +tokyo\n/)
})

test('a key of a different account does not go with a flag', async () => {
  const { run } = await openShop('shop')
  const env = { ORDERCTL_BASE_URL: url, ...ownKey }
  const { exit, stderr } = await run(['profile', '--profile', 'tokyo'], env)
  expect([exit, stderr.split('\n')[0]]).toEqual([
    2,
    'error: --profile tokyo and ORDERCTL_BASE_URL select different accounts, and ORDERCTL_API_KEY is set',
  ])
})

test('use warns of a variable that overrides it', async () => {
  const { run } = await openShop('shop')
  const { exit, stderr } = await run(['profile', 'use', 'tokyo'], { ORDERCTL_PROFILE: 'shop' })
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr:
      'warning: ORDERCTL_PROFILE is set, and overrides the profile in use\nThe profile tokyo is now in use\n',
  })
})
