// HMAC-SHA-256 (RFC 2104, FIPS 180-4). With node:crypto, which loads OpenSSL, get of a delivered order takes 6 ms more.

// The first bits of the fractions of the cube roots of the first 64 primes.
const roundConstants = Uint32Array.of(
  ...[0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5],
  ...[0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174],
  ...[0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da],
  ...[0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967],
  ...[0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85],
  ...[0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070],
  ...[0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3],
  ...[0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2],
)
// Of the square roots of the first 8 primes.
const initialState = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]
const blockBytes = 64

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

/** The message schedule of a block. Shared by all blocks: a batch hashes thousands of cards, with four blocks each. */
const words = new Uint32Array(64)

const expandBlock = (message: Buffer, start: number): void => {
  for (let at = 0; at < 16; at += 1) words[at] = message.readUInt32BE(start + at * 4)
  for (let at = 16; at < 64; at += 1) {
    const near = words[at - 2] ?? 0
    const far = words[at - 15] ?? 0
    const nearMix = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10)
    const farMix = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)
    words[at] = (words[at - 16] ?? 0) + farMix + (words[at - 7] ?? 0) + nearMix
  }
}

const sha256 = (content: Buffer): Buffer => {
  // Padded by a bit, zeros and the length in bits.
  const message = Buffer.alloc(Math.ceil((content.length + 9) / blockBytes) * blockBytes)
  content.copy(message)
  message[content.length] = 0x80
  message.writeBigUInt64BE(BigInt(content.length) * 8n, message.length - 8)
  const state = Uint32Array.from(initialState)
  for (let start = 0; start < message.length; start += blockBytes) {
    expandBlock(message, start)
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let at = 0; at < 64; at += 1) {
      const choice = (e & f) ^ (~e & g)
      const majority = (a & b) ^ (a & c) ^ (b & c)
      const mix = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      const first = (h + mix + choice + (roundConstants[at] ?? 0) + (words[at] ?? 0)) | 0
      const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
      h = g
      g = f
      f = e
      e = (d + first) | 0
      d = c
      c = b
      b = a
      a = (first + second) | 0
    }
    const ended = [a, b, c, d, e, f, g, h]
    for (let at = 0; at < ended.length; at += 1) state[at] = (state[at] ?? 0) + (ended[at] ?? 0)
  }
  const digest = Buffer.alloc(32)
  for (let at = 0; at < state.length; at += 1) digest.writeUInt32BE(state[at] ?? 0, at * 4)
  return digest
}

export const hmacSha256 = (key: string, text: string): Buffer => {
  const given = Buffer.from(key)
  const padded = Buffer.alloc(blockBytes)
  const used = given.length > blockBytes ? sha256(given) : given
  used.copy(padded)
  const hashWith = (mask: number, content: Buffer): Buffer =>
    sha256(Buffer.concat([padded.map((byte) => byte ^ mask), content]))
  return hashWith(0x5c, hashWith(0x36, Buffer.from(text)))
}
