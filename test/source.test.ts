// npm run try: orderctl runs from src/ without a build.
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { folder } from './support/orderctl.ts'

const runSource = async (...words: readonly string[]) => {
  const home = folder()
  const env = { PATH: process.env.PATH ?? '', HOME: home }
  const { exitCode, stdout, stderr } = await execa('npm', ['run', '--silent', 'try', '--', ...words], {
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  })
  return { exit: exitCode, stdout, stderr }
}

test('the source places an order in the sandbox, with its screens', async () => {
  const { exit, stdout, stderr } = await runSource('create', '--product', 'GAME-US:25', '--wallet', 'USD')
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining('Using the sandbox') })
  expect(stdout).toContain('GAME-US')
})

test('the source reads the completion scripts', async () => {
  const { exit, stdout, stderr } = await runSource('completion', 'bash')
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(stdout).toContain('_orderctl()')
})
