// A process of its own with the service in it; it says that it is ready, and does what it is told then.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../src/contract/clock.ts'
import { builtInCatalogue } from '../../src/service/catalogue.ts'
import { openEmbedded } from '../../src/service/embedded.ts'
import { apiKey, callsOver } from '../support/embedded.ts'

export type Task = { readonly file: string } & (
  | { readonly task: 'open' }
  | { readonly task: 'confirm' | 'get'; readonly ids: readonly string[] }
  /** Until it is killed. */
  | { readonly task: 'buy' }
)

const clock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}).catch(() => {}),
  newId: randomUUID,
}

const say = (message: unknown): void => void process.send?.(message)

const perform = async (task: Task): Promise<void> => {
  const options = { clock, catalogue: builtInCatalogue(), stateFile: task.file, apiKey, processingMs: 5 }
  const { transport, seed, close } = openEmbedded(options)
  const service = callsOver(transport)
  switch (task.task) {
    case 'open':
      say(seed)
      break
    case 'confirm': {
      const won: string[] = []
      for (const id of task.ids) if ((await service.confirm(id)).status === 200) won.push(id)
      say(won)
      break
    }
    case 'get': {
      const texts: string[] = []
      for (const id of task.ids) texts.push((await service.get(id)).text)
      say(texts)
      break
    }
    case 'buy':
      for (;;) {
        const id = await service.confirmed(['GAME-US', 'TEST-FAIL'], { webhookUrl: 'http://127.0.0.1:1/' })
        say(id)
        // Lets the message leave, and a little time pass, so that some orders end.
        await new Promise((resolve) => setImmediate(resolve))
      }
  }
  close()
}

process.once('message', (task: Task) => {
  // Leaves only when the parent has its answer: a worker that disconnected first could lose it.
  process.once('message', () => process.disconnect?.())
  void perform(task)
})
say('ready')
