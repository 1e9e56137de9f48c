// Undoes the compression of an answer, within the same bound as the answer itself.
import { jsonLimits } from '../contract/json.ts'
import { CutOff, type Headers, type HttpResponse } from '../contract/transport.ts'
import { tooLarge } from './send.ts'

/** What we ask for. */
export const acceptEncoding = 'gzip, deflate, br'

const maxEncodings = 3
const { maxBytes: maxOutputLength } = jsonLimits

type Decoder = (body: Uint8Array, mayEnd: 'whole' | 'anywhere') => Uint8Array

/** Throws CutOff where it cannot be undone: then there is as much of the body as can be. */
export const decoded = async (response: HttpResponse): Promise<HttpResponse> => {
  const names = namesIn(response.headers)
  if (names.length === 0 || response.body.length === 0) return response
  const { 'content-encoding': _, 'content-length': _encodedLength, ...headers } = response.headers
  try {
    if (names.length > maxEncodings) throw new Error('the answer is compressed too many times')
    const decoders = await loadDecoders()
    const undo = (packed: Uint8Array, name: string) => undone(packed, decoders.get(name))
    return { ...response, headers, body: names.reduceRight(undo, Buffer.from(response.body)) }
  } catch (error) {
    throw new CutOff((error as Error).message, await decodedInPart(response))
  }
}

/** Of an answer that did not come to its end: the id of an order may stand in what did. */
export const decodedInPart = async (response: HttpResponse): Promise<HttpResponse> => {
  const names = namesIn(response.headers)
  if (names.length > maxEncodings) return response
  const decoders = names.length === 0 ? undefined : await loadDecoders()
  const begin = (packed: Uint8Array, name: string) => begun(packed, decoders?.get(name))
  return { ...response, body: names.reduceRight(begin, Buffer.from(response.body)) }
}

const namesIn = ({ 'content-encoding': encoding = '' }: Headers): string[] =>
  encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')

const loadDecoders = async (): Promise<ReadonlyMap<string, Decoder>> => {
  const { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } = await import(
    'node:zlib'
  )
  const { Z_FINISH, Z_SYNC_FLUSH, BROTLI_OPERATION_FINISH, BROTLI_OPERATION_FLUSH } = constants
  const zlib =
    (decode: typeof gunzipSync): Decoder =>
    (body, mayEnd) =>
      decode(body, { maxOutputLength, finishFlush: mayEnd === 'whole' ? Z_FINISH : Z_SYNC_FLUSH })
  const brotli: Decoder = (body, mayEnd) =>
    brotliDecompressSync(body, {
      maxOutputLength,
      finishFlush: mayEnd === 'whole' ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_FLUSH,
    })
  return new Map<string, Decoder>([
    ['gzip', zlib(gunzipSync)],
    ['x-gzip', zlib(gunzipSync)],
    ['br', brotli],
    // Some mean zlib by it, as the standard does, and some the bare stream.
    ['deflate', (body, mayEnd) => zlib(isZlib(body) ? inflateSync : inflateRawSync)(body, mayEnd)],
  ])
}

const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0

const undone = (packed: Uint8Array, decode: Decoder | undefined): Uint8Array => {
  if (decode === undefined) throw new Error('the answer is compressed in a way that nobody asked for')
  try {
    return decode(packed, 'whole')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge : 'the compression of the answer is broken')
  }
}

// An id stands near the beginning, and of a bomb not much can be undone.
const maxBegunBytes = 64 * 1024

/** As much of its beginning as can be undone; as it is, where nothing can: it may not be compressed at all. */
const begun = (packed: Uint8Array, decode: Decoder | undefined): Uint8Array => {
  for (
    let length = Math.min(packed.length, maxBegunBytes);
    decode !== undefined && length > 0;
    length = Math.floor(length / 2)
  ) {
    try {
      const body = decode(packed.subarray(0, length), 'anywhere')
      if (body.length > 0) return body
    } catch {
      // Broken, or too large: less of it may not be.
    }
  }
  return packed
}
