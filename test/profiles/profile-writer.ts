// A process that changes the profiles of a folder on request.
import { openProfiles } from '../../src/profiles/store.ts'

export type Task = { readonly folder: string; readonly prefix: string; readonly count: number }

const say = (message: unknown): void => void process.send?.(message)

process.once('message', async ({ folder, prefix, count }: Task) => {
  const profiles = openProfiles({ folder, platform: process.platform })
  for (let number = 0; number < count; number += 1) {
    const name = `${prefix}-${number}`
    const credential = { kind: 'key', key: `key-${name}-`.repeat(20) } as const
    await profiles.add({ name, baseUrl: 'https://api.example.com', auth: { kind: 'bearer' }, credential })
    say(name)
    // Lets the process send the message.
    await new Promise((resolve) => setImmediate(resolve))
  }
  process.disconnect?.()
})
say('ready')
