// Where the key of a profile is kept. A stand-in takes the place of the store's program.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Fault, installKeyPrograms } from '../../profiles/key-programs.ts'
import { apiKey } from '../../support/embedded.ts'
import { realClock, type Situation } from '../../support/in-process.ts'
import { inRealTime, openWorld, overNetwork, type Way } from '../../support/world.ts'

const canary = 'canary-key-0123456789'

/** An exit code, and a part of the error. */
const failure = (exit: number, error: string) => ({ exit, stderr: expect.stringContaining(error) as unknown })

const openShop = async (way: Way = inRealTime, ...faults: Fault[]) => {
  const shop = await openWorld(way)
  const programs = installKeyPrograms(shop.home)
  for (const fault of faults) programs.break(fault)
  const { ORDERCTL_BASE_URL: baseUrl = '' } = shop.environment
  const env = {
    ...programs.environment,
    ...{ ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined },
  }
  const run = async (line: string, { env: more, ...situation }: Situation = {}) => {
    const words = line.split(' ').map((word) => (word === 'URL' ? baseUrl : word))
    const ran = await shop.runIn(words, { platform: 'linux', env: { ...env, ...more }, ...situation })
    const { exit, stdout, stderr, questions } = ran
    expect(stdout + stderr).not.toContain(canary)
    return { exit, stdout, stderr, questions }
  }
  return {
    ...shop,
    ...programs,
    run,
    add: (flags = '', input = apiKey) =>
      run(`profile add shop --base-url URL --key-stdin --use ${flags}`.trim(), { input }),
    file: () => readFileSync(path.join(shop.home, '.config', 'orderctl', 'profiles.json'), 'utf8'),
    keyStore: async () => JSON.parse((await run('profile show shop --json')).stdout)?.keyStore,
  }
}

test('add keeps the key in the store, and only commands that need the key read it', async () => {
  const { add, run, file, items, keyStore, seen } = await openShop()
  expect((await add()).stdout).toMatch(/^Credential +key, in the credential store$/m)
  expect(file()).not.toContain(apiKey)
  expect(items()).toBe(1)
  const before = seen()
  expect(await keyStore()).toBe('system')
  for (const line of ['profile list', 'list', 'create --product GAME-US:25 --wallet USD --dry-run'])
    expect((await run(line)).exit).toBe(0)
  const { exit } = await run('profile test shop', { env: { ORDERCTL_API_KEY: apiKey } })
  expect([exit, seen()]).toEqual([0, before])
  expect((await run('profile test')).exit).toBe(0)
  expect(seen()).not.toBe(before)
})

test('set replaces the key, and moves it with --key-store; no key is left behind', async () => {
  const { add, run, file, items, keyStore } = await openShop()
  await add('--wallet USD', canary)
  expect((await run('profile test')).exit).toBe(4)
  expect((await run('profile set shop --key-stdin', { input: apiKey })).exit).toBe(0)
  expect([await keyStore(), items(), (await run('profile test')).exit]).toEqual(['system', 1, 0])
  expect((await run('profile set shop --key-store file')).stdout).toMatch(/key, in profiles.json$/m)
  expect([file().includes(apiKey), items(), (await run('profile test')).exit]).toEqual([true, 0, 0])
  // A key that is in the file by choice stays there.
  await run('profile set shop --key-stdin', { input: `${apiKey} ` })
  expect([await keyStore(), items()]).toEqual(['file', 0])
  expect((await run('profile set shop --key-store system')).exit).toBe(0)
  expect([file().includes(apiKey), items(), (await run('profile test')).exit]).toEqual([false, 1, 0])
  expect(JSON.parse((await run('profile show --json')).stdout).wallet).toBe('USD')
  await run('profile set shop --credential-command true')
  expect(items()).toBe(0)
  expect(await run('profile set shop --key-store system')).toMatchObject(
    failure(4, 'the profile shop has no key that could be moved'),
  )
})

test('a profile without a key has none to move to the key store, even at a different host', async () => {
  const { add, run, home } = await openShop()
  await add('--key-store file')
  const at = path.join(home, '.config', 'orderctl', 'profiles.json')
  const saved = JSON.parse(readFileSync(at, 'utf8'))
  writeFileSync(
    at,
    JSON.stringify(saved, (name, value) => (name === 'credential' ? undefined : value)),
  )
  const line = 'profile set shop --base-url https://new.example --key-store system'
  expect(await run(line)).toMatchObject(failure(4, 'the profile shop has no key that could be moved'))
})

test('set --key-stdin prompts on a terminal, and replaces a key that cannot be moved', async () => {
  const { add, run, keyStore, break: breakStore } = await openShop()
  await add()
  const terminals = { terminals: ['stdin', 'stdout', 'stderr'] } as const
  const prompt = 'Key (not shown) *'
  expect((await run('profile set shop --key-stdin', { ...terminals, answers: [apiKey] })).questions).toEqual([
    prompt,
  ])
  expect(await run('profile set shop --key-stdin', { ...terminals, answers: [undefined] })).toMatchObject(
    failure(130, 'Cancelled; nothing was saved\n'),
  )
  breakStore('is-absent')
  expect(await run('profile set shop --key-stdin', { input: canary })).toMatchObject(
    failure(4, 'error: no credential store of this system responds: no service\n'),
  )
  expect(await run('profile set shop --key-store file')).toMatchObject(
    failure(4, 'error: cannot read the key of the profile shop from the Secret Service: no service\n'),
  )
  const words = 'profile set shop --key-store file --key-stdin'
  const moved = await run(words, { ...terminals, answers: [canary] })
  expect(moved).toMatchObject({ exit: 0, questions: [prompt] })
  expect(moved.stderr).toMatch(
    /^warning: the key of the profile shop is still in the Secret Service: no service\. Unlock it first\. Type: secret-tool clear application orderctl profile shop account \S+ id \S+\n$/,
  )
  expect(await keyStore()).toBe('file')
  expect(await run('profile set shop')).toMatchObject(failure(2, 'a setting, such as --wallet, is missing'))
})

test('without a store, the key goes to the file, and add says why', async () => {
  const { add, run, file } = await openShop(inRealTime, 'is-absent')
  expect((await add()).stdout).toMatch(/^Credential +key, in profiles.json \(no service\)$/m)
  expect(file()).toContain(apiKey)
  expect(await run('profile set shop --key-store system')).toMatchObject(
    failure(
      4,
      'error: no credential store of this system responds: no service\nKeep the key in a file with --key-store file.\n',
    ),
  )
})

test('--key-store file starts no program', async () => {
  const { add, keyStore, wasCalled } = await openShop(inRealTime, 'hangs')
  expect((await add('--key-store file')).exit).toBe(0)
  expect([await keyStore(), wasCalled()]).toEqual(['file', false])
})

test('a key is removed from the store if its profile cannot be saved', async () => {
  const { add, home, items, seen } = await openShop()
  mkdirSync(path.join(home, '.config', 'orderctl', 'profiles.next.json'), { recursive: true, mode: 0o700 })
  expect((await add()).exit).toBe(9)
  expect([seen().includes('store'), items()]).toEqual([true, 0])
})

test('remove also removes the key, and says so if it cannot', async () => {
  const { add, run, items, break: breakStore } = await openShop()
  await add()
  expect((await run('profile remove shop')).exit).toBe(0)
  expect(items()).toBe(0)
  await add()
  breakStore('is-absent')
  const { exit, stderr } = await run('profile remove shop')
  expect(exit).toBe(4)
  expect(stderr).toMatch(
    /^The profile shop was removed\n.*\n.*\nerror: the key of the profile shop is still in the Secret Service: no service\ntry: secret-tool clear /,
  )
  expect((await run('profile remove shop')).exit).toBe(2)
})

test('a profile that is pointed at another address sends no key there', async () => {
  const { add, run, home, asked } = await openShop()
  await add()
  const file = path.join(home, '.config', 'orderctl', 'profiles.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/("baseUrl": "[^"]+)"/, '$1/elsewhere"'))
  expect(await run('create --product GAME-US:25 --wallet USD')).toMatchObject({
    exit: 4,
    stderr: expect.stringMatching(
      /error: the Secret Service contains no key of the profile shop for http:\S+\/elsewhere\ntry: orderctl profile set shop --key-stdin\n/,
    ),
  })
  expect(await asked()).toBe('')
})

// The clock of this world jumps to the limit.
test('a store that hangs ends with 4', async () => {
  const { add } = await openShop(overNetwork, 'hangs')
  expect(await add('', canary)).toMatchObject(
    failure(
      4,
      'error: the Secret Service did not respond within 10 seconds\nUnlock it, or keep the key in a file with --key-store file.\n',
    ),
  )
})

test('SIGINT ends the wait for a store that hangs', async () => {
  const { run } = await openShop(inRealTime, 'hangs')
  const controller = new AbortController()
  const sleep: typeof realClock.sleep = (ms, stop) => {
    controller.abort('SIGINT')
    return realClock.sleep(ms, stop)
  }
  expect(
    await run('profile add shop --base-url URL --key-stdin', {
      ...{ input: canary, interrupted: controller.signal, clock: { ...realClock, sleep } },
    }),
  ).toMatchObject({ exit: 130, stdout: '' })
})
