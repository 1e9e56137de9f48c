// A process that is stopped, as by Ctrl-Z, and continues after its deadline.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Operation } from '../../src/contract/refusals.ts'
import { waitUntil } from '../support/wait-until.ts'
import { inRealTime, openerFor, scrub, type World } from '../support/world.ts'

const open = openerFor(inRealTime)

const isStopped = (pid: number | undefined): boolean =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('T') === true

/** Stops the process when the service receives the operation `at`. Continues it after `ms` and after `meanwhile`. */
const stopped = async (
  shop: World,
  { at, words, ms }: { readonly at: Operation; readonly words: readonly string[]; readonly ms: number },
  meanwhile: () => Promise<unknown> = async () => {},
) => {
  const child = shop.starts(words)
  await new Promise<void>((resolve) =>
    shop.arrived.once(at, () => {
      child.kill('SIGSTOP')
      resolve()
    }),
  )
  const since = performance.now()
  await meanwhile()
  await waitUntil(() => isStopped(child.pid) && performance.now() - since > ms)
  child.kill('SIGCONT')
  const { exitCode: exit, stdout, stderr } = await child
  return { exit, stdout: scrub(stdout), stderr: scrub(stderr).replace('where it acts\n', '') }
}

const id = 'sbx_1234567890abcdef'

describe.runIf(process.platform === 'linux')('stopped', { concurrent: true }, () => {
  const order = ['--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'r']
  test.for([
    ['create', async () => order, 'create'],
    ['confirm', async (shop: World) => [await shop.created('GAME-US:25'), '--yes'], 'create get confirm'],
  ] as const)(
    'a %s past its deadline reads the response that arrived meanwhile',
    async ([at, wordsIn, asked]) => {
      const shop = await open()
      const words = [at, ...(await wordsIn(shop)), '--timeout', '2s', '-q']
      const ran = await stopped(shop, { at, words, ms: 2_200 })
      expect(ran).toEqual({ exit: 0, stdout: `${id}\n`, stderr: '' })
      expect(await shop.asked()).toBe(asked)
    },
  )

  test('create --idempotent waits for a stopped create, and not for a killed one', async () => {
    const shop = await open()
    const words = ['create', ...order, '--idempotent', '--confirm', '--json']
    const first = shop.starts(words)
    await new Promise<void>((resolve) => {
      shop.arrived.once('create', () => {
        first.kill('SIGSTOP')
        resolve()
      })
    })
    await waitUntil(() => isStopped(first.pid))
    const second = shop.starts(words)
    let said = ''
    second.stderr?.on('data', (text) => {
      said += text
    })
    await waitUntil(() => said !== '')
    expect(JSON.parse(said)).toMatchObject({ waiting: { operation: 'create', reference: 'r' } })
    const since = performance.now()
    await waitUntil(() => performance.now() - since > 3_000)
    expect(await shop.asked()).toBe('create')
    first.kill('SIGKILL')
    // The first order was created, and expires unconfirmed.
    expect([(await second).exitCode, await shop.asked()]).toEqual([0, 'create create get confirm get'])
    expect(performance.now() - since).toBeLessThan(20_000)
  })

  test('a watch shows the current state once, without the missed rounds', async () => {
    const shop = await open()
    // The order changes only when the test advances the clock.
    const words = ['watch', await shop.confirmed('TEST-SLOW:10'), '--interval', '100ms']
    const ran = await stopped(shop, { at: 'get', words, ms: 1_000 }, () => shop.advance('2m'))
    expect(ran.exit).toBe(0)
    expect(ran.stdout).toMatch(
      /^sbx_\w+ {2}… confirmed {2}after 0 s\nsbx_\w+ {2}✓ successful {2}after \d s\n/,
    )
    expect(await shop.asked()).toBe('create confirm get get')
  })

  test('a watch past its --wait ends and says that the order is not final', async () => {
    const shop = await open()
    const words = ['watch', await shop.confirmed('TEST-SLOW:10'), '--wait', '2s']
    expect(await stopped(shop, { at: 'get', words, ms: 2_200 })).toMatchObject({
      exit: 124,
    })
    expect(await shop.asked()).toBe('create confirm get')
  })
})
