// Runs the walkthrough of docs/webhooks.md in several terminals, also with a secret, and compares the output of listen
// with the guide. Only the ports and the state folder are replaced.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { executable, folder } from '../support/orderctl.ts'
import { findFreePort } from '../support/postgres/server.ts'
import { waitUntil } from '../support/wait-until.ts'
import { parseBlocks } from './guide.ts'

const guide = readFileSync('docs/webhooks.md', 'utf8')

const readSection = (heading: string) => {
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return parseBlocks(section).map(({ text }) => text)
}

const openWorld = async () => {
  const home = folder()
  const programs = path.join(home, 'programs')
  mkdirSync(programs)
  const program = path.join(programs, 'orderctl')
  writeFileSync(program, `#!/bin/sh\nexec ${executable.map((word) => `'${word}'`).join(' ')} "$@"\n`)
  chmodSync(program, 0o755)
  const ports = { 'serve-mock': await findFreePort(), listen: await findFreePort() }

  const adapt = (script: string): string => {
    const adapted = script
      .replaceAll('127.0.0.1:4010', `127.0.0.1:${ports['serve-mock']}`)
      .replaceAll('/tmp/orderctl-webhooks', path.join(home, 'state'))
      .replaceAll(
        /orderctl (serve-mock|listen)/g,
        (words, name: keyof typeof ports) => `${words} --port ${ports[name]}`,
      )
    expect(adapted).not.toBe(script)
    return adapted
  }

  /** Types a script into a terminal of its own. */
  const open = (script: string) => {
    const child = execa('sh', ['-c', script], {
      cwd: home,
      env: { PATH: `${programs}:${process.env.PATH}`, HOME: home, TZ: 'UTC' },
      ...{ extendEnv: false, reject: false, all: true, stdin: 'ignore' as const, detached: true },
    })
    let output = ''
    child.all.on('data', (bytes: Buffer) => {
      output += bytes
    })
    let hasEnded = false
    void child.finally(() => {
      hasEnded = true
    })
    const waitFor = async (wanted: string): Promise<void> => {
      await waitUntil(() => hasEnded || output.includes(wanted))
      expect(output).toContain(wanted)
    }
    const stop = async (): Promise<void> => {
      if (!hasEnded) process.kill(-(child.pid ?? Number.NaN), 'SIGTERM')
      await child
    }
    onTestFinished(stop)
    return { read: () => output, waitFor, stop, ended: child }
  }
  return { adapt, open }
}

/** What differs between two runs. */
const generalize = (output: string): string[] =>
  output
    .trimEnd()
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/[\da-f]{32}/g, 'URL')
    .replaceAll(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}\w+/gm, 'TIME  ORDER')
    .replaceAll(/ \d+ s$/gm, ' AGE')
    .split('\n')

test('the walkthrough works as it stands, and listen prints what the guide shows', async () => {
  const { adapt, open } = await openWorld()
  const [serveMock = '', variables = '', create = '', ...others] = readSection('Try it')
  expect(others).toEqual([])
  const mock = open(adapt(serveMock))
  await mock.waitFor('Press Ctrl-C to stop.')
  const listener = open(adapt(`${variables}orderctl listen`))
  await listener.waitFor('Press Ctrl-C to stop.')
  const buy = async (url: string): Promise<void> => {
    const { exitCode, all } = await open(adapt(variables) + create.replace(/\bURL\b/, url)).ended
    expect(exitCode, all).toBe(0)
  }
  const readUrl = (text: string): string => /^ +url +(\S+)$/m.exec(text)?.[1] ?? ''
  await buy(readUrl(listener.read()))
  await listener.waitFor('✓ successful')
  const shown = parseBlocks(guide).find(({ kind }) => kind === 'text')?.text ?? ''
  expect(generalize(listener.read())).toEqual(generalize(shown))
  await Promise.all([listener.stop(), mock.stop()])

  const signed = open(adapt(variables + readSection('Signatures')[0]))
  await signed.waitFor('Press Ctrl-C to stop.')
  expect(signed.read()).toMatch(/^ +signed +required$/m)
  await buy(readUrl(signed.read()))
  await signed.waitFor('✓ successful')
  expect(signed.read()).not.toContain('refused')
})
