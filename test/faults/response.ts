// Responses as bytes, and what spoils them.
/** Of the account, and in no output. */
export const key = 'open-sesame-48151623'

export type Response = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

export const headOf = ({ status, headers }: Omit<Response, 'body'>): string =>
  [
    `HTTP/1.1 ${status} Said`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')

/** With its length, unless the response sets one itself. */
export const bytesOf = ({ status, headers, body }: Response): Buffer => {
  const length: Record<string, string> =
    status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return Buffer.concat([
    Buffer.from(headOf({ status, headers: { ...length, ...headers } })),
    Buffer.from(body),
  ])
}
