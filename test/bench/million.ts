// The long run: a million requests of the mixed work, and what they do to memory and to a state file.
import path from 'node:path'
import { runLoad } from './load.ts'
import { ordersIn, workOn } from './orders.ts'
import { fileBytes, folder, startService } from './servers.ts'
import { megabytes, whole } from './table.ts'

const million = 1_000_000
const stepMs = 15_000

export const runMillion = async (): Promise<void> => {
  await run(':memory:')
  await run(path.join(folder, 'state.db'))
}

const run = async (state: string): Promise<void> => {
  const inFile = state !== ':memory:'
  const server = await startService(`--state=${state}`)
  const { mixed } = workOn(server.port)
  const print = (...cells: string[]) => console.log(cells.map((cell) => cell.padStart(11)).join(' '))
  console.log(`\n--state ${inFile ? 'FILE' : state}: create, confirm, get four times, over and over\n`)
  print('requests', 'orders', 'requests/s', 'p50 ms', 'p99 ms', 'max ms', 'memory MB', 'state MB')
  let requests = 0
  let warm = { orders: 0, memory: 0 }
  let memory = server.memory()
  print('0', '0', '', '', '', '', megabytes(memory))
  while (requests < million) {
    const load = await runLoad({ port: server.port, work: mixed, ms: stepMs })
    requests += load.requests
    memory = server.memory()
    // In the first half, what grows is Node's own heap too.
    if (requests < million / 2) warm = { orders: ordersIn(requests), memory }
    const ms = (microseconds: number) => (microseconds / 1000).toFixed(1)
    print(
      whole(requests),
      whole(ordersIn(requests)),
      whole(load.perSecond),
      ms(load.latency.percentile(50)),
      ms(load.latency.percentile(99)),
      ms(load.latency.max),
      megabytes(memory),
      inFile ? megabytes(fileBytes(state)) : '',
    )
  }
  await server.stop()
  const orders = ordersIn(requests)
  const grown = (memory - warm.memory) / (orders - warm.orders)
  console.log(`\nMemory an order, in the second half: ${whole(grown)} bytes`)
  if (inFile) console.log(`State file an order: ${whole(fileBytes(state) / orders)} bytes`)
}
