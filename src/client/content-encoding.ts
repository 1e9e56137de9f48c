// Decompresses a response. The size limit applies to the decompressed response.
import { jsonLimits } from '../contract/json.ts'
import { CutOffError, type Headers, type HttpResponse } from '../contract/transport.ts'
import { tooLargeReason } from '../http/send.ts'

export const acceptEncoding = 'gzip, deflate, br'

const maxEncodings = 3
const { maxBytes: maxOutputLength } = jsonLimits

type Decoder = (body: Uint8Array, isPart: boolean) => Uint8Array

/** Throws CutOffError with the part that can be decoded if the body is damaged or too large. */
export const decodeResponse = async (response: HttpResponse): Promise<HttpResponse> => {
  const names = readEncodings(response.headers)
  if (names.length === 0 || response.body.length === 0) return response
  const { 'content-encoding': _, 'content-length': _encodedLength, ...headers } = response.headers
  try {
    if (names.length > maxEncodings) throw new Error('the response is compressed too many times')
    const decoders = await loadDecoders()
    const decode = (packed: Uint8Array, name: string) => decodeWhole(packed, decoders.get(name))
    return { ...response, headers, body: names.reduceRight(decode, Buffer.from(response.body)) }
  } catch (error) {
    throw new CutOffError((error as Error).message, await decodePartly(response))
  }
}

/** Decodes the beginning of an incomplete response, because it may contain the id of an order. */
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
    (decode: typeof gunzipSync, part = Z_SYNC_FLUSH, whole = Z_FINISH): Decoder =>
    (body, isPart) =>
      decode(body, { maxOutputLength, finishFlush: isPart ? part : whole })
  return new Map<string, Decoder>([
    ['gzip', zlib(gunzipSync)],
    ['x-gzip', zlib(gunzipSync)],
    ['br', zlib(brotliDecompressSync, BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH)],
    // RFC 9110 defines deflate as zlib, but some servers send the raw stream.
    ['deflate', (body, isPart) => zlib(isZlib(body) ? inflateSync : inflateRawSync)(body, isPart)],
  ])
}

const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0

const decodeWhole = (packed: Uint8Array, decode: Decoder | undefined): Uint8Array => {
  if (decode === undefined) throw new Error('the response has an unsupported content encoding')
  try {
    return decode(packed, false)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(code === 'ERR_BUFFER_TOO_LARGE' ? tooLargeReason : 'the compressed response is damaged')
  }
}

// The order id is near the beginning, and the limit stops decompression bombs.
const maxPartBytes = 64 * 1024

/** Returns the body unchanged if nothing can be decoded, because it may not be compressed. */
const decodeBeginning = (packed: Uint8Array, decode: Decoder | undefined): Uint8Array => {
  if (decode === undefined) return packed
  for (let length = Math.min(packed.length, maxPartBytes); length > 0; length = Math.floor(length / 2)) {
    try {
      const body = decode(packed.subarray(0, length), true)
      if (body.length > 0) return body
    } catch {
      // Damaged or too large, so the loop tries a shorter part.
    }
  }
  return packed
}
