// What the page shows of a request and its response.
import type { Body, Exchange, KeptMessage } from '../exchange-log.ts'

/** For the list. It contains no header and no body. */
export const summarizeExchange = ({ id, entry, path }: Exchange) => ({ ...entry, id, path })

export const describeExchange = (exchange: Exchange) => {
  const { request, response } = exchange
  return {
    ...summarizeExchange(exchange),
    request: describeMessage(request),
    response: response === undefined ? null : describeMessage(response),
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
