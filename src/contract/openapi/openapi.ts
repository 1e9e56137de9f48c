// Generates OpenAPI 3.1 for the service from the schemas, refusals and limits. `x-spec-silent` marks each choice that
// order-service.md leaves open.
import * as z from 'zod/mini'
import { limits } from '../limits.ts'
import { lenientRequest } from '../order-request.ts'
import { type Operation, type Refusal, refusals } from '../refusals.ts'
import * as schemas from '../schemas.ts'
import type { SchemaOf, Shape } from '../shape.ts'
import { hasRedeemData, pendingState, states } from '../states.ts'
import { confirmExample, confirmedExample, createdExample, createExample, orderExample } from './examples.ts'

export const createOpenApiDocument = () => ({
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
    'x-spec-silent': 'Versioning: this number is chosen by orderctl.',
  },
  'x-spec-silent': 'Rate limits: there are none.',
  servers: [{ url: 'http://127.0.0.1:4010', description: 'orderctl serve-mock' }],
  security: [{ bearer: [] }, { apiKey: [] }],
  paths: createPaths(),
  webhooks: createWebhooks(),
  components: {
    schemas: { ...createComponentSchemas(), Refusal: refusalSchema },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', ...eitherScheme },
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', ...eitherScheme },
    },
  },
})

const createPaths = () => ({
  '/order/create': {
    post: {
      operationId: 'createOrder',
      summary: 'Create an order.',
      description:
        `At most ${limits.skusPerOrder} SKUs in one order, each once; at most ${limits.quantityPerSku} units of ` +
        `each and ${limits.quantityPerOrder} in all. Rates are frozen until \`expiresAt\`, normally ` +
        `${limits.validityMs / 60_000} minutes after creation.`,
      requestBody: createBody('CreateRequest', createExample),
      responses: {
        200: createAnswerContent('Order created.', 'CreateAnswer', createdExample),
        ...createRefusals('create'),
      },
    },
  },
  '/order/confirm': {
    put: {
      operationId: 'confirmOrder',
      summary: 'Confirm an order, once.',
      description: 'A repeated confirm fails. After the first one, the order is sent to its webhook address.',
      requestBody: createBody('ConfirmRequest', confirmExample),
      responses: {
        200: createAnswerContent('Order confirmed successfully.', 'ConfirmAnswer', confirmedExample),
        ...createRefusals('confirm'),
      },
      'x-spec-silent':
        'The answer to missing credentials: that of create. When an order is expired: from `expiresAt` on. ' +
        'The next step after a refusal: in the summary of its example.',
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
          'x-spec-silent': 'Whether it is required: yes.',
        },
      ],
      responses: {
        200: createAnswerContent('The order.', 'GetAnswer', orderExample),
        ...createRefusals('get'),
      },
      'x-spec-silent': 'Every status and error of this operation: those of confirm that apply.',
    },
  },
})

const createWebhooks = () => ({
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
        'x-spec-silent': 'Authenticity checks: the headers of Standard Webhooks, if a secret is set.',
      })),
      requestBody: createBody('Order', orderExample.data),
      responses: { '2XX': { description: 'Received. The service retries after any other status.' } },
      'x-spec-silent':
        'The payload: the order as get answers it, in `data`. Event names: none. Retries: with growing delays. ' +
        'Sent again when the order has reached its final state.',
    },
  },
})

const eitherScheme = { 'x-spec-silent': 'The authentication scheme: either of these.' }

const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const createJsonContent = (name: string, examples: object) => ({
  'application/json': { schema: createRef(name), ...examples },
})
const createBody = (name: string, example: unknown) => ({
  required: true,
  content: createJsonContent(name, { example }),
})
const createAnswerContent = (description: string, name: string, example: unknown) => ({
  description,
  content: createJsonContent(name, { example }),
})

const describeStates = (): string =>
  Object.entries(states)
    .map(([state, { meaning, isFinal }]) => {
      const marks = [
        state === pendingState && 'pending',
        isFinal && 'final',
        hasRedeemData(state) && 'redeem data',
      ]
      const list = marks.filter((mark) => mark !== false).join(', ')
      return `${state}${list === '' ? '' : ` (${list})`}: ${meaning.replace(/\.$/, '')}`
    })
    .join('; ')

// Several refusals share a status, so each is an example of the response with that status.
const createRefusals = (operation: Operation) => {
  const own = Object.entries<Refusal>(refusals).filter(([, { operations }]) => operations.includes(operation))
  const byStatus = Map.groupBy(own, ([, { status }]) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, entries]) => {
      const examples = Object.fromEntries(
        entries.map(([kind, refusal]) => [kind, createRefusalExample(refusal)]),
      )
      const description = entries.map(([, { message }]) => message).join(' | ')
      return [status, { description, content: createJsonContent('Refusal', { examples }) }]
    }),
  )
}

const createRefusalExample = ({ message, isVerbatim, fix, retryable }: Refusal) => ({
  summary: fix,
  value: { message },
  'x-retryable': retryable,
  ...(isVerbatim ? {} : { 'x-spec-silent': 'The text of the message.' }),
})

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
  'x-spec-silent': 'The shape of an error body: the message as in an answer of 200, and the violations.',
}

const createComponentSchemas = (): Record<string, unknown> => ({
  ...createAnswerSchemas(),
  ...createRequestSchemas({
    CreateRequest: lenientRequest,
    ProductLine: lenientRequest.shape.productList.def.element,
  }),
})

const createAnswerSchemas = () => {
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

const createRequestSchemas = (named: Readonly<Record<string, z.ZodMiniType>>) => {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const generated = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-2020-12',
    uri: (id) => createRef(id).$ref,
  })
  return Object.fromEntries(
    Object.entries(generated.schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  )
}
