// Collects the body of a request or response.

/**
 * Copies the chunks into one buffer. A chunk of one byte may keep alive the 64 KiB that it was read into, with the
 * extensions of its size.
 */
export const createBody = (maxBytes: number) => {
  let buffer: Uint8Array | undefined
  let size = 0
  return {
    /** Returns false, and drops the chunk, if the body would be larger than allowed. */
    add: (chunk: Uint8Array): boolean => {
      const end = size + chunk.length
      if (end > maxBytes) return false
      // A body of one chunk, as most are, needs no copy.
      if (buffer === undefined) buffer = chunk
      else {
        if (end > buffer.length) {
          const larger = new Uint8Array(Math.min(maxBytes, 2 * end))
          larger.set(buffer.subarray(0, size))
          buffer = larger
        }
        buffer.set(chunk, size)
      }
      size = end
      return true
    },
    /** Undefined without a chunk. */
    read: () => buffer?.subarray(0, size),
  }
}
