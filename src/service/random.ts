// Repeatable random numbers, computed from a seed.

/** Spreads a value over 32 bits. */
export const mix = (value: number, key: number): number => {
  let hash = Math.imul(value ^ key, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

export const hashText = (text: string): number => {
  let hash = 0x811c9dc5
  for (const character of text) hash = mix(hash, character.codePointAt(0) ?? 0)
  return hash
}

/** Returns a generator of numbers from 0 (included) to 1 (excluded). */
export const createRandom = (seed: string): (() => number) => {
  const key = hashText(seed)
  let count = 0
  return () => {
    count += 1
    return mix(count, key) / 2 ** 32
  }
}
