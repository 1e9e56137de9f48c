import { readAs, type Shape } from '../../src/contract/shape.ts'

/** What is read, where nothing may be wrong with it. */
export const must = <Out>(shape: Shape<Out>, value: unknown): Out => {
  const { data, issues } = readAs(shape, value)
  if (issues !== undefined) throw new Error(JSON.stringify(issues))
  return data
}
