// The network of a tool sends nothing that the assistant may not cause.
import { expect, test } from 'vitest'
import { limitNetwork } from '../../../src/commands/mcp/run-line.ts'
import { endpoints, NotSentError } from '../../../src/contract/transport.ts'

const cases: readonly [allowed: readonly string[], sent: string][] = [
  [['get'], 'get'],
  [['get', 'create'], 'create get'],
]

test.each(cases)('with %j it sends only %s', async (allowed, wanted) => {
  const sent: string[] = []
  const network = async ({ method, path }: { method: string; path: string }) => {
    sent.push(`${method} ${path}`)
    return { status: 200, headers: {}, body: '' }
  }
  const call = { signal: new AbortController().signal, report: () => {} }
  const limited = limitNetwork(Object.assign(network, { close: async () => {} }), new Set(allowed), call)
  const passed: string[] = []
  for (const [name, { method, path }] of [
    ...Object.entries(endpoints),
    ['other', { method: 'POST', path: '/order/confirm' }] as const,
    ['query', { method: 'PUT', path: '/order/confirm?x=1' }] as const,
  ]) {
    const outcome = await limited({ method, path, headers: {} }).catch((error: unknown) => error)
    if (!(outcome instanceof NotSentError)) passed.push(name)
  }
  expect(passed.join(' ')).toBe(wanted)
  expect(sent).toHaveLength(passed.length)
})
