import { type ChildProcess, spawn as nodeSpawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { formatAuth } from '../../src/contract/auth.ts'
import { type AccountOptions, cleanKey, resolveAccount } from '../../src/profiles/account.ts'
import { type CommandOptions, runCredentialCommand, type Spawn } from '../../src/profiles/credential.ts'
import type { Profile } from '../../src/profiles/store.ts'
import { rowsOf } from '../support/rows.ts'
import { everythingOf, failureOf } from './failure-of.ts'

const live: Profile = {
  name: 'live',
  baseUrl: 'https://live.example',
  wallet: 'USD',
  auth: 'header:X-Key',
  credential: { kind: 'key', key: 'sk_live' },
}
const vault: Profile = {
  name: 'vault',
  baseUrl: 'https://vault.example',
  auth: 'bearer',
  credential: { kind: 'command', command: 'op read key' },
}
const bare: Profile = { name: 'bare', baseUrl: 'https://bare.example', auth: 'bearer' }
const broken: Profile = { ...bare, name: 'broken', credential: { kind: 'key', key: 'sk_secret\nX: 1' } }
const eu: Profile = { ...live, name: 'named', account: 'eu' }
const all = [live, vault, bare, broken, eu]

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

/** The account in one line: name, address, how the key is sent, key, account, wallet, and http if it is allowed. */
const describeAccount = async (given: AccountOptions): Promise<string> => {
  const resolved = resolveAccount(given)
  if (resolved.kind === 'sandbox') return resolved.isDefault ? 'sandbox, by default' : 'sandbox'
  const { name, baseUrl, auth, account = '-', wallet = '-', allowHttp, getKey } = resolved
  return [name, baseUrl, formatAuth(auth), await getKey(), account, wallet, allowHttp ? 'http' : '']
    .join(' ')
    .trim()
}

const address = 'https://env.example'
const both = `BASE_URL=${address}; API_KEY=sk_env`
const chosen = (profileName: string): Given => ({ profileName, isChosenHere: true })
const named = 'environment https://env.example'
const ofLive = 'live https://live.example header:X-Key'

test.each<[string, Given, string]>([
  ['', {}, 'sandbox, by default'],
  ['', { current: 'sandbox' }, 'sandbox'],
  ['', { current: 'live' }, `${ofLive} sk_live - USD`],
  ['', { profileName: 'live' }, `${ofLive} sk_live - USD`],
  ['', { profileName: 'named' }, 'named https://live.example header:X-Key sk_live eu USD'],
  ['', { profileName: 'vault' }, 'vault https://vault.example bearer sk_from_command - -'],
  ['PROFILE=live', { current: 'bare' }, `${ofLive} sk_live - USD`],
  ['PROFILE=bare', { profileName: 'live' }, `${ofLive} sk_live - USD`],
  ['', { profileName: 'sandbox', current: 'live' }, 'sandbox'],
  ['PROFILE=sandbox', { current: 'live' }, 'sandbox'],
  // An address and a key in the environment need no profile.
  [`${both}\n`, { profiles: unneeded }, `${named} bearer sk_env - -`],
  [`BASE_URL=${address}/; API_KEY=sk_env; AUTH=query:key`, {}, `${named} query:key sk_env - -`],
  [
    `${both.replace('https', 'http')}`,
    { allowHttp: true },
    `${named.replace('https', 'http')} bearer sk_env - - http`,
  ],
  // Without a key, the environment changes nothing about the profile of the flag.
  [`BASE_URL=${address}; AUTH=basic; ACCOUNT=other`, { profileName: 'live' }, `${ofLive} sk_live - USD`],
  ['PROFILE=bare; AUTH=basic', { profileName: 'live' }, `${ofLive} sk_live - USD`],
  // A profile that orderctl chose gets the key of the environment only for the same account.
  [both, chosen('live'), `${ofLive} sk_live - USD`],
  ['API_KEY=sk_env', chosen('live'), `${ofLive} sk_live - USD`],
  ['PROFILE=live; API_KEY=sk_env', chosen('named'), 'named https://live.example header:X-Key sk_env eu USD'],
  // The same account, written differently.
  ['BASE_URL=https://live.example; API_KEY=sk_env', { profileName: 'live' }, `${ofLive} sk_env - USD`],
  ['BASE_URL=http://LIVE.example:80//; API_KEY=sk_env', { profileName: 'live' }, `${ofLive} sk_env - USD`],
  ['BASE_URL=https://live.example.:443/; API_KEY=sk_env', { profileName: 'live' }, `${ofLive} sk_env - USD`],
  ['PROFILE=live; BASE_URL=https://live.example; API_KEY=sk_env', {}, `${ofLive} sk_env - USD`],
  // A declared account.
  ['ACCOUNT=us', { profileName: 'named' }, 'named https://live.example header:X-Key sk_live us USD'],
  ['ACCOUNT=us', { current: 'live' }, `${ofLive} sk_live us USD`],
  [`${both}; ACCOUNT=us`, {}, `${named} bearer sk_env us -`],
  ['ACCOUNT=us', { profileName: 'sandbox', current: null }, 'sandbox'],
  [both, { profileName: 'sandbox' }, 'sandbox'],
  // A key for a named profile.
  ['PROFILE=live; API_KEY=sk_env; AUTH=basic', {}, 'live https://live.example basic sk_env - USD'],
  ['API_KEY=sk_env', { profileName: 'bare' }, 'bare https://bare.example bearer sk_env - -'],
])('the account with the variables %j and %j is %s', async (variables, given, account) => {
  expect(await describeAccount(options(variables, given))).toBe(account)
})

const control = 'contains a control character or a line break'
const different = (one: string, other: string) =>
  `ORDERCTL_${one} and ORDERCTL_${other} select different accounts`

describe('no account is selected by', () => {
  test.each(
    rowsOf(`
      API_KEY=sk_secret | usage | API_KEY | ORDERCTL_API_KEY is set, but no account is selected
      AUTH=basic | usage | AUTH | ORDERCTL_AUTH is set, but no account is selected
      ACCOUNT=us | usage | ACCOUNT | ORDERCTL_ACCOUNT is set, but no account is selected
      JOURNAL=postgres://db/orders | credentials | JOURNAL | ORDERCTL_JOURNAL is set, but no account is selected
      BASE_URL=${address} | credentials | API_KEY | ORDERCTL_BASE_URL is set, but ORDERCTL_API_KEY is not
      BASE_URL=${address}; API_KEY= | credentials | API_KEY | ORDERCTL_API_KEY is set, but empty
      BASE_URL=; API_KEY= | usage | BASE_URL | ORDERCTL_BASE_URL is set, but empty
      PROFILE= | usage | PROFILE | ORDERCTL_PROFILE is set, but empty
      ${both}; ACCOUNT= | usage | ACCOUNT | ORDERCTL_ACCOUNT is set, but empty
      PROFILE=live; ${both} | usage | PROFILE | ${different('PROFILE', 'BASE_URL')}
      PROFILE=sandbox; API_KEY=sk_secret | usage | API_KEY | ${different('API_KEY', 'PROFILE')}
      PROFILE=sandbox; ACCOUNT=us | usage | ACCOUNT | ${different('ACCOUNT', 'PROFILE')}
      PROFILE=named; BASE_URL=https://live.example; ACCOUNT=e u | usage | ACCOUNT \
        | the account in the environment is invalid
      PROFILE=nobody | usage | PROFILE | there is no profile 'nobody'
      PROFILE=sk secret | usage | PROFILE | there is no profile of that name
      PROFILE=bare | credentials | | the profile bare has no key
      PROFILE=broken | credentials | | the key of the profile broken ${control}
      BASE_URL=${address}; API_KEY=sk_secret\u0007X: 1 | credentials | | ORDERCTL_API_KEY ${control}
    `),
  )('%j', async (variables = '', kind, field, message) => {
    const failure = await failureOf(() => resolveAccount(options(variables)))
    expect([failure.kind, failure.message, failure.details.field]).toEqual([
      kind,
      message,
      field ? `ORDERCTL_${field}` : undefined,
    ])
    expect(failure.details.fix ?? failure.details.advice).toBeTruthy()
    expect(everythingOf(failure)).not.toMatch(/sk[_ ](secret|env|live)/)
  })

  test('an environment with several violations, which are all reported', async () => {
    const given = 'BASE_URL=http://me:sk_secret@env.example; AUTH=header:sk secret; API_KEY=sk_secret'
    const failure = await failureOf(() => resolveAccount(options(given)))
    expect([failure.kind, failure.message, failure.details.violations]).toEqual([
      ...['usage', 'the account in the environment is invalid'],
      [
        'ORDERCTL_BASE_URL is "http://…@env.example"; allowed: no user name or password; ' +
          'https (http only to this machine, or with --allow-http)',
        'ORDERCTL_AUTH is "header:…"; allowed: header:NAME with a valid header name',
      ],
    ])
    expect(everythingOf(failure)).not.toMatch(/sk[_ ]secret/)
  })

  test.each([
    ...[`BASE_URL=${address}`, 'BASE_URL=https://live.example:8443', 'BASE_URL=https://live.example/v2'],
    ...['BASE_URL=live.example', 'BASE_URL=', 'PROFILE=bare', 'PROFILE=nobody', 'PROFILE=sandbox'],
  ])('a profile of the flag and a key beside %s', async (variables) => {
    const other = `ORDERCTL_${variables.split('=')[0]}`
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
})

describe('a key of the environment instead of the key of the profile', () => {
  test.each<[string, string | undefined, string, Partial<AccountOptions>]>([
    ['of the flag', 'live', 'API_KEY=sk_env', { profileName: 'live' }],
    ['of the variable', 'vault', 'API_KEY=sk_env; PROFILE=vault', {}],
    ['that has none', undefined, 'API_KEY=sk_env', { profileName: 'bare' }],
    ['if the key is not needed', undefined, 'API_KEY=; PROFILE=live', { needsKey: false }],
    ['if nothing will be sent', undefined, 'API_KEY=sk_env; PROFILE=live', { needsKey: false }],
    ['that is used', undefined, '', { profileName: 'live' }],
    ['that orderctl chose, for another account', undefined, both, chosen('live')],
  ])('%s warns for the profile %s', (_, name, variables, rest) => {
    const warnings: string[] = []
    resolveAccount(options(variables, { onWarning: (text) => void warnings.push(text), ...rest }))
    const said = [`using ORDERCTL_API_KEY instead of the key of the profile ${name}`]
    expect(warnings).toEqual(name === undefined ? [] : said)
  })
})

describe('the command of a profile', () => {
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

const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await delay(ms, undefined, signal ? { signal } : {}).catch(() => {})
}
const spawn: Spawn = (command, words, options) => nodeSpawn(command, words, options)

// Otherwise its stderr would appear in the test report.
const quiet: Spawn = (command, words, options) =>
  spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'ignore'] })

const run = (command: string, options: Partial<CommandOptions> = {}): Promise<string> =>
  runCredentialCommand(command, { spawn: quiet, clock: { sleep }, ...options })

const node = (script: string): string => `"${process.execPath}" -e "${script}"`

describe('a credential command', () => {
  test.each([
    ['echo sk_live_1', 'sk_live_1'],
    [node("console.log('  first \\r\\nsecond')"), 'first'],
    [node("process.stdout.write('no-line-break')"), 'no-line-break'],
    ['echo one && echo two', 'one'],
  ])('%s: %s', async (command, key) => expect(await run(command)).toBe(key))

  test
    .skipIf(process.platform === 'win32')
    .each(['echo sk_live_1; sleep 30 &', 'printf sk_live_1; sleep 30 &'])(
    '%s: without waiting for what it left running',
    async (command) => {
      const start = performance.now()
      expect(await run(command)).toBe('sk_live_1')
      expect(performance.now() - start).toBeLessThan(10_000)
    },
  )

  test('shows its stderr to the user, and has no stdin', async () => {
    let stdio: unknown
    const watching: Spawn = (command, words, options) => {
      stdio = options.stdio
      return quiet(command, words, options)
    }
    await run('echo key', { spawn: watching })
    expect(stdio).toEqual(['ignore', 'pipe', 'inherit'])
  })
})

describe('a credential command fails', () => {
  test.each([
    [node("console.log('sk_secret'); process.exit(3)"), 'ended with exit code 3'],
    [
      node("console.log('sk_secret'); process.kill(process.pid, 'SIGKILL')"),
      /was ended by SIGKILL|exit code/,
    ],
    ['no-such-command-sk_secret', /ended with exit code/],
    [node("console.log('\\nsk_secret')"), 'printed no key on its first line'],
    [node(''), 'printed no key on its first line'],
    [node("process.stdout.write('sk_secret'.repeat(10000))"), 'printed more than a key'],
  ])('%s: %s', async (command, what) => {
    const failure = await failureOf(() => run(command))
    expect(failure.kind).toBe('credentials')
    expect(failure.message).toMatch(what)
    expect(everythingOf(failure)).not.toContain('sk_secret')
  })
})

describe('a credential command that does not end', () => {
  /** Runs it until it is ended, and returns its failure. */
  const runForever = async (options: Partial<CommandOptions>) => {
    const ended = Promise.withResolvers<void>()
    // Not `sh`, so that the shell replaces itself by the command and the test can wait for its end.
    const watching: Spawn = (command, words, given) => {
      const child = quiet(command, words, { ...given, shell: '/bin/bash' })
      const { exitCode } = (child as unknown as ChildProcess).once('exit', () => ended.resolve())
      if (exitCode !== null) ended.resolve()
      return child
    }
    const failure = await failureOf(() =>
      run(node('setInterval(() => {}, 1000)'), { spawn: watching, ...options }),
    )
    await ended.promise
    return failure
  }

  test('is ended after the timeout', async () => {
    const { kind, message } = await runForever({ clock: { sleep: async () => {} } })
    expect([kind, message]).toEqual([
      'credentials',
      'the credential command did not respond within 60 seconds',
    ])
  })

  test.each([
    ['SIGINT', 'interrupted'],
    ['SIGTERM', 'terminated'],
  ])('is ended by %s', async (signal, kind) => {
    expect((await runForever({ interrupted: AbortSignal.abort(signal) })).kind).toBe(kind)
  })
})

describe('a key', () => {
  const bearer = 'bearer'
  test.each<[string, string, string]>([
    ['sk_live_1', bearer, 'sk_live_1'],
    [' sk_live_1\r\n', bearer, 'sk_live_1'],
    ['Token abc', 'header:Authorization', 'Token abc'],
    ['me:pässword', 'basic', 'me:pässword'],
    ['ключ', 'query:key', 'ключ'],
  ])('%j is sent as %j: %j', (text, auth, key) => expect(cleanKey(text, auth, 'the key')).toBe(key))

  const control = 'the key contains a control character or a line break'
  const header = 'the key contains a character that headers do not allow'
  test.each<[string, string, string]>([
    ['', bearer, 'the key is empty'],
    [' \n', bearer, 'the key is empty'],
    ['sk_secret\r\nX-Evil: 1', bearer, control],
    ['sk_secret\nX', 'header:X-Key', control],
    ['sk_secret\nX', 'basic', control],
    ['sk_secret\u0000', 'query:key', control],
    ['sk_secret\u007fx', bearer, control],
    ['sk_secret\u0085x', bearer, control],
    ['sk_secret\u2028x', 'basic', control],
    ['sk_secret\ud800', 'query:key', control],
    // Truncated to one byte, it is a line break.
    ['sk_secret\u010aX-Evil: 1', bearer, header],
    ['sk_secret–', 'header:X-Key', header],
    ['sk_secret'.repeat(1000), bearer, 'the key is longer than 8192 characters'],
  ])('%j as %j is none: %s', async (text, auth, message) => {
    const failure = await failureOf(() => cleanKey(text, auth, 'the key'))
    expect([failure.kind, failure.message]).toEqual(['credentials', message])
    expect(everythingOf(failure)).not.toContain('sk_secret')
  })
})
