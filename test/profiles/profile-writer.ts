// A process that adds profiles to a folder, and reports each.
import { openProfiles } from '../../src/profiles/store.ts'

export type Task = { readonly folder: string; readonly prefix: string; readonly count: number }

const { folder, prefix, count } = JSON.parse(process.argv[2] ?? '') as Task
const profiles = openProfiles({ folder, platform: process.platform })
for (let number = 0; number < count; number += 1) {
  const name = `${prefix}-${number}`
  const credential = { kind: 'key', key: `key-${name}-`.repeat(20) } as const
  await profiles.add({ name, baseUrl: 'https://api.example.com', auth: 'bearer', credential })
  process.send?.(name)
  // Lets the process send the message.
  await new Promise((resolve) => setImmediate(resolve))
}
process.disconnect?.()
