// The credential stores of the three systems, each with a stand-in for its program.
import { spawn } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { openKeyStore } from '../../src/profiles/key-store.ts'
import { realClock } from '../support/in-process.ts'
import { openScratch } from '../support/scratch.ts'
import { everythingOf, failureOf } from './failure-of.ts'
import { type Fault, installKeyPrograms } from './key-programs.ts'

const key = 'canary-schlüssel "0123\\456$7`89\''
const item = { profile: 'shop', baseUrl: 'https://orders.example.com/v1', id: 'a1' }

const systems = [
  ['linux', 'the Secret Service', 'secret-tool'],
  ['darwin', 'Keychain', 'security'],
  ['win32', 'Credential Manager', 'powershell.exe'],
] as const

const openWith = (platform: string, environment: Record<string, string>) =>
  openKeyStore({
    ...{ platform, environment, clock: realClock, stdin: { isTerminal: false } },
    spawn: (file, words, options) => spawn(file, words, options),
  })

const openStore = (platform: string, ...faults: Fault[]) => {
  const scratch = openScratch()
  const programs = installKeyPrograms(scratch.folder)
  for (const fault of faults) programs.break(fault)
  const store = openWith(platform, { ...programs.environment, ORDERCTL_API_KEY: key, PGPASSWORD: key })
  return { ...programs, ...store, [Symbol.dispose]: scratch[Symbol.dispose] }
}

describe.each(systems)('on %s, %s', (platform, name, program) => {
  test('keeps a key until it is removed, and shows it to no other process', async () => {
    using store = openStore(platform)
    expect(await store.findAbsence(item)).toBeUndefined()
    await store.save(item, key)
    expect(await store.read(item)).toBe(key)
    await store.remove(item)
    await store.remove(item)
    expect((await failureOf(() => store.read(item))).message).toBe(
      `${name} contains no key of the profile shop for https://orders.example.com/v1`,
    )
    const seen = store.seen()
    expect(seen).toContain(program)
    for (const form of [key, Buffer.from(key).toString('base64')]) expect(seen).not.toContain(form)
  })

  test('finds no key for a different address, port, path, scheme, profile or id', async () => {
    using store = openStore(platform)
    await store.save(item, key)
    const urls = ['//attacker.example', '//orders.example.com:8443/v1', '//orders.example.com/v2']
    for (const other of [
      ...[...urls.map((url) => `https:${url}`), 'http://orders.example.com/v1'].map((baseUrl) => ({
        baseUrl,
      })),
      ...[{ profile: 'other' }, { id: 'a2' }],
    ]) {
      const failure = await failureOf(() => store.read({ ...item, ...other }))
      expect(failure.kind).toBe('credentials')
      expect(failure.message).toContain('contains no key of the profile')
    }
  })

  test.each<[Fault, string]>([
    ['forgets', `${name} reported success, but did not keep the key`],
    ['refuses', `${name} did not save the key: access denied`],
  ])('fails to save a key if it %s', async (fault, message) => {
    using store = openStore(platform, fault)
    const failure = await failureOf(() => store.save(item, key))
    expect([failure.kind, failure.message]).toEqual(['credentials', message])
    expect(everythingOf(failure)).not.toContain(key)
  })

  test('says why it is absent', async () => {
    using store = openStore(platform, 'is-absent')
    expect(await store.findAbsence(item)).toBe('no service')
    expect((await failureOf(() => store.read(item))).message).toBe(
      `cannot read the key of the profile shop from ${name}: no service`,
    )
  })

  test('is absent without its program', async () => {
    const none = '/nonexistent'
    const store = openWith(platform, { PATH: none, SystemRoot: none, XDG_RUNTIME_DIR: none })
    expect(await store.findAbsence(item)).toBe(`${program} is not installed`)
  })
})

test('on Linux without a session, no program starts', async () => {
  using store = openStore('linux')
  const outside = openWith('linux', { PATH: store.environment.PATH })
  expect(await outside.findAbsence(item)).toBe('there is no D-Bus session')
  expect(store.wasCalled()).toBe(false)
})
