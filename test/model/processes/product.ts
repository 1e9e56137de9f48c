// orderctl, loaded when a defect may have been planted into it.
import type { HttpResponse } from '../../../src/contract/transport.ts'
import type { run } from '../../../src/run.ts'

export type Product = {
  readonly run: typeof run
  readonly NotSentError: new (message: string) => Error
  readonly CutOffError: new (message: string, begun: HttpResponse) => Error
}

export const loadProduct = async (): Promise<Product> => {
  const { run } = await import('../../../src/run.ts')
  const { NotSentError, CutOffError } = await import('../../../src/contract/transport.ts')
  return { run, NotSentError, CutOffError }
}
