// The bench of the journal in PostgreSQL: what it costs a call that spends, beside two bare commits; what an order costs
// the server; and what a million orders cost the commands that read them, beside a thousand. `--orders` changes the
// million, and `--calls` measures only the first two. It judges nothing.
import { parseArgs } from 'node:util'
import { startService } from './servers.ts'
import { measureCalls } from './shared/calls-cost.ts'
import { startDatabases } from './shared/database.ts'
import { measureFootprint } from './shared/footprint.ts'
import { measureList } from './shared/list-cost.ts'

const spentOrders = 500

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '1000000' }, calls: { type: 'boolean', default: false } },
})
const databases = await startDatabases()
const service = await startService()
try {
  console.log(`${await measureCalls(await databases.create(), spentOrders)}\n`)
  console.log(`${await measureFootprint(await databases.create(), spentOrders)}\n`)
  if (!values.calls) {
    const pair = { few: await databases.create(), many: await databases.create() }
    console.log(await measureList(pair, Number(values.orders), service.port))
  }
} finally {
  await service.stop()
  await databases.stop()
}
