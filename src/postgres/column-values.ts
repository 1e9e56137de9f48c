// Converts the values of columns as SQLite returns them: integers are bigints, fractions are numbers.

const toBigInt = (text: string): bigint => BigInt(text)

// Keyed by the object ids of int8, int2, int4, oid, bool, float4, float8 and numeric, which never change.
const converters: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>(
  [
    ...[20, 21, 23, 26].map((id) => [id, toBigInt] as const),
    [16, (text) => (text === 't' ? 1n : 0n)],
    [700, Number],
    [701, Number],
    // The sum of bigints is a numeric.
    [1700, (text) => (/^-?\d+$/.test(text) ? BigInt(text) : text)],
  ],
)

const keepText = (text: string): string => text

/** The `types` of a client of pg. Any other value stays the text that PostgreSQL sends. */
export const columnTypes = {
  getTypeParser: (id: number): ((text: string) => unknown) => converters.get(id) ?? keepText,
}
