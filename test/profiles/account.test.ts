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
const all = [live, vault, bare, broken]

const unneeded = (): never => {
  throw new Error('the profiles were not needed')
}

const options = (
  environment: AccountOptions['environment'],
  rest: Partial<AccountOptions> & { current?: string } = {},
): AccountOptions => ({
  environment,
  profiles: () => ({
    list: () => all,
    get: (name) => all.find((each) => each.name === name),
    current: () => rest.current ?? 'sandbox',
  }),
  runCommand: async () => 'sk_from_command',
  ...rest,
})

/** The account in one value, its key asked for. */
const resolved = async (given: AccountOptions): Promise<unknown> => {
  const account = resolveAccount(given)
  return account.kind === 'sandbox' ? account : { ...account, key: await account.key() }
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

describe('a call acts on', () => {
  test.each<[string, AccountOptions, unknown]>([
    ['the sandbox, where nobody says', options({}), sandbox],
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
      'the profile of the flag alone, whatever account the environment holds',
      options(
        { ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: 'sk_env', ORDERCTL_AUTH: 'basic' },
        { profileName: 'live' },
      ),
      fromLive,
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

describe('no account is made of', () => {
  test.each<[AccountOptions['environment'], string, string, string | undefined]>([
    [
      { ORDERCTL_API_KEY: 'sk_secret' },
      'usage',
      'ORDERCTL_API_KEY is set, but not the account that it belongs to',
      'ORDERCTL_API_KEY',
    ],
    [
      { ORDERCTL_AUTH: 'basic' },
      'usage',
      'ORDERCTL_AUTH is set, but not the account that it belongs to',
      'ORDERCTL_AUTH',
    ],
    [
      { ORDERCTL_BASE_URL: address },
      'credentials',
      'ORDERCTL_BASE_URL is set, but no key for it',
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
    [{ ORDERCTL_PROFILE: 'nobody' }, 'usage', 'there is no profile nobody', 'ORDERCTL_PROFILE'],
    [{ ORDERCTL_PROFILE: 'sk secret' }, 'usage', 'there is no profile of that name', 'ORDERCTL_PROFILE'],
    [{ ORDERCTL_PROFILE: 'bare' }, 'credentials', 'the profile bare has no key', undefined],
    [
      { ORDERCTL_PROFILE: 'broken' },
      'credentials',
      'the key of the profile broken has a control character or a line break in it',
      undefined,
    ],
    [
      { ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: 'sk_secret\r\nX: 1' },
      'credentials',
      'ORDERCTL_API_KEY has a control character or a line break in it',
      undefined,
    ],
  ])('%j', async (environment, ...expected) => {
    const failure = await failureOf(() => resolveAccount(options(environment)))
    expect([failure.kind, failure.message, failure.details.field]).toEqual(expected)
    expect(failure.details.fix).toBeTruthy()
    expect(everythingOf(failure)).not.toMatch(/sk[_ ](secret|live)/)
  })

  test('an environment with several things wrong, which are all said', async () => {
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
      'the environment names no account that can be used',
      [
        'ORDERCTL_BASE_URL is "http://…@env.example"; allowed: no user name or password in it; ' +
          'https; http only to this machine, or with --allow-http',
        'ORDERCTL_AUTH is "header:…"; allowed: header:NAME with the name of a header',
      ],
    ])
    expect(everythingOf(failure)).not.toMatch(/sk[_ ]secret/)
  })

  test('a profile that is not there, and the message names those that are', async () => {
    const failure = await failureOf(() => resolveAccount(options({}, { profileName: 'nobody' })))
    expect(failure.details).toEqual({
      field: 'profile',
      fix: 'There are: sandbox, live, vault, bare, broken. orderctl profile add adds one.',
    })
  })
})

describe('the command of a profile', () => {
  test('is run when the key is asked for, and once', async () => {
    let runs = 0
    const runCommand = async (command: string) => {
      runs += 1
      return `${command} ${runs}`
    }
    const account = resolveAccount(options({}, { profileName: 'vault', runCommand }))
    expect(runs).toBe(0)
    const keys = account.kind === 'service' ? await Promise.all([account.key(), account.key()]) : []
    expect(keys).toEqual(['op read key 1', 'op read key 1'])
  })

  test('cannot put a line into the request', async () => {
    const runCommand = async () => 'sk_secret\rX: 1'
    const account = resolveAccount(options({}, { profileName: 'vault', runCommand }))
    const failure = await failureOf(() => account.kind === 'service' && account.key())
    expect([failure.kind, failure.message]).toEqual([
      'credentials',
      'the key that the command of vault printed has a control character or a line break in it',
    ])
    expect(everythingOf(failure)).not.toContain('sk_secret')
  })
})
