// Writers report whether their output was delivered.
import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createOutput, type OutputTarget, targetOf } from '../../../src/ui/terminal/io.ts'
import { isAllRun } from '../../support/cases.ts'
import { folder } from '../../support/orderctl.ts'

const opened = (file: string, flags: string | number): number => {
  const fd = openSync(file, flags)
  onTestFinished(() => closeSync(fd))
  return fd
}

const untouched = (): never => {
  throw new Error('the stream is not needed')
}

const fileTarget = (file: string, flags: string): OutputTarget =>
  targetOf(opened(file, flags), untouched, process.platform)

const text = `${'é'.repeat(40_000)}\n`

test('a file that accepts no data is reported as broken', async () => {
  const file = path.join(folder(), 'out')
  writeFileSync(file, '')
  const output = createOutput(fileTarget(file, 'r'), false, undefined)
  expect(output.broken.aborted).toBe(false)
  output.write(text)
  expect(output.broken.aborted).toBe(true)
  await expect(output.flushed()).rejects.toThrow('EBADF')
})

const io = JSON.stringify(path.resolve('src/ui/terminal/io.ts'))
const runScript = (script: string, ...words: string[]) => {
  const options = ['--input-type=module', '--eval', `import { createOutput, targetOf } from ${io}\n${script}`]
  return spawnSync(process.execPath, [...options, ...words], { timeout: 60_000, killSignal: 'SIGKILL' })
    .status
}

// The tests that start a process.
const isLeftOut = !isAllRun || process.platform === 'win32'

test.skipIf(isLeftOut)('a file that takes a part only is broken', () => {
  const file = path.join(folder(), 'out')
  const script = `
    import { createOutput, targetOf } from ${io}
    const output = createOutput(targetOf(1, () => process.stdout, process.platform), false, undefined)
    output.write('x'.repeat(5000))
    process.exitCode = await output.flushed().then(() => 0, () => 74)`
  // 1 KiB or 512 bytes: a block is what the shell takes for one.
  const command = 'ulimit -f 1; exec "$0" --input-type=module --eval "$1" > "$2"'
  const { status } = spawnSync('/bin/sh', ['-c', command, process.execPath, script, file])
  expect(status).toBe(74)
  expect(readFileSync(file).length).toBeLessThan(5000)
})

// Node hands a program sockets instead of pipes.
test.skipIf(isLeftOut)('a socket needs no stream before something is written', () => {
  const script = `
    const open = () => { throw new Error('opened') }
    const output = createOutput(targetOf(1, open, process.platform), false, undefined)
    await output.flushed()
    process.exitCode = output.isTerminal ? 1 : 0`
  expect(runScript(script)).toBe(0)
})

test('a stream without a known descriptor is written by Node', async () => {
  const stream = new PassThrough()
  const output = createOutput({ isTerminal: false, stream: () => stream }, false, 40)
  output.write('a')
  await output.flushed()
  expect([String(stream.read()), output.width, output.isTerminal]).toEqual(['a', 40, false])
  stream.destroy(new Error('gone'))
  await expect(output.flushed()).rejects.toThrow()
})

// Elsewhere a pipe is written to as a stream alone.
const onLinux = process.platform === 'linux'

describe.skipIf(process.platform === 'win32')('a pipe', () => {
  /** Its end for reading, and a writer to it whose stream is the other. */
  const piped = (flags: number) => {
    const file = path.join(folder(), 'pipe')
    spawnSync('mkfifo', [file])
    const reader = opened(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const fd = opened(file, constants.O_WRONLY | flags)
    const rest = new PassThrough()
    const target = targetOf(fd, () => rest, process.platform)
    return { reader, fd, rest, output: createOutput(target, false, undefined) }
  }

  const readFrom = (reader: number): Buffer => {
    const bytes = Buffer.alloc(200_000)
    return bytes.subarray(0, readSync(reader, bytes))
  }

  test('gets what fits at once, and the rest through the stream without blocking', async () => {
    const { reader, rest, output } = piped(0)
    const further = rest.toArray()
    output.write('é'.repeat(90_000))
    output.write('end\n')
    const first = readFrom(reader)
    await output.flushed()
    rest.end()
    const whole = Buffer.concat([first, ...((await further) as Buffer[])])
    expect(first.length).toBeGreaterThanOrEqual(onLinux ? 4096 : 0)
    expect(String(whole)).toBe(`${'é'.repeat(90_000)}end\n`)
  })

  test.skipIf(!onLinux)('that does not wait, and is nearly full, gets the rest by the stream', async () => {
    const { reader, fd, rest, output } = piped(constants.O_NONBLOCK)
    const full = writeSync(fd, 'x'.repeat(100_000))
    const taken = readSync(reader, Buffer.alloc(4096))
    output.write('y'.repeat(5000))
    output.write('end\n')
    await output.flushed()
    expect(String(readFrom(reader))).toBe('x'.repeat(full - taken) + 'y'.repeat(taken))
    rest.end()
    expect((await rest.toArray()).join('')).toBe(`${'y'.repeat(5000 - taken)}end\n`)
  })
})

test.skipIf(isLeftOut || !onLinux)('a pipe that others have filled holds nothing up', () => {
  const file = path.join(folder(), 'pipe')
  spawnSync('mkfifo', [file])
  // In a process of its own: one that waits in a write hears nothing any more.
  const script = `
    import { constants, openSync, writeSync } from 'node:fs'
    import { PassThrough } from 'node:stream'
    const others = openSync(process.argv[1], constants.O_RDWR | constants.O_NONBLOCK)
    try {
      for (;;) writeSync(others, 'x')
    } catch {}
    const ours = openSync(process.argv[1], constants.O_WRONLY)
    const output = createOutput(targetOf(ours, () => new PassThrough(), process.platform), false, undefined)
    output.write('y')
    process.exitCode = 7`
  expect(runScript(script, file)).toBe(7)
})

test('a terminal is recognised by its stream', () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 33 })
  const seen = ['linux', 'win32'].map((platform) =>
    targetOf(opened('/dev/zero', 'w'), () => stream, platform),
  )
  for (const target of seen) {
    expect([target.direct, target.isTerminal]).toEqual([undefined, true])
    expect(createOutput(target, false, undefined).width).toBe(33)
  }
})

test.skipIf(process.platform === 'win32')('what goes nowhere needs no stream', () => {
  expect(targetOf(opened('/dev/null', 'w'), untouched, process.platform).isTerminal).toBe(false)
})
