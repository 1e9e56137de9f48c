// Generates OpenAPI 3.1 for the service from the schemas, refusals and limits. `x-spec-silent` marks each choice that
// order-service.md leaves open.
import { hasRedeemData, pendingState, states } from '../states.ts'
import { createComponentSchemas } from './component-schemas.ts'
import { createPaths, createWebhooks } from './paths.ts'

/** The examples are orders of the next year, so that none has expired and the document is the same all year. */
export const createOpenApiDocument = (now: number) => createDocument(findNextYear(now) / 1000)

const findNextYear = (now: number): number => Date.UTC(new Date(now).getUTCFullYear() + 1, 0)

const createDocument = (seconds: number) => ({
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
    schemas: createComponentSchemas(),
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', ...eitherScheme },
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', ...eitherScheme },
    },
  },
})

const eitherScheme = { 'x-spec-silent': 'The authentication scheme: either of these.' }

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
