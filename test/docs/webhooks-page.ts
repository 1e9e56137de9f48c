// Runs every command of docs/webhooks.md in its order, each server in a terminal of its own, and buys an order with each
// listener. The output of the first is that of the page. Only the ports are replaced.
import { expect, onTestFinished } from 'vitest'
import { openTarget } from '../support/forward-target.ts'
import { findFreePort } from '../support/postgres/server.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Home, readBlocks } from './guide.ts'

const blocks = readBlocks('docs/webhooks.md')
const scripts = blocks.filter(({ kind }) => kind === 'sh').map(({ text }) => text)

/** Starts a server. */
const isServer = (script: string): boolean => /orderctl (serve-mock|listen)(?! replay| --status)/.test(script)
/** Starts both servers, so it comes last. */
const isSigned = (script: string): boolean => script.includes('--webhook-secret')

const openTerminals = async ({ run }: Home, target: string) => {
  const ports = { 'serve-mock': await findFreePort(), listen: await findFreePort() }
  const adapt = (script: string): string =>
    script
      .replaceAll('127.0.0.1:4010', `127.0.0.1:${ports['serve-mock']}`)
      .replaceAll('http://localhost:3000/orders', target)
      .replaceAll(
        /orderctl (serve-mock|listen)(?! replay| --status)/g,
        (words, name: keyof typeof ports) => `${words} --port ${ports[name]}`,
      )
  /** Types a script into a terminal of its own. */
  return (script: string) => {
    const child = run(adapt(script), { detached: true })
    let output = ''
    child.all.on('data', (bytes: Buffer) => {
      output += bytes
    })
    let hasEnded = false
    void child.finally(() => {
      hasEnded = true
    })
    const stop = async (): Promise<void> => {
      if (!hasEnded) process.kill(-(child.pid ?? Number.NaN), 'SIGTERM')
      await child
    }
    onTestFinished(stop)
    return {
      read: () => output,
      waitFor: async (wanted: string): Promise<void> => {
        await waitUntil(() => hasEnded || output.includes(wanted))
        expect(output).toContain(wanted)
      },
      stop,
      ended: child,
    }
  }
}

type Terminal = ReturnType<Awaited<ReturnType<typeof openTerminals>>>

/** What differs between two runs. */
const generalize = (output: string): string[] =>
  output
    .trimEnd()
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/[\da-f]{32}/g, 'URL')
    .replaceAll(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}\w+/gm, 'TIME  ORDER')
    .replaceAll(/ \d+ s$/gm, ' AGE')
    .split('\n')

export const runWebhooksPage = async (desk: Home): Promise<void> => {
  await using target = await openTarget()
  const open = await openTerminals(desk, target.url)
  const create = scripts.find((script) => script.includes(' URL')) ?? ''
  let variables = ''
  const running: Partial<Record<'mock' | 'listener', Terminal>> = {}
  const shown: string[] = []

  const run = async (script: string): Promise<void> => {
    const { exitCode, all } = await open(variables + script).ended
    expect(exitCode, all).toBe(0)
  }
  /** Buys an order with the URL of the listener, which shows it. */
  const buy = async (listener: Terminal): Promise<void> => {
    const [, url = ''] = /^ +url +(\S+)$/m.exec(listener.read()) ?? []
    await run(create.replace(/\bURL\b/, url))
    await listener.waitFor('✓ successful')
    shown.push(listener.read())
  }
  const start = async (script: string): Promise<void> => {
    const name = script.startsWith('orderctl serve-mock') ? 'mock' : 'listener'
    if (isSigned(script)) await running.mock?.stop()
    await running[name]?.stop()
    const terminal = open(variables + script)
    running[name] = terminal
    await terminal.waitFor('Press Ctrl-C to stop.')
    if (name === 'listener') await buy(terminal)
  }

  for (const script of [...scripts.filter((each) => !isSigned(each)), ...scripts.filter(isSigned)]) {
    if (script.startsWith('export ')) variables += script
    else if (isServer(script)) await start(script)
    else if (script !== create) await run(script)
    if (script.includes('--forward-to') && isServer(script))
      await waitUntil(() => target.accepted.length === 2)
  }
  const [page] = blocks.filter(({ kind }) => kind === 'text')
  expect(generalize(shown[0] ?? '')).toEqual(generalize(page?.text ?? ''))
  expect(shown[1]).toContain(/\/hooks\/\w+/.exec(scripts.join(''))?.[0])
  // The replay sent the orders of all deliveries so far.
  expect(target.accepted.length).toBeGreaterThan(2)
  expect(shown.at(-1)).toMatch(/^ +signed +required$/m)
  expect(shown.at(-1)).not.toContain('refused')
}
