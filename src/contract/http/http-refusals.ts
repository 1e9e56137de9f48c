// The messages of refusals of HTTP requests that reach no operation, and the size that one of them names.

/** Spec silent: the largest request. */
export const maxRequestBytes = 64 * 1024

export const wrongContentType = 'Content-Type must be application/json'

export const describeAllowedMethods = (methods: string): string => `Method not allowed. Use ${methods}.`

export const describeTooLarge = (maxBytes: number): string =>
  `The request body is larger than ${maxBytes} bytes.`
