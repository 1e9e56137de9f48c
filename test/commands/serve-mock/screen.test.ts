// The line of the access log for an attempt to deliver a webhook.
import { expect, test } from 'vitest'
import { createAccessLog } from '../../../src/commands/serve-mock/run.ts'
import type { SeenAttempt } from '../../../src/service/webhooks.ts'
import { themeFor } from '../../../src/ui/terminal/view.ts'

const delivery = {
  id: 'msg_1',
  at: new Date(2026, 6, 24, 12, 30, 5).getTime(),
  origin: 'http://127.0.0.1:8080',
  orderId: 'sbx_1',
  event: 'confirmed',
  ms: 3,
} as const

test.each<[string, Pick<SeenAttempt, 'number' | 'state' | 'status' | 'error' | 'retryInMs'>, string]>([
  [
    'was delivered',
    { number: 1, status: 204, state: 'delivered' },
    '204    3 ms  sbx_1  webhook confirmed, attempt 1',
  ],
  [
    'is retried',
    { number: 2, error: 'connection refused', state: 'pending', retryInMs: 4_999 },
    '---    3 ms  sbx_1  webhook confirmed, attempt 2; connection refused; next in 5 s',
  ],
  [
    'was given up',
    { number: 3, status: 410, state: 'given-up' },
    '410    3 ms  sbx_1  webhook confirmed, attempt 3; no further attempt',
  ],
])('an attempt that %s', (_name, attempt, line) => {
  const { renderAttempt } = createAccessLog(themeFor({ colour: false }))
  const expected = `12:30:05  hook  http://127.0.0.1:8080  ${line}\n`
  expect(renderAttempt({ ...delivery, ...attempt })).toBe(expected)
})
