// The whole documented service as OpenAPI 3.1, generated from the schemas, the refusals and the limits. Where
// the document is silent and we chose, `x-spec-silent` says on what, and the choice.
import * as z from 'zod/mini'
import { limits } from '../limits.ts'
import { lenientRequest } from '../order-request.ts'
import { type Operation, type Refusal, refusals } from '../refusals.ts'
import * as schemas from '../schemas.ts'
import type { SchemaOf, Shape } from '../shape.ts'
import { hasRedeemData, pendingState, states } from '../states.ts'
import { confirmExample, confirmedExample, createdExample, createExample, gotExample } from './examples.ts'

export const openApiDocument = () => ({
  openapi: '3.1.1',
  info: {
    title: 'Order Service',
    version: '1.0.0',
    summary: 'Orders of digital products, paid from a wallet.',
    description: [
      'An order is created, then confirmed, which spends the money, then retrieved until it has its redeem data.',
      'This document is generated from the tables that orderctl and its embedded service are built on.',
      `The states of an order: ${stateList()}.`,
    ].join(' '),
    'x-spec-silent': 'Versioning: this number is ours.',
  },
  'x-spec-silent': 'Rate limits: there are none.',
  servers: [{ url: 'http://127.0.0.1:4010', description: 'orderctl serve-mock' }],
  security: [{ bearer: [] }, { apiKey: [] }],
  paths: {
    '/order/create': {
      post: {
        operationId: 'createOrder',
        summary: 'Create an order.',
        description:
          `At most ${limits.skusPerOrder} SKUs in one order, each once; at most ${limits.quantityPerSku} units of ` +
          `each and ${limits.quantityPerOrder} in all. Rates are frozen until \`expiresAt\`, normally ` +
          `${limits.validityMs / 60_000} minutes after creation.`,
        requestBody: bodyOf('CreateRequest', createExample),
        responses: {
          200: answerOf('Order created.', 'CreateAnswer', createdExample),
          ...refusalsOf('create'),
        },
      },
    },
    '/order/confirm': {
      put: {
        operationId: 'confirmOrder',
        summary: 'Confirm an order, once.',
        description: 'Repeated confirmation fails. After it the order is delivered to its webhook address.',
        requestBody: bodyOf('ConfirmRequest', confirmExample),
        responses: {
          200: answerOf('Order confirmed successfully.', 'ConfirmAnswer', confirmedExample),
          ...refusalsOf('confirm'),
        },
        'x-spec-silent':
          'What missing credentials bring: the same as in create. When it is expired: from `expiresAt` on. ' +
          'What to do about a refusal: as its example says.',
      },
    },
    '/order/get': {
      get: {
        operationId: 'getOrder',
        summary: 'Retrieve an order.',
        parameters: [
          {
            name: 'orderId',
            in: 'query',
            required: true,
            description: 'Identifier of the order.',
            schema: { type: 'string', minLength: 1 },
            example: confirmExample.orderId,
            'x-spec-silent': 'Whether it is required: it is.',
          },
        ],
        responses: { 200: answerOf('The order.', 'GetAnswer', gotExample), ...refusalsOf('get') },
        'x-spec-silent': 'Every status and error of this operation: those of confirm, where they make sense.',
      },
    },
  },
  webhooks: {
    order: {
      post: {
        operationId: 'receiveOrder',
        summary: 'The order, sent to its `webhookUrl` after it was confirmed.',
        security: [],
        parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
          name,
          in: 'header',
          required: false,
          schema: { type: 'string' },
          'x-spec-silent': 'Authenticity checks: the headers of Standard Webhooks, where a secret is set.',
        })),
        requestBody: bodyOf('Order', gotExample.data),
        responses: { '2XX': { description: 'Received. Anything else is tried again.' } },
        'x-spec-silent':
          'The payload: the order as get answers it, in `data`. Event names: none. Retries: with growing delays. ' +
          'Sent again when the order has reached its final state.',
      },
    },
  },
  components: {
    schemas: { ...componentSchemas(), Refusal: refusalSchema },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', ...eitherScheme },
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', ...eitherScheme },
    },
  },
})

const eitherScheme = { 'x-spec-silent': 'The authentication scheme: either of these.' }

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (name: string, examples: object) => ({
  'application/json': { schema: refTo(name), ...examples },
})
const bodyOf = (name: string, example: unknown) => ({ required: true, content: json(name, { example }) })
const answerOf = (description: string, name: string, example: unknown) => ({
  description,
  content: json(name, { example }),
})

const stateList = (): string =>
  Object.entries(states)
    .map(([state, { meaning, final }]) => {
      const marks = [
        state === pendingState && 'pending',
        final && 'final',
        hasRedeemData(state) && 'redeem data',
      ]
      const said = marks.filter((mark) => mark !== false).join(', ')
      return `${state}${said === '' ? '' : ` (${said})`}: ${meaning.replace(/\.$/, '')}`
    })
    .join('; ')

// One response a status, one example a refusal: an answer of 400 or 500 can mean several things.
const refusalsOf = (operation: Operation) => {
  const own = Object.entries<Refusal>(refusals).filter(([, { operations }]) => operations.includes(operation))
  const byStatus = Map.groupBy(own, ([, { status }]) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, entries]) => {
      const examples = Object.fromEntries(entries.map(([kind, refusal]) => [kind, exampleOf(refusal)]))
      const description = entries.map(([, { message }]) => message).join(' | ')
      return [status, { description, content: json('Refusal', { examples }) }]
    }),
  )
}

const exampleOf = ({ message, verbatim, fix, retryable }: Refusal) => ({
  summary: fix,
  value: { message },
  'x-retryable': retryable,
  ...(verbatim ? {} : { 'x-spec-silent': 'The words of the message.' }),
})

const refusalSchema = {
  type: 'object',
  properties: {
    message: { type: 'string' },
    violations: {
      type: 'array',
      items: { type: 'string' },
      description: 'All that is wrong with the request.',
    },
  },
  required: ['message'],
  'x-spec-silent': 'The shape of an error body: the message as in an answer of 200, what is wrong beside it.',
}

const componentSchemas = (): Record<string, unknown> => ({
  ...answerSchemas(),
  ...requestSchemas({
    CreateRequest: lenientRequest,
    ProductLine: lenientRequest.shape.productList.def.element,
  }),
})

const answerSchemas = () => {
  const named = Object.entries(schemas).map(
    ([name, shape]) => [name.replace(/^./, (first) => first.toUpperCase()), shape] as const,
  )
  const names = new Map<Shape<unknown>, string>(named.map(([name, shape]) => [shape, name]))
  const schemaOf: SchemaOf = (shape) => {
    const name = names.get(shape)
    return name === undefined ? shape.schema(schemaOf) : refTo(name)
  }
  return Object.fromEntries(named.map(([name, shape]) => [name, shape.schema(schemaOf)]))
}

const requestSchemas = (named: Readonly<Record<string, z.ZodMiniType>>) => {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const generated = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-2020-12',
    uri: (id) => refTo(id).$ref,
  })
  return Object.fromEntries(
    Object.entries(generated.schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  )
}
