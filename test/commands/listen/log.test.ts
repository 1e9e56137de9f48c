// The lines that listen prints about deliveries and warnings, on a screen and as JSON. listen.slow.test.ts has the others.
import { expect, test } from 'vitest'
import { createLog } from '../../../src/commands/listen/run.ts'
import type { Context } from '../../../src/context.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

type Log = ReturnType<typeof createLog>

const received = { orderId: 'ord_1\u001b', deliveryId: 'msg_1', account: 'shop', received: 1_700_000_000_000 }

/** What is printed to both streams. `kept`: the warnings before the first event, which --json keeps. */
const print = (isJson: boolean, act: (log: Log) => void, kept: string[] = []) => {
  let text = ''
  const open = (name: string) => ({
    ...{ isTerminal: false, colour: false, width: 80, warnings: isJson ? kept : undefined },
    write: (line: string) => {
      text += line.replaceAll(/^(?=.)/gm, name)
    },
    offer: (bytes: Uint8Array) => {
      text += Buffer.from(bytes)
        .toString()
        .replaceAll(/^(?=.)/gm, name)
      return bytes.length
    },
  })
  const [stdout, stderr, clock] = [open('> '), open('! '), createManualClock()]
  const context = { ...{ stdout, stderr, clock, environment: {}, platform: 'linux' }, timeZone: 'UTC' }
  const log = createLog(context as unknown as Context, isJson, clock.now)
  act(log)
  return text
    .replaceAll('"occurredAt":"2023-11-14T22:13:20.000Z"', 'AT')
    .replaceAll('2023-11-14 22:13:20 UTC', 'AT')
}

test.each<[string, (log: Log) => void, screen: string, json: string]>([
  [
    'a delivery of an order that is unknown',
    (log) => log.onChecked(received, undefined),
    '> AT  ord_1\\u{1b}  ? the service does not know this order\n',
    '> {"event":"order",AT,"orderId":"ord_1\\u001b","deliveryId":"msg_1","known":false,"hasCodes":false}\n',
  ],
  [
    'a delivery that is received again',
    (log) => log.onDuplicate(received),
    '> AT  ord_1\\u{1b}  received again\n',
    '> {"event":"duplicate",AT,"orderId":"ord_1\\u001b","deliveryId":"msg_1"}\n',
  ],
  [
    'a delivery that is refused',
    (log) => log.onRefused(422, 'no order id found'),
    '! warning: refused a delivery (HTTP 422): no order id found\n',
    '> {"event":"refused",AT,"httpStatus":422,"message":"no order id found"}\n',
  ],
  [
    'a delivery that was not forwarded in time',
    (log) => log.onExpired(received),
    '! warning: a delivery of ord_1\\u{1b} (shop) was not forwarded within 7 days, so its body was deleted\n',
    '> {"event":"expired",AT,"orderId":"ord_1\\u001b","deliveryId":"msg_1","account":"shop"}\n',
  ],
  [
    'a target that is away, once until it is back',
    (log) => {
      for (const waitMs of [2_000, 2_000]) log.warnOfRetry('forward to URL', 'connection refused', waitMs)
      log.onForwarded(received)
      log.warnOfRetry('forward to URL', 'connection refused', 2_000)
    },
    '! warning: cannot forward to URL: connection refused. Trying again in 2 s.\n'.repeat(2),
    '> {"event":"warning",AT,"message":"cannot forward to URL: connection refused. Trying again in 2 s."}\n> {"event":"forwarded",AT,"orderId":"ord_1\\u001b","deliveryId":"msg_1"}\n> {"event":"warning",AT,"message":"cannot forward to URL: connection refused. Trying again in 2 s."}\n',
  ],
])('%s', (_what, act, screen, json) => {
  expect([print(false, act), print(true, act)]).toEqual([screen, json])
})

test('as JSON, the warnings so far are events, too', () => {
  const kept = ['the path is easy to guess']
  expect(print(true, (log) => log.onListening('http://127.0.0.1:9/', true, undefined, 2), kept)).toBe(
    `> {"event":"warning",AT,"message":"2 deliveries wait to be forwarded since an earlier run. Use --forward-to to send them."}
> {"event":"listening","url":"http://127.0.0.1:9/","signed":true,"waitingCount":2}
> {"event":"warning",AT,"message":"the path is easy to guess"}
`,
  )
  expect(kept).toEqual([])
})

test('as JSON, an event counts the lines that were dropped while the reader stalled', async () => {
  let text = ''
  let isStalled = true
  const offer = (bytes: Uint8Array): number => {
    if (isStalled) return 0
    text += Buffer.from(bytes).toString()
    return bytes.length
  }
  const [stdout, clock] = [{ ...{ isTerminal: false, colour: false, width: 80 }, offer }, createManualClock()]
  const log = createLog({ stdout, stderr: stdout, clock } as unknown as Context, true, clock.now)
  for (const message of ['x'.repeat(1024 * 1024), 'second', 'third']) log.onRefused(422, message)
  isStalled = false
  for (const _ of [1, 2]) {
    clock.advance(20)
    await turnEventLoop()
  }
  const [, dropped] = text.trimEnd().split('\n')
  expect(dropped).toBe('{"event":"dropped","occurredAt":"2023-11-14T22:13:20.020Z","lineCount":2}')
})
