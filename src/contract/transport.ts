// The transport: one HTTP request in, one HTTP response out, plain values both.

/** Header names are lower case. */
export type Headers = Readonly<Record<string, string>>

export type HttpRequest = {
  readonly method: string
  /** The target below the base address, query included: `/order/get?orderId=…`. */
  readonly path: string
  readonly headers: Headers
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
}

export type HttpResponse = {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Uint8Array
  /** Set by a fault alone: a socket sends the body this slowly, a byte at a time. */
  readonly msPerByte?: number
}

export type Transport = (request: HttpRequest) => Promise<HttpResponse>

/** The connection went away instead of an answer: by a reset, or by a quiet close without a byte. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected'
  readonly how: 'reset' | 'close'

  constructor(how: 'reset' | 'close') {
    super(how === 'reset' ? 'the connection was reset' : 'the connection closed without an answer')
    this.how = how
  }
}

/** Provably no byte of the request has left: nothing has changed, and the same call may be made again. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

/** The answer began, and did not come to its end: the head, and as much of the body as there is. */
export class CutOff extends Error {
  override readonly name = 'CutOff'
  readonly begun: HttpResponse

  constructor(reason: string, begun: HttpResponse) {
    super(reason)
    this.begun = begun
  }
}
