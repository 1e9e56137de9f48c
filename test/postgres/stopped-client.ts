// A process that stops itself inside a transaction. When it continues, the transaction runs again.
import { setTimeout as delay } from 'node:timers/promises'
import { parseAddress } from '../../src/postgres/address.ts'
import { openPostgres } from '../../src/postgres/open.ts'

const [address = '', idleMs] = process.argv.slice(2)

const client = openPostgres({
  address: parseAddress(address, { user: 'nobody' }),
  environment: process.env,
  home: undefined,
  platform: process.platform,
  warn: () => {},
  random: () => 0,
  sleep: (ms) => delay(ms),
  limits: { idleMs: Number(idleMs) },
})

let runs = 0
await client.transaction(async ({ run, all }) => {
  runs += 1
  await run('UPDATE item SET n = n + 1')
  if (runs === 1) process.kill(process.pid, 'SIGSTOP')
  await all('SELECT n FROM item')
})
await client.close()
process.stdout.write(`runs: ${runs}\n`)
