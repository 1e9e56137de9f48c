import { describe, expect, test } from 'vitest'
import { type AccountOptions, resolveAccount } from '../../src/profiles/account.ts'
import type { Profile } from '../../src/profiles/profile.ts'
import { fixWith } from '../support/suggest.ts'
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

type Given = Partial<AccountOptions> & { readonly current?: string | null }

/** Variables without the prefix ORDERCTL_, such as `PROFILE=live; API_KEY=sk_env`. */
const parseVariables = (text: string): AccountOptions['environment'] =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)=([^;]*)/g)].map(([, name, value]) => [`ORDERCTL_${name}`, value]),
  )

const options = (variables: string, rest: Given = {}): AccountOptions => ({
  environment: parseVariables(variables),
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
  readStoredKey: async ({ profile, baseUrl, id }) => `sk of ${profile} ${id} for ${baseUrl}`,
  ...rest,
})

/** The account with its key. */
const resolved = async (given: AccountOptions): Promise<unknown> => {
  const account = resolveAccount(given)
  if (account.kind === 'sandbox') return account
  const { getKey, getKnownKey: _, ...rest } = account
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
  key: 'sk_env',
}
const fromLive = {
  kind: 'service',
  name: 'live',
  baseUrl: 'https://live.example',
  auth: { kind: 'header', name: 'X-Key' },
  allowHttp: false,
  wallet: 'USD',
  key: 'sk_live',
}

const liveWithGivenKey = { ...fromLive, key: 'sk_env' }
const fromVault = {
  name: 'vault',
  baseUrl: 'https://vault.example',
  key: 'sk_from_command',
}
const both = `BASE_URL=${address}; API_KEY=sk_env`
const chosen = (profileName: string): Given => ({ profileName, isChosenHere: true })

describe('the account is found', () => {
  test.each<[string, Given, unknown]>([
    ['', {}, { ...sandbox, isDefault: true }],
    ['', { current: 'sandbox' }, sandbox],
    ['', { current: 'live' }, fromLive],
    ['', { profileName: 'live' }, fromLive],
    ['', { profileName: 'named' }, { ...fromLive, name: 'named', account: 'eu' }],
    ['', { profileName: 'vault' }, { ...fromEnvironment, ...fromVault }],
    ['PROFILE=live', { current: 'bare' }, fromLive],
    ['PROFILE=bare', { profileName: 'live' }, fromLive],
    ['', { profileName: 'sandbox', current: 'live' }, sandbox],
    ['PROFILE=sandbox', { current: 'live' }, sandbox],
    // An address and a key in the environment need no profile.
    [`${both}\n`, { profiles: unneeded }, fromEnvironment],
    [
      `BASE_URL=${address}/; API_KEY=sk_env; AUTH=query:key`,
      {},
      { ...fromEnvironment, auth: { kind: 'query', name: 'key' } },
    ],
    [
      'BASE_URL=http://env.example; API_KEY=sk_env',
      { allowHttp: true },
      { ...fromEnvironment, baseUrl: 'http://env.example', allowHttp: true },
    ],
    // Without a key, the environment changes nothing about the profile of the flag.
    [`BASE_URL=${address}; AUTH=basic; ACCOUNT=other`, { profileName: 'live' }, fromLive],
    ['PROFILE=bare; AUTH=basic', { profileName: 'live' }, fromLive],
    // A profile that orderctl chose gets the key of the environment only for the same account.
    [both, chosen('live'), fromLive],
    ['API_KEY=sk_env', chosen('live'), fromLive],
    ['PROFILE=live; API_KEY=sk_env', chosen('named'), { ...liveWithGivenKey, name: 'named', account: 'eu' }],
    // The same account, written differently.
    ['BASE_URL=https://live.example; API_KEY=sk_env', { profileName: 'live' }, liveWithGivenKey],
    ['BASE_URL=http://LIVE.example:80//; API_KEY=sk_env', { profileName: 'live' }, liveWithGivenKey],
    ['BASE_URL=https://live.example.:443/; API_KEY=sk_env', { profileName: 'live' }, liveWithGivenKey],
    ['PROFILE=live; BASE_URL=https://live.example; API_KEY=sk_env', {}, liveWithGivenKey],
    // A declared account.
    ['ACCOUNT=us', { profileName: 'named' }, { ...fromLive, name: 'named', account: 'us' }],
    ['ACCOUNT=us', { current: 'live' }, { ...fromLive, account: 'us' }],
    [`${both}; ACCOUNT=us`, {}, { ...fromEnvironment, account: 'us' }],
    ['ACCOUNT=us', { profileName: 'sandbox', current: null }, sandbox],
    [both, { profileName: 'sandbox' }, sandbox],
    // A key for a named profile.
    ['PROFILE=live; API_KEY=sk_env; AUTH=basic', {}, { ...liveWithGivenKey, auth: { kind: 'basic' } }],
    [
      'API_KEY=sk_env',
      { profileName: 'bare' },
      { ...fromEnvironment, name: 'bare', baseUrl: 'https://bare.example' },
    ],
  ])('with the variables %j and %j', async (variables, given, account) => {
    expect(await resolved(options(variables, given))).toEqual(account)
  })
})

const control = 'contains a control character or a line break'
const different = (one: string, other: string) =>
  `ORDERCTL_${one} and ORDERCTL_${other} select different accounts`

describe('no account is selected by', () => {
  test.each<[variables: string, kind: string, field: string | undefined, message: string]>([
    ['API_KEY=sk_secret', 'usage', 'API_KEY', 'ORDERCTL_API_KEY is set, but no account is selected'],
    ['AUTH=basic', 'usage', 'AUTH', 'ORDERCTL_AUTH is set, but no account is selected'],
    ['ACCOUNT=us', 'usage', 'ACCOUNT', 'ORDERCTL_ACCOUNT is set, but no account is selected'],
    [
      'JOURNAL=postgres://db.example/orders',
      'credentials',
      'JOURNAL',
      'ORDERCTL_JOURNAL is set, but no account is selected',
    ],
    [
      `BASE_URL=${address}`,
      'credentials',
      'API_KEY',
      'ORDERCTL_BASE_URL is set, but ORDERCTL_API_KEY is not',
    ],
    [`BASE_URL=${address}; API_KEY=`, 'credentials', 'API_KEY', 'ORDERCTL_API_KEY is set, but empty'],
    ['BASE_URL=; API_KEY=', 'usage', 'BASE_URL', 'ORDERCTL_BASE_URL is set, but empty'],
    ['PROFILE=', 'usage', 'PROFILE', 'ORDERCTL_PROFILE is set, but empty'],
    [`${both}; ACCOUNT=`, 'usage', 'ACCOUNT', 'ORDERCTL_ACCOUNT is set, but empty'],
    [`PROFILE=live; ${both}`, 'usage', 'PROFILE', different('PROFILE', 'BASE_URL')],
    ['PROFILE=sandbox; API_KEY=sk_secret', 'usage', 'API_KEY', different('API_KEY', 'PROFILE')],
    ['PROFILE=sandbox; ACCOUNT=us', 'usage', 'ACCOUNT', different('ACCOUNT', 'PROFILE')],
    [
      'PROFILE=named; BASE_URL=https://live.example; ACCOUNT=e u',
      ...(['usage', 'ACCOUNT', 'the account in the environment is invalid'] as const),
    ],
    ['PROFILE=nobody', 'usage', 'PROFILE', "there is no profile 'nobody'"],
    ['PROFILE=sk secret', 'usage', 'PROFILE', 'there is no profile of that name'],
    ['PROFILE=bare', 'credentials', undefined, 'the profile bare has no key'],
    ['PROFILE=broken', 'credentials', undefined, `the key of the profile broken ${control}`],
    [
      `BASE_URL=${address}; API_KEY=sk_secret\r\nX: 1`,
      'credentials',
      undefined,
      `ORDERCTL_API_KEY ${control}`,
    ],
  ])('%j', async (variables, kind, field, message) => {
    const failure = await failureOf(() => resolveAccount(options(variables)))
    expect([failure.kind, failure.message, failure.details.field]).toEqual([
      kind,
      message,
      field && `ORDERCTL_${field}`,
    ])
    expect(failure.details.fix ?? failure.details.advice).toBeTruthy()
    expect(everythingOf(failure)).not.toMatch(/sk[_ ](secret|env|live)/)
  })

  test('an environment with several violations, which are all reported', async () => {
    const failure = await failureOf(() =>
      resolveAccount(
        options('BASE_URL=http://me:sk_secret@env.example; AUTH=header:sk secret; API_KEY=sk_secret'),
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
    ['a different address', `BASE_URL=${address}`, 'ORDERCTL_BASE_URL'],
    ['a different port', 'BASE_URL=https://live.example:8443', 'ORDERCTL_BASE_URL'],
    ['a different path', 'BASE_URL=https://live.example/v2', 'ORDERCTL_BASE_URL'],
    ['no address', 'BASE_URL=live.example', 'ORDERCTL_BASE_URL'],
    ['an empty address', 'BASE_URL=', 'ORDERCTL_BASE_URL'],
    ['a different profile', 'PROFILE=bare', 'ORDERCTL_PROFILE'],
    ['an unknown profile', 'PROFILE=nobody', 'ORDERCTL_PROFILE'],
    ['the sandbox', 'PROFILE=sandbox', 'ORDERCTL_PROFILE'],
  ])('a profile of the flag and a key beside %s', async (_, variables, other) => {
    const given = `${variables}; API_KEY=sk_secret`
    const warnings: string[] = []
    const failure = await failureOf(() =>
      resolveAccount(options(given, { profileName: 'live', onWarning: (text) => void warnings.push(text) })),
    )
    expect([failure.kind, failure.message, failure.details]).toEqual([
      'usage',
      `--profile live and ${other} select different accounts, and ORDERCTL_API_KEY is set`,
      { field: other, advice: 'Unset ORDERCTL_API_KEY to use the key of live, or omit --profile.' },
    ])
    expect(warnings).toEqual([])
  })

  test('a profile of the flag and a key beside two accounts of one address', async () => {
    const given = 'PROFILE=us; API_KEY=sk_secret'
    const two = [named, { ...named, name: 'us', account: 'us' }]
    const profiles = () => ({
      ...options('').profiles(),
      get: (name: string) => two.find((each) => each.name === name),
    })
    const failure = await failureOf(() => resolveAccount(options(given, { profileName: 'named', profiles })))
    expect(failure.kind).toBe('usage')
  })

  test('no profile in use, and the message lists the profiles and the command to type', async () => {
    const failure = await failureOf(() => resolveAccount(options('', { current: null })))
    expect([failure.kind, failure.message, failure.details.fix]).toEqual([
      'credentials',
      'no profile is in use. Profiles: sandbox, live, vault, bare, broken, named',
      fixWith('orderctl profile use live'),
    ])
  })

  test('no profile in use if there is none', async () => {
    const profiles = () => ({ list: () => [], get: () => undefined, current: () => undefined })
    const failure = await failureOf(() => resolveAccount(options('', { profiles })))
    expect([failure.message, failure.details.fix]).toEqual([
      'no profile is in use. Profiles: sandbox',
      fixWith('orderctl profile add --use'),
    ])
  })

  test('a missing profile, and the message lists the others', async () => {
    const failure = await failureOf(() => resolveAccount(options('', { profileName: 'nobody' })))
    expect(failure.details).toEqual({
      field: 'profile',
      fix: fixWith('orderctl profile add'),
      advice: 'Profiles: sandbox, live, vault, bare, broken, named',
    })
  })
})

describe('a key of the environment instead of the key of the profile', () => {
  const warningsOf = (variables: string, rest: Partial<AccountOptions> = {}) => {
    const warnings: string[] = []
    resolveAccount(options(variables, { onWarning: (text) => void warnings.push(text), ...rest }))
    return warnings
  }
  const said = (name: string) => [`using ORDERCTL_API_KEY instead of the key of the profile ${name}`]

  test.each<[string, string[], string, Partial<AccountOptions>]>([
    ['of the flag', said('live'), 'API_KEY=sk_env', { profileName: 'live' }],
    ['of the variable', said('vault'), 'API_KEY=sk_env; PROFILE=vault', {}],
    ['that has none', [], 'API_KEY=sk_env', { profileName: 'bare' }],
    ['if the key is not needed', [], 'API_KEY=; PROFILE=live', { needsKey: false }],
    ['if nothing will be sent', [], 'API_KEY=sk_env; PROFILE=live', { needsKey: false }],
    ['that is used', [], '', { profileName: 'live' }],
    [
      'that orderctl chose, for another account',
      [],
      `API_KEY=sk_env; BASE_URL=${address}`,
      { profileName: 'live', isChosenHere: true },
    ],
  ])('%s warns: %j', (_, warnings, variables, rest) => {
    expect(warningsOf(variables, rest)).toEqual(warnings)
  })
})

describe('the command of a profile', () => {
  test('runs once, when the key is needed', async () => {
    let runs = 0
    const runCommand = async (command: string) => {
      runs += 1
      return `${command} ${runs}`
    }
    const account = resolveAccount(options('', { profileName: 'vault', runCommand }))
    expect(runs).toBe(0)
    const keys = account.kind === 'service' ? await Promise.all([account.getKey(), account.getKey()]) : []
    expect(keys).toEqual(['op read key 1', 'op read key 1'])
  })

  test('cannot add a line to the request', async () => {
    const runCommand = async () => 'sk_secret\rX: 1'
    const account = resolveAccount(options('', { profileName: 'vault', runCommand }))
    const failure = await failureOf(() => account.kind === 'service' && account.getKey())
    expect([failure.kind, failure.message]).toEqual([
      'credentials',
      'the key that the command of vault printed contains a control character or a line break',
    ])
    expect(everythingOf(failure)).not.toContain('sk_secret')
  })
})
