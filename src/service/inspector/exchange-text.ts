// Formats exchanges for the inspector: one line for its list, and all details of one.
import type { Exchange, KeptBody } from './exchange-log.ts'

// A confirm is short. Larger bodies are not searched, because a page asks for 1,000 requests at once.
const searchedSize = 1_000

/** For requests that did not reach an order: a fault handled them, or they were refused. */
const findOrderId = ({ entry, request: { path, body } }: Exchange): string | undefined => {
  if (entry.orderId !== undefined) return entry.orderId
  const inQuery = new URLSearchParams(path.slice(entry.path.length)).get('orderId')
  if (inQuery !== null || body.size > searchedSize) return inQuery ?? undefined
  const text = typeof body.content === 'string' ? body.content : new TextDecoder().decode(body.content)
  return /"orderId"\s*:\s*"([^"\\]+)"/.exec(text)?.[1]
}

/** For the list. It has no header and no body. */
export const summarizeExchange = (exchange: Exchange) => {
  const { id, entry, request } = exchange
  return {
    id,
    at: entry.at,
    ms: entry.ms,
    method: request.method,
    path: request.path,
    status: entry.status,
    orderId: findOrderId(exchange),
    message: entry.message,
    fault: entry.fault,
  }
}

export const describeExchange = (exchange: Exchange) => {
  const { request, response } = exchange
  return {
    ...summarizeExchange(exchange),
    request: { headers: Object.entries(request.headers), body: describeBody(request.body) },
    response:
      response === undefined
        ? null
        : {
            status: response.status,
            headers: Object.entries(response.headers),
            body: describeBody(response.body),
          },
  }
}

/** Bytes that are not UTF-8 are written as base64. */
const describeBody = ({ content, size }: KeptBody) => {
  const isCut = size > content.length
  if (typeof content === 'string') return { text: content, size, isCut }
  const text = decode(content, isCut)
  return text === undefined
    ? {
        base64: Buffer.from(content.buffer, content.byteOffset, content.length).toString('base64'),
        size,
        isCut,
      }
    : { text, size, isCut }
}

const decode = (bytes: Uint8Array, isCut: boolean): string | undefined => {
  try {
    // A body that was cut may end within a character.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}
