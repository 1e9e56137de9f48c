// What the page shows of a request and its response.
import type { Body, Exchange, KeptMessage } from '../exchange-log.ts'

// A confirm is short. Larger bodies are not searched, because a page asks for 1,000 requests at once.
const searchedSize = 1_000

/** For requests that did not reach an order: a fault handled them, or they were refused. */
const findOrderId = ({ entry, path, request: { body } }: Exchange): string | undefined => {
  if (entry.orderId !== undefined) return entry.orderId
  const inQuery = new URLSearchParams(path.slice(entry.path.length)).get('orderId')
  if (inQuery !== null || body.size > searchedSize) return inQuery ?? undefined
  return /"orderId"\s*:\s*"([^"\\]+)"/.exec(Buffer.from(body.content).toString())?.[1]
}

/** For the list. It contains no header and no body. */
export const summarizeExchange = (exchange: Exchange) => {
  const { id, entry, path } = exchange
  return { ...entry, id, path, orderId: findOrderId(exchange) }
}

export const describeExchange = (exchange: Exchange) => {
  const { request, response, entry } = exchange
  return {
    ...summarizeExchange(exchange),
    request: describeMessage(request),
    response: response === undefined ? null : { status: entry.status, ...describeMessage(response) },
  }
}

const describeMessage = ({ headers, body: { content, size } }: KeptMessage) => {
  const isCut = size > content.length
  return { headers: Object.entries(headers), body: { ...decode(content, isCut), size, isCut } }
}

/** Bytes that are not UTF-8 are written as base64. */
const decode = (content: Body, isCut: boolean): { text: string } | { base64: string } => {
  if (typeof content === 'string') return { text: content }
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    // A body that was cut may end within a character.
    return { text: decoder.decode(content, { stream: isCut }) }
  } catch {
    return { base64: Buffer.from(content).toString('base64') }
  }
}
