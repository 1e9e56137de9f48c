// Repeatable chance: numbers that follow from a seed. Pure.

/** Spreads a value over 32 bits. */
export const mix = (value: number, key: number): number => {
  let hash = Math.imul(value ^ key, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

export const keyOf = (text: string): number => {
  let key = 0x811c9dc5
  for (const character of text) key = mix(key, character.codePointAt(0) ?? 0)
  return key
}

/** From 0 up to, but never, 1. */
export const randomFrom = (seed: string): (() => number) => {
  const key = keyOf(seed)
  let turn = 0
  return () => {
    turn += 1
    return mix(turn, key) / 2 ** 32
  }
}
