// A service on a socket that gives the responses that a test sets, and records the requests.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findOperation } from '../../src/contract/endpoints.ts'
import type { Operation } from '../../src/contract/refusals.ts'

/** Shortly after the orders of the responses were created, so that they have not expired. */
export const answersTime = 1_784_894_409_000

export type Answers = {
  readonly created: unknown
  readonly confirmed: unknown
  /** The order before its confirm, if the command confirms it. */
  readonly pending?: unknown
  readonly got: unknown
}

const bodyOf = (document: unknown): string => JSON.stringify(document) ?? ''

export const openFakeService = async () => {
  let answers: Answers = { created: {}, confirmed: {}, got: {} }
  let asked: Operation[] = []
  const answerTo = (operation: Operation | undefined): unknown => {
    if (operation === 'create') return answers.created
    if (operation === 'confirm') return answers.confirmed
    return answers.pending === undefined || asked.includes('confirm') ? answers.got : answers.pending
  }
  const server = createServer((request, response) => {
    const operation = findOperation(request.method ?? '', request.url ?? '')
    const answer = answerTo(operation)
    if (operation !== undefined) asked.push(operation)
    request
      .resume()
      .once('end', () =>
        response
          .writeHead(200, { 'content-type': 'application/json', date: new Date(answersTime).toUTCString() })
          .end(bodyOf(answer)),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    setAnswers: (next: Answers): void => {
      answers = next
      asked = []
    },
    asked: (): readonly Operation[] => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type FakeService = Awaited<ReturnType<typeof openFakeService>>
