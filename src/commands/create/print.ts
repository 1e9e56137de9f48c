// Prints what create shows without placing an order: an example, the schema, or the request of a dry run.
import type { Context } from '../../context.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { renderJson } from '../../ui/text/json.ts'
import { writeNote } from '../shared/notes.ts'
import type { CreateOptions } from './spec.ts'

export const printTemplate = async ({ stdout }: Context, { schema }: CreateOptions): Promise<number> => {
  if (schema) {
    const { createOrderFileSchema } = await import('../../contract/openapi/order-file-schema.ts')
    stdout.write(renderJson(createOrderFileSchema(), { reveal: true }))
  } else {
    const { exampleOrderFile } = await import('../../contract/openapi/examples.ts')
    stdout.write(renderJson(exampleOrderFile, { reveal: true }))
  }
  return 0
}

/** A request holds no codes, so nothing in it is masked. */
export const printRequest = (
  { stdout, stderr }: Context,
  request: OrderRequest,
  { fields }: CreateOptions,
): number => {
  stdout.write(renderJson(request, { reveal: true, fields }))
  writeNote({ stderr }, 'The order is valid. Nothing was sent.\n')
  return 0
}
