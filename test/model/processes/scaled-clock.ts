// Loaded into a real orderctl before its own code, by --import: its clocks follow the time of the history, and its
// requests say which process sends them.
import diagnostics from 'node:diagnostics_channel'
import process from 'node:process'

export type ProcessClock = {
  readonly id: number
  readonly epoch: number
  readonly begun: number
  readonly scale: number
  readonly aheadMs: number
  readonly wallMs: number
  readonly sleptMs: number
}

const { id, epoch, begun, scale, aheadMs, wallMs, sleptMs }: ProcessClock = JSON.parse(
  process.env.MODEL_CLOCK ?? '{}',
)

const now = (): number => (performance.timeOrigin + performance.now() - begun) * scale + aheadMs

Date.now = () => Math.floor(epoch + now() + wallMs)
process.hrtime.bigint = () => BigInt(Math.floor((now() - sleptMs) * 1e6))

const timers = process.getBuiltinModule('node:timers/promises')
const sleep = timers.setTimeout
timers.setTimeout = ((ms: number, value: unknown, options: object) =>
  sleep(ms / scale, value, options)) as typeof sleep

diagnostics.subscribe('undici:request:create', (message) => {
  const { request } = message as { request: { addHeader(name: string, value: string): void } }
  request.addHeader('x-model-process', `${id}`)
})
