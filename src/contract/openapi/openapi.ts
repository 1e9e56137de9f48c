// Generates OpenAPI 3.1 for the service from the schemas, refusals and limits: its operations and its webhook. `x-spec-silent`
// marks each choice that the documentation leaves open.

import * as z from 'zod/mini'
import { orderLimits } from '../limits.ts'
import { lenientRequest } from '../order/order-request.ts'
import {
  describeAllowedMethods,
  describeTooLarge,
  maxRequestBytes,
  type Operation,
  refusals,
  type ServiceRefusal,
  wrongContentType,
} from '../refusals.ts'
import * as schemas from '../schemas.ts'
import type { SchemaOf, Shape } from '../shape.ts'
import { hasRedeemData, isFinal, pendingState, states } from '../states.ts'
import { endpoints, operations } from '../transport.ts'
import { signatureHeaders } from '../webhook-signature.ts'
import {
  confirmExample,
  confirmedExample,
  createCreatedExample,
  createExample,
  createOrderExample,
} from './examples.ts'

const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const createJsonContent = (name: string, examples: object = {}) => ({
  'application/json': { schema: createRef(name), ...examples },
})
const createBody = (name: string, example: unknown) => ({
  required: true,
  content: createJsonContent(name, { example }),
})
const createContent = (description: string, name: string, example: unknown) => ({
  description,
  content: createJsonContent(name, { example }),
})

const described = {
  create: {
    operationId: 'createOrder',
    summary: 'Create an order.',
    description:
      `At most ${orderLimits.skusPerOrder} SKUs in one order, each once; at most ${orderLimits.quantityPerSku} units of ` +
      `each and ${orderLimits.quantityPerOrder} in all. Rates are frozen until \`expiresAt\`, normally ` +
      `${orderLimits.validityMs / 60_000} minutes after creation.`,
    requestBody: createBody('CreateRequest', createExample),
  },
  confirm: {
    operationId: 'confirmOrder',
    summary: 'Confirm an order, once.',
    description: 'A repeated confirm fails. After the first one, the order is sent to its webhook address.',
    requestBody: createBody('ConfirmRequest', confirmExample),
    'x-spec-silent':
      'The response to missing credentials: that of create. When an order is expired: from `expiresAt` on. ' +
      'The next step after a refusal: in the summary of its example.',
  },
  get: {
    operationId: 'getOrder',
    summary: 'Retrieve an order.',
    description: 'Its state, and its redeem data when the state is successful or partial.',
    parameters: [
      {
        name: 'orderId',
        in: 'query',
        required: true,
        description: 'Identifier of the order.',
        schema: { type: 'string', minLength: 1 },
        example: confirmExample.orderId,
        'x-spec-silent': 'Whether it is required: yes.',
      },
    ],
    'x-spec-silent': 'Every status and error of this operation: those of confirm that apply.',
  },
}

const createPaths = (seconds: number) => {
  const responses = {
    create: createContent('Order created.', 'CreateResponse', createCreatedExample(seconds)),
    confirm: createContent('Order confirmed successfully.', 'ConfirmResponse', confirmedExample),
    get: createContent('The order.', 'GetResponse', createOrderExample(seconds)),
  }
  return Object.fromEntries(
    operations.map((name) => {
      const { method, path } = endpoints[name]
      const all = { 200: responses[name], ...createRefusals(name), ...createHttpRefusals(method) }
      return [path, { [method.toLowerCase()]: { tags: ['orders'], ...described[name], responses: all } }]
    }),
  )
}

const describeWebhooks = (seconds: number) => ({
  order: {
    post: {
      operationId: 'receiveOrder',
      tags: ['webhooks'],
      summary: 'Receive an order.',
      description: 'The service sends the order to its `webhookUrl` after it was confirmed.',
      security: [],
      parameters: Object.values(signatureHeaders).map((name) => ({
        ...{ name, in: 'header', required: false, schema: { type: 'string' } },
        'x-spec-silent': 'Authenticity checks: the headers of Standard Webhooks, if a secret is set.',
      })),
      requestBody: createBody('Order', createOrderExample(seconds).data),
      responses: { '2XX': { description: 'Received. The service retries after any other status.' } },
      'x-spec-silent':
        'The payload: the order as in a response to get, in `data`. Event names: none. Retries: with growing delays. ' +
        'Sent again when the order has reached its final state.',
    },
  },
})

// Several refusals share a status, so each is an example of the response with that status.
const createRefusals = (operation: Operation) => {
  const own = Object.entries<ServiceRefusal>(refusals).filter(([, { operations }]) =>
    operations.includes(operation),
  )
  const byStatus = Map.groupBy(own, ([, { status }]) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, entries]) => {
      const examples = Object.fromEntries(
        entries.map(([kind, { message, isVerbatim, advice, retryable }]) => [
          kind,
          {
            ...{ summary: advice, value: { message }, 'x-retryable': retryable },
            ...(isVerbatim ? {} : { 'x-spec-silent': 'The text of the message.' }),
          },
        ]),
      )
      const description = entries.map(([, { message }]) => message).join(' | ')
      return [status, { description, content: createJsonContent('Refusal', { examples }) }]
    }),
  )
}

const createHttpRefusals = (method: string) => {
  const createResponse = (message: string) => ({
    ...createContent(message, 'Refusal', { message }),
    'x-spec-silent': 'This status.',
  })
  const allow = { description: 'The allowed methods.', schema: { type: 'string' }, example: method }
  return {
    405: { ...createResponse(describeAllowedMethods(method)), headers: { allow } },
    ...(method !== 'GET' && {
      413: createResponse(describeTooLarge(maxRequestBytes)),
      415: createResponse(wrongContentType),
    }),
  }
}

/**
 * The examples are orders of the next year, so that none has expired and the document is the same all year. `server` is the
 * address of the service.
 */
export const createOpenApiDocument = (now: number, server: string) => {
  const seconds = Date.UTC(new Date(now).getUTCFullYear() + 1, 0) / 1000
  return {
    openapi: '3.1.1',
    info: {
      title: 'Order Service',
      summary: 'Orders of digital products, paid from a wallet.',
      description: [
        'An order is created, then confirmed, which spends the money, then retrieved until it has its redeem data.',
        'This document is generated from the tables that orderctl and its embedded service use.',
        `The states of an order: ${describeStates()}.`,
      ].join(' '),
      version: '1.0.0',
      contact: { name: 'The orderctl authors' },
      license: { name: 'MIT', identifier: 'MIT' },
      'x-spec-silent': 'Versioning: this number is chosen by orderctl.',
    },
    servers: [{ url: server, description: 'orderctl serve-mock' }],
    tags: [
      { name: 'orders', description: 'Create, confirm and retrieve orders.' },
      { name: 'webhooks', description: 'Orders that the service sends to your own address.' },
    ],
    security: [{ bearer: [] }, { apiKey: [] }],
    paths: createPaths(seconds),
    components: {
      schemas: { ...createResponseSchemas(), ...createRequestSchemas(), Refusal: refusalSchema },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', ...eitherScheme },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', ...eitherScheme },
      },
    },
    'x-spec-silent': 'Rate limits: there are none.',
    webhooks: describeWebhooks(seconds),
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
    // An order file may have other product types, but no product of serve-mock has one.
    override: ({ jsonSchema, path }) => {
      if (path.at(-1) !== 'productType') return
      const description = 'Type of the product: the catalogue has no others.'
      Object.assign(jsonSchema, { enum: ['range', 'fixed'], description })
      delete jsonSchema.pattern
      delete jsonSchema.minLength
    },
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
