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

const order = 'create --product GAME-US:25 --wallet USD --reference r'

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
  const stopped = `Stopped watching; still waiting for: ${id}\ntry: orderctl watch ${id}\n`
  const unconfirmed = `Interrupted; the order ${id} was not confirmed\n`

  const createStopped = `${patient('create')}${unconfirmed}try: orderctl confirm ${id}\n`
  const confirmStopped = patient('confirm') + stopped
  const asking = `Interrupted\ntry: orderctl get ${id}\n`

  test.each<[fault: string, line: string, operation: Operation, exit: number, stderr: string, asked: string]>(
    [
      ['', 'watch ID', 'get', exit, stopped, 'create confirm get'],
      ['get:latency=20s', 'watch ID', 'get', exit, stopped, 'create confirm'],
      ['get:latency=20s', 'get ID', 'get', exit, asking, 'create'],
      ['get:latency=20s', 'redeem ID', 'get', exit, asking, 'create'],
      ['get:latency=20s', 'confirm ID', 'get', exit, unconfirmed, 'create'],
      // It reports the outcome of what it has sent, and does not go on.
      ['create:latency=1s', `${order} -q`, 'create', 0, patient('create'), 'create'],
      ['create:latency=2s', `${order} --confirm --watch -q`, 'create', exit, createStopped, 'create'],
      ['confirm:latency=2s', 'confirm ID --watch -q', 'confirm', exit, confirmStopped, 'create get confirm'],
    ],
  )('during %s, %s ends at once or with the outcome', async (fault, line, operation, ends, stderr, asked) => {
    const shop = await open()
    const place = line.startsWith('watch') ? shop.confirmed : shop.created
    const words = line.includes('ID') ? line.replace('ID', await place('TEST-SLOW:10')) : line
    if (fault !== '') await shop.fault(fault)
    const ran = await signalled(shop, operation, signal, words.split(' '))
    // If the first response arrives before the signal, watch prints it.
    const stdout = ran.stdout.replace(/^sbx_\w+ {2}… confirmed {2}after 0 s\n/, '')
    expect({ ...ran, stdout }).toEqual({ exit: ends, stdout: ends === 0 ? `${id}\n` : '', stderr })
    expect(await shop.asked()).toBe(asked)
  })

  test('does not separate a confirm from its response: the outcome is reported', async () => {
    const shop = await open()
    const waiting = await shop.created('GAME-US:25')
    await shop.fault('confirm:latency=1s')
    const ran = await signalled(shop, 'confirm', signal, ['confirm', waiting, '--json'])
    const [said, ...rest] = ran.stderr.split(/(?<=\n)/)
    expect({ ...ran, stderr: said }).toEqual({ exit, stdout: '', stderr: patient('confirm') })
    expect(JSON.parse(rest.join('')).error).toMatchObject({
      message: `the order ${id} is confirmed; it was not read again`,
      ...{ orderId: id, fix: `orderctl get ${id}` },
    })
    expect(await shop.asked()).toBe('create get confirm')
  })

  test('ends the settling of a confirm whose response was lost: do not order again', async () => {
    const shop = await open()
    const waiting = await shop.created('GAME-US:25')
    await shop.fault('confirm:reset-after')
    shop.arrived.once('confirm', () => shop.fault('get:bad-jsonx9'))
    const ran = await signalled(shop, 'confirm', signal, ['confirm', waiting, '-q'])
    expect([ran.exit, ran.stdout]).toEqual([6, ''])
    expect(ran.stderr).toMatch(
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
