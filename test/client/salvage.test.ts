// The id of a new order in a damaged response.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { salvageId } from '../../src/client/api.ts'
import { createdExample } from '../../src/contract/openapi/examples.ts'

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
  ['with several ids', '{"id":"a","data":{"x":{"id":"b"},"y":[{"id":"c"}],"z":"id"', undefined],
  ['with an id as a value', '{"data":{"x":["id","b"],"y":"id"', undefined],
  ['with escapes in its id', '{"data":{"id":"a\\u002db"', undefined],
  ['with an id in a text', '{"message":"\\"id\\":\\"a\\"","data":{"id":"b"', 'b'],
  ['with an empty id', '{"data":{"id":" "', undefined],
  ['with an id that looks like an order word', '{"data":{"id":"ref:a"', undefined],
  ['with a number as its id', '{"data":{"id":7,', undefined],
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
