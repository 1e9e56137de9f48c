// The refusals of order-service.md 7. The embedded service sends them, and the client recognises them.

export type Operation = 'create' | 'confirm' | 'get'

export type ServiceRefusal = {
  readonly operations: readonly Operation[]
  readonly status: number
  readonly message: string
  /** Whether the message is quoted from the document. Otherwise it is orderctl's own. */
  readonly isVerbatim: boolean
  readonly advice: string
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
}

type Words = Pick<ServiceRefusal, 'message' | 'advice'> & { readonly retryable?: true }

/** Defines a refusal with a message that the document quotes. */
const defineQuoted = (operations: readonly Operation[], status: number, words: Words): ServiceRefusal => ({
  ...{ operations, status, isVerbatim: true, retryable: false },
  ...words,
})

const defineOwn = (...facts: Parameters<typeof defineQuoted>): ServiceRefusal => ({
  ...defineQuoted(...facts),
  isVerbatim: false,
})

export const refusals = {
  'list-too-big': defineQuoted(['create'], 400, {
    message: 'Requested product list is bigger than allowed',
    advice: 'Reduce the size of the order: at most 5 SKUs, 5 of each, 25 in all.',
  }),
  'list-malformed': defineQuoted(['create'], 400, {
    message: 'Your product list is not formatted well',
    advice: 'Product list items must have unique SKUs.',
  }),
  'quote-mismatch': defineQuoted(['create'], 400, {
    message: "The entered quote doesn't match the SKU.",
    advice: "Use the product's type and price. A product whose amount you choose has the type range.",
  }),
  'quote-out-of-range': defineQuoted(['create'], 400, {
    message: 'The entered quote is not in range',
    advice: "Choose a quote within the product's range.",
  }),
  'insufficient-funds': defineQuoted(['create', 'confirm'], 400, {
    message: 'You have insufficient funds in your wallet to create this order',
    advice: 'Top up the wallet, use a different wallet, or order less.',
  }),
  // Spec silent: there is no message for a request that is invalid outside its product list.
  'bad-request': defineOwn(['create'], 400, {
    message: 'The request body is not valid',
    advice: 'Send a JSON object with productList, wallet and reference.',
  }),
  // Spec silent on get: the response to a missing id is confirm's.
  'invalid-order-id': defineOwn(['confirm', 'get'], 400, {
    message: 'Request body has no valid `orderId`.',
    advice: 'Give the order id that create returned.',
  }),
  // Spec silent on confirm and get: the response is create's.
  credentials: defineOwn(['create', 'confirm', 'get'], 403, {
    message: 'Credentials missing or invalid.',
    advice: 'Check the key (ORDERCTL_API_KEY), and how it is sent (ORDERCTL_AUTH).',
  }),
  'product-not-found': defineQuoted(['create'], 404, {
    message: 'One or more product in the sent list are not found.',
    advice: 'Check the SKUs.',
  }),
  'not-pending': defineQuoted(['confirm'], 404, {
    message: 'Not Found',
    advice: 'The order does not exist or is already confirmed. Check it with get.',
  }),
  // Spec silent on get's errors: the message is confirm's.
  'order-not-found': defineOwn(['get'], 404, {
    message: 'Not Found',
    advice: 'Check the order id and the profile.',
  }),
  expired: defineQuoted(['confirm'], 419, {
    message: 'Expired',
    advice: 'Create a new order. The rates of this one were valid only until it expired.',
  }),
  'exchange-unsupported': defineQuoted(['create'], 500, {
    message: 'Your requested exchange is not supported',
    advice: 'Use a wallet in a different currency.',
  }),
  'out-of-stock': defineQuoted(['create'], 500, {
    message: 'Requested item is out of stock',
    advice: 'Order less of it, or a different product.',
  }),
  'server-error': defineOwn(['create', 'get'], 500, {
    message: 'Unexpected server error.',
    advice: 'Try again later.',
    retryable: true,
  }),
  'server-problem': defineOwn(['confirm'], 500, {
    message: 'Server problem; retry later.',
    advice: 'Check the order with get before you confirm it again.',
    retryable: true,
  }),
}

export type RefusalKind = keyof typeof refusals

type Advice = Pick<ServiceRefusal, 'advice' | 'retryable'>

// Spec silent: these statuses are not documented. By RFC 9110 and RFC 6585 the server did not process the request.
const undocumentedRefusals: ReadonlyMap<number, Advice> = new Map([
  [405, { advice: 'Check the base URL: this server does not accept orders there.', retryable: false }],
  [413, { advice: 'Make the order smaller, or its reference shorter.', retryable: false }],
  [415, { advice: 'Check the base URL: this server does not accept JSON there.', retryable: false }],
  // RFC 9110 allows a retry on a new connection, but each create and confirm already opens one.
  [421, { advice: 'Check the base URL: a different server responded.', retryable: false }],
  [426, { advice: 'Check whether the base URL must begin with https://.', retryable: false }],
  [429, { advice: 'Wait a minute, then run it again.', retryable: true }],
  [431, { advice: 'Check the key: the request headers are too large.', retryable: false }],
])

/**
 * Whether a server sends this status before it acts on a create or confirm. It does not prove that nothing happened:
 * a proxy may have sent the request twice, and the first copy may have worked.
 */
export const isRefusedBeforeActing = (status: number): boolean =>
  [400, 401, 403].includes(status) || undocumentedRefusals.has(status)

/** Returns undefined if neither the message nor the status is known. */
export const findAdvice = (kind: RefusalKind | undefined, status: number): Advice | undefined => {
  if (kind === undefined) return undocumentedRefusals.get(status)
  const { advice, retryable } = refusals[kind]
  return { advice, retryable }
}

const listRefusals = (operation: Operation, status: number) =>
  Object.entries<ServiceRefusal>(refusals).filter(
    ([, refusal]) => refusal.status === status && refusal.operations.includes(operation),
  )

export const isDocumented = (operation: Operation, status: number): boolean =>
  listRefusals(operation, status).length > 0

/** The only function that decides by a message's text. */
export const recogniseRefusal = (
  operation: Operation,
  status: number,
  message: string,
): RefusalKind | undefined => {
  const wanted = normalizeMessage(message)
  const candidates = listRefusals(operation, status)
  const same = candidates.find(([, refusal]) => normalizeMessage(refusal.message) === wanted)
  // A status with only one refusal needs no message.
  const only = candidates.length === 1 && status !== 500 ? candidates[0] : undefined
  return (same ?? only)?.[0] as RefusalKind | undefined
}

/** Whether the message is quoted from the document. Any other message may come from a proxy. */
export const isVerbatim = (kind: RefusalKind, message: string): boolean =>
  refusals[kind].isVerbatim && normalizeMessage(refusals[kind].message) === normalizeMessage(message)

// The document ends only some messages with a full stop.
const normalizeMessage = (message: string): string => message.trim().replace(/\.$/, '').toLowerCase()

/** Spec silent: the largest request. */
export const maxRequestBytes = 64 * 1024

export const wrongContentType = 'Content-Type must be application/json'

export const describeAllowedMethods = (methods: string): string => `Method not allowed. Use ${methods}.`

export const describeTooLarge = (maxBytes: number): string =>
  `The request body is larger than ${maxBytes} bytes.`
