// What ends the reading of a file or of standard input: its end, its limit, a signal, or an error.
import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { readInput } from '../../src/app/read-input.ts'
import type { Context } from '../../src/context.ts'
import { folder, isOnWindows, orderctl, start } from '../support/orderctl.ts'
import { rowsOf } from '../support/rows.ts'

/** Reads standard input while something happens to it. */
const readWhile = async (happens: (stdin: PassThrough, interruption: AbortController) => void) => {
  const stdin = new PassThrough()
  const interruption = new AbortController()
  const context = {
    ...{ stdin: { isTerminal: false, stream: () => stdin }, interrupted: interruption.signal },
  } as unknown as Context
  const reading = readInput(context, '-', 'the order')
  stdin.write('{')
  happens(stdin, interruption)
  return reading
}

test('its end gives what was read', async () => {
  expect(String(await readWhile((stdin) => stdin.end('}')))).toBe('{}')
})

test('Ctrl-C sends nothing', async () => {
  const reading = readWhile((_, interruption) => interruption.abort('SIGINT'))
  await expect(reading).rejects.toMatchObject({
    kind: 'interrupted',
    message: 'interrupted; nothing was sent',
  })
})

test('an error is reported as it is', async () => {
  await expect(readWhile((stdin) => stdin.destroy(new Error('EIO')))).rejects.toThrow('EIO')
})

const limits = { endsWithinMs: 60_000 }

// The command, and the error. An input without an end would fill the memory.
test.skipIf(isOnWindows).concurrent.each(
  rowsOf(`
  create /dev/zero | cannot read the order from /dev/zero: it is larger than 1 MiB
  batch plan /dev/urandom --wallet USD | cannot read the rows from /dev/urandom: it is larger than 64 MiB
  batch plan - --name gifts --wallet USD </dev/zero | cannot read the rows from standard input: it is larger than 64 MiB
  profile add shop --base-url http://127.0.0.1:9 --key-file /dev/zero \
    | cannot read the key from /dev/zero: it is larger than 1 MiB
  listen --secret-stdin </dev/urandom | cannot read the secret from standard input: it is larger than 1 MiB
  `),
)('%s ends at its limit', async (line = '', problem = '') => {
  const [words = '', input = '/dev/null'] = line.split(' <')
  const under = ['sh', '-c', `exec "$@" <${input}`, 'sh']
  const { exit, stderr } = await orderctl(words.split(' '), { under, cwd: folder(), ...limits })
  expect({ exit, said: stderr.split('\n')[0] }).toEqual({ exit: 2, said: `error: ${problem}` })
  expect(stderr).toMatch(/^(Use a smaller file|Split the file)/m)
})

/** Each resolves when the process reads the input. */
const inputs = {
  'a pipe that no process writes to': async (
    pipe: string,
    { pid }: { readonly pid?: number | undefined },
  ) => {
    const list = () => readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`))
    await vi.waitFor(() => expect(list()).toContain(pipe), { timeout: limits.endsWithinMs })
    return undefined
  },
  'a pipe that stays open': (pipe: string) => open(pipe, 'w'),
  'standard input': async (_: string, child: { readonly stdin: Writable | null }) =>
    new Promise<undefined>((resolve) => child.stdin?.write(' '.repeat(900_000), () => resolve(undefined))),
}

test.skipIf(process.platform !== 'linux').concurrent.each([
  ['SIGTERM', 143, 'a pipe that no process writes to'],
  ['SIGINT', 130, 'a pipe that stays open'],
  ['SIGTERM', 143, 'standard input'],
] as const)('one %s ends with %i a create that reads %s', async (signal, exit, input) => {
  const cwd = folder()
  const pipe = path.join(realpathSync(cwd), 'pipe')
  execFileSync('mkfifo', [pipe])
  const words = ['create', input === 'standard input' ? '-' : pipe]
  const child = start(words, { cwd, keepsInputOpen: true, ...limits })
  await using _held = await inputs[input](pipe, child)
  child.kill(signal)
  const { exitCode, stderr } = await child
  expect({ exitCode, stderr }).toEqual({ exitCode: exit, stderr: 'Interrupted; nothing was sent\n' })
})
