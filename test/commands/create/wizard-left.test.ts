// create's questions, left by a signal. wizard.session has the other ways to leave.
import { expect, test } from 'vitest'
import { wizardDesk } from './wizard-desk.ts'

const { creating } = wizardDesk()

test('SIGTERM ends it with its exit code', async () => {
  const interrupted = new AbortController()
  const end = () => {
    interrupted.abort('SIGTERM')
    return undefined
  }
  expect(await creating([], [end], { interrupted: interrupted.signal })).toMatchObject({
    exit: 143,
    sent: [],
  })
})
