// Decompresses an answer, within the size limit of the answer itself.
import { jsonLimits } from '../contract/json.ts'
import { CutOff, type Headers, type HttpResponse } from '../contract/transport.ts'
import { tooLarge } from './send.ts'

export const acceptEncoding = 'gzip, deflate, br'

const maxEncodings = 3
const { maxBytes: maxOutputLength } = jsonLimits

type Decoder = (body: Uint8Array, mayEnd: 'whole' | 'anywhere') => Uint8Array

/** Throws CutOff, with as much of the body as can be decoded, if the body is broken or too large. */
export const decodeResponse = async (response: HttpResponse): Promise<HttpResponse> => {
  const names = readEncodings(response.headers)
  if (names.length === 0 || response.body.length === 0) return response
  const { 'content-encoding': _, 'content-length': _encodedLength, ...headers } = response.headers
  try {
    if (names.length > maxEncodings) throw new Error('the answer is compressed too many times')
    const decoders = await loadDecoders()
    const decode = (packed: Uint8Array, name: string) => decodeWhole(packed, decoders.get(name))
    return { ...response, headers, body: names.reduceRight(decode, Buffer.from(response.body)) }
  } catch (error) {
    throw new CutOff((error as Error).message, await decodePartly(response))
  }
}

/** Decodes the beginning of an answer that is not complete: it may have the id of an order. */
export const decodePartly = async (response: HttpResponse): Promise<HttpResponse> => {
  const names = readEncodings(response.headers)
  if (names.length > maxEncodings) return response
  const decoders = names.length === 0 ? undefined : await loadDecoders()
  const decode = (packed: Uint8Array, name: string) => decodeBeginning(packed, decoders?.get(name))
  return { ...response, body: names.reduceRight(decode, Buffer.from(response.body)) }
}

const readEncodings = ({ 'content-encoding': encoding = '' }: Headers): string[] =>
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
    // The standard means zlib. Some servers send the bare stream.
    ['deflate', (body, mayEnd) => zlib(isZlib(body) ? inflateSync : inflateRawSync)(body, mayEnd)],
  ])
}

const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0

const decodeWhole = (packed: Uint8Array, decode: Decoder | undefined): Uint8Array => {
  if (decode === undefined) throw new Error('the answer is compressed in a way that nobody asked for')
  try {
    return decode(packed, 'whole')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge : 'the compression of the answer is broken')
  }
}

// The id is near the beginning, and little of a decompression bomb can be decoded.
const maxPartBytes = 64 * 1024

/** As much of its beginning as can be decoded. If that is nothing, the body itself: it may not be compressed. */
const decodeBeginning = (packed: Uint8Array, decode: Decoder | undefined): Uint8Array => {
  for (
    let length = Math.min(packed.length, maxPartBytes);
    decode !== undefined && length > 0;
    length = Math.floor(length / 2)
  ) {
    try {
      const body = decode(packed.subarray(0, length), 'anywhere')
      if (body.length > 0) return body
    } catch {
      // Broken, or too large. A shorter part may not be.
    }
  }
  return packed
}
