// src/contract/openapi/openapi.ts
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { createExample, orderExample } from '../../../src/contract/openapi/examples.ts'
import { createOpenApiDocument } from '../../../src/contract/openapi/openapi.ts'
import { recogniseRefusal, refusals, type ServiceRefusal } from '../../../src/contract/refusals.ts'
import { endpoints } from '../../../src/contract/transport.ts'

type Json = Record<string, unknown>

/** The document after a round trip through JSON. */
const now = Date.UTC(2026, 6, 24)
const server = 'http://127.0.0.1:4010'
const served = JSON.parse(JSON.stringify(createOpenApiDocument(now, server)))
const operations = {
  create: served.paths['/order/create'].post,
  confirm: served.paths['/order/confirm'].put,
  get: served.paths['/order/get'].get,
}

/** Every object in the document, with the JSON pointer to it. */
const walk = (value: unknown, pointer = ''): [string, Json][] => {
  if (typeof value !== 'object' || value === null) return []
  const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
  const below = Object.entries(value).flatMap(([key, entry]) => walk(entry, `${pointer}/${escaped(key)}`))
  return Array.isArray(value) ? below : [[pointer, value as Json], ...below]
}

test('the document is valid against the official schema of OpenAPI 3.1', async () => {
  const validator = new Validator()
  expect(await validator.validate(served)).toEqual({ valid: true })
  expect([validator.version, served.openapi]).toEqual(['3.1', '3.1.1'])
})

test('it has exactly the three operations that the client calls', () => {
  const listed = Object.entries<Json>(served.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  )
  expect(listed).toEqual(Object.values(endpoints))
})

test.each(['create', 'confirm', 'get'] as const)(
  'each refusal of %s is an example under its status',
  (operation) => {
    const shown = Object.entries<Json>(operations[operation].responses).flatMap(([status, response]) =>
      walk(response).flatMap(([, { examples = {} }]) =>
        Object.entries(examples as Record<string, Json>).map(([kind, { value }]) => [
          kind,
          Number(status),
          value,
        ]),
      ),
    )
    const documented = Object.entries<ServiceRefusal>(refusals).filter(([, refusal]) =>
      refusal.operations.includes(operation),
    )
    const wanted = documented.map(([kind, { status, message }]) => [kind, status, { message }])
    expect(shown.toSorted()).toEqual(wanted.toSorted())
    expect(documented.map(([, { status, message }]) => recogniseRefusal(operation, status, message))).toEqual(
      documented.map(([kind]) => kind),
    )
  },
)

// A parameter or a body: whatever has a schema has an example beside it.
const examples = walk(served).flatMap(
  ([pointer, { schema, example, examples: named }]): [string, unknown][] => {
    if (schema === undefined) return []
    const values = named ? Object.values(named).map(({ value }) => value) : [example]
    return values.filter((value) => value !== undefined).map((value) => [`${pointer}/schema`, value])
  },
)

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(served, 'openapi.json')
const errorsOf = (pointer: string, value: unknown): string => {
  const validate = ajv.getSchema(`openapi.json#${encodeURI(pointer)}`)
  if (validate === undefined) return `no schema at ${pointer}`
  return validate(value) ? '' : ajv.errorsText(validate.errors)
}

test.each(examples)('the example %s matches its schema', (pointer, value) => {
  expect(errorsOf(pointer, value)).toBe('')
})

test('the schemas reject invalid examples', () => {
  const order = orderExample.data
  const [line] = createExample.productList
  const wrong = [
    ['Order', { ...order, products: { 'GAME-DE': {} } }],
    ['Order', { ...order, redeem: { 'GAME-DE': { value: 20 } } }],
    ['Invoice', { ...order.invoice, total: -1 }],
    ['CreateRequest', { ...createExample, productList: [] }],
    ...[{ quote: 0 }, { quantity: 6 }, { quantity: 0 }, { sku: ' ' }, { productType: 'fixd' }].map(
      (wrong) => ['ProductLine', { ...line, ...wrong }] as const,
    ),
    ['CreateRequest', { ...createExample, productList: Array.from({ length: 6 }, () => line) }],
    ['CreateRequest', { ...createExample, webhookUrl: 'ftp://hooks.example' }],
    ['CreateRequest', { ...createExample, wallet: 'U' }],
    ['Order', { ...order, state: 'succesful' }],
    ['ConfirmRequest', {}],
    ['Refusal', { error: 'x' }],
  ] as const
  expect(wrong.filter(([name, value]) => errorsOf(`/components/schemas/${name}`, value) === '')).toEqual([])
})

test('every request and response of 200 has an example', () => {
  const bodies = walk(served).filter(([pointer]) =>
    /(requestBody|responses\/200)\/content\/[^/]+$/.test(pointer),
  )
  const [create, confirm, get] = ['create/post', 'confirm/put', 'get/get'].map(
    (each) => `/paths/~1order~1${each}`,
  )
  expect(bodies.map(([pointer]) => pointer.split('/content')[0])).toEqual([
    ...[create, confirm].flatMap((each) => [`${each}/requestBody`, `${each}/responses/200`]),
    ...[`${get}/responses/200`, '/webhooks/order/post/requestBody'],
  ])
  expect(bodies.filter(([, { example }]) => example === undefined)).toEqual([])
})

test('no schema has additionalProperties that allow anything, because a client could misspell a field', () => {
  const additional = walk(served.components).flatMap(([pointer, { additionalProperties }]) =>
    additionalProperties === undefined ? [] : [[pointer, additionalProperties]],
  )
  expect(additional.length).toBeGreaterThan(2)
  expect(additional.filter(([, schema]) => Object.keys(schema as Json).length === 0)).toEqual([])
})

test('every operation accepts both authentication schemes, and a webhook needs none', () => {
  expect(served.components.securitySchemes).toMatchObject({
    bearer: { type: 'http', scheme: 'bearer' },
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
  })
  expect(served.security).toEqual([{ bearer: [] }, { apiKey: [] }])
  expect(served.webhooks.order.post.security).toEqual([])
})
