// Undoes the compression of an answer, within the same bound as the answer itself.
import { jsonLimits } from '../contract/json.ts'
import type { HttpResponse } from '../contract/transport.ts'
import { tooLarge } from './send.ts'

/** What we ask for. */
export const acceptEncoding = 'gzip, deflate, br'

const maxEncodings = 3

type Decoder = (body: Uint8Array, limit: { maxOutputLength: number }) => Uint8Array

export const decoded = async (response: HttpResponse): Promise<HttpResponse> => {
  const { 'content-encoding': encoding = '', 'content-length': _encodedLength, ...headers } = response.headers
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length === 0 || response.body.length === 0) return response
  if (names.length > maxEncodings) throw new Error('the answer is compressed too many times')

  const { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } = await import('node:zlib')
  const inflate: Decoder = (body, limit) => (isZlib(body) ? inflateSync : inflateRawSync)(body, limit)
  const decoders = new Map<string, Decoder>([
    ['gzip', gunzipSync],
    ['x-gzip', gunzipSync],
    ['br', brotliDecompressSync],
    // Some mean zlib by it, as the standard does, and some the bare stream.
    ['deflate', inflate],
  ])
  let body: Uint8Array = Buffer.from(response.body)
  for (const name of names.reverse()) {
    const decode = decoders.get(name)
    if (decode === undefined) throw new Error('the answer is compressed in a way that nobody asked for')
    try {
      body = decode(body, { maxOutputLength: jsonLimits.maxBytes })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new Error(code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge : 'the compression of the answer is broken')
    }
  }
  return { ...response, headers, body }
}

const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
