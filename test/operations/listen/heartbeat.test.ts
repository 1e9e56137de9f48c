// A listener says every 10 s that it is alive, and at its end that it is not, also if the journal fails meanwhile.
import { expect, test } from 'vitest'
import { runHeartbeat } from '../../../src/operations/listen/heartbeat.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

test('it beats until it is stopped', async () => {
  const clock = createManualClock(0)
  const stopping = new AbortController()
  const said: string[] = []
  const say = (what: string) => async () => {
    said.push(`${what} ${clock.monotonic()}`)
    if (said.length === 2) throw new Error('locked')
  }
  const account = { address: 'orders.example' }
  const listeners = { beat: say('beat'), end: say('end') }
  const running = runHeartbeat({ listeners, account, processId: 7, clock }, stopping.signal)
  for (let passed = 0; passed < 25_000; passed += 1_000) {
    await turnEventLoop()
    clock.advance(1_000)
  }
  stopping.abort()
  await running
  expect(said).toEqual(['beat 0', 'beat 10000', 'beat 20000', 'end 25000'])
})
