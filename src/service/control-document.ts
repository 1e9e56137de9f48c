// The OpenAPI document of the control routes: their operation ids, parameters and responses. The routes themselves are in
// control.ts.

import { createDocument, createJsonContent } from '../contract/openapi/openapi.ts'
import {
  amountShape,
  describe,
  listShape,
  nullable,
  object,
  optional,
  type SchemaOf,
  type Shape,
  textShape,
  wholeNumber,
} from '../contract/shape.ts'
import { forcibleOutcomes } from './lifecycle.ts'

type Schema = Readonly<Record<string, unknown>>

const time = describe(textShape, { format: 'date-time' })
const oneOf = (...words: readonly string[]) => describe(textShape, { enum: words })
const anything: Shape<unknown> = { read: (value) => value, schema: () => ({}) }
const textsByName: Shape<unknown> = {
  read: (value) => value,
  schema: () => ({ type: 'object', additionalProperties: { type: 'string' } }),
}

const clock = { now: time, clockOffsetMs: wholeNumber }

const order = object({
  ...{ number: wholeNumber, id: textShape, reference: textShape, state: textShape, wallet: textShape },
  total: amountShape,
  products: listShape(object({ sku: textShape, quantity: wholeNumber, quote: textShape })),
  ...{ createdAt: time, expiresAt: time, confirmedAt: nullable(time), finalAt: nullable(time) },
  forcedOutcome: nullable(oneOf(...forcibleOutcomes)),
})

const message = object({
  headers: describe(textsByName, 'Names are in lower case. Keys are masked.'),
  body: object({
    text: describe(optional(textShape), 'Missing if the body is not UTF-8.'),
    base64: optional(textShape),
    json: describe(optional(anything), 'The body, if it is complete and JSON.'),
    size: wholeNumber,
    isCut: describe({ ...textShape, schema: () => ({ type: 'boolean' }) }, 'Whether only its start is kept.'),
  }),
})

const exchange = object({
  ...{ id: wholeNumber, at: time, ms: wholeNumber, method: textShape, path: textShape, query: textsByName },
  status: describe(nullable(wholeNumber), 'Null if a fault closed the connection without a response.'),
  ...{ orderId: optional(textShape), message: optional(textShape), fault: optional(textShape) },
  request: message,
  response: nullable(message),
})

const attempt = object({
  ...{ at: time, ms: wholeNumber, status: optional(wholeNumber), error: optional(textShape) },
})

const delivery = object({
  ...{ id: textShape, orderId: textShape, event: oneOf('confirmed', 'final'), url: textShape },
  ...{ state: oneOf('pending', 'delivered', 'given-up'), attempts: listShape(attempt) },
})

const fault = object({ id: wholeNumber, fault: textShape })

const components = { Order: order, Message: message, Exchange: exchange, Delivery: delivery, Fault: fault }
const names = new Map<Shape<unknown>, string>(
  Object.entries<Shape<unknown>>(components).map(([name, shape]) => [shape, name]),
)
const toSchema: SchemaOf = (shape) => {
  const name = names.get(shape)
  return name === undefined ? shape.schema(toSchema) : { $ref: `#/components/schemas/${name}` }
}

type Described = {
  readonly id: string
  readonly query?: Readonly<Record<string, Schema>>
  /** The fields of the body, all required. */
  readonly body?: Readonly<Record<string, Schema>>
  readonly returns: Shape<unknown>
}

const text = { type: 'string' }
const limit = { limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 } }

const routes: Readonly<Record<string, Described>> = {
  'GET /': {
    id: 'listRoutes',
    returns: listShape(object({ method: textShape, path: textShape, summary: textShape })),
  },
  'GET /state': {
    id: 'getState',
    query: { ...limit, before: { type: 'integer', description: 'Only orders with a lower number.' } },
    returns: object({
      ...clock,
      seed: textShape,
      wallets: listShape(object({ currency: textShape, opening: amountShape, balance: amountShape })),
      stock: listShape(object({ sku: textShape, remaining: wholeNumber })),
      orders: listShape(order),
    }),
  },
  'GET /catalogue': { id: 'getCatalogue', returns: anything },
  'POST /reset': { id: 'reset', returns: object({ message: textShape }) },
  'POST /clock': {
    id: 'advanceClock',
    body: { advance: { ...text, examples: ['11m'] } },
    returns: object(clock),
  },
  'POST /outcome': {
    id: 'setOutcome',
    body: { orderId: text, outcome: { ...text, enum: forcibleOutcomes } },
    returns: order,
  },
  'GET /requests': {
    id: 'listRequests',
    query: {
      path: { ...text, description: 'The start of the path, such as /order.' },
      orderId: text,
      since: { ...text, format: 'date-time', description: "By this machine's clock, not the advanced one." },
      ...limit,
    },
    returns: listShape(exchange),
  },
  'GET /deliveries': { id: 'listDeliveries', query: limit, returns: listShape(delivery) },
  'POST /redeliver': {
    id: 'redeliver',
    body: { deliveryId: text },
    returns: object({ id: textShape, state: oneOf('pending') }),
  },
  'GET /faults': { id: 'listFaults', returns: listShape(fault) },
  'POST /faults': {
    id: 'addFault',
    body: { fault: { ...text, examples: ['confirm:reset-after'] } },
    returns: object({ id: wholeNumber }),
  },
  'DELETE /faults': {
    id: 'removeFaults',
    query: { id: { type: 'integer', description: 'Without it, all faults are removed.' } },
    returns: listShape(fault),
  },
}

type Listed = { readonly method: string; readonly path: string; readonly summary: string }

const describeRoute = ({ method, path, summary }: Listed) => {
  const described = routes[`${method} ${path.replace('/_mock', '')}`]
  if (described === undefined) throw new Error(`${method} ${path} is not described`)
  const { id, query = {}, body, returns } = described
  const responses = {
    200: { description: 'Done.', content: { 'application/json': { schema: toSchema(returns) } } },
    '4XX': { description: 'Refused.', content: createJsonContent('Refusal') },
  }
  const parameters = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }))
  const schema = { type: 'object', properties: body, required: Object.keys(body ?? {}) }
  return {
    ...{ operationId: id, summary, tags: ['control'], parameters },
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema } } } }),
    responses,
  }
}

export const createControlDocument = (listed: readonly Listed[], server: string) => {
  const byPath = [...Map.groupBy(listed, ({ path }) => path)].map(([path, all]) => [
    path,
    Object.fromEntries(all.map((route) => [route.method.toLowerCase(), describeRoute(route)])),
  ])
  return createDocument(server, {
    title: 'Control of serve-mock',
    summary: "Shows and changes the mock's state for tests.",
    description: 'The operations on orders have a document of their own: /openapi.json.',
    tags: [{ name: 'control', description: 'State, clock, requests, faults and webhooks.' }],
    paths: Object.fromEntries(byPath),
    schemas: Object.fromEntries(
      Object.entries(components).map(([name, shape]) => [name, shape.schema(toSchema)]),
    ),
  })
}
