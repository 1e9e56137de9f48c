// The file of the profiles: damage, links, other users, full disks and locks. profile.session has what is kept in it,
// abuse/local.ts what is no file, and folders that cannot be written.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Profile } from '../../src/profiles/store.ts'
import { openProfiles } from '../../src/profiles/store.ts'
import { openScratch } from '../support/scratch.ts'
import { everythingOf, failureOf } from './failure-of.ts'

const live: Profile = {
  name: 'live',
  baseUrl: 'https://api.example.com/v1',
  account: 'eu',
  wallet: 'USD',
  auth: 'header:X-Api-Key',
  credential: { kind: 'key', key: 'sk_secret' },
}
const dev: Profile = {
  name: 'dev',
  baseUrl: 'http://dev.example',
  auth: 'bearer',
  allowHttp: true,
  credential: { kind: 'command', command: 'op read key' },
}

const openStore = (text?: string | Uint8Array) => {
  const scratch = openScratch()
  const folder = join(scratch.folder, 'config', 'orderctl')
  const file = join(folder, 'profiles.json')
  if (text !== undefined) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, text, { mode: 0o600 })
  }
  return {
    ...{ folder, file, profiles: openProfiles({ folder, platform: 'linux' }) },
    [Symbol.dispose]: scratch[Symbol.dispose],
  }
}

/** The failure shows no key. */
const refusalOf = async (work: () => unknown): Promise<string> => {
  const failure = await failureOf(work)
  expect(everythingOf(failure)).not.toContain('sk_secret')
  return `${failure.kind}: ${failure.message}`
}

const ours = (rest: string): string => `{"kind":"orderctl profiles","version":1,${rest}}`
const one = '{"name":"a","baseUrl":"https://a.example","auth":"bearer"}'
const entry = (rest: string): string => ours(`"profiles":[${one.replace(/}$/, `,${rest}}`)}]`)

describe('profiles', () => {
  test('are none at first, and reading creates nothing', () => {
    using store = openStore()
    expect([store.profiles.list(), store.profiles.current(), store.profiles.get('live')]).toEqual([
      [],
      { name: 'sandbox', isDefault: true },
      undefined,
    ])
    expect(existsSync(store.folder)).toBe(false)
  })

  test.each([[[]], [[live]]])('leave the sandbox in use if it was chosen: %#', async (saved) => {
    using store = openStore()
    for (const profile of saved) await store.profiles.add(profile)
    await store.profiles.use('sandbox')
    expect(JSON.parse(readFileSync(store.file, 'utf8')).current).toBe('sandbox')
    await store.profiles.add(dev)
    await store.profiles.remove('dev')
    expect(store.profiles.current()).toEqual({ name: 'sandbox', isDefault: false })
  })

  test.each(['', '{"name":"old","baseUrl":"https://old.example","auth":"bearer"}'])(
    'of an earlier version without one in use have none in use: %s',
    (profile) => {
      using store = openStore(ours(`"profiles":[${profile}]`))
      expect(store.profiles.current()).toBeUndefined()
    },
  )

  test('that are invalid are not written', async () => {
    using store = openStore()
    const failure = await failureOf(() => store.profiles.add({ ...live, baseUrl: 'http://sk_secret@x' }))
    expect([failure.kind, failure.details.violations]).toEqual([
      'usage',
      [
        'profiles[0].baseUrl is not valid; allowed: no user name or password; https (http only to this machine, or with --allow-http)',
      ],
    ])
    expect(existsSync(store.file)).toBe(false)
    expect(everythingOf(failure)).not.toContain('sk_secret')
  })

  test('keep the fields of a newer orderctl exactly', async () => {
    using store = openStore(
      ours(`"theme":{"big":12345678901234567890.5},"profiles":[
        {"name":"old","baseUrl":"https://old.example","auth":"bearer","team":"a"}]`),
    )
    const old = { name: 'old', baseUrl: 'https://old.example' }
    expect(store.profiles.list()).toEqual([{ ...old, auth: 'bearer' }])
    await store.profiles.add(live)
    await store.profiles.use('old')
    const text = readFileSync(store.file, 'utf8')
    expect(text).toContain('12345678901234567890.5')
    expect(JSON.parse(text)).toEqual({
      ...{ kind: 'orderctl profiles', version: 1, theme: expect.anything(), current: 'old' },
      profiles: [{ ...old, auth: 'bearer', team: 'a' }, live],
    })
  })

  test('are written through a link, which is kept', async () => {
    using store = openStore()
    const real = join(store.folder, 'kept')
    mkdirSync(real, { recursive: true })
    writeFileSync(join(real, 'mine.json'), '{"kind":"orderctl profiles","version":1,"profiles":[]}')
    symlinkSync(join('kept', 'mine.json'), store.file)
    await store.profiles.add(live)
    expect(store.profiles.list()).toEqual([live])
    expect(readFileSync(join(real, 'mine.json'), 'utf8')).toContain('sk_secret')
    expect(readdirSync(real)).toEqual(['mine.json'])
  })
})

describe('a file is refused and left untouched that', () => {
  /** The message about the file, which is the same for every operation. */
  const refusedOf = async (content: string | Uint8Array) => {
    using store = openStore(content)
    const { profiles, file } = store
    const before = readFileSync(file)
    const said = new Set<string>()
    for (const work of [
      ...[() => profiles.list(), () => profiles.current(), () => profiles.get('a'), () => profiles.add(live)],
      ...[() => profiles.use('sandbox'), () => profiles.remove('a')],
    ]) {
      const { details } = await failureOf(work)
      expect(details.advice).toContain('It was left untouched.')
      said.add([await refusalOf(work), ...(details.violations ?? [])].join('\n').replace(`${file} `, ''))
    }
    expect(readFileSync(file).equals(before)).toBe(true)
    return [...said].join(' and ')
  }

  test.each<[string, string | Uint8Array, string]>([
    ['is empty', '', 'is not valid JSON: expected a value at the end'],
    ['is not text', new Uint8Array([0xff, 0xfe, 0x00]), 'is not UTF-8 text'],
    ['is different JSON', '{"token":"sk_secret"}', 'is not a profiles file of orderctl'],
    ['is a list', '[]', 'is not a profiles file of orderctl'],
    ['is newer', ours('"profiles":[]').replace(':1', ':2'), 'was written by a newer orderctl'],
    ['has no version', '{"kind":"orderctl profiles"}', 'has an unsupported version'],
    ['is huge', ' '.repeat(2 * 1024 * 1024 + 1), 'is larger than 2097152 bytes'],
  ])('%s', async (_, content, what) => {
    expect(await refusedOf(content)).toBe(`local-state: ${what}`)
  })

  test.each<[string, ...string[]]>([
    [ours('"profiles":{}'), 'profiles is not valid; allowed: a list of profiles'],
    [
      entry('"credential":{"kind":"key","key":["sk_secret"]}'),
      'profiles[0].credential is not valid; allowed: a key, an id of the credential store or a command',
    ],
    [
      entry('"wallet":"USD"').replace('https:', 'http:'),
      'profiles[0].baseUrl is not valid; allowed: https (http only to this machine, or with --allow-http)',
    ],
    [
      entry('"products":"sk_secret/products.json"'),
      'profiles[0].products is not valid; allowed: the absolute path of a file',
    ],
    [
      entry('"account":"sk secret","wallet":"sk_secret","allowHttp":"sk_secret"').replace('"a"', '"sandbox"'),
      'profiles[0].name is not valid; allowed: a different name: sandbox is built in',
      'profiles[0].account is not valid; allowed: up to 64 letters, digits, . _ and -, beginning with a letter or digit',
      'profiles[0].wallet is not valid; allowed: a currency code of 2 to 12 letters and digits, such as USD',
      'profiles[0].allowHttp is not valid; allowed: true or false',
    ],
    [
      ours('"profiles":[{"name":"a","baseUrl":"https://a.example","auth":"oauth"}]'),
      'profiles[0].auth is not valid; allowed: bearer, basic, header:NAME or query:NAME',
    ],
    [ours(`"profiles":[${one},${one}]`), 'the profile a occurs twice'],
    [ours('"profiles":[],"current":"gone"'), 'current is not valid; allowed: the name of a profile'],
  ])('is not valid: $1', async (content, ...violations) => {
    expect(await refusedOf(content)).toBe(['local-state: is not valid', ...violations].join('\n'))
  })
})

test('keys that others can read cause a warning, but not on Windows, nor if no profile has a key', async () => {
  using store = openStore()
  const warnings: string[] = []
  const warnOn = (platform: NodeJS.Platform) =>
    openProfiles({ folder: store.folder, platform, onWarning: (text) => warnings.push(text) }).list()
  await store.profiles.add(dev)
  chmodSync(store.file, 0o644)
  warnOn('linux')
  await store.profiles.add(live)
  chmodSync(store.file, 0o666)
  warnOn('win32')
  expect(warnings).toEqual([])
  chmodSync(store.file, 0o644)
  warnOn('linux')
  expect(warnings).toHaveLength(1)
})

describe('the lock', () => {
  test('of a different user is not written to', async () => {
    using store = openStore('')
    rmSync(store.file)
    const lock = join(store.folder, 'profiles.lock')
    writeFileSync(lock, 'somebody else '.repeat(100))
    const refusal = await refusalOf(() => store.profiles.add(live))
    expect(refusal).toBe(`local-state: cannot write the profiles ${store.file}: file is not a database`)
    expect(readFileSync(lock, 'utf8')).toBe('somebody else '.repeat(100))
  })

  test('does not block readers', async () => {
    using store = openStore()
    await store.profiles.add(live)
    const lock = new DatabaseSync(join(store.folder, 'profiles.lock'))
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    expect(store.profiles.list()).toEqual([live])
    lock.close()
  })
})
