// Real signals to the built executable, at a moment that the service knows: the output, and the requests.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { describe, expect, test } from 'vitest'
import type { Operation } from '../../src/contract/refusals.ts'
import { isFullRun } from '../support/cases.ts'
import { inRealTime, openerFor, scrub, type World } from '../support/world.ts'

const id = 'sbx_1234567890abcdef'
const signals = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const
type Signal = (typeof signals)[number][0]

const patient = (what: string): string =>
  `Interrupted: still waiting for the response to ${what}. To leave at once, press Ctrl-C again. Then run: orderctl reconcile\n`

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'r']

/** Signalled once the service is asked for the operation. */
const signalled = async (shop: World, operation: Operation, signal: Signal, words: readonly string[]) => {
  const arrived = once(shop.arrived, operation)
  const child = shop.starts(words)
  await arrived
  child.kill(signal)
  const { exitCode: exit, stdout, stderr } = await child
  return { exit, stdout: scrub(stdout), stderr: scrub(stderr).replace('where it acts\n', '') }
}

describe.each(isFullRun ? signals : signals.slice(0, 1))('%s', { concurrent: true }, (signal, exit) => {
  const open = openerFor(inRealTime)
  const stopped = {
    exit,
    stdout: '',
    stderr: `Stopped watching; the order is not final yet\ntry: orderctl watch ${id}\n`,
  }

  test.each(['', 'get:latency=20s'])(
    'ends a watch at once, with the command to continue %s',
    async (fault) => {
      const shop = await open()
      const slow = await shop.confirmed('TEST-SLOW:10')
      if (fault !== '') await shop.fault(fault)
      // If the first response arrives before the signal, it is printed.
      const ran = await signalled(shop, 'get', signal, ['watch', slow])
      expect({ ...ran, stdout: ran.stdout.replace(/^sbx_\w+ {2}… confirmed {2}after 0 s\n/, '') }).toEqual(
        stopped,
      )
    },
  )

  test.each([
    ['get', `Interrupted\ntry: orderctl get ${id}\n`],
    ['redeem', `Interrupted\ntry: orderctl get ${id}\n`],
    ['confirm', `Interrupted; the order ${id} was not confirmed\n`],
  ])('ends a %s that waits for an order', async (command, stderr) => {
    const shop = await open()
    const waiting = await shop.created('GAME-US:25')
    await shop.fault('get:latency=20s')
    expect(await signalled(shop, 'get', signal, [command, waiting])).toEqual({
      exit,
      stdout: '',
      stderr,
    })
    expect(await shop.calls.state(waiting)).toBe('created')
  })

  test('does not separate a confirm from its response: the outcome is reported', async () => {
    const shop = await open()
    const waiting = await shop.created('GAME-US:25')
    await shop.fault('confirm:latency=1s')
    const words = ['confirm', waiting, '--json', '--fields', 'uid,state']
    const ran = await signalled(shop, 'confirm', signal, words)
    const [said, ...rest] = ran.stderr.split(/(?<=\n)/)
    expect({ ...ran, stderr: said }).toEqual({ exit, stdout: '', stderr: patient('confirm') })
    expect(JSON.parse(rest.join('')).error).toMatchObject({
      message: `the order ${id} is confirmed; it was not read again`,
      orderId: id,
      fix: `orderctl get ${id}`,
    })
    expect(await shop.asked()).toBe('create get confirm')
  })

  test('does not separate a create from its response: the order is not lost', async () => {
    const shop = await open()
    await shop.fault('create:latency=1s')
    expect(await signalled(shop, 'create', signal, [...order, '-q'])).toEqual({
      exit: 0,
      stdout: `${id}\n`,
      stderr: patient('create'),
    })
    expect(await shop.asked()).toBe('create')
  })

  test('in a create keeps it from being confirmed', async () => {
    const shop = await open()
    await shop.fault('create:latency=2s')
    expect(await signalled(shop, 'create', signal, [...order, '--watch', '-q'])).toEqual({
      exit,
      stdout: '',
      stderr: `${patient('create')}Interrupted; the order ${id} was not confirmed\ntry: orderctl confirm ${id}\n`,
    })
    expect(await shop.asked()).toBe('create')
  })

  test('in a confirm keeps it from being watched', async () => {
    const shop = await open()
    const waiting = await shop.created('TEST-SLOW:10')
    await shop.fault('confirm:latency=2s')
    expect(await signalled(shop, 'confirm', signal, ['confirm', waiting, '--watch', '-q'])).toEqual({
      ...stopped,
      stderr: patient('confirm') + stopped.stderr,
    })
    expect(await shop.calls.state(waiting)).toBe('confirmed')
  })

  test('ends the settling of a confirm whose response was lost: do not order again', async () => {
    const shop = await open()
    const waiting = await shop.created('GAME-US:25')
    await shop.fault('confirm:reset-after')
    shop.arrived.once('confirm', () => shop.fault('get:bad-jsonx9'))
    const {
      exit: unknown,
      stdout,
      stderr,
    } = await signalled(shop, 'confirm', signal, ['confirm', waiting, '-q'])
    expect({ unknown, stdout }).toEqual({ unknown: 6, stdout: '' })
    expect(stderr).toMatch(
      /^(?:(?:profile|Interrupted|where).*\n)*error: the outcome of .* is unknown: .*\ntry: orderctl reconcile .*\nDo not order again\.\n$/,
    )
    expect(await shop.asked()).toMatch(/^create get confirm\b(?!.*confirm)/)
  })
})

/** Whether the process handles the signal itself. */
const catches = (pid: number, signal: Signal): boolean => {
  const [, mask = '0'] = /^SigCgt:\s+([\da-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (BigInt(`0x${mask}`) & (1n << BigInt(constants.signals[signal] - 1))) !== 0n
}

describe.runIf(process.platform === 'linux')('a second signal', { concurrent: true }, () => {
  const open = openerFor(inRealTime)
  test.each<[Signal, Signal]>([
    ['SIGINT', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
  ])('after %s, %s, ends a confirm at once', async (first, second) => {
    const shop = await open()
    const waiting = await shop.created('GAME-US:25')
    await shop.fault('confirm:latency=20s')
    const arrived = once(shop.arrived, 'confirm')
    const child = shop.starts(['confirm', waiting, '-q'])
    await arrived
    child.kill(first)
    while (catches(child.pid ?? 0, first)) await new Promise(setImmediate)
    child.kill(second)
    const { exitCode, signal, stdout } = await child
    expect({ exitCode, signal, stdout }).toEqual({ exitCode: undefined, signal: second, stdout: '' })
  })
})
