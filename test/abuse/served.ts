// A serve-mock process on a state file that others may share.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import path from 'node:path'
import { callsOver } from '../support/embedded.ts'
import { serveMock } from '../support/orderctl.ts'
import { clientOf } from '../support/socket-client.ts'

const catalogueContent = {
  products: [{ sku: 'SEVEN', name: 'Seven', country: 'US', productType: 'fixed', currency: 'USD', quote: 7 }],
  wallets: [{ currency: 'USD', balance: 100_000_000 }],
  rates: [],
}
export const seven = { sku: 'SEVEN', productType: 'fixed', quote: 7, quantity: 1 }

export type Served = Awaited<ReturnType<typeof openServed>>

/** Starts serve-mock in an existing folder. A call without a complete response throws. */
export const openServed = async (folder: string) => {
  const home = path.join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const state = path.join(folder, 'state.db')
  const catalogue = path.join(folder, 'catalogue.json')
  // Another process may be reading the file.
  if (!existsSync(catalogue)) writeFileSync(catalogue, JSON.stringify(catalogueContent))
  const words = ['--state', state, '--catalogue', catalogue, '--processing-time', '5ms']
  const env = { XDG_CACHE_HOME: path.resolve('node_modules/.cache') }
  const { child, url, key, seed } = await serveMock(words, { cwd: home, env, endsWithinMs: 600_000 })
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await child
  }
  return {
    calls: callsOver(clientOf(url, new Agent()), key),
    port: Number(new URL(url).port),
    seed,
    pid: child.pid ?? 0,
    state,
    kill,
    [Symbol.asyncDispose]: () => kill('SIGTERM'),
  }
}
