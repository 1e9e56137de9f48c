// The refusals of requests that are no valid call of an operation, and their messages.

/** Spec silent: the largest request. */
export const maxRequestBytes = 64 * 1024

export const wrongContentType = 'Content-Type must be application/json'

export const describeAllowedMethods = (methods: string): string => `Method not allowed. Use ${methods}.`

export const describeTooLarge = (maxBytes: number): string =>
  `The request body is larger than ${maxBytes} bytes.`
