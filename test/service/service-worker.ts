// A process that opens the service, performs one task for its parent, and reports the result.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../src/contract/clock.ts'
import { builtInCatalogue } from '../../src/service/catalogue.ts'
import { openEmbedded } from '../../src/service/embedded.ts'
import { apiKey, callsOver } from '../support/embedded.ts'

export type Task = { readonly file: string } & (
  | { readonly task: 'open' }
  | { readonly task: 'confirm' | 'get'; readonly ids: readonly string[] }
  /** Runs until the process is killed. */
  | { readonly task: 'buy' }
)

const clock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}).catch(() => {}),
  newId: randomUUID,
}

const send = (message: unknown): void => void process.send?.(message)

const perform = async (task: Task): Promise<void> => {
  const options = { clock, catalogue: builtInCatalogue(), stateFile: task.file, apiKey, processingMs: 5 }
  const { transport, seed, close } = openEmbedded(options)
  const service = callsOver(transport)
  switch (task.task) {
    case 'open':
      send(seed)
      break
    case 'confirm': {
      const confirmed: string[] = []
      for (const id of task.ids) if ((await service.confirm(id)).status === 200) confirmed.push(id)
      send(confirmed)
      break
    }
    case 'get': {
      const texts: string[] = []
      for (const id of task.ids) texts.push((await service.get(id)).text)
      send(texts)
      break
    }
    case 'buy':
      for (;;) {
        const id = await service.confirmed(['GAME-US', 'TEST-FAIL'], { webhookUrl: 'http://127.0.0.1:1/' })
        send(id)
        // Lets the message leave, and gives some orders time to end.
        await new Promise((resolve) => setImmediate(resolve))
      }
  }
  close()
}

process.once('message', (task: Task) => {
  // Disconnects only after the parent has the result, which could be lost otherwise.
  process.once('message', () => process.disconnect?.())
  void perform(task)
})
send('ready')
