// The pace of a batch: when it halves and raises its limit, and how long it waits. `burst 429 16` sends 16 requests now and
// responds with 429 to them all a second later. `ready` waits until requests may be sent, and its result is how long.
import { expect, test } from 'vitest'
import type { CallAttempt } from '../../src/client/observe-transport.ts'
import { createPace } from '../../src/operations/pace.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { readScripts, runScript, type Step, type Verbs } from '../support/steps.ts'
import { turnEventLoop } from '../support/wait-until.ts'

/** `429`, `timeout` or `400 refusal`, with `retry=7000`. */
const readResponse = ({ words: [kind = ''], fields: { retry } }: Step): Omit<CallAttempt, 'startedAt'> => ({
  ...(/^\d+$/.test(kind) ? { status: Number(kind) } : { error: kind as 'timeout' }),
  ...(retry === undefined ? {} : { retryAfterMs: Number(retry) }),
})

const createPaceVerbs = (max: number, random = 0): Verbs => {
  const clock = createManualClock(0)
  const pace = createPace({ max, clock, random: () => random })
  /** In steps of 50 ms. */
  const measureWait = async (isReady: () => boolean): Promise<number> => {
    const start = clock.now()
    await turnEventLoop()
    while (!isReady()) {
      clock.advance(50)
      await turnEventLoop()
    }
    return clock.now() - start
  }
  const respond = (step: Step): void => {
    const { at = clock.monotonic() } = step.fields
    pace.observe({ startedAt: Number(at), ...readResponse(step) })
  }
  return {
    burst: async (step) => {
      clock.advance(1)
      const startedAt = clock.monotonic()
      clock.advance(1_000)
      const response = { startedAt, ...readResponse(step) }
      for (let index = 0; index < Number(step.words[1] ?? '1'); index += 1) pace.observe(response)
    },
    /** To a request that was sent now, or at that time. */
    response: async (step) => respond(step),
    refusal: async () => pace.observe({ startedAt: clock.monotonic(), status: 500, isBusinessRefusal: true }),
    pass: async ({ words: [ms] }) => clock.advance(Number(ms)),
    limit: async () => pace.limit(),
    /** With a response that arrives during the wait. */
    ready: async (step) => {
      let isReady = false
      const wait = pace.ready(new AbortController().signal).then(() => {
        isReady = true
      })
      if (step.words.length > 0) respond(step)
      const ms = await measureWait(() => isReady)
      await wait
      return ms
    },
    abort: async () => {
      const stop = new AbortController()
      const waits = [pace.ready(stop.signal), pace.ready(AbortSignal.abort())]
      stop.abort()
      await Promise.all(waits)
      return clock.sleepers.size
    },
  }
}

test.each(
  readScripts(`
  == the limit is halved by 429, 503 and a timeout, down to 1
  limit → 4; burst 429; limit → 2; burst 503; limit → 1; burst timeout; limit → 1; burst 200 30; limit → 4
  burst 503; limit → 2; burst timeout; limit → 1

  == the limit is halved once by requests that were in flight together
  burst 429 16; limit → 2; response 429 at=500; limit → 2; pass 1; response 429; limit → 1

  == the limit is raised by one for each ten good responses, up to the maximum
  burst 429; burst 200 9; limit → 2; burst 200; limit → 3; burst 200 100; limit → 4

  == the limit is not raised by good responses from before it was halved
  burst 200 9; burst 429; response 200 at=0; burst 200 9; limit → 2

  == the limit stays the same after requests that were not sent or reset, an error and a redirect
  burst not-sent 30; burst other 30; burst 500 30; burst 302 30; limit → 4

  == no wait before the first bad response, and after a failure that is no overload
  ready → 0; burst 500 retry=9000; ready → 0

  == the wait is the Retry-After, but at most 5 minutes
  burst 503 retry=200; ready → 200; burst 503 retry=7000; ready → 7000; burst 503 retry=300000; ready → 300000
  burst 503 retry=3600000; ready → 300000

  == the wait lasts until the latest Retry-After, also of a request from before the halving
  burst 429 retry=1000; response 429 at=0 retry=6000; response 429 at=0 retry=2000; ready 429 retry=8000 → 8000

  == the shortest wait is 0.2 s
  burst 429; ready → 200; burst 429; ready → 200; burst 429; ready → 200

  == the wait ends when the signal aborts
  burst 429 retry=60000; abort → 0

  == a documented refusal is a good response, and an error is none
  burst 429; burst 200 9; pass 1; burst 500; limit → 2; pass 1; refusal; limit → 3
`),
)('%s', async (_title, text) => {
  expect(await runScript(createPaceVerbs(4), text)).toBe(text)
})

test('the wait doubles with consecutive overloads, up to 5 s, and begins again after a good response', async () => {
  const waits = [400, 800, 1_600, 3_200, 5_000, 5_000, 5_000].map((ms) => `burst 429 4; ready → ${ms}`)
  const text = [...waits, 'burst 200; burst 429; ready → 400'].join('\n')
  expect(await runScript(createPaceVerbs(4, 1), text)).toBe(text)
})
