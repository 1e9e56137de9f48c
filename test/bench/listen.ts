// `listen` beside a bare HTTP server that receives the same deliveries.
import path from 'node:path'
import { openScratch } from '../support/scratch.ts'
import { fillFile } from './filled-journal.ts'
import { formatRequest, runLoad } from './load.ts'
import { compare, type Size, type Table, takeTurns, whole } from './measure.ts'
import {
  accountAt,
  bareServer,
  createHome,
  orderctl,
  type Server,
  startServer,
  startService,
  timeUntilListening,
} from './processes.ts'

const sizes = {
  smoke: { rounds: 1, count: 40, starts: 1 },
  normal: { rounds: 6, count: 2_000, starts: 15 },
}

const hookPath = '/hooks/8d2f6c0b9be14d67a3c5e1f0927ab634'
const listenWords = [...orderctl, 'listen', '--port=0', `--path=${hookPath}`, '--json']

/** Each call of the function that it returns sends one delivery for each of the orders. */
const prepareLoad = (server: Server, count: number) => {
  let sent = 0
  const nextDelivery = (_: unknown, index: number): string => {
    const headers = { 'webhook-id': `msg_${++sent}` }
    const body = JSON.stringify({ uid: `ord_${index + 1}`, state: 'processing' })
    return formatRequest(`POST ${hookPath}`, headers, body)
  }
  return () => runLoad(server, Array.from({ length: count }, nextDelivery))
}

export const measureListen = async (size: Size): Promise<Table> => {
  const { rounds, count, starts } = sizes[size]
  using scratch = openScratch()
  const homeOf = (name: string): string => path.join(scratch.folder, name)
  await using service = await startService(homeOf('service'))
  const env = createHome(homeOf('deliveries'), accountAt(service.origin))
  await fillFile(env, { origin: service.origin, count })
  await using listener = await startServer({ words: listenWords, env })
  await using bare = await startServer({ words: bareServer, env })
  const loads = await takeTurns(rounds, {
    ours: prepareLoad(listener, count),
    bare: prepareLoad(bare, count),
  })
  // Its journal has no deliveries that it would check first.
  const emptyEnv = createHome(homeOf('starts'), accountAt(service.origin))
  const start = await takeTurns(starts, {
    ours: () => timeUntilListening({ words: listenWords, env: emptyEnv }),
    bare: () => timeUntilListening({ words: bareServer, env: emptyEnv }),
  })
  const rowOf = (name: string, our: readonly number[], their: readonly number[]): string[] => {
    const { ours, theirs, ratio } = compare(our, their)
    return [name, whole(ours), whole(theirs), ratio.toFixed(2)]
  }
  const rowOfLoads = (name: string, read: (load: (typeof loads.bare)[number]) => number): string[] =>
    rowOf(name, loads.ours.map(read), loads.bare.map(read))
  return {
    title: 'listen',
    columns: ['', '`listen`', 'bare `node:http`', '`listen` / bare'],
    rows: [
      rowOfLoads('deliveries/s', ({ perSecond }) => perSecond),
      rowOfLoads('CPU µs per delivery', ({ cpuMicroseconds }) => cpuMicroseconds),
      rowOf('start until it listens, ms', start.ours, start.bare),
    ],
    note: `Medians of ${rounds} rounds of ${whole(count)} deliveries over 16 connections, and of ${starts} starts. The journal is a file.`,
  }
}
