// The bodies of an OpenAPI document: references to schemas, with examples.
export const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const createJsonContent = (name: string, examples: object) => ({
  'application/json': { schema: createRef(name), ...examples },
})
export const createBody = (name: string, example: unknown) => ({
  required: true,
  content: createJsonContent(name, { example }),
})
export const createResponseContent = (description: string, name: string, example: unknown) => ({
  description,
  content: createJsonContent(name, { example }),
})
