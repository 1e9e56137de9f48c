import { describe, expect, test } from 'vitest'
import { type AccountOptions, resolveAccount } from '../../src/profiles/account.ts'
import type { Profile } from '../../src/profiles/profile.ts'
import { everythingOf, failureOf } from './failure-of.ts'

const live: Profile = {
  name: 'live',
  baseUrl: 'https://live.example',
  wallet: 'USD',
  auth: { kind: 'header', name: 'X-Key' },
  credential: { kind: 'key', key: 'sk_live' },
}
const vault: Profile = {
  name: 'vault',
  baseUrl: 'https://vault.example',
  auth: { kind: 'bearer' },
  credential: { kind: 'command', command: 'op read key' },
}
const bare: Profile = { name: 'bare', baseUrl: 'https://bare.example', auth: { kind: 'bearer' } }
const broken: Profile = { ...bare, name: 'broken', credential: { kind: 'key', key: 'sk_secret\nX: 1' } }
const named: Profile = { ...live, name: 'named', account: 'eu' }
const all = [live, vault, bare, broken, named]

const unneeded = (): never => {
  throw new Error('the profiles were not needed')
}

const options = (
  environment: AccountOptions['environment'],
  rest: Partial<AccountOptions> & { current?: string | null } = {},
): AccountOptions => ({
  environment,
  profiles: () => ({
    list: () => all,
    get: (name) => all.find((each) => each.name === name),
    current: () => {
      if (rest.current === null) return undefined
      const { current = 'sandbox' } = rest
      return { name: current, isDefault: rest.current === undefined }
    },
  }),
  runCommand: async () => 'sk_from_command',
  ...rest,
})

/** The account with its key. */
const resolved = async (given: AccountOptions): Promise<unknown> => {
  const account = resolveAccount(given)
  if (account.kind === 'sandbox') return account
  const { getKey, ...rest } = account
  return { ...rest, key: await getKey() }
}

const sandbox = { kind: 'sandbox', name: 'sandbox' }
const address = 'https://env.example'
const fromEnvironment = {
  kind: 'service',
  name: 'environment',
  baseUrl: address,
  auth: { kind: 'bearer' },
  allowHttp: false,
  source: 'environment',
  key: 'sk_env',
}
const fromLive = {
  kind: 'service',
  name: 'live',
  baseUrl: 'https://live.example',
  auth: { kind: 'header', name: 'X-Key' },
  allowHttp: false,
  wallet: 'USD',
  source: 'profile',
  key: 'sk_live',
}

describe('the account is', () => {
  test.each<[string, AccountOptions, unknown]>([
    ['the sandbox by default', options({}), { ...sandbox, isDefault: true }],
    ['the sandbox in use', options({}, { current: 'sandbox' }), sandbox],
    ['the current profile', options({}, { current: 'live' }), fromLive],
    ['the profile of the flag', options({}, { profileName: 'live' }), fromLive],
    ['the profile of the variable', options({ ORDERCTL_PROFILE: 'live' }, { current: 'bare' }), fromLive],
    [
      'the profile of the flag, not of the variable',
      options({ ORDERCTL_PROFILE: 'bare' }, { profileName: 'live' }),
      fromLive,
    ],
    ['the sandbox of the flag', options({}, { profileName: 'sandbox', current: 'live' }), sandbox],
    ['the sandbox of the variable', options({ ORDERCTL_PROFILE: 'sandbox' }, { current: 'live' }), sandbox],
    [
      'the environment, without any profile',
      options({ ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: 'sk_env\n' }, { profiles: unneeded }),
      fromEnvironment,
    ],
    [
      'the environment, its key sent as it says',
      options({
        ORDERCTL_BASE_URL: `${address}/`,
        ORDERCTL_API_KEY: 'sk_env',
        ORDERCTL_AUTH: 'query:key',
      }),
      { ...fromEnvironment, auth: { kind: 'query', name: 'key' } },
    ],
    [
      'the environment over http, where that is allowed',
      options({ ORDERCTL_BASE_URL: 'http://env.example', ORDERCTL_API_KEY: 'sk_env' }, { allowHttp: true }),
      { ...fromEnvironment, baseUrl: 'http://env.example', allowHttp: true },
    ],
    [
      'the profile of the flag alone, if the environment names another account without a key',
      options(
        { ORDERCTL_BASE_URL: address, ORDERCTL_AUTH: 'basic', ORDERCTL_ACCOUNT: 'other' },
        { profileName: 'live' },
      ),
      fromLive,
    ],
    [
      'the profile of the flag alone, if another one is in the environment without a key',
      options({ ORDERCTL_PROFILE: 'bare', ORDERCTL_AUTH: 'basic' }, { profileName: 'live' }),
      fromLive,
    ],
    [
      'the profile that orderctl chose, not the other account of the environment',
      options(
        { ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: 'sk_env' },
        { profileName: 'live', isChosenHere: true },
      ),
      fromLive,
    ],
    [
      'the profile that orderctl chose, not a key that nobody said whose it is',
      options({ ORDERCTL_API_KEY: 'sk_env' }, { profileName: 'live', isChosenHere: true }),
      fromLive,
    ],
    [
      'the profile that orderctl chose, with the key of the environment for the same account',
      options(
        { ORDERCTL_PROFILE: 'live', ORDERCTL_API_KEY: 'sk_env' },
        { profileName: 'named', isChosenHere: true },
      ),
      { ...fromLive, name: 'named', account: 'eu', source: 'environment', key: 'sk_env' },
    ],
    ...['https://live.example', 'http://LIVE.example:80//', 'https://live.example.:443/'].map(
      (same): [string, AccountOptions, unknown] => [
        `the profile of the flag with the key of the same account, ${same}`,
        options({ ORDERCTL_BASE_URL: same, ORDERCTL_API_KEY: 'sk_env' }, { profileName: 'live' }),
        { ...fromLive, source: 'environment', key: 'sk_env' },
      ],
    ),
    [
      'the profile of the variable with the key of the same account',
      options({
        ORDERCTL_PROFILE: 'live',
        ORDERCTL_BASE_URL: 'https://live.example',
        ORDERCTL_API_KEY: 'sk_env',
      }),
      { ...fromLive, source: 'environment', key: 'sk_env' },
    ],
    [
      'the account that a profile declares',
      options({}, { profileName: 'named' }),
      { ...fromLive, name: 'named', account: 'eu' },
    ],
    [
      'the account that the variable declares, beside a profile',
      options({ ORDERCTL_ACCOUNT: 'us' }, { profileName: 'named' }),
      { ...fromLive, name: 'named', account: 'us' },
    ],
    [
      'the account that the variable declares, beside the profile in use',
      options({ ORDERCTL_ACCOUNT: 'us' }, { current: 'live' }),
      { ...fromLive, account: 'us' },
    ],
    [
      'the account that the variable declares, of the environment',
      options({ ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: 'sk_env', ORDERCTL_ACCOUNT: 'us' }),
      { ...fromEnvironment, account: 'us' },
    ],
    [
      'the sandbox of the flag, whatever account the environment declares',
      options({ ORDERCTL_ACCOUNT: 'us' }, { profileName: 'sandbox', current: null }),
      sandbox,
    ],
    [
      'the sandbox of the flag, whatever account the environment holds',
      options({ ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: 'sk_env' }, { profileName: 'sandbox' }),
      sandbox,
    ],
    [
      'a named profile with a key from the environment',
      options({ ORDERCTL_PROFILE: 'live', ORDERCTL_API_KEY: 'sk_env', ORDERCTL_AUTH: 'basic' }),
      { ...fromLive, auth: { kind: 'basic' }, source: 'environment', key: 'sk_env' },
    ],
    [
      'a profile of the flag with a key from the environment',
      options({ ORDERCTL_API_KEY: 'sk_env' }, { profileName: 'bare' }),
      { ...fromEnvironment, name: 'bare', baseUrl: 'https://bare.example' },
    ],
    [
      'a profile with the key that its command prints',
      options({}, { profileName: 'vault' }),
      {
        ...fromEnvironment,
        name: 'vault',
        baseUrl: 'https://vault.example',
        source: 'command',
        key: 'sk_from_command',
      },
    ],
  ])('%s', async (_, given, account) => expect(await resolved(given)).toEqual(account))
})

describe('no account is selected by', () => {
  test.each<[AccountOptions['environment'], string, string, string | undefined]>([
    [
      { ORDERCTL_API_KEY: 'sk_secret' },
      'usage',
      'ORDERCTL_API_KEY is set, but no account is selected',
      'ORDERCTL_API_KEY',
    ],
    [
      { ORDERCTL_AUTH: 'basic' },
      'usage',
      'ORDERCTL_AUTH is set, but no account is selected',
      'ORDERCTL_AUTH',
    ],
    [
      { ORDERCTL_BASE_URL: address },
      'credentials',
      'ORDERCTL_BASE_URL is set, but ORDERCTL_API_KEY is not',
      'ORDERCTL_API_KEY',
    ],
    [
      { ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: '' },
      'credentials',
      'ORDERCTL_API_KEY is set, but empty',
      'ORDERCTL_API_KEY',
    ],
    [
      { ORDERCTL_BASE_URL: '', ORDERCTL_API_KEY: '' },
      'usage',
      'ORDERCTL_BASE_URL is set, but empty',
      'ORDERCTL_BASE_URL',
    ],
    [{ ORDERCTL_PROFILE: '' }, 'usage', 'ORDERCTL_PROFILE is set, but empty', 'ORDERCTL_PROFILE'],
    [
      { ORDERCTL_PROFILE: 'live', ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: 'sk_secret' },
      'usage',
      'ORDERCTL_PROFILE and ORDERCTL_BASE_URL name different accounts',
      'ORDERCTL_PROFILE',
    ],
    [
      { ORDERCTL_PROFILE: 'sandbox', ORDERCTL_API_KEY: 'sk_secret' },
      'usage',
      'ORDERCTL_API_KEY and ORDERCTL_PROFILE name different accounts',
      'ORDERCTL_API_KEY',
    ],
    [
      { ORDERCTL_PROFILE: 'named', ORDERCTL_BASE_URL: 'https://live.example', ORDERCTL_ACCOUNT: 'e u' },
      'usage',
      'the account in the environment is invalid',
      'ORDERCTL_ACCOUNT',
    ],
    [
      { ORDERCTL_ACCOUNT: 'us' },
      'usage',
      'ORDERCTL_ACCOUNT is set, but no account is selected',
      'ORDERCTL_ACCOUNT',
    ],
    [
      { ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: 'sk_secret', ORDERCTL_ACCOUNT: '' },
      'usage',
      'ORDERCTL_ACCOUNT is set, but empty',
      'ORDERCTL_ACCOUNT',
    ],
    [
      { ORDERCTL_PROFILE: 'sandbox', ORDERCTL_ACCOUNT: 'us' },
      'usage',
      'ORDERCTL_ACCOUNT and ORDERCTL_PROFILE name different accounts',
      'ORDERCTL_ACCOUNT',
    ],
    [{ ORDERCTL_PROFILE: 'nobody' }, 'usage', "there is no profile 'nobody'", 'ORDERCTL_PROFILE'],
    [{ ORDERCTL_PROFILE: 'sk secret' }, 'usage', 'there is no profile of that name', 'ORDERCTL_PROFILE'],
    [{ ORDERCTL_PROFILE: 'bare' }, 'credentials', 'the profile bare has no key', undefined],
    [
      { ORDERCTL_PROFILE: 'broken' },
      'credentials',
      'the key of the profile broken has a control character or a line break',
      undefined,
    ],
    [
      { ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: 'sk_secret\r\nX: 1' },
      'credentials',
      'ORDERCTL_API_KEY has a control character or a line break',
      undefined,
    ],
  ])('%j', async (environment, ...expected) => {
    const failure = await failureOf(() => resolveAccount(options(environment)))
    expect([failure.kind, failure.message, failure.details.field]).toEqual(expected)
    expect(failure.details.fix).toBeTruthy()
    expect(everythingOf(failure)).not.toMatch(/sk[_ ](secret|live)/)
  })

  test('an environment with several violations, which are all reported', async () => {
    const failure = await failureOf(() =>
      resolveAccount(
        options({
          ORDERCTL_BASE_URL: 'http://me:sk_secret@env.example',
          ORDERCTL_AUTH: 'header:sk secret',
          ORDERCTL_API_KEY: 'sk_secret',
        }),
      ),
    )
    expect([failure.kind, failure.message, failure.details.violations]).toEqual([
      'usage',
      'the account in the environment is invalid',
      [
        'ORDERCTL_BASE_URL is "http://…@env.example"; allowed: no user name or password; ' +
          'https (http only to this machine, or with --allow-http)',
        'ORDERCTL_AUTH is "header:…"; allowed: header:NAME with a valid header name',
      ],
    ])
    expect(everythingOf(failure)).not.toMatch(/sk[_ ]secret/)
  })

  test.each([
    ['another address', { ORDERCTL_BASE_URL: address }, 'ORDERCTL_BASE_URL'],
    ['another port', { ORDERCTL_BASE_URL: 'https://live.example:8443' }, 'ORDERCTL_BASE_URL'],
    ['another path', { ORDERCTL_BASE_URL: 'https://live.example/v2' }, 'ORDERCTL_BASE_URL'],
    ['no address', { ORDERCTL_BASE_URL: 'live.example' }, 'ORDERCTL_BASE_URL'],
    ['an empty address', { ORDERCTL_BASE_URL: '' }, 'ORDERCTL_BASE_URL'],
    ['another profile', { ORDERCTL_PROFILE: 'bare' }, 'ORDERCTL_PROFILE'],
    ['an unknown profile', { ORDERCTL_PROFILE: 'nobody' }, 'ORDERCTL_PROFILE'],
    ['the sandbox', { ORDERCTL_PROFILE: 'sandbox' }, 'ORDERCTL_PROFILE'],
  ])('a profile of the flag and a key beside %s', async (_, environment, other) => {
    const given = { ...environment, ORDERCTL_API_KEY: 'sk_secret' }
    const warnings: string[] = []
    const failure = await failureOf(() =>
      resolveAccount(options(given, { profileName: 'live', onWarning: (text) => void warnings.push(text) })),
    )
    expect([failure.kind, failure.message, failure.details]).toEqual([
      'usage',
      `--profile live and ${other} name different accounts, and ORDERCTL_API_KEY is set`,
      { field: other, fix: 'Unset ORDERCTL_API_KEY to use the key of live, or omit --profile.' },
    ])
    expect(warnings).toEqual([])
  })

  test('a profile of the flag and a key beside two accounts of one address', async () => {
    const given = { ORDERCTL_PROFILE: 'us', ORDERCTL_API_KEY: 'sk_secret' }
    const two = [named, { ...named, name: 'us', account: 'us' }]
    const profiles = () => ({
      ...options({}).profiles(),
      get: (name: string) => two.find((each) => each.name === name),
    })
    const failure = await failureOf(() => resolveAccount(options(given, { profileName: 'named', profiles })))
    expect(failure.kind).toBe('usage')
  })

  test('no profile in use, and the message names the profiles and the command to type', async () => {
    const failure = await failureOf(() => resolveAccount(options({}, { current: null })))
    expect([failure.kind, failure.message, failure.details.fix]).toEqual([
      'credentials',
      'no profile is in use. Profiles: sandbox, live, vault, bare, broken, named',
      'orderctl profile use live, or orderctl profile use sandbox',
    ])
  })

  test('no profile in use if there is none', async () => {
    const profiles = () => ({ list: () => [], get: () => undefined, current: () => undefined })
    const failure = await failureOf(() => resolveAccount(options({}, { profiles })))
    expect([failure.message, failure.details.fix]).toEqual([
      'no profile is in use. Profiles: sandbox',
      'orderctl profile add NAME --use, or orderctl profile use sandbox',
    ])
  })

  test('a missing profile, and the message names the others', async () => {
    const failure = await failureOf(() => resolveAccount(options({}, { profileName: 'nobody' })))
    expect(failure.details).toEqual({
      field: 'profile',
      fix: 'Profiles: sandbox, live, vault, bare, broken, named. Add one: orderctl profile add NAME',
    })
  })
})

describe('a key of the environment instead of the key of the profile', () => {
  const warningsOf = (environment: AccountOptions['environment'], rest: Partial<AccountOptions> = {}) => {
    const warnings: string[] = []
    resolveAccount(options(environment, { onWarning: (text) => void warnings.push(text), ...rest }))
    return warnings
  }
  const said = (name: string) => [`using ORDERCTL_API_KEY instead of the key of the profile ${name}`]

  test.each<[string, string[], AccountOptions['environment'], Partial<AccountOptions>]>([
    ['of the flag', said('live'), { ORDERCTL_API_KEY: 'sk_env' }, { profileName: 'live' }],
    ['of the variable', said('vault'), { ORDERCTL_API_KEY: 'sk_env', ORDERCTL_PROFILE: 'vault' }, {}],
    ['that has none', [], { ORDERCTL_API_KEY: 'sk_env' }, { profileName: 'bare' }],
    ['if the key is not needed', [], { ORDERCTL_API_KEY: '', ORDERCTL_PROFILE: 'live' }, { needsKey: false }],
    [
      'if nothing will be sent',
      [],
      { ORDERCTL_API_KEY: 'sk_env', ORDERCTL_PROFILE: 'live' },
      { needsKey: false },
    ],
    ['that is used', [], {}, { profileName: 'live' }],
    [
      'that orderctl chose, for another account',
      [],
      { ORDERCTL_API_KEY: 'sk_env', ORDERCTL_BASE_URL: address },
      { profileName: 'live', isChosenHere: true },
    ],
  ])('%s warns: %j', (_, warnings, environment, rest) => {
    expect(warningsOf(environment, rest)).toEqual(warnings)
  })
})

describe('the command of a profile', () => {
  test('runs once, when the key is needed', async () => {
    let runs = 0
    const runCommand = async (command: string) => {
      runs += 1
      return `${command} ${runs}`
    }
    const account = resolveAccount(options({}, { profileName: 'vault', runCommand }))
    expect(runs).toBe(0)
    const keys = account.kind === 'service' ? await Promise.all([account.getKey(), account.getKey()]) : []
    expect(keys).toEqual(['op read key 1', 'op read key 1'])
  })

  test('cannot add a line to the request', async () => {
    const runCommand = async () => 'sk_secret\rX: 1'
    const account = resolveAccount(options({}, { profileName: 'vault', runCommand }))
    const failure = await failureOf(() => account.kind === 'service' && account.getKey())
    expect([failure.kind, failure.message]).toEqual([
      'credentials',
      'the key that the command of vault printed has a control character or a line break',
    ])
    expect(everythingOf(failure)).not.toContain('sk_secret')
  })
})
