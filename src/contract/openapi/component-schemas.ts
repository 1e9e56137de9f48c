// The schemas of an OpenAPI document, from the shapes of the answers and the zod schemas of the requests.
import * as z from 'zod/mini'
import { lenientRequest } from '../order-request.ts'
import * as schemas from '../schemas.ts'
import type { SchemaOf, Shape } from '../shape.ts'
import { createRef } from './content.ts'

export const createComponentSchemas = (): Record<string, unknown> => ({
  ...createAnswerSchemas(),
  ...createRequestSchemas({
    CreateRequest: lenientRequest,
    ProductLine: lenientRequest.shape.productList.def.element,
  }),
  Refusal: refusalSchema,
})

const createAnswerSchemas = () => {
  const named = Object.entries(schemas).map(
    ([name, shape]) => [name.replace(/^./, (first) => first.toUpperCase()), shape] as const,
  )
  const names = new Map<Shape<unknown>, string>(named.map(([name, shape]) => [shape, name]))
  const schemaOf: SchemaOf = (shape) => {
    const name = names.get(shape)
    return name === undefined ? shape.schema(schemaOf) : createRef(name)
  }
  return Object.fromEntries(named.map(([name, shape]) => [name, shape.schema(schemaOf)]))
}

const createRequestSchemas = (named: Readonly<Record<string, z.ZodMiniType>>) => {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const generated = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-2020-12',
    uri: (id) => createRef(id).$ref,
  })
  return Object.fromEntries(
    Object.entries(generated.schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  )
}

const refusalSchema = {
  type: 'object',
  properties: {
    message: { type: 'string' },
    violations: {
      type: 'array',
      items: { type: 'string' },
      description: 'Everything that is wrong with the request.',
    },
  },
  required: ['message'],
  'x-spec-silent': 'The shape of an error body: the message as in an answer of 200, and the violations.',
}
