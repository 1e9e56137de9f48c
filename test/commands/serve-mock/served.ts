// Calls to a serve-mock that is started, and its log.
import { Agent } from 'node:http'
import { onTestFinished } from 'vitest'
import { callsOver } from '../../support/embedded.ts'
import { clientOf } from '../../support/socket-client.ts'

export const callsTo = ({ url, key }: { readonly url: string; readonly key: string }) => {
  const agent = new Agent()
  onTestFinished(() => agent.destroy())
  return callsOver(clientOf(url, agent), key)
}

export const logOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
