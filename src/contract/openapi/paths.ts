// The operations and the webhook of an OpenAPI document.
import { endpoints, operations } from '../endpoints.ts'
import { limits } from '../limits.ts'
import {
  describeAllowedMethods,
  describeTooLarge,
  maxRequestBytes,
  type Operation,
  type Refusal,
  refusals,
  wrongContentType,
} from '../refusals.ts'
import { signatureHeaders } from '../webhook-signature.ts'
import {
  confirmExample,
  confirmedExample,
  createCreatedExample,
  createExample,
  createOrderExample,
} from './examples.ts'

export const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const createJsonContent = (name: string, examples: object) => ({
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
      `At most ${limits.skusPerOrder} SKUs in one order, each once; at most ${limits.quantityPerSku} units of ` +
      `each and ${limits.quantityPerOrder} in all. Rates are frozen until \`expiresAt\`, normally ` +
      `${limits.validityMs / 60_000} minutes after creation.`,
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

export const createPaths = (seconds: number) => {
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

export const createWebhooks = (seconds: number) => ({
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
  const own = Object.entries<Refusal>(refusals).filter(([, { operations }]) => operations.includes(operation))
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
