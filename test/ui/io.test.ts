// src/ui/io.ts: whether what was written has arrived.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { createOutput } from '../../src/ui/io.ts'
import { folder } from '../support/orderctl.ts'

/** A stream that a file stands behind, as process.stdout is one. */
const fileStream = (file: string, flags: string) => {
  const fd = openSync(file, flags)
  onTestFinished(() => closeSync(fd))
  return Object.assign(new PassThrough(), { fd })
}

const text = `${'é'.repeat(40_000)}\n`

test('a file gets every byte, behind what stands in it', async () => {
  const file = path.join(folder(), 'out')
  writeFileSync(file, 'before\n')
  const output = createOutput(fileStream(file, 'a'), false, undefined)
  output.write(text)
  output.write('end\n')
  await output.flushed()
  expect(readFileSync(file, 'utf8')).toBe(`before\n${text}end\n`)
})

test('a file that takes nothing is broken, and says so', async () => {
  const file = path.join(folder(), 'out')
  writeFileSync(file, '')
  const output = createOutput(fileStream(file, 'r'), false, undefined)
  expect(output.broken.aborted).toBe(false)
  output.write(text)
  expect(output.broken.aborted).toBe(true)
  await expect(output.flushed()).rejects.toThrow('EBADF')
})

test.skipIf(process.platform === 'win32')('a file that takes a part only is broken', () => {
  const file = path.join(folder(), 'out')
  const script = `
    import { createOutput } from ${JSON.stringify(path.resolve('src/ui/io.ts'))}
    const output = createOutput(process.stdout, false, undefined)
    output.write('x'.repeat(5000))
    process.exitCode = await output.flushed().then(() => 0, () => 74)`
  // 1 KiB or 512 bytes: a block is what the shell takes for one.
  const command = 'ulimit -f 1; exec "$0" --input-type=module --eval "$1" > "$2"'
  const { status } = spawnSync('/bin/sh', ['-c', command, process.execPath, script, file])
  expect(status).toBe(74)
  expect(readFileSync(file).length).toBeLessThan(5000)
})

test('what is no file is written as Node does it', async () => {
  const stream = new PassThrough()
  const output = createOutput(stream, false, 40)
  output.write('a')
  await output.flushed()
  expect([String(stream.read()), output.width, output.isTerminal]).toEqual(['a', 40, false])
  stream.destroy(new Error('gone'))
  await expect(output.flushed()).rejects.toThrow()
})
