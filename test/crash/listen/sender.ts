// A service that sends deliveries and repeats each until the response is 2xx.
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

export type Sending = {
  readonly orderId: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Undefined if there was no response. */
const sendOnce = (url: string, { headers, body }: Sending): Promise<number | undefined> =>
  new Promise((resolve) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume().on('close', () => resolve(response.complete ? response.statusCode : undefined))
      response.on('error', () => {})
    })
    sent.on('error', () => resolve(undefined)).end(body)
  })

type Options = {
  readonly url: string
  readonly parallel: number
  /** Called after each delivery whose response was 2xx, with their number. */
  readonly onAccepted: (count: number) => void
  readonly onRefused: (status: number | undefined) => void
}

export const sendAll = async (
  sendings: readonly Sending[],
  { url, parallel, onAccepted, onRefused }: Options,
): Promise<void> => {
  const open = [...sendings]
  let accepted = 0
  const work = async (): Promise<void> => {
    for (let sending = open.shift(); sending !== undefined; sending = open.shift()) {
      for (;;) {
        const status = await sendOnce(url, sending)
        if (status === 200) break
        onRefused(status)
        // A sender waits before it repeats.
        await delay(20)
      }
      accepted += 1
      onAccepted(accepted)
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
}
