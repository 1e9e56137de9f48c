// The command lines behind `place po-1` and `run gifts GAME-US:25x7`.

/** The name, and the flags of the products. */
const readOrder = (rest: string): [name: string, flags: string[]] => {
  const [name = '', ...given] = rest.split(' ')
  const products = given.length > 0 ? given : ['GAME-US:25']
  return [name, [...products.flatMap((each) => ['--product', each]), '--wallet', 'USD']]
}

export const orderWords = (rest: string, ...more: string[]): string[] => {
  const [reference, flags] = readOrder(rest)
  return ['create', ...flags, '--reference', reference, '-q', ...more]
}

export const batchWords = (verb: string, rest: string, ...more: string[]): string[] => {
  const [name, flags] = readOrder(rest)
  return ['batch', verb, ...flags, '--name', name, '--json', ...more]
}
