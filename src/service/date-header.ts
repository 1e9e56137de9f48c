// Sets the Date header of each answer to the service's time. Clients use it to tell whether an order has expired.
import type { Clock } from '../contract/clock.ts'
import type { Handler } from './request-log.ts'

export const addDateHeader = (handler: Handler, clock: Pick<Clock, 'now'>): Handler => {
  let second = Number.NaN
  let date = ''
  return async (request, facts) => {
    const response = await handler(request, facts)
    const now = Math.floor(clock.now() / 1000)
    // Cached, because thousands of answers share one second.
    if (now !== second) {
      second = now
      date = new Date(now * 1000).toUTCString()
    }
    return { ...response, headers: { ...response.headers, date } }
  }
}
