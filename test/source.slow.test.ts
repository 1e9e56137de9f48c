// npm run try: orderctl runs from src/ without a build.
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { folder } from './support/orderctl.ts'

test.each([
  // Places an order in the sandbox, with its screens.
  ['create --product GAME-US:25 --wallet USD', 'GAME-US', 'Using the sandbox'],
  // Reads the completion scripts.
  ['completion bash', '_orderctl()', ''],
])('the source runs %s', async (line, printed, said) => {
  const { exitCode, stdout, stderr } = await execa(
    'npm',
    ['run', '--silent', 'try', '--', ...line.split(' ')],
    {
      ...{ env: { PATH: process.env.PATH ?? '', HOME: folder() }, extendEnv: false },
      ...{ reject: false, stdin: 'ignore' },
    },
  )
  expect(exitCode).toBe(0)
  expect(stdout).toContain(printed)
  if (said === '') expect(stderr).toBe('')
  else expect(stderr).toContain(said)
})
