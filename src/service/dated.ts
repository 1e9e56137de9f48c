// The service's own time on each answer: with its clock put forward, a client must not judge by another one.
import type { Clock } from '../contract/clock.ts'
import type { Handler } from './socket/request-log.ts'

export const dated = (handler: Handler, clock: Pick<Clock, 'now'>): Handler => {
  let second = Number.NaN
  let date = ''
  return async (request, facts) => {
    const response = await handler(request, facts)
    const now = Math.floor(clock.now() / 1000)
    // Written once a second: thousands of answers have the same.
    if (now !== second) {
      second = now
      date = new Date(now * 1000).toUTCString()
    }
    return { ...response, headers: { ...response.headers, date } }
  }
}
