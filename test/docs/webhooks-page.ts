// Runs every command of docs/webhooks.md, in several terminals, and compares the output of listen with the page. Only the
// ports are replaced.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { execa } from 'execa'
import { expect, onTestFinished } from 'vitest'
import { findFreePort } from '../support/postgres/server.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Home, parseBlocks, readBlocks, readSection } from './guide.ts'

const page = 'docs/webhooks.md'

const shellsOf = (heading: string): string[] =>
  parseBlocks(readSection(page, heading))
    .filter(({ kind }) => kind === 'sh')
    .map(({ text }) => text)

/** The target of forwarded deliveries. */
const openTarget = async () => {
  let received = 0
  const server = createServer((request, response) => {
    received += 1
    request.resume()
    response.end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, count: () => received }
}

const openTerminals = async ({ home, env }: Home) => {
  const ports = { 'serve-mock': await findFreePort(), listen: await findFreePort() }
  const target = await openTarget()
  const adapt = (script: string): string =>
    script
      .replaceAll('127.0.0.1:4010', `127.0.0.1:${ports['serve-mock']}`)
      .replaceAll('localhost:3000', `127.0.0.1:${target.port}`)
      .replaceAll(
        /orderctl (serve-mock|listen)(?! replay| --status)/g,
        (words, name: keyof typeof ports) => `${words} --port ${ports[name]}`,
      )
  /** Types a script into a terminal of its own. */
  const open = (script: string) => {
    const child = execa('sh', ['-c', adapt(script)], {
      ...{ cwd: home, env, extendEnv: false, reject: false, all: true },
      ...{ stdin: 'ignore' as const, detached: true },
    })
    let output = ''
    child.all.on('data', (bytes: Buffer) => {
      output += bytes
    })
    let hasEnded = false
    void child.finally(() => {
      hasEnded = true
    })
    const waitFor = async (wanted: string, times = 1): Promise<void> => {
      await waitUntil(() => hasEnded || output.split(wanted).length > times)
      expect(output).toContain(wanted)
    }
    const stop = async (): Promise<void> => {
      if (!hasEnded) process.kill(-(child.pid ?? Number.NaN), 'SIGTERM')
      await child
    }
    onTestFinished(stop)
    return { read: () => output, waitFor, stop, ended: child }
  }
  const run = async (script: string): Promise<void> => {
    const { exitCode, all } = await open(script).ended
    expect(exitCode, all).toBe(0)
  }
  const start = async (script: string) => {
    const terminal = open(script)
    await terminal.waitFor('Press Ctrl-C to stop.')
    return { ...terminal, url: /^ +url +(\S+)$/m.exec(terminal.read())?.[1] ?? '' }
  }
  return { run, start, target }
}

/** What differs between two runs. */
const generalize = (output: string): string[] =>
  output
    .trimEnd()
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/[\da-f]{32}/g, 'URL')
    .replaceAll(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}\w+/gm, 'TIME  ORDER')
    .replaceAll(/ \d+ s$/gm, ' AGE')
    .split('\n')

export const runWebhooksPage = async (desk: Home): Promise<void> => {
  const { run, start, target } = await openTerminals(desk)
  const [serveMock = '', variables = '', listen = '', create = ''] = shellsOf('Try it')
  const [listenOnPath = ''] = shellsOf('Behind a firewall')
  const [sign = ''] = shellsOf('Signatures')
  const [forward = '', status = ''] = shellsOf('Forwarding')
  const [replay = ''] = shellsOf('Replay')
  const used = [serveMock, variables, listen, create, listenOnPath, sign, forward, status, replay]
  expect(
    readBlocks(page)
      .filter(({ kind }) => kind === 'sh')
      .map(({ text }) => text)
      .toSorted(),
  ).toEqual(used.toSorted())

  const buy = async (url: string): Promise<void> => run(variables + create.replace(/\bURL\b/, url))
  const mock = await start(serveMock)
  const listener = await start(variables + listen)
  await buy(listener.url)
  await listener.waitFor('✓ successful')
  const shown = readBlocks(page).find(({ kind }) => kind === 'text')?.text ?? ''
  expect(generalize(listener.read())).toEqual(generalize(shown))
  await listener.stop()

  const onPath = await start(variables + listenOnPath)
  const [path = ''] = /\/hooks\/\w+/.exec(listenOnPath) ?? []
  expect(onPath.url.endsWith(path)).toBe(true)
  await buy(onPath.url)
  await onPath.waitFor('✓ successful')
  await onPath.stop()

  const forwarder = await start(variables + forward)
  await buy(forwarder.url)
  await waitUntil(() => target.count() === 2)
  await forwarder.stop()
  await run(variables + status)
  await run(variables + replay)
  expect(target.count()).toBeGreaterThan(2)
  await mock.stop()

  const signed = await start(variables + sign)
  expect(signed.read()).toMatch(/^ +signed +required$/m)
  await buy(signed.url)
  await signed.waitFor('✓ successful')
  expect(signed.read()).not.toContain('refused')
}
