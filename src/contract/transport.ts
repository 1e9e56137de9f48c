// A transport takes one HTTP request and returns one HTTP response. Both are plain values.

/** Header names are lower case. */
export type Headers = Readonly<Record<string, string>>

export type HttpRequest = {
  readonly method: string
  /** The path below the base URL, with its query: `/order/get?orderId=…`. */
  readonly path: string
  readonly headers: Headers
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
}

export type HttpResponse = {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Uint8Array
}

export type Transport = (request: HttpRequest) => Promise<HttpResponse>

/** The connection was reset, or closed without a byte, instead of a response. */
export class DisconnectedError extends Error {
  override readonly name = 'DisconnectedError'
  readonly how: 'reset' | 'close'

  constructor(how: 'reset' | 'close') {
    super(how === 'reset' ? 'the connection was reset' : 'the connection closed without a response')
    this.how = how
  }
}

/** It is proven that no byte of the request was sent, so the call may be repeated. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError'
  /** What a person must do first. Without it, the same call may succeed soon. */
  readonly advice: string | undefined

  constructor(reason: string, advice?: string) {
    super(reason)
    this.advice = advice
  }
}

/** The response is incomplete: `response` contains its head and the part of the body that arrived. */
export class CutOffError extends Error {
  override readonly name = 'CutOffError'
  readonly response: HttpResponse

  constructor(reason: string, response: HttpResponse) {
    super(reason)
    this.response = response
  }
}
