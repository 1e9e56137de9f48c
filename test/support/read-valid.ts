import { readAs, type Shape } from '../../src/contract/shape.ts'

/** Reads the value and throws if it has any issue. */
export const readValid = <Out>(shape: Shape<Out>, value: unknown): Out => {
  const { data, issues } = readAs(shape, value)
  if (issues !== undefined) throw new Error(JSON.stringify(issues))
  return data
}
