// Generates OpenAPI 3.1 for the service from the schemas, refusals and limits. `x-spec-silent` marks each choice that
// order-service.md leaves open.
import * as z from 'zod/mini'
import { lenientRequest } from '../order/order-request.ts'
import * as schemas from '../schemas.ts'
import type { SchemaOf, Shape } from '../shape.ts'
import { hasRedeemData, isFinal, pendingState, states } from '../states.ts'
import { createPaths, createRef, createWebhooks } from './paths.ts'

/** The examples are orders of the next year, so that none has expired and the document is the same all year. */
export const createOpenApiDocument = (now: number) => {
  const seconds = Date.UTC(new Date(now).getUTCFullYear() + 1, 0) / 1000
  return {
    openapi: '3.1.1',
    info: {
      title: 'Order Service',
      version: '1.0.0',
      summary: 'Orders of digital products, paid from a wallet.',
      description: [
        'An order is created, then confirmed, which spends the money, then retrieved until it has its redeem data.',
        'This document is generated from the tables that orderctl and its embedded service use.',
        `The states of an order: ${describeStates()}.`,
      ].join(' '),
      contact: { name: 'The orderctl authors' },
      license: { name: 'MIT', identifier: 'MIT' },
      'x-spec-silent': 'Versioning: this number is chosen by orderctl.',
    },
    'x-spec-silent': 'Rate limits: there are none.',
    servers: [{ url: 'http://127.0.0.1:4010', description: 'orderctl serve-mock' }],
    tags: [
      { name: 'orders', description: 'Create, confirm and retrieve orders.' },
      { name: 'webhooks', description: 'Orders that the service sends to your own address.' },
    ],
    security: [{ bearer: [] }, { apiKey: [] }],
    paths: createPaths(seconds),
    webhooks: createWebhooks(seconds),
    components: {
      schemas: { ...createResponseSchemas(), ...createRequestSchemas(), Refusal: refusalSchema },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', ...eitherScheme },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', ...eitherScheme },
      },
    },
  }
}

const eitherScheme = { 'x-spec-silent': 'The authentication scheme: either of these.' }

const describeStates = (): string =>
  Object.entries(states)
    .map(([state, { meaning }]) => {
      const marks = [
        state === pendingState ? 'pending' : '',
        isFinal(state) ? 'final' : '',
        hasRedeemData(state) ? 'redeem data' : '',
      ]
      const list = marks.filter(Boolean).join(', ')
      return `${state}${list === '' ? '' : ` (${list})`}: ${meaning.replace(/\.$/, '')}`
    })
    .join('; ')

const createResponseSchemas = () => {
  const named = Object.entries(schemas).map(
    ([name, shape]) => [name.replace(/^./, (first) => first.toUpperCase()), shape] as const,
  )
  const names = new Map<Shape<unknown>, string>(named.map(([name, shape]) => [shape, name]))
  const schemaOf: SchemaOf = (shape) => {
    const name = names.get(shape)
    return name === undefined ? shape.schema(schemaOf) : createRef(name)
  }
  return Object.fromEntries(named.map(([name, shape]) => [name, shape.schema(schemaOf)]))
}

const createRequestSchemas = () => {
  const registry = z.registry<{ id: string }>()
  registry.add(lenientRequest, { id: 'CreateRequest' })
  registry.add(lenientRequest.shape.productList.def.element, { id: 'ProductLine' })
  const { schemas: generated } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-2020-12',
    uri: (id) => createRef(id).$ref,
  })
  return Object.fromEntries(
    Object.entries(generated).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  )
}

const refusalSchema = {
  type: 'object',
  properties: {
    message: { type: 'string' },
    violations: {
      type: 'array',
      items: { type: 'string' },
      description: 'Everything that is wrong with the request.',
    },
  },
  required: ['message'],
  'x-spec-silent': 'The shape of an error body: the message as in a response of 200, and the violations.',
}
