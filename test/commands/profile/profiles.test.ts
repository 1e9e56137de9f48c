// Profiles beside the sandbox, and keys of several accounts. profile.session has the others.
import path from 'node:path'
import { expect, test } from 'vitest'
import { apiKey } from '../../support/embedded.ts'
import { openWorld, overSocket, type World } from '../../support/world.ts'

const canary = 'canary-key-0123456789'

/** A customer whose profiles are kept in the home, and how to run orderctl with them alone. */
const atHome = (found: World) => {
  const config = path.join(found.home, 'config')
  const apart = { ORDERCTL_CONFIG_DIR: config, ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
  const run = (words: readonly string[], env: Record<string, string> = {}, input?: string) =>
    found.run(words, { env: { ...apart, ...env }, ...(input === undefined ? {} : { input }) })
  return { ...found, run }
}

test('an order that was only read leaves the sandbox the default', async () => {
  const { run, environment, confirmed, advance, flags } = atHome(await openWorld(overSocket))
  const order = await confirmed('GAME-US:25')
  await advance('5s')
  const buys = ['create', ...flags(['GAME-US:25']), '--allow-duplicate']
  for (const _ of ['before', 'after']) {
    expect((await run(buys)).exit).toBe(0)
    expect((await run(['get', order], environment)).exit).toBe(0)
  }
})

test('list --refresh sends each account its own key, not the one of the environment', async () => {
  const [one, other] = [await openWorld(overSocket), await openWorld(overSocket)]
  const { run } = atHome(one)
  for (const [name, shop] of [['one', one] as const, ['other', other] as const]) {
    const address = ['--base-url', shop.environment.ORDERCTL_BASE_URL ?? '']
    await run(['profile', 'add', name, ...address, '--key-stdin'], {}, apiKey)
    const order = ['create', ...shop.flags(['GAME-US:25']), '-q', '--profile', name]
    expect((await run(order)).exit).toBe(0)
  }
  const sent: Record<string, unknown>[] = []
  for (const shop of [one, other]) {
    shop.arrived.on('get', ({ headers }) => sent.push({ isOne: shop === one, key: headers.authorization }))
  }
  const env = { ORDERCTL_PROFILE: 'one', ORDERCTL_API_KEY: canary }
  const { exit, stderr } = await run(['list', '--refresh', '-q'], env)
  expect(sent).toEqual([
    { isOne: false, key: `Bearer ${apiKey}` },
    { isOne: true, key: `Bearer ${canary}` },
  ])
  expect({ exit, warnings: stderr.match(/instead of the key of the profile \w+/g) }).toEqual({
    exit: 4,
    warnings: ['instead of the key of the profile one'],
  })
})
