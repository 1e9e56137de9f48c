// src/client/api.ts, also for compressed responses.
import { brotliCompressSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { salvageId } from '../../src/client/api.ts'
import { createdExample } from '../../src/contract/openapi/examples.ts'
import { openTalker } from '../http/socket-servers.ts'
import { request } from '../support/client-api.ts'
import { line } from '../support/embedded.ts'
import { openClient } from './open-client.ts'

const { id } = createdExample.data
const whole = JSON.stringify(createdExample)

test.each<[string, string, string | undefined]>([
  ['whole', whole, id],
  ['cut off behind it', whole.slice(0, whole.indexOf(id) + id.length + 1), id],
  ['cut off in it', whole.slice(0, whole.indexOf(id) + 4), undefined],
  ['with a number out of range', whole.replace('44.28', '1e400'), id],
  ['with a key twice', whole.replace('"expiresAt"', '"invoice":{},"expiresAt"'), id],
  ['with it twice', whole.replace('"expiresAt"', `"id":"${id}","expiresAt"`), id],
  ['with a second id beside it', whole.replace('"expiresAt"', '"id":"ord_other","expiresAt"'), undefined],
  ['with other data behind it', whole.replace(/}$/, ',"data":{"id":"ord_other"}}'), undefined],
  ['with an id elsewhere', '{"id":"a","data":{"x":{"id":"b"},"y":[{"id":"c"}],"z":"id"', undefined],
  ['with an id as a value', '{"data":{"x":["id","b"],"y":"id"', undefined],
  ['with an id in a list of data', '{"data":[{"id":"a"}]', undefined],
  ['with an id spelled with escapes', '{"\\u0064ata":{"\\u0069d":"a\\u002db"', 'a-b'],
  ['with an empty id', '{"data":{"id":" "', undefined],
  ['with an id that looks like an order word', '{"data":{"id":"ref:a"', undefined],
  ['with a number as its id', '{"data":{"id":7,', undefined],
  ['with a broken escape', '{"data":{"x":"\\q","id":"a"', undefined],
  ['with too many ends', '{}}]{"data":{"id":"a"', 'a'],
  ['behind a byte order mark and a line', '\ufeff\r\n{"data":{"id":"a"', 'a'],
  ['in a page', '<script>{"data":{"id":"a"}}</script>', undefined],
  ['in a list', '[{"data":{"id":"a"}}]', undefined],
  ['of nothing', '', undefined],
  // U+FFFD replaces invalid bytes, so the id would be wrong.
  ['with an id that was decoded badly', '{"data":{"id":"ord_\ufffd1"', undefined],
])('of a response %s', (_, text, found) => {
  expect(salvageId(text)).toBe(found)
})

test('a cut-off response gives the correct id or none', () => {
  fc.assert(
    fc.property(fc.nat(whole.length), (length) => {
      expect([undefined, id]).toContain(salvageId(whole.slice(0, length)))
    }),
  )
})

test.each<[string, string, Uint8Array | string, number]>([
  ['gzip that does not come to its end', 'gzip', gzipSync(whole).subarray(0, -20), 9_999],
  ['brotli that does not come to its end', 'br', brotliCompressSync(whole).subarray(0, -20), 9_999],
  ['gzip that is broken', 'gzip', gzipSync(whole).subarray(0, -20), 0],
  ['gzip that grows too large', 'gzip', gzipSync(whole + ' '.repeat(3 * 1024 ** 2)), 0],
  ['gzip in gzip that grows too large', 'gzip, gzip', gzipSync(gzipSync(whole + ' '.repeat(9_999_999))), 0],
  ['text that says that it is gzip', 'gzip', whole, 0],
  ['an unrequested compression', 'zstd', whole, 0],
])('%s keeps the order id', async (_name, encoding, body, missing) => {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: ${encoding}\r\n`
  await using server = await openTalker((socket) => {
    socket.write(`${head}content-length: ${Buffer.byteLength(body) + missing}\r\n\r\n`)
    socket.end(body)
  })
  expect(await openClient(server.origin).create(request([line('GAME-DE', { quantity: 2 })]))).toMatchObject({
    kind: 'unknown',
    orderId: id,
  })
})
