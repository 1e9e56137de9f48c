// Faults in the content of a complete response: a different status, document or order.

import type { Fault, Line } from './proxy.ts'
import { bytesOf, key, type Response } from './response.ts'

const json = { 'content-type': 'application/json' }
const html = { 'content-type': 'text/html' }

const at = (said: (line: Line) => Response): Fault => ({
  at: 'response',
  play: (line) => line.socket.write(bytesOf(said(line))),
})

const saying = (
  status: number,
  body: string | Uint8Array = '',
  headers: Record<string, string> = {},
): Fault => at(() => ({ status, headers: { ...(body === '' ? {} : json), ...headers }, body }))

const page = (title: string): string =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body>No</body></html>`

const responded = ({ response }: Line): Response => response ?? { status: 200, headers: json, body: '' }

/** Changes the text of the service's own response. */
const changed = (change: (text: string) => string): Fault =>
  at((line) => {
    const response = responded(line)
    return { ...response, body: change(Buffer.from(response.body).toString()) }
  })

/** Adds a field at the beginning of the data. Every operation may have one there. */
const inData = (fields: string): Fault => changed((text) => text.replace('"data":{', `"data":{${fields},`))

const moved = (status: number, to: (line: Line) => string): Fault =>
  at((line) => ({ status, headers: { location: to(line) }, body: '' }))
const here = ({ origin, operation }: Line): string => `${origin}/order/${operation}?key=${key}`

const there = ({ elsewhere }: Line): string => `${elsewhere}/login?key=${key}`

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

export const contentFaults = {
  'nothing at all': saying(200),
  'no content': saying(204),
  null: saying(200, 'null'),
  'a list': saying(200, '[]'),
  'no data': saying(200, '{"message":"ok"}'),
  'data is a text': saying(200, '{"message":"ok","data":"ok"}'),
  'bytes that are no text': saying(200, Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d)),
  'JSON 100,000 deep': saying(200, deep(100_000)),
  'data 100,000 deep': inData(`"x":${deep(100_000)}`),
  'a key twice': changed((text) => text.replace('"message"', '"message":"a","message"')),
  'two ids': changed((text) => text.replace(/"(id|uid)":"/, '"$1":"ord_other","$1":"')),
  '1e400': inData('"x":1e400'),
  '20 digits where nobody looks': inData('"x":12345678901234567890'),
  '20 digits for a time': changed((text) =>
    text.replace(/"(expiresAt|_seconds)":\d+/, '"$1":12345678901234567890'),
  ),
  'a BOM in front': changed((text) => `\ufeff${text}`),
  'more behind its end': changed((text) => `${text}{}`),
  'a page': saying(200, page('Welcome to the hotel'), html),
  'JSON called a page': at((line) => ({ ...responded(line), headers: html })),
  'JSON called a text': at((line) => ({ ...responded(line), headers: { 'content-type': 'text/plain' } })),
  // A response to create identifies the order only by its products.
  'for another order': changed((text) =>
    text.includes('"expiresAt"')
      ? text.replaceAll('GAME-US', 'GAME-DE')
      : text.replace(/"(id|uid)":"[^"]+"/, '"$1":"ord_other"'),
  ),
  '301 here': moved(301, here),
  '302 elsewhere': moved(302, there),
  '303 here': moved(303, here),
  '307 here': moved(307, here),
  '307 elsewhere': moved(307, there),
  '308 elsewhere': moved(308, there),
  '304': saying(304),
  '400 that repeats the key': saying(400, JSON.stringify({ message: `no key like ${key}` })),
  '401': saying(401),
  '403': saying(403, '{"message":"Forbidden"}'),
  '404': saying(404, '{"message":"Not Found"}'),
  '404, a page': saying(404, page('nginx'), html),
  '407': saying(407, page('Proxy Authentication Required'), html),
  '408': saying(408),
  '409': saying(409, '{"message":"Conflict"}'),
  '413': saying(413, page('413 Request Entity Too Large'), html),
  '429': saying(429, '{"message":"Slow down"}'),
  '429, wait 1 s': saying(429, '', { 'retry-after': '1' }),
  '429, wait 2 min': saying(429, '', { 'retry-after': '120' }),
  '500': saying(500),
  '500, a page': saying(500, page('Oops'), html),
  '502': saying(502, page('502 Bad Gateway'), html),
  '503': saying(503, 'upstream connect error', { 'content-type': 'text/plain' }),
  '503, wait 1 s': saying(503, '', { 'retry-after': '1' }),
  '504': saying(504, page('504 Gateway Time-out'), html),
  '511': saying(511, page('Log in to the network'), html),
  '599': saying(599),
  '502 with escapes': saying(502, '\u001b[2J\u001b]0;owned\u0007 \u202egnp.exe', {
    'content-type': 'text/plain',
  }),
} satisfies Record<string, Fault>
