// The answers of the service to random requests, compared with the OpenAPI document. Prism, which needs the network to
// be installed, does the same in a full run.
import { writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { endpoints } from '../../../src/contract/endpoints.ts'
import { createOpenApiDocument } from '../../../src/contract/openapi/openapi.ts'
import { isFullRun } from '../../support/cases.ts'
import { apiKey, callsOver, openService, startTime } from '../../support/embedded.ts'
import { folder, serveMock } from '../../support/orderctl.ts'
import { clientOf } from '../../support/socket-client.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type RandomRequest, sendRandomRequests } from './random-requests.ts'

const seed = process.env.OPENAPI_SEED ?? 'openapi'
const documentedStatuses = [200, 400, 403, 404, 405, 413, 415, 419, 500]

const openDocument = () => {
  const document = JSON.parse(JSON.stringify(createOpenApiDocument(startTime)))
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'openapi.json')
  const findProblem = (pointer: string, value: unknown): string | undefined => {
    const validate = ajv.getSchema(`openapi.json#${encodeURI(pointer)}`)
    if (validate === undefined) return `nothing at ${pointer}`
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
  const findPlace = ({ operation }: RandomRequest): string => {
    const { method, path: route } = endpoints[operation]
    return `/paths/${route.replaceAll('/', '~1')}/${method.toLowerCase()}`
  }
  const schema = 'content/application~1json/schema'
  return {
    findAnswerProblem: (request: RandomRequest, status: number, body: unknown) =>
      findProblem(`${findPlace(request)}/responses/${status}/${schema}`, body),
    findBodyProblem: (request: RandomRequest) =>
      request.body === undefined
        ? undefined
        : findProblem(`${findPlace(request)}/requestBody/${schema}`, request.body),
  }
}

test('1,000 random requests get documented answers, and what the document forbids is refused', async () => {
  await using service = await openService()
  const { findAnswerProblem, findBodyProblem } = openDocument()
  const options = {
    seed,
    key: apiKey,
    send: service.transport,
    advance: (advance: string) => service.mock('POST', '/clock', { advance }),
    sendsHalfJson: true,
  }
  const problems: unknown[] = []
  const statuses = new Set<number>()
  for await (const { response, ...request } of sendRandomRequests(1_000, options)) {
    const { status, body } = response
    statuses.add(status)
    const problem = findAnswerProblem(request, status, body)
    if (problem !== undefined) problems.push({ request, status, body, problem })
    const inBody = findBodyProblem(request)
    if (inBody !== undefined && status === 200) problems.push({ request, status, inBody })
  }
  expect({ seed, problems }).toEqual({ seed, problems: [] })
  expect([...statuses].sort()).toEqual(documentedStatuses)
})

/** Starts Prism as a validating proxy in front of the address. */
const startPrism = async (url: string): Promise<string> => {
  const file = path.join(folder(), 'openapi.json')
  writeFileSync(file, JSON.stringify(createOpenApiDocument(Date.now())))
  const words = ['proxy', file, url, '--port', '0', '--cors', 'false']
  const child = execa('npm', [
    'exec',
    '--yes',
    '--package=@stoplight/prism-cli@5.16.0',
    '--',
    'prism',
    ...words,
  ])
  onTestFinished(() => void child.kill())
  let text = ''
  child.catch(() => {})
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  // The first run installs Prism.
  await waitUntil(() => /listening on http/.test(text))
  return /listening on (http:\S+)/.exec(text)?.[1] ?? ''
}

test.runIf(isFullRun)('Prism finds nothing in the answers to 1,000 random requests', async () => {
  const { url, key } = await serveMock(['--seed', seed])
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const direct = callsOver(clientOf(url, agent), key)
  const options = {
    seed,
    key,
    send: clientOf(await startPrism(url), agent),
    advance: (advance: string) => direct.mock('POST', '/clock', { advance }),
    sendsHalfJson: false,
  }
  const { findBodyProblem } = openDocument()
  const problems: unknown[] = []
  const statuses = new Set<number>()
  for await (const { response, ...request } of sendRandomRequests(1_000, options)) {
    statuses.add(response.status)
    const violations = JSON.parse(response.headers['sl-violations'] ?? '[]') as { location: string[] }[]
    const isWrong =
      request.defect !== undefined || findBodyProblem(request) !== undefined || response.status === 400
    const unexpected = violations.filter(({ location }) => location[0] !== 'request' || !isWrong)
    if (unexpected.length > 0) problems.push({ request, response, unexpected })
  }
  expect({ seed, problems }).toEqual({ seed, problems: [] })
  expect([...statuses].sort()).toEqual(documentedStatuses)
})
